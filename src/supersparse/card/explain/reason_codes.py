"""Reason codes: for each row of a table, the answers that count most for one class, as credit law asks for.

A line of the card counts by the points between the row's answer and the best possible one: the fewest points
where reasons speak for the positive class, and the most points where they speak for the negative class.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidCardError, InvalidOptionError
from supersparse.base.exact import counted, read_whole
from supersparse.card.bands import bands_of
from supersparse.card.card import Card, Item, Label
from supersparse.card.rules import Domain, IsMissing, ValueOf
from supersparse.card.scoring import add_up, checked_table, multiplied
from supersparse.card.tables import CardTable
from supersparse.card.words import answer, readable
from supersparse.table.small_table import SmallTable, Tabular, number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasonCode(Tabular):
    """One column whose value gave points for the class."""

    column: str
    text: str  # the column in words and, unless points multiply it, the answer
    cost: Fraction  # points between the answer and the best possible one, above 0

    def _brief(self) -> str:
        return f"{self.text}, cost {number(self.cost)}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasonCodes(Tabular):
    """The reasons of each row, the weightiest first; columns of equal cost stand as on the card."""

    of: Label
    most: int
    rows: tuple[tuple[ReasonCode, ...], ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each row: `reason_1`, `cost_1` and so on, None where there are fewer."""
        found = []
        for reasons in self.rows:
            cells: dict[str, Any] = {}
            for n in range(self.most):
                reason = reasons[n] if n < len(reasons) else None
                cells[f"reason_{n + 1}"] = None if reason is None else reason.text
                cells[f"cost_{n + 1}"] = None if reason is None else _plain(reason.cost)
            found.append(cells)
        return found

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def _brief(self) -> str:
        rows = f"{counted(len(self.rows), 'row')} with at most {counted(self.most, 'reason')} each"
        return f"for {self.of}, {rows}"

    def _small_table(self) -> SmallTable:
        """How many rows have each reason, the commonest first."""
        found = Counter((reason.text, reason.cost) for reasons in self.rows for reason in reasons)
        rows = [(text, number(cost), str(n)) for (text, cost), n in found.most_common()]
        return SmallTable(("reason", "cost", "rows"), rows)


def reason_codes(
    card: Card, data: object, names: Sequence[str] | None = None, *, most: int = 4, of: Label | None = None
) -> ReasonCodes:
    """Return the reasons for the class `of`, by default the positive one; see `ScoringSystem.reasons`."""
    most = read_whole(most, "most", 1, InvalidOptionError)
    wanted = card.positive if of is None else of
    if wanted not in card.classes:
        raise InvalidOptionError(f"of is {of!r}; the classes of this card are {card.classes}")
    toward = 1 if wanted == card.positive else -1
    table = checked_table(card, data, names)
    columns = [_column(card, column, table, toward) for column in card.columns]
    rows = []
    for row in range(table.n_rows):
        reasons = [column[row] for column in columns]
        costly = sorted((r for r in reasons if r.cost > 0), key=lambda r: -r.cost)
        rows.append(tuple(costly[:most]))
    return ReasonCodes(of=wanted, most=most, rows=tuple(rows))


def _column(card: Card, column: str, table: CardTable, toward: int) -> list[ReasonCode]:
    """What one column is as a reason, for each row."""
    items = card.items_by_column()[column]
    domain = next((d for d in card.domains if d.column == column), None)
    words, cells = card.wording.of(column), table.columns[column]
    label = words.label or readable(column)
    bands = bands_of(items, domain)
    if bands is None:
        alone = replace(card, items=tuple(items), intercept=Fraction(0), domains=(), seen=None, learned=None)
        scores = add_up(alone, [multiplied(item.rule, cells) for item in items], table)
        best = _best_number(items, domain, toward)
        return [
            ReasonCode(column=column, text=label, cost=toward * (scores[row] - best))
            for row in range(table.n_rows)
        ]
    best = toward * min(toward * band.points for band in bands)
    unit = words.unit or next((item.unit for item in items if item.unit), None)
    whole = domain is not None and domain.whole
    known = () if domain is None or domain.values is None else domain.values
    missing = np.zeros(table.n_rows, dtype=bool) if cells.missing is None else cells.missing
    found = np.empty(table.n_rows, dtype=object)
    for band in bands:
        text = answer(band.rule, unit, whole=whole, answers=words.answers, known=known)
        asks_missing = isinstance(band.rule, IsMissing)
        holds = missing if asks_missing else (multiplied(band.rule, cells)[0] == 1) & ~missing
        found[holds] = ReasonCode(column=column, text=f"{label}: {text}", cost=toward * (band.points - best))
    return list(found)


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
    given = [item.points * Fraction(end) for end in ends if end is not None and not isinstance(end, str)]
    given += [] if item.missing is None else [item.missing]
    return toward * min(toward * points for points in given)


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
