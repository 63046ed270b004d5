"""Raw data for a card: one person or many rows, in whatever form they come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.errors import InvalidDataError, did_you_mean

Column = NDArray[np.generic]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns that a card needs, by name, one array each."""

    columns: Mapping[str, Column]
    n_rows: int


class _Source(Protocol):
    """A table of some kind, seen as named columns."""

    names: list[str]
    n_rows: int

    def column(self, name: str) -> Column: ...


def is_person(data: object) -> bool:
    """Whether the data are one person: a mapping from column names to single values."""
    return isinstance(data, Mapping) and not any(map(_is_column, data.values()))


def _is_column(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0


def person_values(card: Card, person: Mapping[str, object]) -> dict[str, object]:
    """The values that the card needs; everything else is ignored."""
    _require(card, [str(name) for name in person])
    return {name: person[name] for name in card.columns}


def read_table(card: Card, data: object) -> Table:
    """Read the columns that the card needs; others are ignored, missing ones are named.

    Accepts a mapping of columns, any eager frame that narwhals reads, and a numpy or scipy
    array with as many columns as the training table had.
    """
    source = _source(card, data)
    _require(card, source.names)
    columns = {name: source.column(name) for name in card.columns}
    for name, column in columns.items():
        if column.ndim != 1 or len(column) != source.n_rows:
            raise InvalidDataError(
                f"column {name!r} has shape {column.shape} in a table of {source.n_rows} rows"
            )
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            raise _not_finite(name, column)
    return Table(columns, source.n_rows)


def _source(card: Card, data: object) -> _Source:
    if isinstance(data, Mapping):
        return _Columns(data)
    if isinstance(data, np.ndarray) or hasattr(data, "tocsc"):
        return _Array(card, data)
    import narwhals.stable.v1 as nw  # only for frames: whoever has one has narwhals' time to load it

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _Frame(frame)
    if isinstance(frame, nw.LazyFrame):
        raise InvalidDataError("the table is lazy; call .collect() on it first")
    raise InvalidDataError(
        f"a {type(data).__name__} is no table; give one person as a dict, a data frame, or a dict of columns"
    )


class _Columns:
    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = {str(name): values for name, values in data.items()}
        self.names = list(self._data)
        first = next((v for v in self._data.values() if _is_column(v)), [])
        self.n_rows = len(first)  # type: ignore[arg-type]

    def column(self, name: str) -> Column:
        values = self._data[name]
        if hasattr(values, "to_numpy"):
            values = values.to_numpy()
        return _plain(values if isinstance(values, np.ndarray) else np.array(values, dtype=object))


class _Array:
    """An array without names: columns are known by their position in the training table."""

    def __init__(self, card: Card, data: Any) -> None:
        self._positions = {i.rule.column: i.position for i in card.items if i.position is not None}
        if card.n_columns is None or len(self._positions) < len(card.columns):
            raise InvalidDataError(
                "this card knows its columns by name only; give a data frame or a dict of columns"
            )
        if data.ndim != 2 or data.shape[1] != card.n_columns:
            raise InvalidDataError(
                f"the array has shape {data.shape}; without column names it must have the training table's "
                f"{card.n_columns} columns, else give a data frame or a dict of columns"
            )
        self._data = data.tocsc() if hasattr(data, "tocsc") else np.asarray(data)
        self.names = list(self._positions)
        self.n_rows = int(data.shape[0])

    def column(self, name: str) -> Column:
        part = self._data[:, [self._positions[name]]]
        return _plain(np.asarray(part.toarray() if hasattr(part, "toarray") else part).reshape(-1))


class _Frame:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._real_names = {str(name): name for name in frame.columns}
        self.names = list(self._real_names)
        self.n_rows = len(frame)

    def column(self, name: str) -> Column:
        series = self._frame[self._real_names[name]]
        if series.null_count():
            raise _missing(name, np.asarray(series.is_null().to_numpy(), dtype=bool))
        if series.dtype.is_decimal():
            return np.array([Fraction(v) for v in series.to_list()], dtype=object)
        return _plain(np.asarray(series.to_numpy()))


def _plain(values: Column) -> Column:
    """Turn an object array into a fast one where that loses nothing."""
    if values.dtype != object or values.ndim != 1:
        return values
    kinds = set(map(type, values))
    if kinds <= {int, bool}:
        try:
            return values.astype(np.int64)
        except OverflowError:
            return values
    if kinds <= {float}:
        return values.astype(np.float64)
    return values


def _require(card: Card, names: list[str]) -> None:
    missing = [name for name in card.columns if name not in set(names)]
    if not missing:
        return
    listed = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
    hint = nearest_column(missing[0], names)
    raise InvalidDataError(f"the data lack {len(missing)} column(s) that the card needs: {listed}; {hint}")


def nearest_column(wanted: str, names: Sequence[str]) -> str:
    """Return the tail of a message: the column that may have been meant, or what there is."""
    for name in names:
        if name.strip().casefold() == wanted.strip().casefold():
            return f"did you mean {name!r}?"
    if len(names) <= 12 or get_close_matches(wanted, names, n=1):
        return did_you_mean(wanted, names)
    return f"there are {len(names)} columns: {', '.join(names[:5])}, ..."


def _not_finite(name: str, column: Column) -> InvalidDataError:
    infinite = np.isinf(column)
    if not infinite.any():
        return _missing(name, np.isnan(column))
    return InvalidDataError(f"column {name!r} is infinite in row {int(infinite.argmax()) + 1}")


def _missing(name: str, where: NDArray[np.bool_]) -> InvalidDataError:
    count, first = int(where.sum()), int(where.argmax()) + 1
    return InvalidDataError(
        f"column {name!r} has {count} missing value(s), the first in row {first}; "
        "fill them in or leave those rows out"
    )
