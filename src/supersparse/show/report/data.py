"""The labelled rows that a report is based on, and a count of the rows it skips."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.card.card import Card
from supersparse.card.checks import OutsideValue, expectations, outside_values
from supersparse.card.evaluate.rates import Outcomes, as_list, read_classes, read_outcomes
from supersparse.card.raw_values import read_card_table
from supersparse.learn.refit import learned_from
from supersparse.learn.splits import Split, most_folds, repeated_rows, splits_of, usual_repeats
from supersparse.show.report.plan import Plan
from supersparse.table.numeric import checked_weights
from supersparse.table.sources import as_frame, as_series, read_every_column
from supersparse.table.values import is_missing, nearest_column, objects

Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelledRows:
    """Columns by name, with a class for each row; every row can be scored by the card."""

    columns: Mapping[str, NDArray[Any]]
    y: NDArray[Any]
    positive: NDArray[np.bool_]
    weights: NDArray[Any] | None
    n_given: int
    together: Positions | None = None  # equal numbers for rows that stay together, such as rows of one person
    left_out: tuple[tuple[str, int], ...] = ()  # by column: rows skipped because a required value is missing
    missing: tuple[tuple[str, int], ...] = ()  # by column: missing values, over all input rows
    outside: tuple[OutsideValue, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.y)

    def outcomes(self, card: Card) -> Outcomes:
        return read_outcomes(card, self.columns, self.y.tolist(), self.weights)

    def take(self, rows: Positions) -> "LabelledRows":
        return LabelledRows(
            columns={name: column[rows] for name, column in self.columns.items()},
            y=self.y[rows],
            positive=self.positive[rows],
            weights=None if self.weights is None else self.weights[rows],
            n_given=len(rows),
            together=None if self.together is None else self.together[rows],
        )


def read_data(
    card: Card, table: object, y: object, sample_weight: object = None, together: str | None = None
) -> LabelledRows:
    """Read a data frame or a mapping of columns; rows that the card cannot score are skipped and counted."""
    columns = _columns(table)
    labels = as_list(y, "y")
    n = len(labels)
    for name, column in columns.items():
        if len(column) != n:
            raise InvalidDataError(f"column {name!r} has {len(column)} values for {n} labels", "the lengths must match")
    weights = None
    if sample_weight is not None:
        weights = checked_weights(np.asarray(as_list(sample_weight, "sample_weight")), n)
    whole = LabelledRows(
        columns=columns,
        y=objects(labels),
        positive=read_classes(card, labels),
        weights=weights,
        n_given=n,
        together=_codes(columns, together) if together else _copies(card, columns),
    )
    return scorable(card, whole)


def scorable(card: Card, data: LabelledRows) -> LabelledRows:
    """Skip rows that lack a value the card needs, and count the missing values."""
    cells = read_card_table(card, data.columns, None)
    usable = np.ones(len(data), dtype=bool)
    left_out, missing = [], []
    for expected in expectations(card):
        gone = cells.columns[expected.column].missing
        if gone is None or not gone.any():
            continue
        missing.append((expected.column, int(gone.sum())))
        if expected.refuses_missing:
            left_out.append((expected.column, int(gone.sum())))
            usable &= ~gone
    if not usable.any():
        raise InvalidDataError(
            f"none of the {len(data)} rows has a value in every column that the card needs",
            "fill in the missing values",
        )
    kept = data if usable.all() else data.take(np.flatnonzero(usable))
    return replace(
        kept,
        n_given=len(data),
        left_out=tuple(left_out),
        missing=tuple(missing),
        outside=outside_values(card, read_card_table(card, kept.columns, None)),
    )


def _columns(table: object) -> dict[str, NDArray[Any]]:
    if isinstance(table, Mapping):
        return {str(name): _array(values) for name, values in table.items()}
    frame = as_frame(table, "the table is lazy; call .collect() first")
    if frame is None:
        raise InvalidDataError(f"{type(table).__name__} is not a table", "give a data frame or a dict of columns")
    return {str(name): _array(frame[name]) for name in frame.columns}


def _copies(card: Card, columns: Mapping[str, NDArray[Any]]) -> Positions | None:
    """The copies of rows that folds keep together, as they do when the card is learned."""
    used = {name: columns[name] for name in learned_from(card).columns if name in columns}
    return repeated_rows(read_every_column(used)) if used else None


def _codes(columns: Mapping[str, NDArray[Any]], name: str) -> Positions:
    if name not in columns:
        raise InvalidDataError(f"the table has no column {name!r}", nearest_column(name, list(columns)))
    values = columns[name].tolist()
    for row, value in enumerate(values):
        if is_missing(value):
            raise InvalidDataError(f"column {name!r} is missing in row {row + 1}", "every row needs a group")
    known = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([known[value] for value in values], dtype=np.intp)


def _array(values: Any) -> NDArray[Any]:
    series = as_series(values)
    if series is not None:
        if series.dtype.is_numeric() and not series.null_count():
            return np.asarray(series.to_numpy())
        values = series.to_list()
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidDataError(f"a column is {values!r}", "give one value per row")
    return objects(values)


def repeats_of(data: LabelledRows, plan: Plan) -> int:
    """How often the rows are divided into folds."""
    return usual_repeats(len(data), 1, asks_questions=True) if plan.repeats is None else plan.repeats


def report_folds(data: LabelledRows, plan: Plan, repeats: int = 1) -> list[Split]:
    """Return the training and test rows of each fold, divided as for `fit`: by class and at random, groups together.

    There are fewer folds where a class has few rows, or where there are few groups.
    """
    folds = min(plan.folds, most_folds(data.positive, data.together))
    if folds < 2:
        raise InvalidDataError("a class has too few rows, or there are too few groups, for folds", "use more rows")
    return [
        split
        for k in range(repeats)
        for split in splits_of(data.positive, folds, groups=data.together, seed=plan.seed + k)
    ]


def bootstrap_samples(data: LabelledRows, plan: Plan) -> Iterator[Positions]:
    random = np.random.default_rng([plan.seed, 1])
    groups = None if data.together is None else _groups(data.together)
    for _ in range(plan.bootstrap):
        if groups is None:
            yield random.integers(0, len(data), len(data))
        else:
            yield np.concatenate([groups[k] for k in random.integers(0, len(groups), len(groups))])


def _groups(codes: Positions) -> list[Positions]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
