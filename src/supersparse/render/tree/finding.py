"""The tree itself: the questions of a card, asked so that no tree has fewer leaves.

The order may differ from branch to branch. Of several smallest trees it is the one that asks least on
average, and then the one that asks in the order of the card.

Where each column has two cases, asking by the size of the points, the largest first, gives a smallest tree.
A set of items that is just enough for the positive class (without any of its items it is not) has a leaf of
its own in every tree: the person with these items and no other comes to a leaf where exactly they were
answered with yes. The same is true of the sets whose lack is just enough for the negative class. And this
tree has no other leaves: the answer that makes a class certain is about the smallest item so far, and
without it the class was not certain.
"""

import sys
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from supersparse.card.card import Card
from supersparse.errors import InvalidOptionError
from supersparse.render.tree.questions import Column, columns_of
from supersparse.render.tree.smallest import (
    Cases,
    Smallest,
    TooManyStatesError,
    fewest_leaves,
    splits,
    state_of,
)

_MOST_STATES = 8_000  # some seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A class that is certain."""

    positive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A question, as visible text, and what follows from each answer."""

    text: str
    yes: "Node | Leaf"
    no: "Node | Leaf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A tree with as few leaves as possible, if that was proven."""

    root: Node | Leaf
    leaves: int
    proven_smallest: bool
    missing_is_no: bool  # a value may be missing; questions about it are then answered with no


class _TooManyLeavesError(Exception):
    """The tree would have more leaves than were allowed."""


def find_tree(card: Card, *, max_leaves: int = 64) -> Found:
    """Find the smallest tree; refuse one with more leaves than anybody would read.

    With very many different points the search is not finished within reason: then the item that can change
    most is asked first. With two cases for each column that is a smallest tree too, else it is not proven.
    """
    columns = columns_of(card)
    cases, needed = _in_whole_numbers(columns, card.threshold)
    smallest = _smallest(cases, needed)
    finder = _Finder(columns, needed, smallest, max_leaves)
    try:
        root = finder.tree(cases)
    except _TooManyLeavesError:
        raise InvalidOptionError(
            f"{_size(cases, needed, smallest)} has more leaves than max_leaves={max_leaves}; "
            "raise it, or use the card"
        ) from None
    return Found(
        root=root,
        leaves=finder.leaves,
        proven_smallest=smallest is not None or _is_of_pairs(cases),
        missing_is_no=any(column.may_be_missing for column in columns),
    )


def _smallest(cases: list[Cases], needed: int) -> Smallest | None:
    """The costs of all states, or None where there are too many."""
    smallest = Smallest(_MOST_STATES)
    try:
        smallest.cost(state_of(cases, needed))
    except TooManyStatesError:
        return None
    smallest.most_states = sys.maxsize  # building the tree meets few others
    return smallest


def _is_of_pairs(cases: list[Cases]) -> bool:
    return all(len(column) <= 2 for column in cases)


def _size(cases: list[Cases], needed: int, smallest: Smallest | None) -> str:
    if smallest is not None:
        return f"the smallest tree, with {smallest.cost(state_of(cases, needed))[0]},"
    if not _is_of_pairs(cases):
        return "the tree"
    least = sum(min(points for _, points in column) for column in cases)
    return f"the smallest tree, with {fewest_leaves(list(map(_spread, cases)), needed - least)},"


def _in_whole_numbers(columns: tuple[Column, ...], threshold: Fraction) -> tuple[list[Cases], int]:
    """Multiply all points so that they are whole; the class does not change."""
    unit = lcm(threshold.denominator, *(case.points.denominator for c in columns for case in c.cases))
    return (
        [tuple((case.answers, int(case.points * unit)) for case in column.cases) for column in columns],
        int(threshold * unit),
    )


@dataclass(slots=True)
class _Finder:
    columns: tuple[Column, ...]
    needed: int
    smallest: Smallest | None  # None: it takes too long
    max_leaves: int
    leaves: int = 0

    def tree(self, cases: list[Cases]) -> Node | Leaf:
        """Build the tree for the cases left in each column."""
        state = state_of(cases, self.needed)
        if isinstance(state, bool):
            self.leaves += 1
            if self.leaves > self.max_leaves:
                raise _TooManyLeavesError
            return Leaf(positive=state)
        i, j, yes, no = self._best(cases)
        return Node(
            text=self.columns[i].questions[j].text,
            yes=self.tree([*cases[:i], yes, *cases[i + 1 :]]),
            no=self.tree([*cases[:i], no, *cases[i + 1 :]]),
        )

    def _best(self, cases: list[Cases]) -> tuple[int, int, Cases, Cases]:
        open_ones = [(i, *split) for i, column in enumerate(cases) for split in splits(column)]
        if self.smallest is None:
            return max(open_ones, key=lambda s: (_spread(cases[s[0]]), -_spread(s[2]) - _spread(s[3])))
        cost = self.smallest.together
        return min(
            open_ones,
            key=lambda s: cost(
                (
                    state_of([*cases[: s[0]], s[2], *cases[s[0] + 1 :]], self.needed),
                    state_of([*cases[: s[0]], s[3], *cases[s[0] + 1 :]], self.needed),
                )
            ),
        )


def _spread(cases: Cases) -> int:
    points = [points for _, points in cases]
    return max(points) - min(points)
