"""Refit: a card learned again, on some of the rows, by the recipe that its file keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError, InvalidDataError, InvalidSettingsError, SupersparseError
from supersparse.base.stop import Stop
from supersparse.card.card import Card
from supersparse.engine.options import SolveKeywords, SolverKeywords
from supersparse.learn.comparison import Measures, compared
from supersparse.learn.edited_answers import recut_questions
from supersparse.learn.editing import moved_cuts, question_with
from supersparse.learn.prepare.feature import Recorded, taken_apart
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Origin, Settings
from supersparse.problem.problem import Problem
from supersparse.problem.variants import quiet_about_penalties
from supersparse.table.cells import side_by_side

_SOURCE = "the settings of the card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refitted:
    """A card learned again, and whether it is proven to be the best for its rows."""

    card: Card
    proven: bool
    compared: Mapping[str, Measures] | None = None  # of a card of questions: it and other models on held-out rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The columns that a card was learned from, and those among them that hold text."""

    columns: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Refit:
    """Learns a card again on rows given by their positions; raw columns are prepared anew from those rows."""

    recipe: Recipe
    rows: TrainingRows
    question: PreparedProblem  # on all rows

    @classmethod
    def of(
        cls,
        card: Card,
        columns: Mapping[str, NDArray[Any]],
        y: NDArray[Any],
        sample_weight: Any,
        **limits: Unpack[SolveKeywords],
    ) -> "Refit":
        """Return the way to learn a card again from a table; raises where there is none."""
        settings, recorded, features = _recorded(card)
        needed = features if recorded is None else recorded.columns
        lacking = [name for name in needed if name not in columns]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise InvalidDataError(f"the table lacks the column {lacking[0]!r}{more}, from which the card was learned")
        for name in settings.rate_groups:
            if name not in columns:
                raise InvalidDataError(f"the table lacks the column {name!r}, which divides the rows into groups")
        rows = TrainingRows(
            X=side_by_side([columns[name] for name in needed])
            if recorded is None
            else {name: columns[name] for name in needed},
            y=np.array(y.tolist()),
            sample_weight=sample_weight,
            rate_groups={name: columns[name] for name in settings.rate_groups} or None,
            names=features if recorded is None else None,
        )
        recipe = Recipe(
            settings=settings,
            prepare=None if recorded is None else Prepare(**dict(recorded.parameters)),
            options={**settings.solve, **limits},
        )
        return cls(recipe=recipe, rows=rows, question=recipe.question(recipe.complete(rows)))

    @property
    def problem(self) -> Problem:
        """The question on all rows, without the features."""
        return self.question.problem

    def question_with_cuts_of(self, card: Card) -> PreparedProblem:
        """The question on all rows, with the cuts of a card that somebody moved by hand added to the others."""
        rows = self.recipe.complete(self.rows)
        if self.problem.questions:
            edited = card.provenance is not None and card.provenance.edits
            recut = recut_questions(card, self.question) if edited else []
            return self.question.with_questions(rows, recut)
        return question_with(self.question, rows, moved_cuts(card, self.question))

    @property
    def settings(self) -> Settings:
        """The settings of the question, without the data."""
        return self.recipe.settings

    @property
    def cut_points_fitted(self) -> bool:
        """Whether the features themselves were learned from the rows."""
        return self.recipe.prepare is not None

    def __call__(self, rows: NDArray[np.intp], held_out: NDArray[np.intp] | None = None) -> Refitted:
        """Learn again from some of the rows; Ctrl-C is passed on.

        On rows that are held out, a card of questions is compared with models of all columns and smaller cards.
        """
        part = self.recipe.complete(self.rows.take(rows))
        question = self.recipe.question(part)
        with quiet_about_penalties():  # the range differs from sample to sample
            solution = question.solve()
        if solution.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        beside = None
        if held_out is not None and question.problem.questions:
            test = self.recipe.complete(self.rows.take(held_out))
            options: SolverKeywords = {**self.recipe.options, "checkpoint": None}
            beside = compared(question, solution, part, test, **options)
        card = question.card(solution, rows=part)
        return Refitted(card=card, proven=solution.proven_optimal, compared=beside)


def learned_from(card: Card) -> Sources:
    """Return the columns that learning again needs; none where it cannot be."""
    try:
        settings, recorded, features = _recorded(card)
    except SupersparseError:
        return Sources()  # `Refit.of` says why
    groups = settings.rate_groups
    if recorded is None:
        return Sources(columns=(*features, *groups), texts=groups)
    return Sources(columns=(*recorded.columns, *groups), texts=(*recorded.texts, *groups))


def _recorded(card: Card) -> tuple[Settings, Recorded | None, tuple[str, ...]]:
    """Read what the card keeps of its recipe: settings, preparation, and the names of its features."""
    made = card.provenance
    if made is None:
        raise InvalidCardError("the card was written by hand, so it cannot be learned again")
    if made.settings is None or made.features is None:
        raise InvalidCardError(
            "the card does not hold the settings that it was learned with", "learn it again with this release"
        )
    content, recorded = taken_apart(made.settings)
    try:
        settings = replace(Settings.of_card(content), origin=Origin(_SOURCE, {}))
    except InvalidSettingsError as error:
        raise InvalidSettingsError.of(error, f"{_SOURCE}: ") from None
    # a card keeps what was asked in the end: what it does not limit was not limited
    limits = ("class_weight",) if settings.asks_questions else ("max_features", "class_weight")
    asked: dict[str, Any] = {name: None for name in limits if getattr(settings, name) == "auto"}
    return replace(settings, **asked), recorded, made.features
