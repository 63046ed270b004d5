"""Problems for the ratio bound, and the bound on them."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from supersparse.engine.exact.cuts import Cuts
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.ratios import RatioBoxes
from supersparse.engine.integer_form import integer_form
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.incumbent import smallest_coefficients
from supersparse.problem.objective import completed
from supersparse.problem.problem import Problem


def boxes_of(problem, threads=1):
    """The bound on a problem whose only known model is the empty one, and the monitor."""
    monitor = Monitor(problem, SolveOptions(), lambda points: points)
    monitor.incumbent(completed(problem, smallest_coefficients(problem)))
    form = integer_form(problem)
    (case,) = instances(form)
    if not RatioBoxes.applies(case):
        return None, monitor
    return RatioBoxes(case, Cuts(form, monitor), Fraction(0), threads), monitor


@st.composite
def small_problems(draw):
    """Few rows and columns of many values, weighted or not, with sets of one or two signs."""
    n, p = draw(st.integers(4, 14)), draw(st.integers(1, 5))
    largest = draw(st.integers(1, 3 if p <= 3 else 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.integers(-4, 5, (n, p)) if draw(st.booleans()) else rng.normal(size=(n, p))
    X = X.round(draw(st.sampled_from([2, 9])))  # nine decimals need a coarser unit
    y = (rng.random(n) < 0.5).astype(int)
    y[:2] = 0, 1
    points = [list(range(-largest, largest + 1)), list(range(largest + 1))]
    return Problem.of(
        X,
        y,
        C0=draw(st.sampled_from([0.01, 0.05, 0.1])),
        points=points[draw(st.integers(0, 1))],
        max_features=draw(st.sampled_from([None, p])),
        sample_weight=rng.integers(1, 4, n) if draw(st.booleans()) else None,
    )


def table(n=60, p=6, seed=1, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 11, (n, p))
    y = ((X[:, :3] @ [3, -2, 1] > np.median(X[:, :3] @ [3, -2, 1])) ^ (rng.random(n) < noise)).astype(int)
    return X, y
