"""Problems that take the engine a while: noisy labels and a small C0."""

import numpy as np

from supersparse.problem.problem import Problem


def noisy(n=150, p=8, *, seed=0, **settings):
    """Ratings from 0 to 3 and labels of a rule drowned in noise: no proof within minutes."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, p))
    y = (X @ random.integers(-3, 4, p) + random.normal(0, 6, n) > 0).astype(int)
    y[:2] = 0, 1
    return Problem.of(X, y, **({"C0": 0.002, "max_points": 10} | settings))


def medium(seed=0, **settings):
    """A problem with a proof of about a second."""
    return noisy(70, 5, seed=seed, **({"C0": 0.01, "max_points": 5} | settings))
