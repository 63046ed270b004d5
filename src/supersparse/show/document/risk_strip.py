"""The risk table: a row of totals over a row of risks, in few bands that hold enough rows to be read.

Where several totals share a band, it shows the range of their risks, so no percent is untrue of a total."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from supersparse.base.exact import shown, shown_range
from supersparse.card.bands import possible_totals
from supersparse.card.card import Card
from supersparse.card.risk import LogisticRisk, Risk, TableRisk, risks_of

_MOST = 7  # bands
_FEWEST = Fraction(1, 25)  # of all rows, that a band should hold
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
        """The totals: 4, or 2–3; with a word in between where there is a minus sign."""
        if self.low == self.high or self.low < 0:
            return shown_range(self.low, self.high)
        return f"{shown(self.low)}\u2013{shown(self.high)}"

    @property
    def percent(self) -> str:
        """The risk in percent, or the range of the risks: "2 %", "8–14 %", and "≤ 9 %" from less than 1."""
        least, most = risk_percent(self.least), risk_percent(self.most)
        if least == most or most.startswith("<"):
            return most
        if least.startswith(">"):
            return least
        if most.startswith(">"):
            return "0\u2013100 %" if least.startswith("<") else f"\u2265 {least}"
        return f"\u2264 {most}" if least.startswith("<") else f"{least.removesuffix(' %')}\u2013{most}"

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
    """Return the bands; none for a card without risks, or with totals that no short list covers."""
    return _thinned(risks_by_total(card))


def risks_by_total(card: Card) -> tuple[RiskColumn, ...]:
    """Return each total that can occur, with its risk and the rows that had it."""
    risk = card.risk
    if risk is None:
        return ()
    totals = possible_totals(card, _MOST_TOTALS)
    if totals is None and isinstance(risk, TableRisk):
        totals = risk.totals
    return () if totals is None else tuple(_at(card, risk, totals))


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
    """Join neighbours where they are too many, or too few rows are behind one; the two classes are not joined."""
    known = _sum([column.cases for column in columns])
    least = None if not known else known * _FEWEST
    if len(columns) <= _MOST and (least is None or all((column.cases or 0) >= least for column in columns)):
        return tuple(columns)
    ends = _best_ends(columns, least or Fraction(0))
    return tuple(_joined(columns[start:end]) for start, end in pairwise((0, *ends)))


def _best_ends(columns: Sequence[RiskColumn], least_cases: Fraction) -> tuple[int, ...]:
    """Return where the bands end, so that few of them hold too few rows, and then their risks differ little.

    What differs is the sum of the squared ranges of the bands, by the share of the rows in them.
    """
    whole = float(_sum([column.cases for column in columns]) or len(columns))
    n = len(columns)
    best: list[dict[int, tuple[float, tuple[int, ...]]]] = [{0: (0.0, ())}]  # by bands so far, and columns in them
    for _ in range(_MOST):
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for start, (cost, ends) in best[-1].items():
            least, most, cases = 1.0, 0.0, Fraction(0)
            for end, column in enumerate(columns[start:], start=start + 1):
                if column.positive != columns[start].positive:
                    break
                least, most = min(least, column.least), max(most, column.most)
                cases += column.cases if column.cases is not None else 1
                lacking = float(max(Fraction(0), least_cases - cases) / least_cases) if least_cases else 0.0
                new = cost + (most - least) ** 2 * (0.2 + float(cases) / whole) + _LACKING * lacking
                if end not in longer or new < longer[end][0]:
                    longer[end] = (new, (*ends, end))
        best.append(longer)
    last = [bands[n] for bands in best if n in bands]
    return min(last)[1]


_LACKING = 0.5  # what a band without any rows costs; a range from 0 to 1 costs about as much


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


def unseen_totals(columns: Sequence[RiskColumn]) -> str | None:
    """Say which totals nobody had, whose risks no rows speak for; None where all were seen, or nothing is known."""
    unseen = [column for column in columns if column.cases == 0]
    if not unseen or all(column.cases == 0 for column in columns):
        return None
    runs: list[list[RiskColumn]] = []
    for before, column in zip([None, *columns], columns, strict=False):
        if column.cases == 0:
            if before is not None and before.cases == 0:
                runs[-1].append(column)
            else:
                runs.append([column])
    *first, last = (_joined(run).totals for run in runs)
    named = f"{', '.join(first)} or {last}" if first else last
    return f"Nobody had a total of {named}: the risk there is worked out from the other totals."


def _sum(counts: Sequence[Fraction | None]) -> Fraction | None:
    known = [count for count in counts if count is not None]
    return sum(known, Fraction(0)) if len(known) == len(counts) else None


def risk_formula(card: Card, positive: str, total: str) -> tuple[str, ...]:
    """The risk as a formula, for a card whose totals are too many for a strip."""
    risk = card.risk
    if isinstance(risk, LogisticRisk):
        sign = "+" if risk.offset >= 0 else "-"
        power = f"{risk.slope:.6g} * total {sign} {abs(risk.offset):.6g}"
        return (f"Risk ({positive}) by {total}: 1 / (1 + exp(-({power}))).",)
    return ()
