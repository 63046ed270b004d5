"""Problem: the data, settings and constraints of one optimisation problem, frozen.

    minimise  F = (1/N) Σ_i s_i·W(y_i)·1[y_i·(x_i·λ + b) <= 0]  +  Σ_j penalty_j(λ_j)  (+ C1·‖λ‖1)

over λ_j in the coefficient set of feature j and the allowed intercepts b, with N = Σ s_i. The
penalty is C0_j·1[λ_j ≠ 0], or that of the level that contains λ_j. Constraints limit single
values, the support, the signs, the wrong rows and the largest score. With ``goal="risk"``, the loss of a
row is log(1 + exp(-y_i·(a·x_i·λ + b))) with a slope a > 0 that is free or 1; a·|λ_j|·sd_j is at most 30.
There a and b are those of least loss for λ, and a row is wrong if its risk is on the other side of
`risk_threshold`, so limits on wrong rows exclude some λ and leave the risks of all others as they are.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from inspect import Signature, signature
from itertools import combinations
from typing import Any, Literal, Unpack

import numpy as np

from supersparse.data.small_table import SmallTable, Tabular, facts, listed, number
from supersparse.errors import InfeasibleError, InvalidProblemError, did_you_mean
from supersparse.problem.asked import Asked, AskedKeywords, parameters_of
from supersparse.problem.constraints.single import read_constraints
from supersparse.problem.constraints.support import MaxFeatures
from supersparse.problem.counts import read_counted
from supersparse.problem.intercept import Intercept, WrongLimit, read_intercept
from supersparse.problem.limits import Constraint, RateLimit, ScoreLimit, SignLimit, SupportLimit, ValueLimit
from supersparse.problem.penalties import (
    Levels,
    read_l1_penalty,
    read_levels,
    read_objective,
    read_risk_threshold,
    read_size_penalty,
)
from supersparse.problem.points import CoefficientSet
from supersparse.problem.rows import Rows, read_rows
from supersparse.problem.sets import (
    NOTHING_ALLOWED_BUT_ZERO,
    read_sets,
    under_value_limits,
    without_useless_columns,
)

__all__ = ["NOTHING_ALLOWED_BUT_ZERO", "Problem"]


RISK_MAX_POINTS = 5  # where max_points is "auto" and the goal is risk
FEW = 8  # up to this many constraints, all subsets are checked


def check_feasible(problem: "Problem") -> None:
    """Raise if the sets and one of the limits already exclude every scoring system."""
    _check_size(problem)
    _check_intercept(problem)
    for support_limit in problem.support_limits:
        _check_support(problem, support_limit)
    for sign_limit in problem.sign_limits:
        _check_signs(problem, sign_limit)
    for score_limit in problem.score_limits:
        _check_score(problem, score_limit)


def smallest_conflict(problem: "Problem", error: InfeasibleError) -> InfeasibleError:
    """Describe a smallest subset of the constraints that is visibly infeasible.

    With more than `FEW` constraints, a subset from which none can be removed.
    """
    asked = problem.asked
    if len(asked) <= FEW:
        for size in range(1, len(asked)):
            for kept in combinations(asked, size):
                smaller = _seen(problem, kept)
                if smaller is not None:
                    return smaller
        return error
    kept = asked
    for constraint in asked:
        fewer = tuple(c for c in kept if c != constraint)
        smaller = _seen(problem, fewer)
        if smaller is not None:
            kept, error = fewer, smaller
    return error


def _seen(problem: "Problem", kept: tuple[Constraint, ...]) -> InfeasibleError | None:
    """The conflict among these constraints alone; None if none is visible."""
    try:
        problem.without(c for c in problem.asked if c not in kept)
    except InfeasibleError as error:
        return error
    return None


def _check_size(problem: "Problem") -> None:
    needed = len(problem.forced)
    if problem.max_features is None or needed <= problem.max_features:
        return
    forcing = _on_values(problem, set(problem.forced), used=True)
    if forcing:
        raise _conflict([*_size_limit(problem), *forcing])
    raise InfeasibleError(
        f"{needed} coefficient set(s) exclude 0, but max_features is {problem.max_features}; "
        f"allow 0 for some of {[problem.rows.names[j] for j in problem.forced]} or raise max_features"
    )


def _check_intercept(problem: "Problem") -> None:
    rule = problem.intercept
    if rule.mode == "range":
        assert rule.low is not None
        assert rule.high is not None
        if math.ceil(rule.low * problem.unit) > math.floor(rule.high * problem.unit):
            raise InfeasibleError(
                f"no multiple of 1/{problem.unit} is in the intercept's range "
                f"({rule.low}, {rule.high}); widen it"
            )


def _check_support(problem: "Problem", limit: SupportLimit) -> None:
    """Compare the limit with the smallest total of any support of allowed size."""
    forced = set(problem.forced)
    least: Fraction | int = sum(limit.weights[j] for j in forced)
    options = [
        w for j, (w, s) in enumerate(zip(limit.weights, problem.sets, strict=True))
        if w < 0 and j not in forced and len(s) > 1
    ]  # fmt: skip
    room = math.inf if problem.max_features is None else problem.max_features - len(forced)
    if limit.intercept_weight < 0 and problem.intercept.allowed is not None:
        options += [limit.intercept_weight] if len(problem.intercept.allowed) > 1 else []
    helping = sorted(options)[: len(options) if room == math.inf else max(0, int(room))]
    if least + sum(helping) <= limit.at_most:
        return
    against = {j for j, w in enumerate(limit.weights) if w > 0}
    needed = {j for j, w in enumerate(limit.weights) if w < 0}
    blame = _on_values(problem, against, used=True) + _on_values(problem, needed, used=False)
    if len(helping) < len(options):
        blame += _size_limit(problem)
    raise _conflict([limit.source, *blame], _names(problem, against & forced), _names(problem, needed))


def _check_signs(problem: "Problem", limit: SignLimit) -> None:
    """Compare the features that are always positive with those that are always negative."""
    members = {j for j in problem.forced if limit.together[j]}
    ends = {j: (min(problem.sets[j].turning_points), max(problem.sets[j].turning_points)) for j in members}
    positive = {j for j, (low, _) in ends.items() if low > 0}
    negative = {j for j, (_, high) in ends.items() if high < 0}
    if positive and negative:
        blame = _on_values(problem, positive | negative, used=True)
        raise _conflict([limit.source, *blame], _names(problem, positive), _names(problem, negative))


def _check_score(problem: "Problem", limit: ScoreLimit) -> None:
    least = sum(min(limit.term(j, v) for v in s.turning_points) for j, s in enumerate(problem.sets))
    if least > limit.at_most:
        everything = set(range(problem.n_features))
        blame = _on_values(problem, everything, used=True) + _on_values(problem, everything, used=False)
        raise _conflict([limit.source, *blame], _names(problem, set(problem.forced)))


def _on_values(problem: "Problem", features: set[int], *, used: bool) -> list[Constraint]:
    """The constraints that force some of these features in or out."""
    names = {problem.rows.names[j] for j in features}
    return [
        limit.source
        for limit in problem.value_limits
        if limit.name in names and (limit.equals != 0 if used else limit.equals == 0)
    ]


def _size_limit(problem: "Problem") -> list[Constraint]:
    return [c for c in problem.asked if isinstance(c, MaxFeatures)]


def _names(problem: "Problem", features: set[int]) -> list[str]:
    return [problem.rows.names[j] for j in sorted(features)]


def _conflict(constraints: list[Constraint], *features: list[str]) -> InfeasibleError:
    words = list(dict.fromkeys(repr(c.in_words()) for c in constraints))
    if len(words) > 1:
        return InfeasibleError(
            f"no scoring system satisfies {' and '.join(words)} together; drop or relax one of them"
        )
    about = sorted({name for names in features for name in names})
    return InfeasibleError(
        f"no scoring system satisfies {words[0]} with the points allowed for {about}; "
        "relax it, or allow other points for these features"
    )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Problem(Tabular):
    """A SLIM problem: data, settings and constraints, in exact numbers. Create one with `Problem.of`."""

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

    @classmethod
    def of(
        cls,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        rate_groups: object = None,
        feature_names: Sequence[str] | None = None,
        **settings: Unpack[AskedKeywords],
    ) -> "Problem":
        """Read and check data and settings. Errors are raised here, before any solving.

        `points`, `bounds` and `C0` (default: 0.01) take one value for all features, one for each, or a
        mapping by name or pattern (``{"age*": non_negative(5)}``).

        `levels` replace `C0` and `points`: ``[(values, penalty), ...]`` for all features, or a mapping by
        name or pattern; other features keep C0.

        `constraints` is a list of constraints from `supersparse.constraints`. `rate_groups` defines the
        groups they refer to, one label per row: ``{"sex": ["F", "M", ...]}``.

        >>> problem = Problem.of([[0], [1]], [0, 1], C0=0.1, max_points=5)
        >>> problem.sets[0]
        CoefficientSet(-5, -4, -3, ..., 3, 4, 5; 11 values)
        """
        ask = Asked.read(settings)
        goal, slope = read_goal(ask)
        rows = read_rows(
            X,
            y,
            sample_weight=sample_weight,
            feature_names=feature_names,
            positive=ask.positive,
            rate_groups=rate_groups,
        )
        all_levels = read_levels(ask.levels, rows.names)
        sets, intercept_set = read_sets(ask.points, _max_points(ask), ask.bounds, rows.names, all_levels)
        intercept_rule = read_intercept(ask.intercept, intercept_set)
        penalties, intercept_penalty = read_size_penalty(ask.C0, rows.names, intercept_rule, all_levels)
        asked = read_constraints(ask.constraints, ask.max_features, ask.min_features)
        limits = [
            limit
            for constraint in asked
            for limit in constraint.limits(rows, counts_intercept=intercept_rule.is_penalised)
        ]
        return cls(
            rows=rows,
            sets=sets,
            C0=penalties,
            C1=read_l1_penalty(ask.C1),
            max_features=None,
            intercept=intercept_rule,
            intercept_C0=intercept_penalty,
            class_weights=read_objective(
                ask.objective, None if goal == "risk" else ask.risk_threshold, ask.class_weight, rows
            ),
            levels=all_levels[:-1],
            intercept_levels=all_levels[-1] if intercept_rule.is_penalised else None,
            asked=asked,
            given_sets=sets,
            unit=_unit(sets, intercept_rule),
            value_limits=tuple(limit for limit in limits if isinstance(limit, ValueLimit)),
            support_limits=tuple(limit for limit in limits if isinstance(limit, SupportLimit)),
            sign_limits=tuple(limit for limit in limits if isinstance(limit, SignLimit)),
            rate_limits=tuple(limit for limit in limits if isinstance(limit, RateLimit)),
            score_limits=tuple(limit for limit in limits if isinstance(limit, ScoreLimit)),
            goal=goal,
            slope=slope,
            risk_threshold=_predicting_threshold(ask),
        )._narrowed_or_explained()

    @classmethod
    def of_counts(
        cls,
        table: object,
        *,
        target: str,
        count: str = "n",
        rate_groups: Sequence[str] = (),
        **settings: Unpack[AskedKeywords],
    ) -> "Problem":
        """Ask about distinct rows and how many there are of each: the same as `of` with so many copies.

        `table` is a mapping of columns or a data frame, also a lazy one, such as the result of a GROUP BY.
        `target` names the column of classes, `count` that of the counts, and `rate_groups` those that define
        groups; all others are features. Settings are those of `of`.

        >>> table = {"age >= 60": [0, 0, 1, 1], "died": [0, 1, 0, 1], "n": [900, 30, 40, 80]}
        >>> problem = Problem.of_counts(table, target="died")
        >>> problem.class_totals
        (Fraction(940, 1), Fraction(110, 1))
        """
        rows = read_counted(table, target, count, rate_groups)
        if settings.get("positive") is None:
            settings["positive"] = rows.chosen_positive()
        return cls.of(rows.X, rows.y, sample_weight=rows.counts, rate_groups=rows.rate_groups, **settings)

    def without(self, constraints: Iterable[Constraint]) -> "Problem":
        """Return the same problem without some constraints; only before presolve.

        >>> problem = Problem.of([[0], [1]], [0, 1], max_features=0)
        >>> problem.without(problem.asked).max_features is None
        True
        """
        dropped = set(constraints)
        return replace(
            self,
            asked=tuple(c for c in self.asked if c not in dropped),
            value_limits=tuple(limit for limit in self.value_limits if limit.source not in dropped),
            support_limits=tuple(limit for limit in self.support_limits if limit.source not in dropped),
            sign_limits=tuple(limit for limit in self.sign_limits if limit.source not in dropped),
            rate_limits=tuple(limit for limit in self.rate_limits if limit.source not in dropped),
            score_limits=tuple(limit for limit in self.score_limits if limit.source not in dropped),
        )._narrowed()

    def asking(self, constraints: object = None, *, max_features: int | None = None) -> "Problem":
        """Return the same problem with more constraints; only before presolve.

        >>> problem = Problem.of([[0], [1]], [0, 1]).asking(max_features=0)
        >>> [constraint.in_words() for constraint in problem.asked]
        ['at most 0 features']
        """
        more = [c for c in read_constraints(constraints, max_features, None) if c not in self.asked]
        limits = [
            limit
            for constraint in more
            for limit in constraint.limits(self.rows, counts_intercept=self.intercept.is_penalised)
        ]
        return replace(
            self,
            asked=(*self.asked, *more),
            value_limits=(*self.value_limits, *(x for x in limits if isinstance(x, ValueLimit))),
            support_limits=(*self.support_limits, *(x for x in limits if isinstance(x, SupportLimit))),
            sign_limits=(*self.sign_limits, *(x for x in limits if isinstance(x, SignLimit))),
            rate_limits=(*self.rate_limits, *(x for x in limits if isinstance(x, RateLimit))),
            score_limits=(*self.score_limits, *(x for x in limits if isinstance(x, ScoreLimit))),
        )._narrowed_or_explained()

    def _narrowed_or_explained(self) -> "Problem":
        try:
            return self._narrowed()
        except InfeasibleError as error:
            raise smallest_conflict(self, error) from None

    def _narrowed(self) -> "Problem":
        """Recompute the size limit and the sets from the constraints; raise if they conflict."""
        sets = without_useless_columns(
            self.rows,
            under_value_limits(self.rows.names, self.given_sets, self.value_limits),
            self.intercept,
            self.levels,
            self.support_limits,
            self.score_limits,
        )
        most = min((c.most for c in self.asked if isinstance(c, MaxFeatures)), default=None)
        problem = replace(self, sets=sets, max_features=most)
        problem.check_feasible()
        return problem

    @property
    def n_features(self) -> int:
        """Number of features, without the intercept."""
        return self.rows.n_features

    def penalty(self, j: int, value: Fraction) -> Fraction:
        """The penalty of feature j at a value; with levels, 0 may have a penalty too."""
        own = self.levels[j]
        if own is not None:
            return own.penalty(value)
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
        return self.intercept_levels is not None or any(own is not None for own in self.levels)

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
            j
            for j, constant in enumerate(self.rows.constant)
            if constant and self.sets[j] == NOTHING_ALLOWED_BUT_ZERO
        )

    @cached_property
    def forced(self) -> tuple[int, ...]:
        """Features whose set excludes 0; they are in every feasible model."""
        return tuple(j for j, s in enumerate(self.sets) if 0 not in s)

    def check_feasible(self) -> None:
        """Raise for conflicts that are visible without a search."""
        check_feasible(self)

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


def read_goal(ask: Asked) -> tuple[Literal["errors", "risk"], Literal["free", 1]]:
    """Check the goal, and the settings that only one of the goals has."""
    if ask.goal not in ("errors", "risk"):
        raise InvalidProblemError(f"goal is {ask.goal!r}; {did_you_mean(str(ask.goal), ['errors', 'risk'])}")
    if ask.slope != "free" and (isinstance(ask.slope, bool) or ask.slope != 1):
        raise InvalidProblemError(f"slope is {ask.slope!r}; give 'free', or 1")
    if ask.goal == "errors" and ask.slope != "free":
        raise InvalidProblemError(f"slope is {ask.slope!r}, which only goal 'risk' uses; remove it")
    if ask.goal == "risk" and ask.objective != "errors":
        raise InvalidProblemError(
            f"objective is {ask.objective!r}, which goal 'risk' does not use; remove it, or use goal 'errors'"
        )
    if ask.goal == "risk" and ask.intercept != "free":
        raise InvalidProblemError(
            f"intercept is {ask.intercept!r}, but goal 'risk' chooses it with the slope; remove it, or give "
            "slope=1 for a whole intercept"
        )
    return ask.goal, ("free" if ask.slope == "free" else 1)


def _predicting_threshold(ask: Asked) -> Fraction:
    """The risk above which a risk model predicts the positive class."""
    if ask.goal != "risk" or ask.risk_threshold is None:
        return Fraction(1, 2)
    return read_risk_threshold(ask.risk_threshold)


def _max_points(ask: Asked) -> object:
    is_auto = isinstance(ask.max_points, str) and ask.max_points == "auto"
    return RISK_MAX_POINTS if ask.goal == "risk" and is_auto else ask.max_points


def _unit(sets: tuple[CoefficientSet, ...], intercept: Intercept) -> int:
    allowed = () if intercept.allowed is None else (intercept.allowed,)
    return math.lcm(*(s.denominator for s in {*sets, *allowed}))


def _show_settings(function: Any) -> None:
    """Show the settings in place of ``**settings``."""
    *data, _ = signature(function).parameters.values()
    function.__signature__ = Signature([*data, *parameters_of(Asked)], return_annotation=Problem)


_show_settings(Problem.of.__func__)  # type: ignore[attr-defined]
_show_settings(Problem.of_counts.__func__)  # type: ignore[attr-defined]
