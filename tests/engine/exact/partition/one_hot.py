"""Small one-hot and binary problems, and the tic-tac-toe boards."""

import random
from functools import cache

import numpy as np

from supersparse.constraints import must_use
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

SETS = [[-1, 0, 1], [-2, -1, 0, 1, 2], [0, 1], [-1, 0], [-3, 0, 3], [1, 2], [0, 1, 5], [-1, 1], [0]]


def random_problem(seed):
    """Up to five columns, one-hot groups among them, all kinds of sets, weights, penalties and intercepts."""
    rng = random.Random(seed)
    n = rng.randint(4, 12)
    columns = []
    while len(columns) < rng.randint(2, 5):
        k = rng.choice([1, 1, 2, 3, 3, 4])
        values = [rng.randrange(max(2, k)) for _ in range(n)]
        columns += [[int(v == c) for v in values] for c in range(k)]
    if rng.random() < 0.3:
        columns.insert(0, [rng.choice([-1, 0, 2, 5]) for _ in range(n)])
    X = np.array(columns[:5]).T * rng.choice([1, 1, 0.5, 3])
    y = [rng.randint(0, 1) for _ in range(n)]
    y[:2] = 0, 1
    names = [f"f{i}" for i in range(X.shape[1])]
    usual = rng.random() < 0.7
    sets = {name: CoefficientSet.of(rng.choice(SETS[:2] if usual else SETS)) for name in names}
    if rng.random() < 0.5:
        sets = dict.fromkeys(names, sets["f0"])
    same_cost = rng.random() < 0.5
    forced = [name for name, s in sets.items() if 0 not in s]
    return Problem.of(
        X,
        y,
        feature_names=names,
        points=sets,
        C0=rng.choice([0.01, 0.03, 0.1]) if same_cost else {f: rng.choice([0.0, 0.01, 0.05, 0.2]) for f in names},
        C1=rng.choice(["auto", "auto", 0.01]),
        intercept=rng.choice(["free", "free", "free", "none", (-1, 2), *(["paper"] if same_cost else [])]),
        max_features=2 if rng.random() < 0.3 and not forced else None,
        class_weight=rng.choice([None, "balanced", {0: 1, 1: 2.5}]),
        sample_weight=rng.choice([None, [rng.choice([1, 2, 0.5, 3]) for _ in range(n)]]),
        constraints=[must_use(forced)] if forced else [],
    )


@cache
def boards():
    """All 958 final boards of tic-tac-toe as 27 columns (square by x, o, blank), and whether x has won."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def has_won(board, player):
        return any(all(board[i] == player for i in line) for line in lines)

    found, seen = set(), set()

    def play(board, player):
        if board in seen:
            return
        seen.add(board)
        if has_won(board, "x") or has_won(board, "o") or "b" not in board:
            found.add(board)
            return
        for i in range(9):
            if board[i] == "b":
                play(board[:i] + player + board[i + 1 :], "o" if player == "x" else "x")

    play("b" * 9, "x")
    rows = sorted(found)
    X = np.array([[int(square == c) for square in row for c in "xob"] for row in rows])
    return X, np.array([int(has_won(row, "x")) for row in rows])


def few_squares(squares, max_points=2):
    """The boards' problem with the columns of some squares only: it keeps some symmetries."""
    X, y = boards()
    columns = [3 * s + c for s in squares for c in range(3)]
    return Problem.of(X[:, columns], y, C0=0.01, max_points=max_points)
