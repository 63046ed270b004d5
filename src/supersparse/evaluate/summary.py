"""Summary: the points that each item gave on a table, kept so that later tables can be compared with it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.card.card import Card
from supersparse.card.scoring import checked_table, multiplied, points_when_missing
from supersparse.errors import InvalidDataError
from supersparse.evaluate.outcomes import added_up, read_weights

FORMAT = "supersparse-summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSummary:
    """The points that one item gave, rising, each with the weight of its rows; and what was missing."""

    name: str
    points: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    missing: Fraction

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return sum(self.weights, Fraction(0))

    @property
    def mean_points(self) -> Fraction:
        """The mean of the points given."""
        return sum((p * w for p, w in zip(self.points, self.weights, strict=True)), Fraction(0)) / self.n

    @property
    def given(self) -> Fraction:
        """The weight of the rows that got points other than 0."""
        return sum((w for p, w in zip(self.points, self.weights, strict=True) if p), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a table was like, as far as a card can see it: to keep, for a comparison with later tables."""

    items: tuple[ItemSummary, ...]

    def to_json(self) -> str:
        """Return it as JSON text; the round trip is exact."""
        items = [
            {
                "name": i.name,
                "missing": str(i.missing),
                "points": [
                    {"points": str(p), "weight": str(w)} for p, w in zip(i.points, i.weights, strict=True)
                ],
            }
            for i in self.items
        ]
        return json.dumps({"format": FORMAT, "version": 1, "items": items}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Summary":
        """Read JSON text written by `to_json`; anything else is refused."""
        try:
            content = json.loads(text)
            if (content["format"], content["version"]) != (FORMAT, 1):
                raise ValueError(f"it is {content['format']!r}, version {content['version']!r}")
            items = tuple(_read(item) for item in content["items"])
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            raise InvalidDataError(f"the text is no summary of a table: {error}") from None
        return cls(items=items)


def _read(item: Mapping[str, Any]) -> ItemSummary:
    pairs = [(Fraction(row["points"]), Fraction(row["weight"])) for row in item["points"]]
    if not pairs or any(weight <= 0 for _, weight in pairs):
        raise ValueError(f"item {item['name']!r} has no rows, or a weight that is not above 0")
    return ItemSummary(
        name=item["name"],
        points=tuple(p for p, _ in pairs),
        weights=tuple(w for _, w in pairs),
        missing=Fraction(item["missing"]),
    )


def summarise(
    card: Card, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
) -> Summary:
    """Return what a table is like, as far as the card can see it."""
    table = checked_table(card, X, names)
    weights, unit = read_weights(sample_weight, table.n_rows)
    if not np.any(weights > 0):
        raise InvalidDataError("there is nothing to summarise: no rows, or none with a weight above 0")
    items = []
    for item in card.items:
        cells = table.columns[item.column]
        integers, scale = multiplied(item.rule, cells)
        gone = np.zeros(table.n_rows, dtype=bool) if cells.missing is None else cells.missing
        distinct, groups = np.unique(np.where(gone, 0, integers), return_inverse=True)
        sums = added_up(weights, groups, len(distinct), ~gone)
        missing = Fraction(sum(map(int, weights[gone])), unit)
        by_points = {
            item.points * int(v) / scale: Fraction(int(w), unit) for v, w in zip(distinct, sums, strict=True)
        }
        if missing:
            own = points_when_missing(item)
            by_points[own] = by_points.get(own, Fraction(0)) + missing
        kept = sorted((p, w) for p, w in by_points.items() if w)
        items.append(
            ItemSummary(
                name=item.name,
                points=tuple(p for p, _ in kept),
                weights=tuple(w for _, w in kept),
                missing=missing,
            )
        )
    return Summary(items=tuple(items))
