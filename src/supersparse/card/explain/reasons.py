"""Why one person got a class: the points of each item, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from supersparse.card.card import Card, Cutoff, Item, Label
from supersparse.card.risk import risk_of
from supersparse.card.scoring import item_points, predicted_label, read_person
from supersparse.table.small_table import SmallTable, Tabular, cell, number
from supersparse.table.values import is_missing

_HEADER = ("Question", "Value", "Points")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reason(Tabular):
    """The points that one item gave for one value."""

    item: Item
    value: object  # as it was given
    missing: bool  # if so, the points are those for a missing value
    points: Fraction

    def _brief(self) -> str:
        return f"{number(self.points)} of {self.item._brief()}, for {self._shown_value()}"

    def _small_table(self) -> SmallTable:
        return SmallTable(_HEADER, [self._row()])

    def _row(self) -> tuple[str, str, str]:
        return self.item.asks, self._shown_value(), number(self.points)

    def _shown_value(self) -> str:
        return "missing" if self.missing else cell(self.value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explanation(Tabular):
    """The points of one person by item, the total, and the class."""

    __module__ = "supersparse"

    reasons: tuple[Reason, ...]  # in card order, including items without points
    cutoff: Cutoff
    label: Label
    risk: float | None  # of the positive class, as the card says it; None: it has no risks

    @property
    def total(self) -> Fraction:
        """The sum of the points; the class is positive if it reaches the threshold."""
        return sum((reason.points for reason in self.reasons), Fraction(0))

    @property
    def threshold(self) -> Fraction:
        """The least total of the positive class, as the card says it."""
        return self.cutoff.threshold

    @property
    def score(self) -> Fraction:
        """The total minus the threshold: from 0 on the class is positive, see `Cutoff`."""
        return self.total - self.threshold

    def _brief(self) -> str:
        risk = "" if self.risk is None else f"; risk {self.risk:.3f}"
        compared = "" if self.cutoff.includes(self.total) else "not "
        return f"{self.label}, because {number(self.total)} points are {compared}{self.cutoff.positive}{risk}"

    def _small_table(self) -> SmallTable:
        rows = [reason._row() for reason in self.reasons]
        return SmallTable(_HEADER, [*rows, ("Total", "", number(self.total))])


def explain(card: Card, person: Mapping[str, object]) -> Explanation:
    """Explain the class of one person."""
    values = read_person(card, person)
    reasons = tuple(
        Reason(
            item=item,
            value=values[item.column],
            missing=is_missing(values[item.column]),
            points=item_points(item, values[item.column]),
        )
        for item in card.items
    )
    total = sum((reason.points for reason in reasons), Fraction(0))
    return Explanation(
        reasons=reasons,
        cutoff=card.cutoff,
        label=predicted_label(card, total + card.intercept),
        risk=None if card.risk is None else risk_of(card.risk, total),
    )
