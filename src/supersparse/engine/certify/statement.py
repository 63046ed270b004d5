"""Statement: what a certificate proves something about, as a stranger can read it.

It stands as one line of JSON at the top of the certificate. Together with the table it determines the integer
program; the checker reads it, prints it in words and builds the program itself.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from supersparse.base.errors import UnsupportedProblemError
from supersparse.engine.certify.risk_questions import questions_of
from supersparse.problem.constraints.support import CloseTo
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem

MOST_VALUES = 2_000
"""The longest set of points that is not an interval: each of its values becomes a variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One feature or a penalised intercept: its values in units, and the penalty of each value."""

    name: str
    rule: Mapping[str, Any]  # on a column of the table, as cards write rules; empty for the intercept
    values: Sequence[int]  # rising; 0 is one of them unless the feature must be used
    flat: Fraction | None  # the penalty of every value but 0, which costs nothing; None: see `penalties`
    penalties: tuple[Fraction, ...]  # of each value, where they differ

    @property
    def is_interval(self) -> bool:
        """Whether the values, and 0, are all the whole numbers between two."""
        low, high = min(self.values[0], 0), max(self.values[-1], 0)
        return high - low == len(self.values) - (0 in self.values)

    def penalty(self, value: int) -> Fraction:
        if self.flat is None:
            return self.penalties[self.values.index(value)]
        return self.flat if value else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNames:
    """How the checker reads the table; None where the problem was not made from a file."""

    target: str | None = None
    weights: str | None = None  # the column of sample weights
    sha256: str | None = None  # of the file
    missing: tuple[str, ...] = ("NA", "NULL", "NaN", "nan", "null")  # texts that count as blank
    separator: str | None = None  # None: the most frequent one of the header
    encoding: str = "utf-8-sig"
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # read in a way of their own
    complete: tuple[str, ...] = ()  # columns: a row with a gap in one of them is left out
    rules: tuple[Mapping[str, Any], ...] | None = None  # of the features; None: each is a column

    def content(self) -> dict[str, Any]:
        """Its content for the checker, without the rules."""
        return {
            "target": self.target,
            "weights": self.weights,
            "table": self.sha256,
            "missing": list(self.missing),
            "separator": self.separator,
            "encoding": self.encoding,
            "columns": self.columns,
            "complete": list(self.complete),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The question: columns, points, penalties and limits. Numbers of the table are not part of it."""

    table: "TableNames"
    positive: str
    features: tuple[Coefficient, ...]
    intercept: str  # free, range, paper or none
    low: int | None  # of the range, in units
    high: int | None
    b: Coefficient | None  # with intercept="paper"
    unit: int  # points are multiples of 1/unit
    max_features: int | None
    limits: tuple[tuple[tuple[Fraction, ...], Fraction], ...]  # weights of the used ones, b last; at most
    same_sign: tuple[tuple[int, ...], ...]  # features that have no opposite signs
    class_weights: tuple[Fraction, Fraction]  # (negative, positive)

    @property
    def all_limits(self) -> tuple[tuple[tuple[Fraction, ...], Fraction], ...]:
        """The limits on which features are used; that on their number, where there is one, comes first."""
        if self.max_features is None:
            return self.limits
        ones = (Fraction(1),) * (len(self.features) + 1)
        return ((ones, Fraction(self.max_features)), *self.limits)

    def to_json(self) -> str:
        """One line that holds all of it."""
        content: dict[str, Any] = {
            **self.table.content(),
            "positive": self.positive,
            "class_weights": [str(w) for w in self.class_weights],
            "unit": self.unit,
            "intercept": self.intercept,
            "range": None if self.low is None else [self.low, self.high],
            "b": None if self.b is None else _coefficient(self.b),
            "limits": [[[str(w) for w in weights], str(most)] for weights, most in self.all_limits],
            "same_sign": [list(together) for together in self.same_sign],
            "features": [_coefficient(feature) for feature in self.features],
        }
        return json.dumps(content, ensure_ascii=True, sort_keys=True)


def _coefficient(one: Coefficient) -> dict[str, Any]:
    content: dict[str, Any] = {"name": one.name, **one.rule}
    if one.is_interval:
        content["interval"] = [min(one.values[0], 0), max(one.values[-1], 0)]
        content["zero"] = 0 in one.values
    else:
        content["set"] = list(one.values)
    if one.flat is None:
        content["penalties"] = [str(p) for p in one.penalties]
    else:
        content["penalty"] = str(one.flat)
    return content


def check_certifiable(problem: Problem) -> None:
    """Raise for what has no certificate yet, naming it."""
    close = [constraint for constraint in problem.asked if isinstance(constraint, CloseTo)]
    sources = [limit.source for limits in (problem.rate_limits, problem.score_limits) for limit in limits]
    for constraint in (*sources, *close):
        raise UnsupportedProblemError(
            f"certificates do not support {constraint.in_words()!r} yet",
            "they support limits on which and how many features are used, and on their signs. Remove the "
            "constraint, or the certificate",
        )
    if problem.goal == "risk":
        if problem.rows.is_favoured:
            raise UnsupportedProblemError("certificates need rows with a class", "give labels of two classes")
        questions_of(problem)
        return
    for name, values in zip(problem.rows.names, problem.sets, strict=True):
        if not _is_interval(values, problem.unit) and len(values) > MOST_VALUES:
            raise UnsupportedProblemError(
                f"certificates support intervals of whole points, and at most {MOST_VALUES} other values",
                f"{name!r} has {len(values)}. Use fewer values",
            )


def _is_interval(values: CoefficientSet, unit: int) -> bool:
    numbers = values.over(unit)
    low, high = min(numbers[0], 0), max(numbers[-1], 0)
    return high - low == len(values) - (0 in values)


def statement_of(problem: Problem, table: TableNames) -> Statement:
    """State a problem whose useless columns have been dropped."""
    check_certifiable(problem)
    mode = problem.intercept.mode
    plain = [{"rule": "value", "column": name} for name in problem.rows.names]
    rules = table.rules or tuple(plain)
    features = [_of_set(problem, j, rule) for j, rule in enumerate(rules)]
    b = None
    if problem.intercept.allowed is not None and mode == "paper":
        values = _values(problem.intercept.allowed, problem.unit)
        penalties = tuple(problem.intercept_penalty(Fraction(v, problem.unit)) for v in values)
        b = _coefficient_of(problem, "b", {}, values, penalties)
    low = high = None
    if mode == "range":
        assert problem.intercept.low is not None
        assert problem.intercept.high is not None
        low = -((-problem.intercept.low * problem.unit) // 1)
        high = (problem.intercept.high * problem.unit) // 1
    return Statement(
        table=table,
        positive=str(problem.rows.classes[1]),
        features=tuple(features),
        intercept=mode,
        low=low,
        high=high,
        b=b,
        unit=problem.unit,
        max_features=problem.max_features,
        limits=tuple(
            (
                (*(Fraction(w) for w in limit.weights), Fraction(limit.intercept_weight if b else 0)),
                Fraction(limit.at_most),
            )
            for limit in problem.support_limits
        ),
        same_sign=tuple(tuple(j for j, member in enumerate(limit.together) if member) for limit in problem.sign_limits),
        class_weights=problem.class_weights,
    )


def _of_set(problem: Problem, j: int, rule: Mapping[str, Any]) -> Coefficient:
    values = _values(problem.sets[j], problem.unit)
    penalties = tuple(problem.penalty(j, Fraction(v, problem.unit)) for v in values)
    return _coefficient_of(problem, problem.rows.names[j], rule, values, penalties)


def _coefficient_of(
    problem: Problem, name: str, rule: Mapping[str, Any], values: Sequence[int], penalties: tuple[Fraction, ...]
) -> Coefficient:
    """Add C1, and see whether all values but 0 cost the same."""
    C1 = problem.C1 or Fraction(0)
    full = tuple(p + C1 * Fraction(abs(v), problem.unit) for v, p in zip(values, penalties, strict=True))
    flat = _flat(values, full)
    return Coefficient(name=name, rule=rule, values=values, flat=flat, penalties=full if flat is None else ())


def _values(values: CoefficientSet, unit: int) -> Sequence[int]:
    numbers = values.over(unit)
    return [v for v in numbers if v or 0 in values]


def _flat(values: Sequence[int], penalties: tuple[Fraction, ...]) -> Fraction | None:
    """The one penalty of all values but 0; None where they differ or 0 has one."""
    used = {p for v, p in zip(values, penalties, strict=True) if v}
    unused = {p for v, p in zip(values, penalties, strict=True) if not v}
    if len(used) > 1 or unused - {Fraction(0)}:
        return None
    return used.pop() if used else Fraction(0)
