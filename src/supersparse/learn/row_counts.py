"""Rows that stay where they are, as counts of those that are equal after preparation.

A card that asks questions depends on the rows only through how many of each class give which answers. So the
rows are counted by their answers, in one GROUP BY, and everything is learned from the counts: the card is the
one that the rows in memory would give.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError
from supersparse.base.schema.tree import label_text
from supersparse.card.card import Card
from supersparse.engine.solution import Solution
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.counted import cells_of, prepare_counted
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings, SettingsKeywords
from supersparse.learn.splits import Split
from supersparse.problem.problem import Problem
from supersparse.table.counted_rows import CountedColumn, CountedTable, count_columns
from supersparse.table.lazy import LazyTable
from supersparse.table.numeric import positive_of


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
