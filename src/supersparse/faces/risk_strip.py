"""The risk strip: a row of totals over a row of risks, short enough to print."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from supersparse.card.card import Card
from supersparse.card.possible import possible_totals
from supersparse.card.risk import LogisticRisk, Risk, TableRisk
from supersparse.evaluate.rates import count_text
from supersparse.exact import shown

_MOST = 10  # columns of a strip
_MOST_TOTALS = 400  # that are looked at one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskColumn:
    """Totals from `low` to `high`, their risk, and the weight of the rows behind it: all, and positive.

    None: not known.
    """

    low: Fraction
    high: Fraction
    risk: float
    cases: Fraction | None
    events: Fraction | None
    positive: bool  # whether the card predicts the positive class there

    @property
    def totals(self) -> str:
        """The totals in words: "4", or "2 to 3"."""
        return shown(self.low) if self.low == self.high else f"{shown(self.low)} to {shown(self.high)}"

    @property
    def percent(self) -> str:
        """The risk in percent."""
        return risk_percent(self.risk)


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
    risks = risk.of(np.array([float(total) for total in totals])).tolist()
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
            risk=one,
            cases=cases.get(total, Fraction(0)) if cases else None,
            events=events.get(total, Fraction(0)) if events else None,
            positive=total > card.threshold,
        )
        for total, one in zip(totals, risks, strict=True)
    ]


def _thinned(columns: list[RiskColumn]) -> tuple[RiskColumn, ...]:
    """Join neighbours, those with the nearest risks first, until few are left; the two classes stay apart."""
    while len(columns) > _MOST:
        pairs = [
            (abs(a.risk - b.risk), k)
            for k, (a, b) in enumerate(pairwise(columns))
            if a.positive == b.positive
        ]
        if not pairs:
            break
        k = min(pairs)[1]
        columns[k : k + 2] = [_joined(columns[k], columns[k + 1])]
    return tuple(columns)


def _joined(a: RiskColumn, b: RiskColumn) -> RiskColumn:
    weights = [float(c.cases) if c.cases else 0.0 for c in (a, b)]
    if not any(weights):
        weights = [float(c.high - c.low + 1) for c in (a, b)]
    risk = (a.risk * weights[0] + b.risk * weights[1]) / sum(weights)
    return RiskColumn(
        low=a.low,
        high=b.high,
        risk=risk,
        cases=None if a.cases is None or b.cases is None else a.cases + b.cases,
        events=None if a.events is None or b.events is None else a.events + b.events,
        positive=a.positive,
    )


def rows_behind(columns: Sequence[RiskColumn]) -> list[tuple[str, list[str]]]:
    """The rows of a strip that say how many cases and events are behind each risk, as far as is known."""
    found = [
        ("Cases", [column.cases for column in columns]),
        ("Events", [column.events for column in columns]),
    ]
    return [
        (name, ["-" if n is None else count_text(n) for n in counts])
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
