"""Missing values: what stands in for one, so that a card can say it."""

from fractions import Fraction
from typing import Literal

import numpy as np

from supersparse.card.numbers import exact
from supersparse.card.rules import Rule
from supersparse.card.values import Category
from supersparse.card.words import category_text
from supersparse.prepare.counts import Floats, Target, sums_by_code
from supersparse.prepare.raw import RawColumn

Missing = Literal["item", "drop", "median", "mode", "nearest"]


def stand_in(column: RawColumn, target: Target, missing: Missing, *, has_order: bool) -> Category | None:
    """Return the value that a missing one is taken for, None where there is no such value.

    The median is a value that occurs: the smallest with half of the weight at or below it. Of several
    modes it is the smallest. A column of categories has no median; its mode stands in.
    """
    if missing not in ("median", "mode"):
        return None
    weights = target.take(column.present).weights
    if has_order:
        values, codes = column.distinct
        reached = sums_by_code(codes, weights, len(values))
        place = _middle(reached) if missing == "median" else int(reached.argmax())
        return exact(values[place], f"a value of column {column.name!r}")
    levels, codes = column.levels
    by_level = sums_by_code(codes, weights, len(levels))
    return min(levels, key=lambda level: (-by_level[levels.index(level)], category_text(level)))


def _middle(weights: Floats) -> int:
    reached = np.cumsum(weights)
    return int(np.searchsorted(reached, reached[-1] / 2))


def counts_as(rule: Rule, missing: Missing, value: Category | None) -> Fraction | None:
    """What a missing value counts as under a rule; None where it is refused."""
    if value is not None:
        return rule.of_one(value, f"column {rule.column!r}")
    return Fraction(0) if missing == "item" else None
