"""Solves under a node limit, and the file of what they gave: the same on every processor.

    python tests/engine/stored_solves.py

stores them anew, after a change of the engine or of its search that is meant to give other models.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from supersparse import Problem, constraints, datasets, one_digit, solve

FILE = Path(__file__).with_suffix(".json")
FEW_VALUES = [0, *(s * v for v in (1, 5, 10, 50, 100, 500) for s in (1, -1))]  # the paper's, section 5


def of(data: datasets.Dataset, **settings: object) -> Problem:
    positive = max(data.labels)  # the last in their order, whatever its name
    return Problem.of(data.X, data.labels, feature_names=data.feature_names, positive=positive, **settings)


def ratings(n: int, p: int, largest: int, **settings: object) -> Problem:
    """Whole numbers by a rule of whole numbers; a third of the labels is turned."""
    state, drawn = 1, []
    for _ in range(n * (p + 1)):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        drawn.append(state >> 16)
    table = np.array(drawn).reshape(n, p + 1)
    X = table[:, :p] % (largest + 1)
    y = (X @ [(-1) ** j * (j + 1) for j in range(p)] > 0) ^ (table[:, p] % 3 == 0)
    return Problem.of(X, y.astype(int), **settings)


breast, mammography = datasets.load_breast_cancer, datasets.load_mammography
haberman, board, spam = datasets.load_haberman, datasets.load_tic_tac_toe, datasets.load_spambase
rates = [constraints.min_sensitivity(0.9), constraints.at_most(3, of="*")]

# name -> problem, node limit and seed; stopped and proven ones, all intercepts, weights, constraints
SOLVES: dict[str, tuple[Callable[[], Problem], int, int]] = {
    "breast cancer": (lambda: of(breast(), C0=0.002, max_points=10), 200, 0),
    "breast cancer, another seed": (lambda: of(breast(), C0=0.002, max_points=10), 50, 7),
    "breast cancer, the paper's set": (
        lambda: of(breast(), C0=0.006, points=FEW_VALUES, intercept="paper"), 100, 0,
    ),
    "breast cancer, one digit": (lambda: of(breast(), C0=0.01, points=one_digit(), max_features=2), 50, 0),
    "mammography": (lambda: of(mammography(), C0=0.002, max_points=5), 300, 0),
    "mammography, weighted": (
        lambda: of(mammography(), C0=0.002, max_points=3, class_weight="balanced"), 50, 0,
    ),
    "mammography, rates": (lambda: of(mammography(), C0=0.002, max_points=3, constraints=rates), 50, 0),
    "haberman, whole b": (lambda: of(haberman(), C0=0.003, max_points=10, intercept=(-100, 100)), 100, 0),
    "haberman, numeric C1": (lambda: of(haberman(), C0=0.003, C1=0.0001, max_points=10), 100, 0),
    "tic-tac-toe": (lambda: of(board(), C0=0.01, max_points=2), 30, 0),
    "spambase": (lambda: of(spam(), C0=0.01, max_points=5, intercept="paper"), 1, 0),
    "ratings": (lambda: ratings(150, 8, 3, C0=0.002, max_points=10), 300, 0),
    "ratings, without b": (lambda: ratings(120, 6, 9, C0=0.005, max_points=4, intercept="none"), 100, 0),
}  # fmt: skip


def outcome(name: str) -> dict[str, object]:
    """Solve, and return all that must be the same everywhere, numbers exactly."""
    make, node_limit, seed = SOLVES[name]
    found = solve(make(), "exact", node_limit=node_limit, random_state=seed)
    return {
        "points": [str(v) for v in (*found.points.values, found.points.intercept_value)],
        "objective": str(found.objective),
        "lower bound": str(found.lower_bound),
        "training errors": str(found.evaluation.training_errors),
        "size": found.evaluation.size,
        "proven smallest": found.proven_smallest,
        "stop": found.stop.name,
        "nodes": found.nodes,
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: outcome(name) for name in SOLVES}, indent=1) + "\n", encoding="utf-8")
