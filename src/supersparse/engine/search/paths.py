"""Starting points: logistic and lasso paths, rounded to the coefficient sets at several scales."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats
from supersparse.base.stop import check_deadline
from supersparse.engine.integer_form import IntegerForm

SCALES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 25.0, 50.0, 100.0)
_RIDGE = 1e-3
_MOST_AT_ONCE = 120


class Surrogate:
    """Logistic regression on the distinct rows, with features centred and scaled."""

    def __init__(self, form: IntegerForm) -> None:
        total = float(form.positive.sum() + form.negative.sum()) or 1.0
        self.up = form.positive / total
        self.down = form.negative / total
        self.weight = self.up + self.down
        columns = form.columns.astype(np.float64)
        self.centre = columns @ self.weight
        self.spread = np.sqrt(np.maximum((columns**2) @ self.weight - self.centre**2, 0.0))
        self.spread[self.spread == 0] = np.inf
        self.rows = np.ascontiguousarray(((columns - self.centre[:, None]) / self.spread[:, None]).T)

    def fit(self, features: NDArray[np.intp], start: Floats, steps: int) -> Floats:
        """Newton steps of ridge logistic regression on some features; the last entry is the intercept."""
        design = np.column_stack([self.rows[:, features], np.ones(len(self.rows))])
        ridge = np.full(design.shape[1], _RIDGE)
        ridge[-1] = 1e-8
        w = start.copy()
        for _ in range(steps):
            check_deadline()
            chance = _sigmoid(design @ w)
            gradient = design.T @ (self.weight * chance - self.up) + ridge * w
            curvature = self.weight * np.maximum(chance * (1 - chance), 1e-4)
            hessian = (design * curvature[:, None]).T @ design
            hessian[np.diag_indices_from(hessian)] += ridge + 1e-12
            change = np.linalg.solve(hessian, gradient)
            w -= np.clip(change, -5, 5)
            if np.abs(change).max() < 1e-3:
                break
        return w

    def most_telling(self) -> NDArray[np.intp]:
        """The features that best separate the classes individually, up to the limit of one fit."""
        alone = np.abs(self.rows.T @ (self.up - self.weight * self.up.sum()))
        return np.sort(np.argsort(-alone, kind="stable")[:_MOST_AT_ONCE])

    def lasso_supports(self, count: int, largest: int) -> Iterator[NDArray[np.intp]]:
        """Supports along an l1-penalised logistic path, from sparse to dense, by proximal gradient."""
        candidates = self.most_telling()
        rows = np.ascontiguousarray(self.rows[:, candidates])
        w, b = np.zeros(len(candidates)), 0.0
        top = float(np.abs(rows.T @ (self.up - self.weight * self.up.sum())).max())
        if top == 0:
            return
        step = 4.0 / max(_largest_eigenvalue(rows, self.weight), 1e-12)
        known: set[bytes] = set()
        for strength in top * np.geomspace(0.7, 0.01, count):
            for _ in range(60):
                check_deadline()
                residual = self.weight * _sigmoid(rows @ w + b) - self.up
                w = w - step * (rows.T @ residual)
                w = np.sign(w) * np.maximum(np.abs(w) - step * strength, 0)
                b -= 4.0 * residual.sum()
            order = np.argsort(-np.abs(w), kind="stable")
            support = np.sort(candidates[order[: min(largest, int(np.count_nonzero(w)))]])
            if len(support) and support.tobytes() not in known:
                known.add(support.tobytes())
                yield support


def _sigmoid(z: Floats) -> Floats:
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * z))
    return result


def _largest_eigenvalue(rows: Floats, weight: Floats) -> float:
    v = np.ones(rows.shape[1]) / np.sqrt(rows.shape[1])
    value = 1.0
    for _ in range(15):
        v = rows.T @ (weight * (rows @ v))
        value = float(np.linalg.norm(v))
        if value == 0:
            return 1.0
        v /= value
    return value


def backward_path(surrogate: Surrogate, largest: int) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Fit, drop the weakest feature (an eighth of them while many), fit again; yield small enough fits."""
    features = surrogate.most_telling()
    w = np.zeros(len(features) + 1)
    steps = 8
    while len(features):
        w = surrogate.fit(features, w, steps)
        steps = 4
        if len(features) <= largest:
            yield features, w[:-1]
        keep = np.argsort(-np.abs(w[:-1]), kind="stable")
        drop = max(1, len(features) // 8 if len(features) > 12 else 1)
        keep = np.sort(keep[: len(features) - drop])
        features, w = features[keep], w[np.append(keep, len(w) - 1)]


def roundings(form: IntegerForm, surrogate: Surrogate, features: NDArray[np.intp], w: Floats) -> Iterator[list[int]]:
    """Round a fit to the coefficient sets at several scales; yields an index into each set."""
    slopes = w / surrogate.spread[features]
    largest = np.abs(slopes).max(initial=0.0)
    if largest == 0 or not np.isfinite(largest):
        return
    reach = float(max((form.values[j].largest for j in features), default=1))
    scales = np.array([scale for scale in (*SCALES, reach) if scale <= reach])
    index = np.empty((len(scales), form.n_features), np.int64)
    index[:] = [int(np.argmin(np.abs(values.sample))) for values in form.values]
    for j, slope in zip(features, slopes, strict=True):
        index[:, j] = np.abs(form.values[j].sample - (slope / largest * scales)[:, None]).argmin(axis=1)
    yield from index.tolist()
