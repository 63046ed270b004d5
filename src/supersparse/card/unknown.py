"""People of whom something is not known: the totals that they can have, whatever the unknown values are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.card.bands import bands_of
from supersparse.card.card import Card, Cutoff, Item, Label
from supersparse.card.checks import expectations
from supersparse.card.possible import occurs
from supersparse.card.rules import Domain, ValueOf
from supersparse.card.scoring import score_table
from supersparse.card.tables import read_card_table
from supersparse.table.small_table import SmallTable, Tabular, facts, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PossibleTotal(Tabular):
    """The least and the greatest total of a row, which some values give, and the class if it is certain."""

    low: Fraction
    high: Fraction
    prediction: Label | None  # None: it depends on what is not known

    @property
    def is_known(self) -> bool:
        """Whether there is one total only."""
        return self.low == self.high

    def _brief(self) -> str:
        total = number(self.low) if self.is_known else f"{number(self.low)} to {number(self.high)}"
        return f"total {total}, {'class not known' if self.prediction is None else self.prediction}"

    def _small_table(self) -> SmallTable:
        return facts(least_total=self.low, greatest_total=self.high, prediction=self.prediction)


def possible_rows(card: Card, data: object, names: Sequence[str] | None = None) -> tuple[PossibleTotal, ...]:
    """Return what each row of a table can have; a missing value is unknown where the card has no rule for it.

    The unknown value is any that the card accepts. Where points multiply it, it lies in the domain of its
    column; a column without one is refused by name.
    """
    table = read_card_table(card, data, names)
    needed = [expected.column for expected in expectations(card) if expected.refuses_missing]
    unknown = {
        column: missing
        for column in needed
        if (missing := table.columns[column].missing) is not None and missing.any()
    }
    scores = score_table(_lenient(card, unknown), data, names)
    unit = scores.denominator
    low = [Fraction(int(n), unit) + card.zero_total for n in scores.numerators.tolist()]
    high = list(low)
    domains = {domain.column: domain for domain in card.domains}
    for column, missing in unknown.items():
        rows = np.flatnonzero(missing).tolist()
        ends = range_of_column(card.items_by_column()[column], domains.get(column))
        if ends is None:
            raise InvalidDataError(
                f"column {column!r} is missing in row {rows[0] + 1}, and the card does not say between which "
                "values it lies; fill it in, or leave the row out"
            )
        for row in rows:
            low[row] += ends[0]
            high[row] += ends[1]
    cutoff = card.cutoff
    return tuple(_possible(card, cutoff, least, most) for least, most in zip(low, high, strict=True))


def possible_person(card: Card, person: Mapping[str, object]) -> PossibleTotal:
    """Return what one person can have."""
    return possible_rows(card, {name: [value] for name, value in person.items()})[0]


def range_of_column(items: Sequence[Item], domain: Domain | None) -> tuple[Fraction, Fraction] | None:
    """Return the least and the greatest points that a known value of a column can give; None if not known.

    >>> from supersparse.card.build import item
    >>> items = [item("age", at_least=16, points=4), item("age", at_least=23, points=-6)]
    >>> [int(points) for points in range_of_column(items, None)]
    [-2, 4]
    """
    bands = bands_of([replace(item, missing=None) for item in items], domain)
    if bands is not None:
        points = [band.points for band in bands if occurs(band.rule, domain)]
        return min(points), max(points)
    if len(items) > 1 or not isinstance(items[0].rule, ValueOf) or domain is None:
        return None
    if domain.values is not None:
        numbers = [Fraction(value) for value in domain.values if not isinstance(value, str)]
    elif domain.low is None or domain.high is None:
        return None
    else:
        whole = domain.whole
        numbers = [
            Fraction(ceil(domain.low)) if whole else domain.low,
            Fraction(floor(domain.high)) if whole else domain.high,
        ]
    given = [items[0].points * number for number in numbers]
    return (min(given), max(given)) if given else None


def _lenient(card: Card, columns: Mapping[str, object]) -> Card:
    """The card with 0 points for a missing value in these columns."""
    items = tuple(
        replace(item, missing=Fraction(0)) if item.column in columns else item for item in card.items
    )
    return replace(card, items=items, learned=None)


def _possible(card: Card, cutoff: Cutoff, low: Fraction, high: Fraction) -> PossibleTotal:
    positive = cutoff.includes(low)
    certain = positive == cutoff.includes(high)
    label = card.positive if positive else card.negative
    return PossibleTotal(low=low, high=high, prediction=label if certain else None)
