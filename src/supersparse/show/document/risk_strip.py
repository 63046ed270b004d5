"""The risk strip: a row of totals over a row of risks, coloured, and short enough to print.

Where several totals share a column, it shows the range of their risks, so no percent is untrue of a total."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from supersparse.base.exact import shown_range
from supersparse.card.bands import possible_totals
from supersparse.card.card import Card
from supersparse.card.risk import LogisticRisk, Risk, TableRisk, risks_of
from supersparse.table.small_table import number

_MOST = 10  # columns of a strip
_MOST_TOTALS = 400  # that are looked at one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskColumn:
    """Totals from `low` to `high`, their least and greatest risk, and the weight of the rows behind them.

    `cases` are all of these rows, `events` the positive ones. None: not known.
    """

    low: Fraction
    high: Fraction
    least: float
    most: float
    cases: Fraction | None
    events: Fraction | None
    positive: bool  # whether the card predicts the positive class there

    @property
    def totals(self) -> str:
        return shown_range(self.low, self.high)

    @property
    def percent(self) -> str:
        """The risk in percent, or the range of the risks: "2 %", or "< 1 to 9 %"."""
        least, most = risk_percent(self.least), risk_percent(self.most)
        return most if least == most else f"{least.removesuffix(' %')} to {most}"

    @property
    def middle(self) -> float:
        return (self.least + self.most) / 2


def risk_percent(risk: float) -> str:
    """A risk in whole percent; what is neither 0 nor 1 never reads so.

    >>> risk_percent(0.258), risk_percent(0.001), risk_percent(0.9999)
    ('26 %', '< 1 %', '> 99 %')
    """
    if 0 < risk < 0.005:
        return "< 1 %"
    if 0.995 <= risk < 1:
        return "> 99 %"
    return f"{100 * risk:.0f} %"


def risk_columns(card: Card) -> tuple[RiskColumn, ...]:
    """Return the strip; empty for a card without risks, or with totals that no short list covers."""
    risk = card.risk
    if risk is None:
        return ()
    totals = possible_totals(card, _MOST_TOTALS)
    if totals is None and isinstance(risk, TableRisk):
        totals = risk.totals
    return () if totals is None else _thinned(_at(card, risk, totals))


def _at(card: Card, risk: Risk, totals: Sequence[Fraction]) -> list[RiskColumn]:
    risks, cutoff = risks_of(risk, totals), card.cutoff
    cases: dict[Fraction, Fraction] = {}
    events: dict[Fraction, Fraction] = {}
    if isinstance(risk, TableRisk) and risk.cases is not None:
        cases = dict(zip(risk.totals, risk.cases, strict=True))
    if isinstance(risk, LogisticRisk) and risk.seen is not None and set(risk.seen.totals) <= set(totals):
        cases = dict(zip(risk.seen.totals, risk.seen.cases, strict=True))
        events = dict(zip(risk.seen.totals, risk.seen.events, strict=True))
    return [
        RiskColumn(
            low=total,
            high=total,
            least=one,
            most=one,
            cases=cases.get(total, Fraction(0)) if cases else None,
            events=events.get(total, Fraction(0)) if events else None,
            positive=cutoff.includes(total),
        )
        for total, one in zip(totals, risks, strict=True)
    ]


def _thinned(columns: Sequence[RiskColumn]) -> tuple[RiskColumn, ...]:
    """Join neighbours where they are too many: those with the same percent, then those with near risks."""
    if len(columns) <= _MOST:
        return tuple(columns)
    alike: list[RiskColumn] = []
    for column in columns:
        if alike and (alike[-1].percent, alike[-1].positive) == (column.percent, column.positive):
            alike[-1] = _joined([alike[-1], column])
        else:
            alike.append(column)
    ends = _best_ends(alike)
    return tuple(_joined(alike[start:end]) for start, end in pairwise((0, *ends)))


def _best_ends(columns: Sequence[RiskColumn]) -> tuple[int, ...]:
    """Return where the joined columns end, so that their ranges, squared, add up to the least.

    They are as many as a strip may have, or fewer, and the two classes stay separate.
    """
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}  # for the first columns, by their number
    for _ in range(_MOST):
        longer = dict(best)
        for start, (cost, ends) in best.items():
            least, most = 1.0, 0.0
            for end, column in enumerate(columns[start:], start=start + 1):
                if column.positive != columns[start].positive:
                    break
                least, most = min(least, column.least), max(most, column.most)
                new = cost + (most - least) ** 2
                if end not in longer or new < longer[end][0]:
                    longer[end] = (new, (*ends, end))
        best = longer
    return best[len(columns)][1]


def _joined(columns: Sequence[RiskColumn]) -> RiskColumn:
    return RiskColumn(
        low=columns[0].low,
        high=columns[-1].high,
        least=min(one.least for one in columns),
        most=max(one.most for one in columns),
        cases=_sum([one.cases for one in columns]),
        events=_sum([one.events for one in columns]),
        positive=columns[0].positive,
    )


def _sum(counts: Sequence[Fraction | None]) -> Fraction | None:
    known = [count for count in counts if count is not None]
    return sum(known, Fraction(0)) if len(known) == len(counts) else None


def rows_behind(columns: Sequence[RiskColumn]) -> list[tuple[str, list[str]]]:
    """The rows of a strip that say how many cases and events are behind each risk, as far as is known."""
    found = [("Cases", [column.cases for column in columns]), ("Events", [column.events for column in columns])]
    return [
        (name, ["-" if n is None else number(n) for n in counts])
        for name, counts in found
        if any(n is not None for n in counts)
    ]


def risk_formula(card: Card, positive: str, total: str) -> tuple[str, ...]:
    """The risk as a formula, for a card whose totals are too many for a strip."""
    risk = card.risk
    if isinstance(risk, LogisticRisk):
        sign = "+" if risk.offset >= 0 else "-"
        power = f"{risk.slope:.6g} * total {sign} {abs(risk.offset):.6g}"
        return (f"Risk ({positive}) by {total}: 1 / (1 + exp(-({power}))).",)
    return ()


_STOPS = (
    (0.0, (241, 246, 244)),
    (0.1, (251, 233, 192)),
    (0.25, (246, 194, 124)),
    (0.5, (222, 124, 58)),
    (0.75, (178, 62, 40)),
    (1.0, (112, 18, 30)),
)
_DARK, _LIGHT = "#000000", "#ffffff"  # on any colour one of them has a contrast of 4.5 or more


def risk_colour(risk: float) -> str:
    """Return the colour of a risk from 0 to 1.

    >>> risk_colour(0), risk_colour(1)
    ('#f1f6f4', '#70121e')
    """
    for (low, start), (high, end) in pairwise(_STOPS):
        if risk <= high:
            part = (risk - low) / (high - low)
            mixed = (round(a + part * (b - a)) for a, b in zip(start, end, strict=True))
            return "#" + "".join(f"{value:02x}" for value in mixed)
    return risk_colour(1.0)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21; text needs 4.5."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(colour: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    return _DARK if contrast(_DARK, colour) >= contrast(_LIGHT, colour) else _LIGHT
