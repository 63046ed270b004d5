"""Risk: the probability of the positive class for each total of points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import counted
from supersparse.table.small_table import SmallTable, Tabular, cell
from supersparse.table.values import declared_number

Number = int | float | Decimal | Fraction
Floats = NDArray[np.float64]


def check_rising(numbers: Sequence[Fraction], fault: str) -> None:
    for low, high in pairwise(numbers):
        if low >= high:
            raise InvalidCardError(fault.format(low, high), "list them in increasing order")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableRisk(Tabular):
    """Risks at some totals, in rising order: linear between neighbours, constant beyond the ends."""

    __module__ = "supersparse"

    kind: ClassVar[str] = "table"

    totals: tuple[Fraction, ...]  # points added up, without the threshold
    risks: tuple[float, ...]
    cases: tuple[Fraction, ...] | None = None  # the weight of the rows behind each risk; None: not known

    def __post_init__(self) -> None:
        totals = tuple(declared_number(t, "a total of the risk table") for t in self.totals)
        object.__setattr__(self, "totals", totals)
        object.__setattr__(self, "risks", tuple(_risk(r, t) for r, t in zip(self.risks, totals, strict=True)))
        if not totals:
            raise InvalidCardError("the risk table has no rows", "give a risk for one total or more")
        check_rising(totals, "the risk table has the total {} before {}")
        if self.cases is not None:
            cases = tuple(declared_number(c, "the cases of a total of the risk table") for c in self.cases)
            object.__setattr__(self, "cases", cases)
            if len(cases) != len(totals) or min(cases) < 0:
                raise InvalidCardError("the cases of the risk table must be 0 or more, one for each total")

    def of(self, totals: Floats) -> Floats:
        risks: Floats = np.interp(totals, [total_float(t) for t in self.totals], self.risks)
        return risks

    def _brief(self) -> str:
        ends = f"{cell(min(self.risks))} to {cell(max(self.risks))}"
        return f"{counted(len(self.totals), 'total')}, risks from {ends}"

    def _small_table(self) -> SmallTable:
        cases = self.cases or (None,) * len(self.totals)
        rows = zip(self.totals, self.risks, cases, strict=True)
        return SmallTable(("total", "risk", "cases"), [tuple(map(cell, row)) for row in rows])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SeenTotals(Tabular):
    """How many training rows had each total, and how many of them were positive, by weight."""

    totals: tuple[Fraction, ...]  # rising
    cases: tuple[Fraction, ...]
    events: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        for name in ("totals", "cases", "events"):
            read = tuple(declared_number(v, f"the {name} of a risk") for v in getattr(self, name))
            object.__setattr__(self, name, read)
        if not len(self.totals) == len(self.cases) == len(self.events) > 0:
            raise InvalidCardError("a risk needs cases and events for each total seen, and at least one")
        check_rising(self.totals, "the totals seen have {} before {}")
        if not all(0 <= e <= c for e, c in zip(self.events, self.cases, strict=True)):
            raise InvalidCardError("the events at a total must be 0 or more, and no more than its cases")

    def moved(self, shift: Fraction) -> "SeenTotals":
        """Return the same rows for totals that are lower by a shift."""
        return replace(self, totals=tuple(total - shift for total in self.totals))

    def _brief(self) -> str:
        return f"{counted(len(self.totals), 'total')} seen"

    def _small_table(self) -> SmallTable:
        rows = zip(self.totals, self.cases, self.events, strict=True)
        return SmallTable(("total", "cases", "events"), [tuple(map(cell, row)) for row in rows])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LogisticRisk(Tabular):
    """The risk 1 / (1 + exp(-(slope·total + offset)))."""

    __module__ = "supersparse"

    kind: ClassVar[str] = "logistic"

    slope: float  # for each point
    offset: float
    seen: SeenTotals | None = None  # the training rows behind it; None: not known, or too many totals

    def __post_init__(self) -> None:
        for name in ("slope", "offset"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise InvalidCardError(f"the {name} of the risk is {value!r}", "it must be a finite number")
            object.__setattr__(self, name, float(value))

    def of(self, totals: Floats) -> Floats:
        with np.errstate(over="ignore"):
            exponent = np.asarray(totals, dtype=np.float64) * self.slope + self.offset
            # no overflow, whatever the exponent, and small risks are as accurate as large ones
            risks: Floats = np.exp(-np.logaddexp(0.0, -exponent))
        return risks


Risk = TableRisk | LogisticRisk
RISK_KINDS = ("table", "logistic")


def declared_risk(risk_or_table: Mapping[Number, float] | Risk | None) -> Risk | None:
    """Read what a card written by hand says of risks: a mapping from totals to risks, or a `Risk`."""
    if risk_or_table is None or isinstance(risk_or_table, Risk):
        return risk_or_table
    pairs = sorted((declared_number(total, "a total of the risk table"), risk) for total, risk in risk_or_table.items())
    return TableRisk(totals=tuple(t for t, _ in pairs), risks=tuple(r for _, r in pairs))


def risk_of(risk: Risk, total: Fraction) -> float:
    return risks_of(risk, [total])[0]


def risks_of(risk: Risk, totals: Sequence[Fraction]) -> list[float]:
    """Return the risk of each total; one that no float can hold counts as the largest float."""
    risks: list[float] = risk.of(np.array([total_float(total) for total in totals])).tolist()
    return risks


def _risk(value: object, total: Fraction) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidCardError(f"the risk at {total} points is {value!r}", "it must lie between 0 and 1")
    return float(value)


def total_float(value: Fraction) -> float:
    """Return the nearest float to a total: the largest one for totals that no float can hold."""
    try:
        return float(value)
    except OverflowError:
        most = float(np.finfo(np.float64).max)
        return most if value > 0 else -most
