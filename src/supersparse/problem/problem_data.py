"""The parts of a problem, in exact numbers, and what follows from them."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from supersparse.problem.intercept import Intercept, WrongLimit
from supersparse.problem.limits import Constraint, RateLimit, ScoreLimit, SignLimit, SupportLimit, ValueLimit
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet
from supersparse.problem.questions import Question
from supersparse.problem.rows import Rows
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO
from supersparse.table.small_table import SmallTable, Tabular, facts, listed, number


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ProblemData(Tabular):
    """Data, settings and limits; `Problem` adds how they are read and changed."""

    rows: Rows
    sets: tuple[CoefficientSet, ...]
    C0: tuple[Fraction, ...]  # 0 for a feature with levels: ask `penalty`
    C1: Fraction | None  # None: ties in F are broken exactly, by the smallest l1
    max_features: int | None
    intercept: Intercept
    intercept_C0: Fraction  # noqa: N815  # paid for b != 0, with intercept="paper" only
    class_weights: tuple[Fraction, Fraction]  # (negative, positive)
    levels: tuple[Levels | None, ...]
    intercept_levels: Levels | None
    asked: tuple[Constraint, ...]  # source of the limits below, max_features and the sets
    given_sets: tuple[CoefficientSet, ...]  # before constraints and constant columns narrowed them
    unit: int  # common denominator of the sets; b is a multiple of 1/unit too, unless it is free
    value_limits: tuple[ValueLimit, ...]  # the sets satisfy them already
    support_limits: tuple[SupportLimit, ...]
    sign_limits: tuple[SignLimit, ...]
    rate_limits: tuple[RateLimit, ...]
    score_limits: tuple[ScoreLimit, ...]
    goal: Literal["errors", "risk"] = "errors"
    slope: Literal["free", 1] = "free"  # of a risk model
    risk_threshold: Fraction = Fraction(1, 2)  # a risk model predicts the positive class above it
    questions: tuple[Question, ...] = ()  # one a column, if columns hold answers
    change_price: Fraction = Fraction(0)  # of points along the answers of a question

    @property
    def n_features(self) -> int:
        """Number of features, without the intercept."""
        return self.rows.n_features

    def penalty(self, j: int, value: Fraction) -> Fraction:
        """The penalty of feature j at a value; with levels, 0 may have a penalty too."""
        levels = self.levels[j]
        if levels is not None:
            return levels.penalty(value)
        return self.C0[j] if value else Fraction(0)

    def intercept_penalty(self, value: Fraction) -> Fraction:
        """The penalty of the intercept at a value; 0 unless ``intercept="paper"``."""
        if not self.intercept.is_penalised:
            return Fraction(0)
        if self.intercept_levels is not None:
            return self.intercept_levels.penalty(value)
        return self.intercept_C0 if value else Fraction(0)

    @cached_property
    def has_levels(self) -> bool:
        """Whether some coefficient has levels."""
        return self.intercept_levels is not None or any(levels is not None for levels in self.levels)

    @property
    def is_plain(self) -> bool:
        """Whether there are only sets, C0, C1 and max_features, without levels or other limits."""
        limits = (self.support_limits, self.sign_limits, self.rate_limits, self.score_limits)
        return not (self.has_levels or any(limits))

    @cached_property
    def score_step(self) -> int:
        """The common scale D of the columns: scores are integers over unit·D."""
        return math.lcm(*self.rows.scales)

    @cached_property
    def total_weight(self) -> int:
        """Σ of the integer row weights: N in units of the rows' weight unit."""
        return int(self.rows.weights.sum(dtype=object))

    @cached_property
    def class_totals(self) -> tuple[Fraction, Fraction]:
        """The sample weights of the negative and the positive rows."""
        of_positive = int(self.rows.weights[self.rows.positive].sum(dtype=object))
        unit = self.rows.weight_unit
        return (self.total_weight - of_positive) * unit, of_positive * unit

    @cached_property
    def wrong_limits(self) -> tuple[WrongLimit, ...]:
        """The rate limits by class, for choosing the intercept."""
        positive = self.rows.positive
        return tuple(
            WrongLimit(
                positive_weight=np.where(positive, limit.weights, 0),
                negative_weight=np.where(positive, 0, limit.weights),
                at_most=limit.at_most,
            )
            for limit in self.rate_limits
        )

    @cached_property
    def ignored(self) -> tuple[int, ...]:
        """Constant columns that the intercept makes useless; their coefficient is 0."""
        return tuple(
            j for j, constant in enumerate(self.rows.constant) if constant and self.sets[j] == NOTHING_ALLOWED_BUT_ZERO
        )

    @cached_property
    def forced(self) -> tuple[int, ...]:
        """Features whose set excludes 0; they are in every feasible model."""
        return tuple(j for j, s in enumerate(self.sets) if 0 not in s)

    def _brief(self) -> str:
        asked = "".join(f", {constraint.in_words()}" for constraint in self.asked[:3])
        more = ", ..." if len(self.asked) > 3 else ""
        return f"{self.rows._brief()}; C0 {self._shown_penalty()}{asked}{more}"

    def _small_table(self) -> SmallTable:
        sets = [values._brief() for values in dict.fromkeys(self.given_sets)]
        of_rows = self.rows._small_table()
        asked = facts(
            points=listed(sets, 1) if len(sets) <= 1 else f"{len(sets)} different sets",
            C0=self._shown_penalty(),
            C1="auto" if self.C1 is None else number(self.C1),
            intercept=self.intercept,
            class_weights=self.class_weights,
            constraints=listed([c.in_words() for c in self.asked]) or "none",
        )
        return SmallTable((), [*of_rows.rows, *asked.rows])

    def _shown_penalty(self) -> str:
        if self.has_levels:
            return "by level"
        least, most = min(self.C0, default=0), max(self.C0, default=0)
        return number(least) if least == most else f"{number(least)} to {number(most)}"
