"""Rows that stay where they are, as counts of those that are equal after preparation.

A card that asks questions depends on the rows only through how many of each class give which answers. So the
rows are counted by their answers, in one GROUP BY, and everything is learned from the counts: the card is the
one that the rows in memory would give.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.schema.tree import label_text
from supersparse.card.card import Card
from supersparse.engine.solution import Solution
from supersparse.learn.prepare.additive import additive_shapes
from supersparse.learn.prepare.answers import binned_column
from supersparse.learn.prepare.bands import BandedColumn, ColumnQuestion, choose_answers
from supersparse.learn.prepare.columns import plan_column
from supersparse.learn.prepare.cuts import ClassTarget
from supersparse.learn.prepare.feature import Feature, Recorded, holds_text
from supersparse.learn.prepare.fitting import (
    FeatureFacts,
    NoFeatureError,
    PreparedColumns,
    few_rows_note,
    is_yes_or_no,
    put_together,
    unusable,
    weight_apart,
    with_rare_answers,
)
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.prepare.raw import RawColumn, kind_of_column
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings, SettingsKeywords
from supersparse.learn.splits import Split
from supersparse.problem.problem import Problem
from supersparse.table.counted_rows import CountedColumn, CountedTable, count_columns
from supersparse.table.lazy import Coding, LazyTable
from supersparse.table.numeric import positive_of
from supersparse.table.roles import HOLDS_NESTED
from supersparse.table.table import Kind
from supersparse.table.values import Cells, read_cells

_MOST_QUESTIONS = 20  # each divides the rows into more cells


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RowCounts:
    """The cells of rows that give the same answers: an example of each, its class and the number of rows.

    `prepare` is the fitted preparation, `X` holds the raw columns that it uses, with one value that
    stands for all that give the same answers.
    """

    __module__ = "supersparse"

    prepare: Prepare
    target: str
    X: Mapping[str, NDArray[Any]]
    y: NDArray[Any]
    counts: NDArray[np.int64]
    rate_groups: Mapping[str, NDArray[Any]]
    table: CountedTable

    @classmethod
    def of(cls, table: CountedTable, prepare: Prepare, *, questions: bool = False) -> "RowCounts":
        """Make features, or questions, from the counts of each column, then count the rows by their answers."""
        fitted = prepare_counted(prepare, table, questions=questions)
        used = list(dict.fromkeys(one.column for one in _asked_of(fitted)))
        parts = [_parts(table.columns[name], fitted, name) for name in used]
        groups = [_each_its_own(column) for column in table.rate_groups.values()]
        named = [*(table.columns[name] for name in used), *table.rate_groups.values()]
        codings = [column.coding(codes) for column, (codes, _) in zip(named, [*parts, *groups], strict=True)]
        numbers, positive, counts = table.rows.cells(codings)
        examples = [values[numbers[:, k]] for k, (_, values) in enumerate([*parts, *groups])]
        return cls(
            prepare=fitted,
            target=table.target,
            X=dict(zip(used, examples[: len(used)], strict=True)),
            y=np.array(table.classes)[positive.astype(np.intp)],
            counts=counts,
            rate_groups=dict(zip(table.rate_groups, examples[len(used) :], strict=True)),
            table=table,
        )

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def positive(self) -> object:
        """The positive class where nobody names one."""
        return positive_of(dict(zip(self.table.classes, self.table.totals, strict=True))).label

    def cells(self) -> dict[str, NDArray[Any]]:
        """Return prepared features, the target and the counts, ``n``, for `Problem.of_counts`.

        >>> import polars
        >>> from supersparse import count_rows
        >>> rows = polars.LazyFrame({"age": [30, 40, 50, 60, 70, 80] * 20, "ill": [0, 0, 0, 1, 1, 1] * 20})
        >>> {name: column.tolist() for name, column in count_rows(rows, target="ill").cells().items()}
        {'age >= 60': [0, 1], 'ill': [0, 1], 'n': [60, 60]}
        """
        answers = self.prepare.transform(dict(self.X))
        names = [str(name) for name in self.prepare.get_feature_names_out()]
        return {**{name: answers[:, k] for k, name in enumerate(names)}, self.target: self.y, "n": self.counts}

    def question(self, **settings: Unpack[SettingsKeywords]) -> PreparedProblem:
        """Ask settings about the counted rows, such as C0, max_features or constraints."""
        rows, _ = self.rows()
        return self.recipe(Recipe(settings=Settings().changed(**settings))).question(rows)

    def problem(self, **settings: Unpack[SettingsKeywords]) -> Problem:
        """Return the problem of some settings."""
        return self.question(**settings).problem

    def card(self, solution: Solution) -> Card:
        """Return the card of an answer, on raw columns."""
        rows, _ = self.rows()
        settings = Settings()
        if solution.problem.questions:
            taught = "none" if solution.problem.rows.soft_labels is None else "ridge"
            settings = settings.changed(goal="risk", questions=True, teacher=taught)
        made = replace(self.recipe(Recipe(settings=settings)).question(rows), problem=solution.problem)
        return made.card(solution, self.target, rows)

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return a recipe with the questions that were made, and the positive class of all rows."""
        if recipe.settings.asks_questions != bool(self.prepare.questions_):
            made, give = ("questions", "True") if self.prepare.questions_ else ("yes/no features", "False")
            raise InvalidOptionError(f"the rows were counted by {made}", f"give questions={give}")
        if recipe.settings.positive is None:
            recipe = recipe.asking(positive=label_text(self.positive))
        return replace(recipe, prepare=self.prepare, is_made=True)

    def rows(self, folds: int = 0, repeats: int = 1) -> tuple[TrainingRows, list[Split]]:
        """Return the cells with their counts as weights, divided at random into folds if these are asked for.

        Rows of one cell do not differ in anything that is learned from, so it does not matter which of them
        are in a fold, only how many: each is in one of them with the same chance.
        """
        draw = np.random.default_rng(0)
        cells, counts = np.arange(len(self.counts)), self.counts
        marks: list[NDArray[np.intp]] = []
        for _ in range(repeats if folds else 0):
            parts = draw.multinomial(counts, np.full(folds, 1 / folds))
            place, mark = np.nonzero(parts)
            cells, counts, marks = cells[place], parts[place, mark], [*(old[place] for old in marks), mark]
        rows = TrainingRows(
            X={name: column[cells] for name, column in self.X.items()},
            y=self.y[cells],
            sample_weight=counts,
            rate_groups={name: column[cells] for name, column in self.rate_groups.items()} or None,
            title=self.target,
            reading=self.table.reading,
            is_counted=True,
        )
        splits = [(np.flatnonzero(mark != k), np.flatnonzero(mark == k)) for mark in marks for k in range(folds)]
        return rows, splits


def count_rows(rows: object, *, target: str, prepare: Prepare | None = None, questions: bool = False) -> RowCounts:
    """Make questions from rows that stay where they are, and count the rows by their answers.

    Parameters
    ----------
    rows : lazy frame
        A relation of DuckDB, a lazy frame of polars, a table of Ibis, a frame of PySpark or dask: what
        narwhals knows. Only counts are fetched.
    target : str
        The column to predict, with two values and no gaps.
    prepare : Prepare, default=None
        How columns become questions; None for the usual way. Numbers of which more than 131,072 differ are
        cut at multiples of a power of ten, which the notes say.
    questions : bool, default=False
        Whether a card of questions will be asked for: at most 20 columns, each with its answers.

    Returns
    -------
    RowCounts
        The fitted preparation, the cells, and the problem and card of them.

    Examples
    --------
    >>> import polars
    >>> from supersparse import ScoringSystem, count_rows, solve
    >>> ages, ill = [30, 40, 50, 60, 70, 80] * 20, [0, 0, 0, 1, 1, 1] * 20
    >>> rows = polars.LazyFrame({"age": [*ages, 40], "ill": [*ill, 1]})
    >>> counted = count_rows(rows, target="ill")
    >>> solution = solve(counted.problem(C0=0.01, max_points=5))
    >>> ScoringSystem(counted.card(solution)).card.items[0].name
    'age >= 60'
    """
    table = count_columns(LazyTable.of(rows), target)
    return RowCounts.of(table, Prepare() if prepare is None else prepare, questions=questions)


def _asked_of(prepare: Prepare) -> list[Feature | ColumnQuestion]:
    return [*prepare.features_, *prepare.questions_]


def _parts(column: CountedColumn, prepare: Prepare, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number the entries by their answers; return the numbers, and an example of the values of each."""
    cells = cells_of(column)
    answers = [one.of_cells(cells) for one in _asked_of(prepare) if one.column == name]
    missing = np.zeros(len(cells), dtype=bool) if cells.missing is None else cells.missing
    keys = [np.unique(one, return_inverse=True)[1].reshape(-1) for one in (*answers, missing)]
    _, first, codes = np.unique(np.column_stack(keys), axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1).astype(np.int64), column.column.values[first]


def _each_its_own(column: CountedColumn) -> tuple[NDArray[np.int64], NDArray[Any]]:
    values, codes = np.unique(np.array(column.column.values.tolist(), dtype=str), return_inverse=True)
    return codes.reshape(-1).astype(np.int64), values.astype(object)


def prepare_counted(prepare: Prepare, table: CountedTable, *, questions: bool = False) -> Prepare:
    """Return a preparation with the same parameters, fitted to counted rows, with features or questions."""
    parameters = prepare.get_params(deep=False)
    settings = PrepareSettings.of(parameters)
    if settings.missing == "drop":
        raise InvalidDataError(
            "missing='drop' needs the rows in memory", "use missing='item', or filter the rows before they are counted"
        )
    names = tuple(table.columns)
    settings.check_columns(names)
    columns = {
        name: RawColumn(
            name=name, position=k, cells=cells_of(one), copies=one.column.copies, rounded=one.column.rounded
        )
        for k, (name, one) in enumerate(table.columns.items())
    }
    if questions:
        prepared = _questions(table, columns, settings)
    else:
        everybody = ClassTarget(np.array(table.totals, dtype=np.float64), np.array([False, True]))
        prepared = with_rare_answers(settings, everybody, lambda asked: _features(table, columns, asked, everybody))
    texts = tuple(name for name, column in columns.items() if holds_text(column.cells))
    return Prepare.of_prepared(Recorded(parameters=parameters, columns=names, texts=texts), prepared)


def _questions(table: CountedTable, columns: Mapping[str, RawColumn], settings: PrepareSettings) -> PreparedColumns:
    """Choose the answers of each column on the shape of that column by itself.

    Counts of single columns say nothing of two together, so the shapes are not those of one model of all columns.
    """
    settings.refuse_what_features_have()
    notes: dict[str, str] = {}
    tried: list[tuple[float, BandedColumn]] = []
    for name, counted in table.columns.items():
        banded = _answers(counted, columns[name], settings)
        notes[name] = banded if isinstance(banded, str) else banded[1].note
        if not isinstance(banded, str) and banded[1].question is not None:
            tried.append(banded)
    if not tried:
        raise NoFeatureError.about("question", notes)
    best = sorted(range(len(tried)), key=lambda k: -tried[k][0])[:_MOST_QUESTIONS]
    kept = [tried[k][1] for k in sorted(best)]
    about = [] if len(kept) == len(tried) else [f"{len(kept)} of {len(tried)} columns tried: those that tell most"]
    return PreparedColumns(
        questions=tuple(one.question for one in kept if one.question is not None),
        notes=(*about, *(f"{name}: {note}" for name, note in notes.items())),
        domains={one.question.column: one.domain for one in kept if one.question and one.domain},
        n_candidates=len(tried),
    )


def _answers(counted: CountedColumn, column: RawColumn, settings: PrepareSettings) -> tuple[float, BandedColumn] | str:
    """The answers of a column, and how much of the classes they tell; or why it is left out."""
    weights = target_of(counted).weights
    binned = _unusable(counted, column) or binned_column(column, kind_of_column(column.cells), weights, settings)
    if isinstance(binned, str):
        return binned
    with threadpool_limits(1):  # so that sums have one order
        shapes = additive_shapes([binned.bins], counted.positive.astype(np.float64), weights)
    effects, worth = shapes.effects[0], binned.bins.sums(shapes.weights)
    telling = float(worth @ (effects - np.average(effects, weights=worth + 1e-12)) ** 2)
    return telling, choose_answers(binned, effects, shapes, weights, settings)


def _unusable(counted: CountedColumn, column: RawColumn) -> str:
    if counted.column.kind is Kind.NESTED:
        return f"left out: it {HOLDS_NESTED}"
    if counted.column.kind is Kind.DATE:
        return "left out: it holds dates; convert them to numbers"
    return unusable(kind_of_column(column.cells))


def cells_of(counted: CountedColumn) -> Cells:
    """The entries of a column, as rows in memory are read."""
    column = counted.column
    if column.kind in (Kind.DATE, Kind.NESTED, Kind.EMPTY, Kind.TOO_MANY):
        return read_cells(np.full(max(1, len(counted.raw)), None, dtype=object))
    return read_cells(column.values)


def _features(
    table: CountedTable, columns: Mapping[str, RawColumn], settings: PrepareSettings, everybody: ClassTarget
) -> PreparedColumns:
    notes, plans = dict[str, str](), []
    for name, counted in table.columns.items():
        notes[name] = _unusable(counted, columns[name])
        if not notes[name]:
            plans.append(plan_column(columns[name], kind_of_column(columns[name].cells), target_of(counted), settings))
            notes[name] = plans[-1].note
    all_notes, tell = few_rows_note(everybody, settings), _Telling(table, columns)
    return put_together(plans, notes, all_notes, everybody, table.n_rows, settings, tell)


def target_of(counted: CountedColumn) -> ClassTarget:
    """The rows of each entry, and its class."""
    assert counted.column.copies is not None
    return ClassTarget(counted.column.copies.astype(np.float64), counted.positive)


@dataclass(frozen=True, slots=True, eq=False)
class _Telling:
    """Finds features that repeat or negate each other; rows are looked at only where counts are equal."""

    table: CountedTable
    columns: Mapping[str, RawColumn]

    def __call__(self, features: Sequence[Feature]) -> list[FeatureFacts]:
        """Say what each tells."""
        digests = {feature.name: self._digest(feature) for feature in features}
        alike: dict[Hashable, list[Feature]] = {}
        for feature in features:
            alike.setdefault(digests[feature.name], []).append(feature)
        same = {feature.name: feature.name for feature in features}
        for group in alike.values():
            self._join(group, same)
        return [
            FeatureFacts(
                rarer=weight_apart(self._values(feature), target_of(self.table.columns[feature.column]).weights),
                digest=same[feature.name],
            )
            for feature in features
        ]

    def _values(self, feature: Feature) -> NDArray[np.generic]:
        return feature.of_cells(self.columns[feature.column].cells)

    def _digest(self, feature: Feature) -> Hashable:
        """The rows of each class by value; for yes and no, whichever is which."""
        values, counted = self._values(feature), self.table.columns[feature.column]
        copies = target_of(counted).weights
        distinct, codes = np.unique(values, return_inverse=True)
        by_value = [
            np.bincount(codes.reshape(-1), copies * of_class, len(distinct)).tolist()
            for of_class in (~counted.positive, counted.positive)
        ]
        pairs = list(zip(*by_value, strict=True))
        if is_yes_or_no(values):
            return "yes or no", tuple(sorted(pairs))
        return tuple(map(str, distinct.tolist())), tuple(pairs)

    def _join(self, group: Sequence[Feature], same: dict[str, str]) -> None:
        """Find out which of some features with equal counts have equal rows: by asking the rows."""
        pairs = [(k, j) for k in range(len(group)) for j in range(k)]
        codings = [self._coding(feature) for feature in group]
        differing = self.table.rows.n_differing([(codings[k], codings[j]) for k, j in pairs])
        binary = [is_yes_or_no(self._values(feature)) for feature in group]
        for (k, j), n in zip(pairs, differing, strict=True):
            if n == 0 or (n == self.table.n_rows and binary[k] and binary[j]):
                same[group[k].name] = same[group[j].name]

    def _coding(self, feature: Feature) -> Coding:
        values = self._values(feature)
        if not is_yes_or_no(values):
            _, values = np.unique(values, return_inverse=True)
        return self.table.columns[feature.column].coding(values.reshape(-1).astype(np.int64))
