"""Raw data for a card: one person or many rows, in whatever form they come."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.data.values import Cells, Objects, nearest_column, read_cells, read_list
from supersparse.errors import InvalidDataError

_FEW = 24  # different texts up to which a column is compared with each


@dataclass(frozen=True, slots=True, eq=False)
class CardTable:
    """The columns that a card needs, by name."""

    columns: Mapping[str, Cells]
    n_rows: int

    def take(self, rows: NDArray[np.intp]) -> "CardTable":
        """Some of the rows."""
        return CardTable({name: cells.take(rows) for name, cells in self.columns.items()}, len(rows))


class _Source(Protocol):
    """A table of some kind, seen as named columns."""

    names: list[str]
    n_rows: int

    def column(self, name: str) -> Cells: ...


def is_person(data: object) -> bool:
    """Whether the data are one person: a mapping from column names to single values."""
    return isinstance(data, Mapping) and not any(map(_is_column, data.values()))


def _is_column(value: object) -> TypeGuard[Collection[object]]:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0


def person_values(card: Card, person: Mapping[str, object]) -> dict[str, object]:
    """The values that the card needs; everything else is ignored."""
    by_name = {str(name): value for name, value in person.items()}
    _require(card, list(by_name))
    return {name: by_name[name] for name in card.columns}


def read_card_table(card: Card, data: object, names: Sequence[str] | None = None) -> CardTable:
    """Read the columns that the card needs; others are ignored, missing ones are named.

    Accepts a mapping of columns, any eager frame that narwhals reads, a numpy array with named
    fields, and a numpy or scipy array: with `names` for its columns, else with as many columns
    as the training table had.
    """
    source = _source(card, data, names)
    _require(card, source.names)
    columns = {name: source.column(name) for name in card.columns}
    _check_lengths(columns, source.n_rows)
    return CardTable(columns, source.n_rows)


def read_every_column(data: object, names: Sequence[str] | None = None) -> CardTable:
    """Read all columns of a table; those of an array without names are called x0, x1, ..."""
    source = _source(None, data, names)
    columns = {name: source.column(name) for name in source.names}
    _check_lengths(columns, source.n_rows)
    return CardTable(columns, source.n_rows)


def column_names(data: object) -> list[str]:
    """The names of the columns of a table."""
    return _source(None, data, None).names


def read_column(card: Card, data: object, name: str, names: Sequence[str] | None = None) -> list[object]:
    """Return one column of a table as a list of plain values, None where they are missing."""
    source = _source(card, data, names)
    if name not in source.names:
        raise InvalidDataError(f"the data have no column {name!r}; {nearest_column(name, source.names)}")
    cells = source.column(name)
    if isinstance(cells, Objects):
        values = [cells.distinct[code] for code in cells.codes.tolist()]
    else:
        values = cells.values.tolist()
    if cells.missing is None:
        return values
    return [None if gone else value for value, gone in zip(values, cells.missing.tolist(), strict=True)]


def _check_lengths(columns: Mapping[str, Cells], n_rows: int) -> None:
    for name, cells in columns.items():
        if len(cells) != n_rows:
            raise InvalidDataError(f"column {name!r} has shape {(len(cells),)} in a table of {n_rows} rows")


def _source(card: Card | None, data: object, names: Sequence[str] | None) -> _Source:
    if isinstance(data, np.ndarray) and data.dtype.names is not None:
        data = {name: data[name] for name in data.dtype.names}
    if isinstance(data, np.ndarray) or hasattr(data, "tocsc"):
        return _Array(data, _positions(card, data) if names is None else _given(data, names))
    if names is not None:
        raise InvalidDataError(f"names are for arrays; the columns of a {type(data).__name__} have theirs")
    if isinstance(data, Mapping):
        return _Columns(data)
    import narwhals.stable.v1 as nw  # only for frames: whoever has one has narwhals' time to load it

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _Frame(frame)
    if isinstance(frame, nw.LazyFrame):
        raise InvalidDataError("the table is lazy; call .collect() on it first")
    raise InvalidDataError(
        f"{type(data).__name__} is not a table; give a dict for one person, a data frame or a dict of columns"
    )


class _Columns:
    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = {str(name): values for name, values in data.items()}
        self.names = list(self._data)
        first = next((v for v in self._data.values() if _is_column(v)), [])
        self.n_rows = len(first)

    def column(self, name: str) -> Cells:
        values = self._data[name]
        if not isinstance(values, np.ndarray) and hasattr(values, "to_numpy"):
            import narwhals.stable.v1 as nw

            series = nw.from_native(values, series_only=True, pass_through=True)
            if isinstance(series, nw.Series):
                return _series_cells(series)
            values = values.to_numpy()
        if isinstance(values, np.ndarray):
            if values.ndim != 1:
                raise InvalidDataError(
                    f"column {name!r} has shape {values.shape} in a table of {self.n_rows} rows"
                )
            return read_cells(values)
        if not _is_column(values):
            raise InvalidDataError(
                f"column {name!r} is {values!r} in a table of {self.n_rows} rows; give a value for each"
            )
        return read_list(values)


class _Array:
    """An array, whose columns are known by their positions."""

    def __init__(self, data: Any, positions: Mapping[str, int]) -> None:
        self._positions = positions
        self._data = data.tocsc() if hasattr(data, "tocsc") else np.asanyarray(data)
        self.names = list(positions)
        self.n_rows = int(data.shape[0])

    def column(self, name: str) -> Cells:
        part = self._data[:, [self._positions[name]]]
        return read_cells(np.asanyarray(part.toarray() if hasattr(part, "toarray") else part).reshape(-1))


def _positions(card: Card | None, data: Any) -> Mapping[str, int]:
    if card is None:
        if data.ndim != 2:
            raise InvalidDataError(
                f"the array has {data.ndim} dimension(s); give a table of rows and columns"
            )
        return {f"x{j}": j for j in range(data.shape[1])}
    known = {i.column: i.position for i in card.items if i.position is not None}
    if card.n_columns is None or len(known) < len(card.columns):
        raise InvalidDataError(
            "this card knows its columns by name only; give a data frame, a dict of columns, or names="
        )
    if data.ndim != 2 or data.shape[1] != card.n_columns:
        raise InvalidDataError(
            f"the array has shape {data.shape}; without column names it must have the training table's "
            f"{card.n_columns} columns, else give a data frame, a dict of columns, or names="
        )
    return known


def _given(data: Any, names: Sequence[str]) -> Mapping[str, int]:
    if data.ndim != 2 or data.shape[1] != len(names) or len(set(names)) < len(names):
        raise InvalidDataError(
            f"the array has shape {data.shape} and there are {len(names)} names for its columns; "
            "give one name a column, each once"
        )
    return {str(name): j for j, name in enumerate(names)}


class _Frame:
    def __init__(self, frame: Any) -> None:
        names = map(str, frame.columns)
        # by position: a pandas frame may call its columns 0, 1, ...
        self._series = dict(zip(names, frame.iter_columns(), strict=True))
        self.names = list(self._series)
        self.n_rows = len(frame)

    def column(self, name: str) -> Cells:
        return _series_cells(self._series[name])


def _series_cells(series: Any) -> Cells:
    dtype = series.dtype
    missing = None
    if series.null_count():
        missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype.is_integer() or dtype.is_float() or str(dtype) == "Boolean":
        truths = str(dtype) == "Boolean"
        # filled first: numpy would turn integers with gaps into floats, and large ones into others
        plain = series if missing is None else series.fill_null(False if truths else 0)
        # pandas before 2.2 makes objects of truth values that may be missing
        return read_cells(np.asarray(plain.to_numpy(), dtype=bool if truths else None), missing)
    if str(dtype).startswith(("String", "Categorical", "Enum")):
        texts = series.drop_nulls().unique().to_list()
        if len(texts) <= _FEW and all(type(v) is str for v in texts):
            return _few_texts(series, texts, missing)
    return read_list(series.to_list())


def _few_texts(series: Any, texts: list[object], missing: NDArray[np.bool_] | None) -> Cells:
    """Compare in the frame's own way, which is faster than a loop over all rows."""
    codes = np.full(len(series), len(texts), dtype=np.intp)
    for code, text in enumerate(texts):
        codes[np.asarray((series == text).fill_null(False).to_numpy(), dtype=bool)] = code
        if text == "":
            missing = (codes == code) if missing is None else missing | (codes == code)
    return Objects((*texts, None), codes, missing)


def _require(card: Card, names: list[str]) -> None:
    known = set(names)
    missing = [name for name in card.columns if name not in known]
    if not missing:
        return
    listed = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
    hint = nearest_column(missing[0], names)
    raise InvalidDataError(f"the data lack {len(missing)} column(s) that the card needs: {listed}; {hint}")
