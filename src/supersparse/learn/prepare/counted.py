"""The features of rows that were counted where they are: those of rows in memory, from counts by class."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from supersparse.base.errors import InvalidDataError
from supersparse.learn.prepare.additive import additive_shapes
from supersparse.learn.prepare.answers import binned_column
from supersparse.learn.prepare.bands import BandedColumn, choose_answers
from supersparse.learn.prepare.columns import plan_column
from supersparse.learn.prepare.cuts import ClassTarget
from supersparse.learn.prepare.feature import Feature, Recorded, holds_text
from supersparse.learn.prepare.fitting import (
    NoFeatureError,
    PreparedColumns,
    few_rows_note,
    put_together,
    unusable,
    with_rare_answers,
)
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.prepare.raw import RawColumn, kind_of_column
from supersparse.learn.prepare.screening import Told, is_yes_or_no, weight_apart
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.table.counted_rows import CountedColumn, CountedTable
from supersparse.table.lazy import Coding
from supersparse.table.roles import HOLDS_NESTED
from supersparse.table.table import Kind
from supersparse.table.values import Cells, read_cells

_MOST_QUESTIONS = 20  # each divides the rows into more cells


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
        found = _questions(table, columns, settings)
    else:
        everybody = ClassTarget(np.array(table.totals, dtype=np.float64), np.array([False, True]))
        found = with_rare_answers(settings, everybody, lambda asked: _features(table, columns, asked, everybody))
    texts = tuple(name for name, column in columns.items() if holds_text(column.cells))
    return Prepare.of_found(Recorded(parameters=parameters, columns=names, texts=texts), found)


def _questions(table: CountedTable, columns: Mapping[str, RawColumn], settings: PrepareSettings) -> PreparedColumns:
    """Choose the answers of each column on the shape of that column by itself.

    Counts of single columns say nothing of two together, so the shapes are not those of one model of all columns.
    """
    settings.refuse_what_features_have()
    notes: dict[str, str] = {}
    found: list[tuple[float, BandedColumn]] = []
    for name, counted in table.columns.items():
        banded = _answers(counted, columns[name], settings)
        notes[name] = banded if isinstance(banded, str) else banded[1].note
        if not isinstance(banded, str) and banded[1].question is not None:
            found.append(banded)
    if not found:
        raise NoFeatureError.about("question", notes)
    best = sorted(range(len(found)), key=lambda k: -found[k][0])[:_MOST_QUESTIONS]
    kept = [found[k][1] for k in sorted(best)]
    about = [] if len(kept) == len(found) else [f"{len(kept)} of {len(found)} columns tried: those that tell most"]
    return PreparedColumns(
        questions=tuple(one.question for one in kept if one.question is not None),
        notes=(*about, *(f"{name}: {note}" for name, note in notes.items())),
        domains={one.question.column: one.domain for one in kept if one.question and one.domain},
        n_candidates=len(found),
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
    told = float(worth @ (effects - np.average(effects, weights=worth + 1e-12)) ** 2)
    return told, choose_answers(binned, effects, shapes, weights, settings)


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

    def __call__(self, features: Sequence[Feature]) -> list[Told]:
        """Say what each tells."""
        digests = {feature.name: self._digest(feature) for feature in features}
        alike: dict[Hashable, list[Feature]] = {}
        for feature in features:
            alike.setdefault(digests[feature.name], []).append(feature)
        same = {feature.name: feature.name for feature in features}
        for group in alike.values():
            self._join(group, same)
        return [
            Told(
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
