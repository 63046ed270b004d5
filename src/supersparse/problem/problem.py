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
from importlib import import_module
from os import PathLike
from typing import Any, Literal, Unpack

import numpy as np

from supersparse.base.errors import InfeasibleError, InvalidProblemError, did_you_mean
from supersparse.base.exact import read_whole
from supersparse.base.schema.setting import keywords_of, show
from supersparse.problem.asked import Asked, AskedKeywords
from supersparse.problem.conflicts import check_feasible, check_log_loss, smallest_conflict
from supersparse.problem.constraints.single import read_constraints
from supersparse.problem.constraints.support import MaxFeatures, MaxQuestions
from supersparse.problem.counts import read_counted
from supersparse.problem.intercept import Intercept, read_intercept
from supersparse.problem.limits import Constraint, Limits, RateLimit
from supersparse.problem.penalties import (
    read_l1_penalty,
    read_levels,
    read_objective,
    read_risk_threshold,
    read_size_penalty,
)
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem_data import ProblemData
from supersparse.problem.questions import (
    AskedOfQuestions,
    QuestionKeywords,
    read_change_price,
    read_questions,
    refuse_limits,
    refuse_questions_of_features,
    refuse_what_features_have,
)
from supersparse.problem.rows import favoured_rows, read_rows
from supersparse.problem.sets import read_sets, under_value_limits, without_useless_columns

RISK_MAX_POINTS = 5  # where max_points is "auto" and the goal is risk


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Problem(ProblemData):
    """A SLIM problem: data, settings and constraints, in exact numbers. Create one with `Problem.of`."""

    __module__ = "supersparse"

    @classmethod
    def of(
        cls,
        X: object,
        y: object,
        *,
        soft_labels: object = None,
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

        `soft_labels` p from 0 to 1, rounded to multiples of 2^-20, stand for the classes in the objective of
        goal "errors": a row counts |2p - 1| times, for the class that p favours. Rates count the classes.

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
            soft_labels=soft_labels,
        )
        if goal == "risk" and soft_labels is not None:
            raise InvalidProblemError(
                "soft_labels are given, but for goal 'risk' only questions have them",
                "remove them, or use Problem.of_questions",
            )
        all_levels = read_levels(ask.levels, rows.names)
        sets, intercept_set = read_sets(ask.points, _max_points(ask), ask.bounds, rows.names, all_levels)
        intercept_rule = read_intercept(ask.intercept, intercept_set)
        penalties, intercept_penalty = read_size_penalty(ask.C0, rows.names, intercept_rule, all_levels)
        asked = read_constraints(ask.constraints, ask.max_features, ask.min_features)
        refuse_questions_of_features(asked)
        limits = Limits.of(asked, rows, counts_intercept=intercept_rule.is_penalised)
        if soft_labels is not None:
            rows, index, has_class = favoured_rows(rows, with_classes=bool(limits.rate_limits))
            rates = [
                RateLimit.of(np.where(has_class, limit.weights[index], 0), limit.at_most, limit.source)
                for limit in limits.rate_limits
            ]
            limits = limits._replace(rate_limits=tuple(rates))
        problem = cls(
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
            **limits._asdict(),
            goal=goal,
            slope=slope,
            risk_threshold=_predicting_threshold(ask),
        )
        if goal == "risk":
            check_log_loss(problem)
        return problem._narrowed_or_explained()

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
        """Ask about distinct rows and how many there are of each: the same as `of` with that many copies.

        `table` is a mapping of columns or a data frame, also a lazy one, such as the result of a GROUP BY.
        `target` names the column of classes, `count` that of the counts, and `rate_groups` those that define
        groups; all others are features. Settings are those of `of`.

        >>> table = {"age >= 60": [0, 0, 1, 1], "died": [0, 1, 0, 1], "n": [900, 30, 40, 80]}
        >>> problem = Problem.of_counts(table, target="died")
        >>> problem.class_totals
        (Fraction(940, 1), Fraction(110, 1))
        """
        for name in ("sample_weight", "feature_names"):
            if name in settings:
                raise InvalidProblemError(
                    f"{name}: the counts are the weights, and the columns have names", "remove it"
                )
        rows = read_counted(table, target, count, rate_groups)
        if settings.get("positive") is None:
            settings["positive"] = rows.chosen_positive()
        return cls.of(rows.X, rows.y, sample_weight=rows.counts, rate_groups=rows.rate_groups, **settings)

    @classmethod
    def of_questions(
        cls,
        X: object,
        y: object,
        *,
        soft_labels: object = None,
        sample_weight: object = None,
        rate_groups: object = None,
        feature_names: Sequence[str] | None = None,
        **settings: Unpack[QuestionKeywords],
    ) -> "Problem":
        """Ask questions: a column of X holds the number of each row's answer, from 0 on.

        Goal risk, with points for every answer. `soft_labels` p, rounded to multiples of 2^-20, stand for the
        classes in the loss: a row counts p times as positive and 1 - p times as negative. Rates and errors
        count the classes. `C0` is the price of a question and `change_price` that of each change of points
        along its answers; `points` and `max_points` (default: 10) allow points from 0 on.

        >>> problem = Problem.of_questions([[0], [1], [2]], [0, 0, 1], max_questions=1, C0=0)
        >>> problem.questions[0].answers, problem.questions[0].points[-1]
        (3, 10)
        """
        values: dict[str, Any] = dict(settings)
        in_questions = AskedOfQuestions.taken_from(values)
        refuse_what_features_have(values)
        ask = Asked.read({**values, "goal": "risk"})
        rows = read_rows(
            X,
            y,
            sample_weight=sample_weight,
            feature_names=feature_names,
            positive=ask.positive,
            rate_groups=rate_groups,
            soft_labels=soft_labels,
        )
        no_levels = (None,) * len(rows.names)
        sets, intercept_set = read_sets(ask.points, ask.max_points, None, rows.names, (*no_levels, None))
        intercept = read_intercept("free", intercept_set)
        prices, _ = read_size_penalty(ask.C0, rows.names, intercept)
        wishes = read_constraints(ask.constraints, None, None)
        questions = read_questions(in_questions, rows, sets, wishes)
        rows = replace(
            rows, columns=tuple(c.astype(np.uint8) for c in rows.columns), scales=(1,) * len(rows.names), raw=None
        )
        sets = tuple(CoefficientSet.of(question.points) for question in questions)
        asked = (*in_questions.limits(), *wishes)
        limits = Limits.of(asked, rows, counts_intercept=False)
        refuse_limits(limits)
        problem = cls(
            rows=rows,
            sets=sets,
            C0=prices,
            C1=None,
            max_features=None,
            intercept=intercept,
            intercept_C0=Fraction(0),
            class_weights=read_objective("errors", None, ask.class_weight, rows),
            levels=no_levels,
            intercept_levels=None,
            asked=asked,
            given_sets=sets,
            unit=1,
            **limits._asdict(),
            goal="risk",
            risk_threshold=_predicting_threshold(ask),
            questions=questions,
            change_price=read_change_price(in_questions.change_price),
        )
        check_log_loss(problem)
        return problem._narrowed_or_explained()

    def without(self, constraints: Iterable[Constraint]) -> "Problem":
        """Return the same problem without some constraints; only before presolve.

        >>> problem = Problem.of([[0], [1]], [0, 1], max_features=0)
        >>> problem.without(problem.asked).max_features is None
        True
        """
        dropped = set(constraints)
        remaining: dict[str, Any] = {
            kind: tuple(limit for limit in getattr(self, kind) if limit.source not in dropped)
            for kind in Limits._fields
        }
        return replace(self, asked=tuple(c for c in self.asked if c not in dropped), **remaining)._narrowed()

    def asking(self, constraints: object = None, *, max_features: int | None = None) -> "Problem":
        """Return the same problem with more constraints; only before presolve.

        >>> problem = Problem.of([[0], [1]], [0, 1]).asking(max_features=0)
        >>> [constraint.in_words() for constraint in problem.asked]
        ['at most 0 features']
        """
        more = read_constraints(constraints, None if self.questions else max_features, None)
        if self.questions and max_features is not None:
            more = (*more, MaxQuestions(most=read_whole(max_features, "max_questions")))
        more = tuple(c for c in more if c not in self.asked)
        limits = Limits.of(more, self.rows, counts_intercept=self.intercept.is_penalised)
        if self.questions:
            refuse_limits(limits)
        else:
            refuse_questions_of_features(more)
        if limits.rate_limits and self.rows.is_favoured:
            raise InvalidProblemError(
                f"{limits.rate_limits[0].source.in_words()!r} counts classes, and the rows have those that "
                "soft_labels favour",
                "give it when the problem is made",
            )
        every: dict[str, Any] = {kind: (*getattr(self, kind), *of_kind) for kind, of_kind in limits._asdict().items()}
        return replace(self, asked=(*self.asked, *more), **every)._narrowed_or_explained()

    def write_program(self, path: str | PathLike[str], formulation: Literal["bigm", "indicator"] = "bigm") -> None:
        """Write the paper's mixed-integer program to a file that ends in .mps or .lp, for any solver.

        `docs/formulation.md` says what the variables are. A solver's solution can be read by `read_solution`.
        """
        _program_files().write_program(self, path, formulation)

    def read_solution(self, path: str | PathLike[str]) -> Any:
        """Read a solver's solution of the written program, and verify it exactly; return a `Solution`.

        The file may be of HiGHS, SCIP, Gurobi, CPLEX or CBC, or have lines ``name value``. One that breaks a
        bound or a constraint, or claims another objective than its values have, is refused by name. Nothing
        is proven of other cards: the lower bound is 0.
        """
        return _program_files().read_solution(self, path)

    def _narrowed_or_explained(self) -> "Problem":
        try:
            return self._narrowed()
        except InfeasibleError as error:
            raise smallest_conflict(self.asked, error, self._conflict_of) from None

    def _conflict_of(self, subset: tuple[Constraint, ...]) -> InfeasibleError | None:
        """The conflict among some of the constraints alone; None if none is visible."""
        try:
            self.without(c for c in self.asked if c not in subset)
        except InfeasibleError as error:
            return error
        return None

    def _narrowed(self) -> "Problem":
        """Recompute the size limit and the sets from the constraints; raise if they conflict."""
        sets = without_useless_columns(
            self.rows,
            under_value_limits(self.rows.names, self.given_sets, self.value_limits),
            self.intercept,
            self.levels,
            self.support_limits,
            self.score_limits,
            intercept_is_whole=self.goal == "risk" and self.slope == 1,
        )
        most = min((c.most for c in self.asked if isinstance(c, MaxFeatures)), default=None)
        problem = replace(self, sets=sets, max_features=most)
        problem.check_feasible()
        return problem

    def check_feasible(self) -> None:
        """Raise for conflicts that are visible without a search."""
        check_feasible(self)


def read_goal(ask: Asked) -> tuple[Literal["errors", "risk"], Literal["free", 1]]:
    """Check the goal, and the settings that only one of the goals has."""
    if ask.goal not in ("errors", "risk"):
        raise InvalidProblemError(
            subject="goal", value=ask.goal, remedy=did_you_mean(str(ask.goal), ["errors", "risk"])
        )
    if ask.slope != "free" and (isinstance(ask.slope, bool) or ask.slope != 1):
        raise InvalidProblemError(subject="slope", value=ask.slope, remedy="give 'free', or 1")
    if ask.goal == "errors" and ask.slope != "free":
        raise InvalidProblemError(f"slope is {ask.slope!r}, which only goal 'risk' uses", "remove it")
    if ask.goal == "risk" and ask.objective != "errors":
        raise InvalidProblemError(
            f"objective is {ask.objective!r}, which goal 'risk' does not use", "remove it, or use goal 'errors'"
        )
    if ask.goal == "risk" and ask.intercept != "free":
        raise InvalidProblemError(
            f"intercept is {ask.intercept!r}, but goal 'risk' chooses it with the slope",
            "remove it, or give slope=1 for a whole intercept",
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


def _program_files() -> Any:
    # by name, as the registry finds solvers: files of programs stand on problems
    return import_module("supersparse.engine.mip.program_file")


show(Problem.of.__func__, keywords_of(Asked))  # type: ignore[attr-defined]
show(Problem.of_counts.__func__, keywords_of(Asked))  # type: ignore[attr-defined]
show(Problem.of_questions.__func__, QuestionKeywords.__keywords__)  # type: ignore[attr-defined]
