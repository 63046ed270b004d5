"""Training data from a file: its features, and the target, weights and groups of its rows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.table.cells import side_by_side
from supersparse.table.files import read_with_problems, together
from supersparse.table.reading import DATE_ORDERS, Reading, fits
from supersparse.table.roles import (
    Target,
    date_order,
    group_labels,
    named_like_person,
    read_ends,
    read_target,
    repeating_identifier,
    sortable_times,
    weight_column,
    why_no_feature,
)
from supersparse.table.table import Column, Kind, Table
from supersparse.table.tidying import counts_of_texts
from supersparse.table.values import nearest_column

PERHAPS_MISSING = {*"?-.*", "--", "n/a", "N/A", "#N/A", "missing", "Missing", "unknown", "Unknown"}


def feature_remedy(na: str | None, name: str) -> str:
    """Return the remedy for cells of a numeric feature that are not numbers."""
    by = "na under table in a settings file" if na is None else f"--na {na}"  # a comma parts words on --na
    return (
        f"treat as missing with {by}, as categories with --category {name}, or leave the column out with --drop {name}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The roles of the columns of a training table; `drop` and `keep` take patterns, too.

    `place` says where a column was named, as the beginning of a message.
    """

    target: str
    positive: str | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    category: Sequence[str] = ()
    ordered: Sequence[str] = ()  # whose levels were listed, as texts
    weights: str | None = None
    rate_groups: Sequence[str] = ()
    follow_up: str | None = None  # the times of follow-up, of which the target says what ended it
    split_groups: str | None = None
    split_times: str | None = None
    find_groups: bool = False  # whether an identifier that repeats keeps its rows together
    place: Callable[[str], str] = lambda _name: ""

    @property
    def split_by(self) -> str | None:
        """The column by which rows are divided for cross-validation."""
        return self.split_groups or self.split_times

    @property
    def beside_features(self) -> list[str]:
        return [*self.rate_groups, *(name for name in (self.weights, self.follow_up, self.split_by) if name)]

    def expected(self) -> dict[str, Kind]:
        """The kinds of the columns that have one whatever they look like."""
        kinds = dict.fromkeys([*self.category, *self.ordered, *self.rate_groups], Kind.TEXT)
        if self.weights is not None:
            kinds[self.weights] = Kind.NUMBER
        if self.follow_up is not None:
            kinds[self.follow_up] = Kind.NUMBER
        kinds[self.target] = Kind.TEXT
        if self.split_groups is not None:
            kinds[self.split_groups] = Kind.TEXT
        return kinds

    def wants(self, name: str) -> bool:
        named = name == self.target or name in self.beside_features
        return named or self.may_be_feature(name) or self.only_groups(name)

    def may_be_feature(self, name: str) -> bool:
        return not _fits(name, self.drop) and (not self.keep or _fits(name, self.keep))

    def only_groups(self, name: str) -> bool:
        """Whether a column is read for nothing but to keep the rows of a patient together."""
        looks = self.find_groups and self.split_by is None and named_like_person(name)
        others = {self.target, *self.beside_features}
        return looks and name not in others and not self.may_be_feature(name)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingTable:
    """Raw columns and classes of a file, with the groups, weights and splits of its rows."""

    name: str  # of the file
    target: str
    columns: Mapping[str, Column]
    y: NDArray[np.generic]
    rate_groups: Mapping[str, NDArray[Any]]
    weights: NDArray[np.generic] | None
    groups: NDArray[Any] | None  # rows that folds keep together
    times: NDArray[Any] | None  # in whose order folds divide the rows
    follow_up: NDArray[Any] | None = None  # the time that each row was followed
    reading: Reading = field(default_factory=Reading)  # how the file was read

    def matrix(self) -> NDArray[np.generic]:
        """The columns side by side; raises where one holds text or has gaps."""
        for name, column in self.columns.items():
            if column.kind is Kind.TEXT or column.n_missing:
                what = "holds text" if column.kind is Kind.TEXT else f"has {column.n_missing} missing value(s)"
                raise InvalidDataError(
                    f"{self.name}: column {name!r} {what}, so it cannot be used as it is",
                    (f"remove --no-prepare to make features from it, or leave the column out with --drop {name!r}"),
                )
            if column.values.dtype.kind == "f" and np.isinf(column.values).any():
                raise InvalidDataError(
                    f"{self.name}: column {name!r} holds values beyond a limit, such as <0.01, which have no "
                    "number to multiply",
                    f"remove --no-prepare, or leave the column out with --drop {name!r}",
                )
        return side_by_side([column.values for column in self.columns.values()])


def read_training(path: Path, reading: Reading, roles: Roles, note: Callable[[str], None]) -> TrainingTable:
    """Read the columns that can be features; unlabelled rows are skipped. `note` is told what is left out.

    Everything that somebody must decide is said in one message.
    """
    table, problems = read_with_problems(
        path,
        reading,
        wanted=roles.wants,
        expected=roles.expected(),
        verbatim=[] if roles.split_groups is None else [roles.split_groups],
        weights=roles.weights,
        remedy=feature_remedy,
        as_text=roles.only_groups,
    )
    faults = _Problems(table.name, problems)
    target, named = None, False
    with faults:
        several = roles.follow_up is not None and roles.positive is not None
        target = (read_ends if several else read_target)(table, roles.target, roles.positive)
    with faults:
        check_named(table, roles)
        named = True
    rows = np.ones(table.n_rows, dtype=bool) if target is None else target.rows
    weights = split_by = None
    rate_groups: Mapping[str, NDArray[Any]] = {}
    if named:  # else their columns may not be there
        with faults:
            rate_groups = {name: _complete(table, name, rows) for name in roles.rate_groups}
        with faults:
            if roles.weights is not None and roles.weights in table.columns:  # else it is told
                weights = weight_column(table, roles.weights)[rows]
        with faults:
            split_by = _split_by(table, roles, rows)
    faults.tell()
    assert target is not None
    by_group = roles.split_groups is not None
    split = (split_by, None) if by_group else (None, split_by)
    found = _table(table, roles, target, note, weights, rate_groups, *split)
    return found if roles.follow_up is None else replace(found, follow_up=_complete(table, roles.follow_up, rows))


class _Problems(AbstractContextManager[None]):
    """Collects errors, so that all of them are told at once."""

    def __init__(self, file: str, problems: Sequence[str]) -> None:
        self._file = file
        self._texts = [f"{file}: {problem}" for problem in problems]

    def __exit__(self, kind: object, error: BaseException | None, place: object) -> bool:
        if isinstance(error, InvalidDataError):
            self._texts.append(str(error))
            return True
        return False

    def tell(self) -> None:
        if len(self._texts) == 1:
            raise InvalidDataError(self._texts[0])
        if self._texts:
            texts = [text.removeprefix(f"{self._file}: ") for text in dict.fromkeys(self._texts)]
            raise InvalidDataError(f"{self._file}: {together(texts)}")


def _table(
    table: Table,
    roles: Roles,
    target: Target,
    note: Callable[[str], None],
    weights: NDArray[np.generic] | None,
    rate_groups: Mapping[str, NDArray[Any]],
    groups: NDArray[Any] | None,
    times: NDArray[Any] | None,
) -> TrainingTable:
    for text in (*table.notes, *table.column_notes.get(roles.target, ()), *target.notes):
        note(text)
    repeating = None
    if roles.find_groups and roles.split_by is None:
        repeating = repeating_identifier(table.columns.values())
    columns = usable_features(table, roles, note)
    if repeating is not None:
        groups = group_labels(repeating)[target.rows]
        note(
            f"{repeating.name!r} repeats ({repeating.n_different} different in {table.n_rows} rows), so all rows of "
            "one are kept in the same fold; use --cv-groups NAME for another column, or --cv-groups none"
        )
    if not target.rows.all():
        labelled = np.flatnonzero(target.rows)
        columns = {name: column.take(labelled) for name, column in columns.items()}
    return TrainingTable(
        name=table.name,
        target=roles.target,
        columns=columns,
        y=target.labels,
        rate_groups=rate_groups,
        weights=weights,
        groups=groups,
        times=times,
        reading=_with_facts(table, roles.split_groups if repeating is None else repeating.name),
    )


def _with_facts(table: Table, groups: str | None) -> Reading:
    """Return how the table was read, with the order of its dates and the column that keeps rows together."""
    facts = dict(table.reading.found)
    order = table.reading.dates or date_order(table.columns.values())
    if order is not None:
        facts["dates"] = DATE_ORDERS[order]
    if groups is not None:
        facts["groups"] = groups
    return replace(table.reading, found=facts)


def _split_by(table: Table, roles: Roles, rows: NDArray[np.bool_]) -> NDArray[Any] | None:
    if roles.split_by is None:
        return None
    values = _complete(table, roles.split_by, rows)
    if roles.split_groups is not None:
        return values
    order = table.reading.dates or date_order(table.columns.values())
    return sortable_times(values, roles.split_by, order)


def _fits(name: str, words: Collection[str]) -> bool:
    return any(fits(name, word) for word in words)


def check_named(table: Table, roles: Roles) -> None:
    """Raise if a column that was named is not there, or is the target."""
    for option, words in (("drop", roles.drop), ("keep", roles.keep), ("category", roles.category)):
        for word in words:
            if not any(_fits(name, [word]) for name in table.names):
                hint = nearest_column(word, table.names)
                raise InvalidDataError(f"--{option}: {table.name} has no column {word!r}", hint)
            if word == roles.target:
                raise InvalidDataError(f"--{option}: {word!r} is the target, so it cannot be a feature")
    for name in roles.beside_features:
        if name not in table.names:
            hint = nearest_column(name, table.names)
            raise InvalidDataError(f"{roles.place(name)}{table.name} has no column {name!r}", hint)
        if name == roles.target:
            raise InvalidDataError(f"{roles.place(name)}{name!r} is the target, so it cannot hold groups or weights")


def usable_features(table: Table, roles: Roles, note: Callable[[str], None]) -> dict[str, Column]:
    """Return the columns that can be features; `note` is told why others cannot."""
    others = {roles.target, *roles.beside_features}
    usable = {}
    for name, column in table.columns.items():
        if name in others or roles.only_groups(name):
            continue
        why = why_no_feature(column, table.n_rows)
        if why is not None and name in roles.keep:
            if column.kind in (Kind.DATE, Kind.NESTED, Kind.EMPTY, Kind.TOO_MANY):
                raise InvalidDataError(f"--keep: column {name!r} cannot be a feature: {why}")
            why = None
        if why is not None:
            note(f"{name!r} is left out: {why}")
            continue
        for text in table.column_notes.get(name, ()):
            note(text)
        _note_what_may_be_missing(column, note)
        usable[name] = column
    if not usable:
        raise InvalidDataError(
            f"{table.name} has no usable column besides the target", "name columns to use with --keep"
        )
    return usable


def _note_what_may_be_missing(column: Column, note: Callable[[str], None]) -> None:
    if column.kind is not Kind.TEXT:
        return
    counts = counts_of_texts(column)
    for word in sorted(PERHAPS_MISSING & set(counts)):
        note(
            f"{column.name!r}: {word!r} ({counts[word]}) is read as a category; "
            f"use --na {word!r} to treat it as missing"
        )


def _complete(table: Table, name: str, rows: NDArray[np.bool_]) -> NDArray[Any]:
    """The groups or times of the labelled rows; a blank one is refused."""
    values = table.values(name)[rows]
    gone = np.array([value is None or value != value for value in values.tolist()], dtype=bool)
    if gone.any():
        row = int(np.flatnonzero(rows)[int(gone.argmax())])
        raise InvalidDataError(
            f"{table.name}: the column {name!r} is blank in {table.place(row)}", "fill it in, or delete the row"
        )
    return values
