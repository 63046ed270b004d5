"""Tables and regressions for the tests of the log loss's kernels."""

import numpy as np

from supersparse import Problem
from supersparse.engine.risk.instance import RiskInstance, risk_instance


def sparse_instance(rows: int = 600, columns: int = 12, values: int = 200, seed: int = 0) -> RiskInstance:
    """Most entries are 0, the others many-valued: too many codes for a table of all of them."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((rows, columns)) < 0.85, 0, rng.integers(1, values, (rows, columns)))
    y = (rng.random(rows) < 1 / (1 + np.exp(1 - X @ rng.normal(0, 0.02, columns)))).astype(int)
    return risk_instance(Problem.of(X, y, goal="risk", max_features=4, max_points=5), slope_is_free=True)


def regression_loss(x, positive, negative) -> float:
    """The least loss of any weights, by plain Newton steps."""
    columns, v = np.vstack([np.ones(x.shape[1]), x]), np.zeros(1 + len(x))

    def loss(at):
        z = at @ columns
        return float(positive @ np.logaddexp(0, -z) + negative @ np.logaddexp(0, z))

    for _ in range(40):
        p = 1 / (1 + np.exp(-(v @ columns)))
        weight = positive + negative
        h = (columns * (weight * p * (1 - p))) @ columns.T
        step, t = np.linalg.solve(h, columns @ (weight * p - positive)), 1.0
        while loss(v - t * step) > loss(v) and t > 1e-6:
            t /= 2
        v = v - t * step
    return loss(v)
