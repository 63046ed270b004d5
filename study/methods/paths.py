"""The path of penalised logistic models that glmnet computes.

For each lambda, from large to small, minimise the mean log loss plus
lambda·(alpha·‖β‖1 + (1 - alpha)/2·‖β‖2²) over standardised columns; the intercept is not penalised. As in
glmnet: quadratic approximations, each solved by coordinate descent over the columns that a strong rule
leaves, and the path ends where it explains 99.9 % of the deviance. For alpha = 0 a linear system takes the
place of the descent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from study.methods.contract import Linear

Floats = NDArray[np.float64]

_ROUNDS = 50
_SWEEPS = 1000
_CLOSE = 1e-8
_ROUNDING = 1e-9  # at the largest lambda the first feature would enter by a last bit
_LEAST_WEIGHT = 1e-5  # glmnet's
_EXPLAINED = 0.999
_RIDGE_START = 1e-3  # glmnet's alpha for the largest lambda of ridge


@dataclass(eq=False)
class _State:
    """The model so far, over standardised columns."""

    Z: Floats
    y: Floats
    beta: Floats
    intercept: float

    @property
    def score(self) -> Floats:
        used = np.flatnonzero(self.beta)
        scores: Floats = self.Z[:, used] @ self.beta[used] + self.intercept
        return scores

    def gradient(self) -> Floats:
        """Minus the gradient of the mean log loss."""
        slope: Floats = self.Z.T @ (self.y - expit(self.score)) / len(self.y)
        return slope

    def log_loss(self) -> float:
        return float(np.logaddexp(0, np.where(self.y == 1, -self.score, self.score)).mean())


def standardised(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the columns with mean 0 and deviation 1, their means and deviations; constant ones are 0."""
    middle, spread = X.mean(axis=0), X.std(axis=0)
    spread = np.where(spread > 1e-12 * (1 + abs(middle)), spread, np.inf)
    return (X - middle) / spread, middle, spread


def path_of_lambdas(X: Floats, y: Floats, alpha: float, count: int = 100) -> tuple[float, ...]:
    """Return glmnet's lambdas: from the least that leaves no feature, down to 1/10000 of it."""
    Z, _, _ = standardised(X)
    largest = np.abs(Z.T @ (y - y.mean())).max() / len(y) / max(alpha, _RIDGE_START)
    lowest = 1e-4 if len(y) >= X.shape[1] else 1e-2
    return tuple(float(v) for v in np.geomspace(largest, largest * lowest, count))


def penalised_path(X: Floats, y: Floats, lambdas: tuple[float, ...], alpha: float) -> list[Linear]:
    """Fit the models of falling lambdas, each from the one before."""
    Z, middle, spread = standardised(X)
    turned = np.eye(0)
    if alpha == 0:
        Z, turned = _row_space(Z)
    share = float(y.mean())
    state = _State(Z, y, np.zeros(Z.shape[1]), float(np.log(share / (1 - share))))
    alone = state.log_loss()
    found: list[Linear] = []
    before = lambdas[0]
    for value in lambdas:
        if 1 - state.log_loss() / alone < _EXPLAINED:
            _fit_one(state, value, before, alpha)
        before = value
        coefficients = (turned @ state.beta if alpha == 0 else state.beta) / spread
        found.append(Linear(coefficients, float(state.intercept - coefficients @ middle)))
    return found


def _row_space(Z: Floats) -> tuple[Floats, Floats]:
    """Turn the columns into as many as are independent, which ridge does not notice; and the way back."""
    left, values, right = np.linalg.svd(Z, full_matrices=False)
    kept = values > 1e-10 * values.max(initial=0.0)
    return left[:, kept] * values[kept], right[kept].T


def _fit_one(state: _State, value: float, before: float, alpha: float) -> None:
    """Move the state to the minimum for this lambda."""
    slope = np.abs(state.gradient())
    among = (state.beta != 0) | (slope >= alpha * (2 * value - before))
    while True:
        columns = np.flatnonzero(among)
        for _ in range(_ROUNDS):
            if _improve(state, columns, value, alpha) < _CLOSE:
                break
        missed = ~among & (np.abs(state.gradient()) > alpha * value * (1 + 1e-6))
        if not missed.any():
            return
        among |= missed


def _improve(state: _State, columns: NDArray[np.intp], value: float, alpha: float) -> float:
    """Minimise one quadratic approximation; return how much it moved, as a change of the loss."""
    n_rows = len(state.y)
    chance = expit(state.score)
    weight = np.maximum(chance * (1 - chance), _LEAST_WEIGHT)
    target = state.score + (state.y - chance) / weight
    total = weight.sum()
    Z = state.Z[:, columns]
    middle = weight @ Z / total
    Z = Z - middle
    target_middle = float(weight @ target / total)
    weighted = Z * weight[:, None]
    gram = weighted.T @ Z / n_rows
    pull = weighted.T @ (target - target_middle) / n_rows
    old = state.beta[columns]
    if alpha == 0:
        new = np.linalg.solve(gram + value * np.eye(len(columns)), pull)
    else:
        new = _descend(gram, pull, old.copy(), value * alpha, value * (1 - alpha))
    old_intercept = state.intercept
    state.beta[columns] = new
    state.intercept = target_middle - float(middle @ new)
    step = new - old
    shift = state.intercept - old_intercept + float(middle @ step)
    return float(step @ gram @ step + shift**2 * total / n_rows)


def _descend(gram: Floats, pull: Floats, beta: Floats, l1: float, l2: float) -> Floats:
    """Coordinate descent on β·gram·β/2 - pull·β + l1·‖β‖1 + l2/2·‖β‖2²: all columns, then those in use."""
    rest = pull - gram @ beta
    curve = gram.diagonal() + l2
    everything = [int(j) for j in np.flatnonzero(gram.diagonal() > 0)]
    for _ in range(_SWEEPS):
        moved = _sweep(everything, gram, rest, beta, curve, l1)
        if moved < _CLOSE / 10:
            break
        for _ in range(_SWEEPS):
            if _sweep([j for j in everything if beta[j]], gram, rest, beta, curve, l1) < _CLOSE / 10:
                break
    return beta


def _sweep(columns: list[int], gram: Floats, rest: Floats, beta: Floats, curve: Floats, l1: float) -> float:
    largest = 0.0
    for j in columns:
        own = float(beta[j])
        aim = float(rest[j]) + float(gram[j, j]) * own
        beyond = abs(aim) - l1
        new = beyond / float(curve[j]) if beyond > _ROUNDING * l1 else 0.0
        step = (new if aim > 0 else -new) - own
        if step:
            beta[j] = own + step
            rest -= gram[j] * step
            largest = max(largest, float(curve[j]) * step * step)
    return largest
