"""Why a person got a class: the points of each item, the answers that count most, and what is not known.

Reason codes are, for each row of a table, the answers that count most for one class, as credit law asks for.
A line of the card counts by the points between the row's answer and the best possible one: the fewest points
where reasons speak for the positive class, and the most points where they speak for the negative class.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidCardError, InvalidDataError, InvalidOptionError
from supersparse.base.exact import counted, int_or_float, read_whole
from supersparse.card.bands import bands_of, occurs
from supersparse.card.card import Card, Cutoff, Item, Label
from supersparse.card.checks import expectations
from supersparse.card.lines import Line, answers_in_words, lines_of
from supersparse.card.raw_values import CardTable, read_card_table
from supersparse.card.risk import risk_of
from supersparse.card.rules import Domain, IsMissing, ValueOf
from supersparse.card.scoring import (
    add_up,
    checked_table,
    item_points,
    multiplied,
    predicted_label,
    read_person,
    score_table,
)
from supersparse.card.words import readable
from supersparse.table.small_table import ResultTable, SmallTable, Tabular, cell, number
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

    def _row(self) -> tuple[str, str, str]:
        return self.item.asks, self._shown_value(), number(self.points)

    def _shown_value(self) -> str:
        return "missing" if self.missing else cell(self.value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnswerReason(Tabular):
    """The points that the answer to one question gave."""

    column: str
    question: str  # in words, as the card asks it
    answer: str  # in words
    value: object  # as it was given
    missing: bool
    points: Fraction
    most: Fraction  # points of any answer to it

    def _brief(self) -> str:
        many = "" if self.points == 1 else "s"
        return f"{self.question} {self.answer}: {number(self.points)} point{many} of at most {number(self.most)}"

    def _row(self) -> tuple[str, str, str]:
        return self.question, self.answer, f"{number(self.points)} of at most {number(self.most)}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explanation(Tabular):
    """The points of one person by item, or by question where the card asks questions, the total, and the class."""

    __module__ = "supersparse"

    reasons: tuple[Reason | AnswerReason, ...]  # in card order, including items and answers without points
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
    values = read_person(card, person)
    reasons: tuple[Reason | AnswerReason, ...]
    if card.provenance is not None and card.provenance.asks_questions:
        reasons = tuple(_answered(card, line, values[line.column]) for line in lines_of(card))
    else:
        reasons = tuple(
            Reason(item=item, value=value, missing=is_missing(value), points=item_points(item, value))
            for item, value in ((item, values[item.column]) for item in card.items)
        )
    total = sum((reason.points for reason in reasons), Fraction(0))
    return Explanation(
        reasons=reasons,
        cutoff=card.cutoff,
        label=predicted_label(card, total + card.intercept),
        risk=None if card.risk is None else risk_of(card.risk, total),
    )


def _answered(card: Card, line: Line, value: object) -> AnswerReason:
    known = [answer.points for answer in line.answers] or [line.points]
    return AnswerReason(
        column=line.column,
        question=line.text,
        answer=answer_to(line, value),
        value=value,
        missing=is_missing(value),
        points=sum((item_points(item, value) for item in card.items_by_column()[line.column]), Fraction(0)),
        most=max(*known, line.missing or Fraction(0), Fraction(0)),
    )


def answer_to(line: Line, value: object) -> str:
    """The answer of a line for a value, in words: "40 to 60", "yes", or "missing" where the line has none for that."""
    place = f"column {line.column!r}"
    if is_missing(value):
        if isinstance(line.rule, IsMissing):
            return "yes"
        return next((one.text for one in line.answers if isinstance(one.rule, IsMissing)), "missing")
    if line.rule is not None:
        return "yes" if not isinstance(line.rule, IsMissing) and line.rule.of_one(value, place) else "no"
    known = (one for one in line.answers if not isinstance(one.rule, IsMissing))
    return next((one.text for one in known if one.rule.of_one(value, place)), cell(value))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasonCode(Tabular):
    """One column whose value gave points for the class."""

    column: str
    text: str  # the column in words and, unless points multiply it, the answer
    cost: Fraction  # points between the answer and the best possible one, above 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasonCodes(ResultTable):
    """The reasons of each row, the weightiest first; columns of equal cost stand as on the card."""

    of: Label
    most: int
    rows: tuple[tuple[ReasonCode, ...], ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each row: `reason_1`, `cost_1` and so on, None where there are fewer."""
        rows = []
        for reasons in self.rows:
            cells: dict[str, Any] = {}
            for n in range(self.most):
                reason = reasons[n] if n < len(reasons) else None
                cells[f"reason_{n + 1}"] = None if reason is None else reason.text
                cells[f"cost_{n + 1}"] = None if reason is None else int_or_float(reason.cost)
            rows.append(cells)
        return rows

    def _brief(self) -> str:
        rows = f"{counted(len(self.rows), 'row')} with at most {counted(self.most, 'reason')} each"
        return f"for {self.of}, {rows}"

    def _small_table(self) -> SmallTable:
        """How many rows have each reason, the commonest first."""
        counts = Counter((reason.text, reason.cost) for reasons in self.rows for reason in reasons)
        rows = [(text, number(cost), str(n)) for (text, cost), n in counts.most_common()]
        return SmallTable(("reason", "cost", "rows"), rows)


def reason_codes(
    card: Card, data: object, names: Sequence[str] | None = None, *, most: int = 4, of: Label | None = None
) -> ReasonCodes:
    """Return the reasons for the class `of`, by default the positive one; see `ScoringSystem.reasons`."""
    most = read_whole(most, "most", 1, InvalidOptionError)
    wanted = card.positive if of is None else of
    if wanted not in card.classes:
        raise InvalidOptionError(subject="of", value=of, remedy=f"the classes of this card are {card.classes}")
    toward = 1 if wanted == card.positive else -1
    table = checked_table(card, data, names)
    columns = [_column(card, column, table, toward) for column in card.columns]
    reasons = ([column[row] for column in columns] for row in range(table.n_rows))
    rows = (sorted((one for one in row if one.cost > 0), key=lambda one: -one.cost)[:most] for row in reasons)
    return ReasonCodes(of=wanted, most=most, rows=tuple(map(tuple, rows)))


def _column(card: Card, column: str, table: CardTable, toward: int) -> list[ReasonCode]:
    items, domain = card.items_by_column()[column], card.domain(column)
    words, cells = card.wording.of(column), table.columns[column]
    label = words.label or readable(column)
    bands = bands_of(items, domain)
    if bands is None:
        alone = replace(card, items=tuple(items), intercept=Fraction(0), domains=(), seen=None, learned=None)
        scores = add_up(alone, [multiplied(item.rule, cells) for item in items], table)
        best = _best_number(items, domain, toward)
        return [
            ReasonCode(column=column, text=label, cost=toward * (scores[row] - best)) for row in range(table.n_rows)
        ]
    best = toward * min(toward * band.points for band in bands)
    text_of = answers_in_words(items, domain, words)
    missing = np.zeros(table.n_rows, dtype=bool) if cells.missing is None else cells.missing
    reasons = np.empty(table.n_rows, dtype=object)
    for band in bands:
        asks_missing = isinstance(band.rule, IsMissing)
        holds = missing if asks_missing else (multiplied(band.rule, cells)[0] == 1) & ~missing
        reasons[holds] = ReasonCode(
            column=column, text=f"{label}: {text_of(band.rule)}", cost=toward * (band.points - best)
        )
    return list(reasons)


def _best_number(items: Sequence[Item], domain: Domain | None, toward: int) -> Fraction:
    """The points of the best answer to a column that points multiply, at an end of its domain."""
    item = items[0]
    unknown = InvalidCardError(
        f"the best possible value of column {item.column!r} is not known; declare its domain, with both ends"
    )
    if len(items) > 1 or not isinstance(item.rule, ValueOf) or domain is None:
        raise unknown
    ends = (domain.low, domain.high) if domain.values is None else domain.values
    if any(end is None or isinstance(end, str) for end in ends):
        raise unknown
    points_at_ends = [item.points * Fraction(end) for end in ends if end is not None and not isinstance(end, str)]
    points_at_ends += [] if item.missing is None else [item.missing]
    return toward * min(toward * points for points in points_at_ends)


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

    _facts = "least_total=low greatest_total=high prediction"


def possible_rows(card: Card, data: object, names: Sequence[str] | None = None) -> tuple[PossibleTotal, ...]:
    """Return what each row of a table can have; a missing value is unknown where the card has no rule for it.

    The unknown value is any that the card accepts. Where points multiply it, it lies in the domain of its
    column; a column without one is refused by name.
    """
    table = read_card_table(card, data, names)
    needed = [expected.column for expected in expectations(card) if expected.refuses_missing]
    unknown = {
        column: missing for column in needed if (missing := table.columns[column].missing) is not None and missing.any()
    }
    scores = score_table(_lenient(card, unknown), data, names)
    unit = scores.denominator
    low = [Fraction(int(n), unit) + card.zero_total for n in scores.numerators.tolist()]
    high = list(low)
    for column, missing in unknown.items():
        rows = np.flatnonzero(missing).tolist()
        ends = range_of_column(card.items_by_column()[column], card.domain(column))
        if ends is None:
            raise InvalidDataError(
                f"column {column!r} is missing in row {rows[0] + 1}, and the card does not say between which "
                "values it lies",
                "fill it in, or leave the row out",
            )
        for row in rows:
            low[row] += ends[0]
            high[row] += ends[1]
    cutoff = card.cutoff
    labels = ((cutoff.includes(least), cutoff.includes(most)) for least, most in zip(low, high, strict=True))
    return tuple(
        PossibleTotal(low=least, high=most, prediction=card.classes[sure] if sure == perhaps else None)
        for least, most, (sure, perhaps) in zip(low, high, labels, strict=True)
    )


def possible_person(card: Card, person: Mapping[str, object]) -> PossibleTotal:
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
        numbers = domain.numbers
    elif domain.low is None or domain.high is None:
        return None
    else:
        whole = domain.whole
        numbers = [
            Fraction(ceil(domain.low)) if whole else domain.low,
            Fraction(floor(domain.high)) if whole else domain.high,
        ]
    ends = [items[0].points * number for number in numbers]
    return (min(ends), max(ends)) if ends else None


def _lenient(card: Card, columns: Mapping[str, object]) -> Card:
    """The card with 0 points for a missing value in these columns."""
    items = tuple(replace(item, missing=Fraction(0)) if item.column in columns else item for item in card.items)
    return replace(card, items=items, learned=None)
