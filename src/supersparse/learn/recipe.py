"""Recipe: what is asked and how raw columns become features. The one way from a table to a card.

The classifiers, the command line and the report follow the same recipe, so that the same table and the
same settings give the same card, whichever of them is used.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import exact, shown
from supersparse.base.schema.tree import find_label, label_text
from supersparse.card.card import Card
from supersparse.card.checks import accepting
from supersparse.card.evaluate.drift import remember
from supersparse.card.printed import printed
from supersparse.card.rules import IsMissing
from supersparse.card.scoring import decisive_floats, score_table
from supersparse.engine.answers.tie_break import TieBreak, least_log_loss
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.card_of_solution import card_of_solution, check_risks_can_be_written, scoring_card
from supersparse.learn.horizon import with_follow_up
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.prepare.sample import MOST_ROWS, Most
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.problem_of_rows import n_copies, problem_of_rows, with_directions
from supersparse.learn.rows import TrainingRows, without_column
from supersparse.learn.scoring import scores_of_points
from supersparse.learn.settings.settings import Settings, SettingsKeywords
from supersparse.learn.settings.unit import refuse_features, refuse_sizes_in_questions
from supersparse.learn.settings.with_data import AnswersOf, UnknownFeatureError
from supersparse.learn.splits import repeated_rows
from supersparse.learn.teacher import NAMES as TEACHERS
from supersparse.learn.teacher import Teacher, blended, check_known_teacher, fitted_teacher, read_risks, sampled
from supersparse.learn.updating import check_class, with_card_in_use, with_history
from supersparse.problem.log_loss import at_threshold
from supersparse.problem.losses import loss_of
from supersparse.problem.problem import Problem
from supersparse.problem.rows import read_labels, read_weights
from supersparse.problem.variants import with_size_penalty
from supersparse.table.sources import as_table, read_every_column

MAX_FEATURES = 10  # where "auto" is asked
QUESTION_PRICE = Fraction(1, 5)  # of a row's log loss: what a question must save, where nobody says
_VALUES_PER_SECOND = 100_000  # of a table, that a second of the time limit is worth where questions are asked
RARE_CLASS = 0.2  # share of the rows below which "auto" balances the classes


@dataclass(frozen=True, eq=False, kw_only=True)
class Recipe:
    """Settings, the preparation of raw columns (None to use numbers as they are), and solver options."""

    settings: Settings
    prepare: Prepare | None = None
    options: SolverKeywords = field(default_factory=SolverKeywords)
    is_made: bool = False  # whether the preparation is fitted already, to all rows that there are
    planned_seconds: float | None = None  # see `with_plan`
    teacher: Any = None  # a classifier in place of the one that the settings name

    def __post_init__(self) -> None:
        settings = self.settings
        if settings.questions is None and settings.loss.gives_risks:  # prepared columns are asked, numbers are features
            asks = settings.asks_questions or self.prepare is not None
            object.__setattr__(self, "settings", replace(settings, questions=asks))

    def check(self) -> None:
        """Refuse what contradicts the goal, or the unit of size, before a table is read."""
        self._check_tie_break()
        if not self.settings.asks_questions:
            refuse_sizes_in_questions(self.settings)
            if self.settings.loss.gives_risks and self.taught_by is not None:
                raise InvalidOptionError(
                    f"teacher is {self.taught_by!r}, but risks of features are learned from the labels as they are",
                    "remove it, or let the card ask questions",
                    subject="teacher",
                )
            return
        refuse_features(self.settings)
        if self.prepare is None:
            raise InvalidOptionError(
                "questions are about raw columns, and these are not prepared",
                'use prepare="auto" (no --no-prepare), or questions=False (--features) with max_features',
            )
        PrepareSettings.of(self.prepare.get_params(deep=False)).refuse_what_features_have()

    def _check_tie_break(self) -> None:
        settings = self.settings
        slack = exact(settings.slack, "slack", InvalidOptionError)
        if slack and (settings.loss.gives_risks or settings.tie_break == "points"):
            remedy = "it needs tie_break log_loss" if settings.loss.counts_rows else "remove it, or use goal errors"
            raise InvalidOptionError(f"slack is {shown(slack)}", remedy, subject="slack", value=slack)
        if settings.tie_break == "points":
            return
        if settings.loss.gives_risks:
            raise InvalidOptionError(
                "tie_break is 'log_loss', but goal 'risk' minimises the log loss itself",
                "remove tie_break, or use goal errors",
            )
        if settings.taught_by is not None:
            raise InvalidOptionError(
                "tie_break is 'log_loss', which is that of the true labels, and a teacher blends them",
                "remove tie_break, or the teacher",
            )

    @property
    def slack(self) -> Fraction | None:
        """How far from the least objective the least log loss is chosen; None: ties go to smaller points."""
        return None if self.settings.tie_break == "points" else exact(self.settings.slack, "slack")

    def asking(self, **changes: Unpack[SettingsKeywords]) -> "Recipe":
        """Return the same recipe with some settings changed."""
        return replace(self, settings=self.settings.changed(**changes))

    @property
    def plan(self) -> float | None:
        """The seconds by which it is decided how much of a large table is looked at; None for all of it."""
        return self.options.get("time_limit") if self.planned_seconds is None else self.planned_seconds

    def with_plan(self, share: float) -> "Recipe":
        """Return the same recipe for a part of the work that the settings give this share of the time.

        How much of a large table the part looks at follows from that share, and not from the time that a
        clock happens to leave, so it is the same on a busy machine.
        """
        return self if self.plan is None else replace(self, planned_seconds=share * self.plan)

    def settled(self, rows: TrainingRows) -> "Recipe":
        """Return the same recipe with the positive class of these rows, so that all parts of them have it."""
        if self.settings.positive is not None:
            return self
        return self.asking(positive=label_text(read_labels(rows.y, None)[1][1]))

    def complete(self, rows: TrainingRows) -> TrainingRows:
        """Leave out the rows with a missing value, where the preparation asks for that, and those without time."""
        rows = self._with_copies_together(self._in_time(self._with_column_of_risks(rows)))
        if self.prepare is None or self.prepare.missing != "drop":
            return rows
        complete = self.prepare.complete_rows(rows.X)
        if complete.all():
            return rows
        if not complete.any():
            raise InvalidDataError("every row has a missing value and missing='drop' leaves none", "use missing='item'")
        dropped = f"{int((~complete).sum())} of {len(complete)} rows dropped for missing values"
        return replace(rows.part(np.flatnonzero(complete)), notes=(*rows.notes, dropped))

    def _in_time(self, rows: TrainingRows) -> TrainingRows:
        """Take a fixed sample of a large table for a card of questions, as large as the time limit is worth."""
        if self.plan is None or not self.settings.asks_questions or rows.is_counted:
            return rows
        most = max(MOST_ROWS, int(self.plan * _VALUES_PER_SECOND / max(1, rows.n_columns)))
        why = f"learned from {most} of {len(rows.y)} rows, a sample that the time limit is worth; a proof is of these"
        return sampled(rows, most, why)

    def _with_copies_together(self, rows: TrainingRows) -> TrainingRows:
        """Keep rows that repeat others in one fold, where nothing else says which rows stay together."""
        if self.prepare is None or rows.is_counted or rows.groups is not None or rows.times is not None:
            return rows
        groups = repeated_rows(read_every_column(rows.X, rows.names))
        if groups is None:
            return rows
        n_copies = len(groups) - len(np.unique(groups))
        why = f"{n_copies} of {len(groups)} rows repeat others: folds keep copies together; are they the same people?"
        return replace(rows, groups=groups, notes=(*rows.notes, why))

    def _with_column_of_risks(self, rows: TrainingRows) -> TrainingRows:
        """Take the teacher's risks out of the columns, where one of them holds these."""
        name = self.settings.taught_by
        if self.teacher is not None or name is None or name in TEACHERS or rows.risks is not None:
            return rows
        check_known_teacher(name, rows.column_names)
        X, risks = without_column(rows.X, name)
        return replace(rows, X=X, risks=read_risks(risks, len(rows.y)))

    @property
    def named(self) -> frozenset[str]:
        """The columns whose numbers are categories."""
        prepare = self.prepare
        return frozenset() if prepare is None else frozenset((*prepare.categorical, *(prepare.ordered or {})))

    @property
    def taught_by(self) -> Any:
        """The teacher: a model, or a name; None where the labels stay as they are."""
        return self.settings.taught_by if self.teacher is None else self.teacher

    def refuse_blended_errors(self, what: str) -> None:
        """Raise where errors would be counted by blended labels, which are not the errors that people mean."""
        if self.settings.loss.counts_rows and self.taught_by is not None:
            raise InvalidOptionError(
                f"teacher blends the labels, and {what} counts errors by the true ones",
                "remove teacher",
                subject="teacher",
            )

    def question(self, rows: TrainingRows) -> "PreparedProblem":
        """Make features of the rows, and ask the settings about them."""
        began = time.monotonic()
        if self.settings.asks_questions:
            return self._of_questions(rows, began)
        prepare, notes = self.prepare, list[str]()
        features: Sequence[str] | None = rows.names
        if prepare is not None:
            if not self.is_made:
                most = Most.within(self.plan)
                prepare = clone(prepare).fit_within(rows.X, rows.y, rows.sample_weight, most)
                notes = prepare.notes_
                notes[:0] = rows.notes
            features = [str(name) for name in prepare.get_feature_names_out()]
            if not features:
                raise InvalidDataError("no column separates the classes", "check the target, or add columns")
        teacher = labels = None
        if self.settings.loss.counts_rows and self.taught_by is not None:
            teacher, _, labels = self._blended(rows)
            notes[:0] = self._about_the_teacher(rows, teacher)
        return PreparedProblem(
            recipe=self,
            problem=self.problem_of_features(prepare, rows, features, labels),
            prepare=prepare,
            teacher=teacher,
            labels=labels,
            seconds=time.monotonic() - began,
        )

    def problem_of_features(
        self,
        prepare: Prepare | None,
        rows: TrainingRows,
        features: Sequence[str] | None,
        labels: NDArray[np.float64] | None,
    ) -> Problem:
        """Ask the settings about the features of a preparation, or about columns as they are."""
        settings = self.settings_for(rows.y, rows.copies)
        if prepare is None:
            problem = problem_of_rows(settings, rows, rows.X, features, labels=labels)
            if loss_of(problem).gives_risks:
                usable = [j for j, allowed in enumerate(problem.sets) if allowed.largest_magnitude]
                check_risks_can_be_written(problem, usable)
            return problem
        assert features is not None, "a preparation names its features"
        settings = with_directions(settings, prepare, features)
        try:
            return problem_of_rows(settings, rows, prepare.transform(rows.X), features, labels=labels)
        except UnknownFeatureError as error:
            names = f"prepared features have names such as {features[0]!r}"
            pattern = f"{prepare.features_[0].column + '*'!r} stands for all of a column"
            raise UnknownFeatureError(str(error), f"{names}, and {pattern}", subject=error.subject) from None

    def _of_questions(self, rows: TrainingRows, began: float) -> "PreparedProblem":
        """Ask about the columns themselves, each a question with answers chosen on labels blended with a teacher."""
        assert self.prepare is not None, "questions are about raw columns"
        positive = self._positive(rows)
        hard = np.asarray(rows.y == positive, np.float64)
        used = hard[np.asarray(read_weights(rows.sample_weight, len(hard))[0] > 0, dtype=bool)]
        if len(used) and used.min() == used.max():
            raise InvalidDataError(
                "only one class is left after dropping the rows of weight 0",
                "two classes are needed: give rows of the other class a weight above 0",
            )
        teacher, risks, labels = self._blended(rows)
        is_open = self.settings.max_questions == "auto" and self.prepare.update is None
        if teacher is None and self.taught_by is not None and is_open:
            return replace(self, settings=replace(self.settings, max_questions=1))._of_questions(rows, began)
        prepare = self.prepare
        if not self.is_made:
            soft, guide = (hard if labels is None else labels), (hard if risks is None else risks)
            prepare = clone(self.prepare).fit_questions(rows.X, soft, guide, rows.sample_weight)
            if prepare.updated is not None:
                check_class(prepare.updated, positive)
            prepare.notes_[:0] = [*rows.notes, *self._about_the_teacher(rows, teacher)]
        made = time.monotonic()
        problem = self._problem_of(prepare, rows, labels)
        return PreparedProblem(
            recipe=self,
            problem=problem,
            prepare=prepare,
            teacher=teacher,
            labels=labels,
            seconds=time.monotonic() - began,
            reading=time.monotonic() - made,
        )

    def _blended(
        self, rows: TrainingRows
    ) -> tuple[Teacher | None, NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """The teacher, its risks of the rows, and the labels blended with them; None without one."""
        positive = self._positive(rows)
        teacher = self.teacher_of(rows, positive)
        if teacher is None:
            return None, None, None
        risks = teacher.risks(rows)
        return teacher, risks, blended(rows.y, positive, risks, self.settings.blend)

    def teacher_of(self, rows: TrainingRows, positive: object) -> Teacher | None:
        """The teacher, fitted to the rows; of counted ones ridge, on their answers."""
        if not rows.is_counted:
            return fitted_teacher(self.taught_by, rows, positive, self.named)
        self.check_teacher_of_counts()
        return fitted_teacher(None if self.taught_by is None else "ridge", rows, positive, frozenset(rows.X))

    def check_teacher_of_counts(self) -> None:
        """Refuse a teacher that asks rows, where there are only counts."""
        if self.taught_by not in (None, *TEACHERS):
            raise InvalidOptionError(
                f"teacher is {self.taught_by!r}, and counts hold no row that it could be asked about",
                "give ridge or none, or use the rows in memory",
                subject="teacher",
                value=self.taught_by,
            )

    def _problem_of(self, prepare: Prepare, rows: TrainingRows, labels: NDArray[np.float64] | None) -> Problem:
        """Ask the settings about the questions of a preparation."""
        settings = self.settings_for(rows.y, rows.copies)
        if settings.C0 is None:
            settings = replace(settings, C0=QUESTION_PRICE / n_copies(rows))
        settings = with_card_in_use(settings, prepare)
        names = [question.column for question in prepare.questions_]
        answers = AnswersOf(
            shapes={question.column: question.shape for question in prepare.questions_},
            not_known=tuple(question.column for question in prepare.questions_ if question.has_not_known),
        )
        return problem_of_rows(settings, rows, prepare.transform(rows.X), names, labels=labels, answers=answers)

    def _positive(self, rows: TrainingRows) -> object:
        """The label of the positive class."""
        labels = read_labels(rows.y, None)[1]
        asked = self.settings.positive
        return labels[1] if asked is None else find_label(str(asked), labels, "positive")

    def _about_the_teacher(self, rows: TrainingRows, teacher: Teacher | None) -> list[str]:
        """Say what is out of the ordinary about the teacher."""
        if self.taught_by is None:
            return []
        if teacher is None:
            few = "too few rows of a class for a teacher: the labels are used as they are"
            return [f"{few}, for one question at most" if self.settings.max_questions == 1 else few]
        if rows.risks is not None:
            return ["the teacher's risks were given, and are used as they are in every fold"]
        return []

    def settings_for(self, y: NDArray[Any], copies: NDArray[Any] | None = None) -> Settings:
        """Return the settings with each "auto" replaced: a card has few features, however many columns.

        `copies` says how many rows each label is of.
        """
        settings = self.settings
        changes: dict[str, Any] = {}
        if settings.max_features == "auto" and not settings.asks_questions:
            changes["max_features"] = max(MAX_FEATURES, settings.min_features or 0)
        if settings.class_weight == "auto" and self.balances(y, copies):
            changes["class_weight"] = "balanced"
        return replace(settings, **changes)

    def balances(self, y: NDArray[Any], copies: NDArray[Any] | None = None) -> bool:
        """Whether classes are weighted because one of them is rare and nothing else was asked."""
        settings = self.settings
        if self.prepare is None or settings.class_weight != "auto" or settings.objective == "net_benefit":
            return False
        if settings.loss.gives_risks:
            return False  # weights distort risks
        counts = np.bincount(np.unique(y, return_inverse=True)[1].reshape(-1), copies)
        return bool(counts.min() < RARE_CLASS * counts.sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedProblem:
    """A problem, and the fitted preparation that made its features, if there is one."""

    recipe: Recipe
    problem: Problem
    prepare: Prepare | None
    teacher: Teacher | None = None  # with whose risks the labels were blended
    labels: NDArray[np.float64] | None = None  # the blended ones
    seconds: float = 0.0  # that asking it took: reading the rows, and making their features
    reading: float | None = None  # of them, those that reading the rows again will take, where not all

    @property
    def seconds_again(self) -> float:
        """The seconds that reading the rows again takes; a teacher and answers are there by then."""
        return self.seconds if self.reading is None else self.reading

    def solve(self, **options: Unpack[SolverKeywords]) -> Solution:
        """Answer it with the options of the recipe; those given here override them."""
        if self.recipe.slack is not None:
            return self.tie_break(**options).solution
        merged: SolverKeywords = {**self.recipe.options, **options}
        return solve(self.problem, **merged)

    def tie_break(self, **options: Unpack[SolverKeywords]) -> TieBreak:
        """Answer it by the least log loss within the slack of the recipe."""
        slack = self.recipe.slack
        assert slack is not None, "ties are broken by points"
        merged: SolverKeywords = {**self.recipe.options, **options}
        return least_log_loss(self.problem, slack, **merged)

    def scores(self, solution: Solution, X: Any) -> NDArray[np.float64]:
        """Score rows by an answer: above 0 the positive class is predicted.

        Rows may have missing values that those of the answer had not; these get no points.
        """
        if self.prepare is None:
            scores = scores_of_points(at_threshold(self.problem, solution.points), X)
            is_reached = loss_of(self.problem).counts_rows and self.problem.intercept.mode == "free"
            return decisive_floats(scores, scores >= 0) if is_reached else scores
        scored = score_table(self.lenient_card(solution), as_table(X))
        return scored.floats if loss_of(self.problem).gives_risks else scored.decisive

    def risks(self, solution: Solution, X: Any) -> NDArray[np.float64]:
        """The risks that an answer gives to rows, which may have missing values that those of the answer had not."""
        assert solution.slope is not None, "a risk model has a slope"
        assert solution.offset is not None, "a risk model has an offset"
        card = self.lenient_card(solution)
        totals = score_table(card, as_table(X)).floats + float(card.zero_total)
        return np.asarray(1 / (1 + np.exp(-(solution.slope * totals + solution.offset))), np.float64)

    def lenient_card(self, solution: Solution) -> Card:
        """The scoring card, in which a missing value gives no points where it would be refused."""
        card = self.scoring_card(solution)
        items = tuple(
            replace(item, missing=Fraction(0))
            if item.missing is None and not isinstance(item.rule, IsMissing)
            else item
            for item in card.items
        )
        return replace(card, items=items, learned=None)

    def scoring_card(self, solution: Solution) -> Card:
        """Return what a card needs to score rows: no risks, and nothing about the rows it was learned from.

        Folds need no more, and making the rest takes seconds on large tables. It scores every value: what is
        rare may be in one fold alone.
        """
        card = scoring_card(solution)
        return accepting(printed(card if self.prepare is None else self.prepare.raw_card(card)))

    def with_questions(self, rows: TrainingRows, recut: Sequence[ColumnQuestion]) -> "PreparedProblem":
        """Ask the same of the same rows and labels, with other answers of some questions."""
        if not recut or self.prepare is None:
            return self
        prepare = self.prepare.with_questions(recut)
        return replace(self, prepare=prepare, problem=self.recipe._problem_of(prepare, rows, self.labels))

    def with_penalty(self, C0: float) -> "PreparedProblem":
        """Ask the same with another C0; the features stay."""
        problem = with_size_penalty(self.problem, exact(C0, "C0"))
        return replace(self, recipe=self.recipe.asking(C0=C0), problem=problem)

    def card(self, solution: Solution, title: str | None = None, rows: TrainingRows | None = None) -> Card:
        """Return the card of an answer, on raw columns; `rows` are what it was learned from.

        A card keeps what its items gave on those rows, so that drift can be seen later. One on features knows
        it already.
        """
        card = self._with_teacher(self._with_tie_break(card_of_solution(solution, title)))
        if self.prepare is not None:
            card = with_history(self.prepare.raw_card(card), self.prepare, solution)
        card = printed(card)
        if self.prepare is not None and rows is not None:
            people = rows.sample_weight if rows.follow_up is None else None
            card = remember(card, rows.X, sample_weight=people)
        if rows is not None and rows.follow_up is not None:
            card = with_follow_up(card, rows.X, rows.follow_up)
        if rows is not None and rows.reading is not None:
            used = (*card.columns, *([] if rows.title is None else [rows.title]))
            card = replace(card, reading=rows.reading.about(used))
        return card

    def _with_teacher(self, card: Card) -> Card:
        """Keep with a card whose risks its labels were blended with, which its problem does not tell."""
        made = card.provenance
        if not (self.problem.questions or self.teacher) or made is None or made.settings is None:
            return card
        taught = self.recipe.taught_by if self.teacher is not None else None
        name = taught if isinstance(taught, str | None) else type(taught).__name__
        asked = Settings.of_card(made.settings).changed(teacher=name or "none", blend=self.recipe.settings.blend)
        return replace(card, provenance=replace(made, settings=asked.to_dict()))

    def _with_tie_break(self, card: Card) -> Card:
        """Keep with a card how it was chosen among equally good ones, which its problem does not tell."""
        slack, made = self.recipe.slack, card.provenance
        if slack is None or made is None or made.settings is None:
            return card
        asked = Settings.of_card(made.settings).changed(tie_break="log_loss", slack=slack).to_dict()
        minimised = f"{made.minimised}, then log loss among the cards within {shown(slack)} of the least"
        return replace(card, provenance=replace(made, settings=asked, minimised=minimised))
