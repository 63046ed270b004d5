"""The cases of the golden answers: 40 tables, five kinds of problem each, every setting written out.

Tables are drawn from a seed by Python's own generator, or bundled; none is read from beside the checkout.
Settings that a case does not mention are given with the value they had when the answers were stored, so that
a new default changes none of them.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse import datasets

KINDS = ("errors", "risk", "levels", "rates", "groups")
POSITIVE = "yes"
DRAWN = 34
BUNDLED = ("breast-cancer", "haberman", "mammography", "spambase", "tic-tac-toe", "breast-cancer weighted")
# what every case is asked with, where it does not say otherwise
WRITTEN_OUT: dict[str, Any] = {
    "C1": "auto",
    "slope": "free",
    "min_features": None,
    "intercept": "free",
    "class_weight": None,
    "objective": "errors",
    "risk_threshold": None,
    "positive": POSITIVE,
    "constraints": [],
}
_NODE_LIMITS = {"errors": 300, "risk": 40, "levels": 200, "rates": 100, "groups": 60}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with two classes, weights and a grouping in two."""

    name: str
    X: NDArray[Any]
    y: list[str]
    weights: list[int] | None
    groups: list[str]

    @property
    def names(self) -> list[str]:
        """The features: a, b, c, ..."""
        return [f"f{j}" for j in range(self.X.shape[1])]


@dataclass(frozen=True)
class Case:
    """One table asked in one way."""

    table: str
    kind: str
    settings: Mapping[str, Any] = field(compare=False)
    node_limit: int = 100

    @property
    def name(self) -> str:
        """Under which its answer is stored."""
        return f"{self.table}: {self.kind}"


def table_names() -> list[str]:
    """All forty."""
    return [*(f"drawn {k}" for k in range(DRAWN)), *BUNDLED]


def table(name: str) -> Table:
    """Draw or load a table."""
    word, _, number = name.partition(" ")
    return drawn(int(number)) if word == "drawn" else _bundled(name)


def drawn(k: int) -> Table:
    """Rows by a rule of a few columns and noise: yes/no, whole, mixed, decimal and far columns in turn."""
    dice = random.Random(1000 + k)
    rows, columns = 60 + 25 * (k % 10), 5 + k % 9
    kind = ("yes/no", "whole", "mixed", "decimal", "far")[k % 5]
    X = np.array([[_value(dice, kind, j) for j in range(columns)] for _ in range(rows)])
    middle = X.mean(axis=0)
    rule = [dice.choice((-2, -1, 0, 1, 2)) for _ in range(columns)]
    scores = ((X - middle) / np.maximum(X.std(axis=0), 1e-9)) @ rule
    noise = [dice.random() < 0.15 for _ in range(rows)]
    y = [POSITIVE if (score > 0) != flipped else "no" for score, flipped in zip(scores, noise, strict=True)]
    y[:2] = [POSITIVE, "no"]
    weights = [1 + int(3 * dice.random()) for _ in range(rows)] if k % 3 == 1 else None
    groups = ["u" if dice.random() < 0.4 else "v" for _ in range(rows)]
    return Table(f"drawn {k}", X, y, weights, groups)


def _value(dice: random.Random, kind: str, j: int) -> float:
    u = dice.random()
    if kind == "yes/no" or (kind == "mixed" and j % 2):
        return int(u < 0.3 + 0.1 * (j % 4))
    if kind == "decimal":
        return round(10 * u, 1)
    if kind == "far":
        return 1000 + int(6 * u)
    return int((3 + j % 5) * u)


def _bundled(name: str) -> Table:
    plain, _, weighted = name.partition(" ")
    loaders = {
        "breast-cancer": datasets.load_breast_cancer,
        "haberman": datasets.load_haberman,
        "mammography": datasets.load_mammography,
        "spambase": datasets.load_spambase,
        "tic-tac-toe": datasets.load_tic_tac_toe,
    }
    data = loaders[plain]()
    step = {"spambase": 23, "tic-tac-toe": 4, "breast-cancer": 2, "mammography": 3}.get(plain, 1)
    X = data.X[::step, :12]
    first = max(data.labels)  # the last in order, whatever the loader calls positive
    y = [POSITIVE if label == first else "no" for label in data.labels[::step]]
    weights = [1 + i % 3 for i in range(len(y))] if weighted else None
    return Table(name, X, y, weights, ["u" if i % 5 < 2 else "v" for i in range(len(y))])


def cases() -> list[Case]:
    """All cases: each table in each kind."""
    return [_case(name, k, kind) for k, name in enumerate(table_names()) for kind in KINDS]


def _case(name: str, k: int, kind: str) -> Case:
    largest = (1, 3, 5, 10)[k % 4]
    both = {"max_points": largest, "max_features": 2 + k % 3, "C0": (0.002, 0.01, 0.03)[k % 3], "goal": "errors"}
    risk = {"goal": "risk", "max_points": min(largest, 5), "max_features": 2 + k % 2}
    if kind == "errors":
        more: dict[str, Any] = {"intercept": ("free", "paper", "none", [-5, 5])[k // 4 % 4]}
    elif kind == "risk":
        more = {**risk, "slope": 1 if k % 7 == 3 else "free"}
    elif kind == "levels":
        more = {"levels": [{"values": [-1, 1], "penalty": 0.01}, {"values": [-3, -2, 2, 3], "penalty": 0.02}]}
        more |= risk if k % 2 else {}
    elif kind == "rates":
        more = {"constraints": [{"min_sensitivity": 0.6}], **(risk if k % 2 else {})}
    else:
        more = {"constraints": [{"max_difference": 0.25, "rate": "error", "group": "g"}]}
        more["constraints"].append({"at_most": 1, "of": ["f0", "f1"]})
    settings = {**WRITTEN_OUT, **both, **more}
    for name_of_both in ("C0", "max_points") if "levels" in settings else ():
        del settings[name_of_both]  # levels replace them
    return Case(table=name, kind=kind, settings=settings, node_limit=_NODE_LIMITS[kind])
