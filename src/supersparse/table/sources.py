"""Tables in memory, whatever they are, seen as named columns: frames, mappings of columns, arrays.

narwhals is loaded when something could be a frame or a series, so that a card alone needs numpy only.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.table.values import Cells, Objects, read_cells, read_list

if TYPE_CHECKING:
    import narwhals.stable.v1 as nw

_FEW = 24  # different texts up to which a column is compared with each


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """Columns by name, each read once."""

    columns: Mapping[str, Cells]
    n_rows: int

    def take(self, rows: NDArray[np.intp]) -> "CellTable":
        return CellTable({name: cells.take(rows) for name, cells in self.columns.items()}, len(rows))


class Source(Protocol):
    """A table of some kind, seen as named columns."""

    names: list[str]
    n_rows: int

    def column(self, name: str) -> Cells: ...


def source_of(data: object, names: Sequence[str] | None = None) -> Source:
    """See a table as named columns.

    A mapping of columns, any eager frame that narwhals reads, a numpy array with named fields, and a numpy or
    scipy array: with `names` for its columns, else they are called x0, x1, ...
    """
    if isinstance(data, np.ndarray) and data.dtype.names is not None:
        data = {name: data[name] for name in data.dtype.names}
    if is_matrix(data):
        return ArraySource(data, _numbered(data) if names is None else _given(data, names))
    if names is not None:
        raise InvalidDataError("names are for arrays", f"the columns of a {type(data).__name__} have theirs")
    if isinstance(data, Mapping):
        return MappingSource(data)
    frame = as_frame(data, "the table is lazy; call .collect() on it first")
    if frame is None:
        raise InvalidDataError(
            f"{type(data).__name__} is not a table", "give a dict for one person, a data frame or a dict of columns"
        )
    return FrameSource(frame)


def read_columns(source: Source, names: Sequence[str]) -> CellTable:
    """Read some columns of a table; raises where they differ in length."""
    columns = {name: source.column(name) for name in names}
    for name, cells in columns.items():
        if len(cells) != source.n_rows:
            raise InvalidDataError(f"column {name!r} has shape {(len(cells),)} in a table of {source.n_rows} rows")
    return CellTable(columns, source.n_rows)


def read_every_column(data: object, names: Sequence[str] | None = None) -> CellTable:
    """Read all columns of a table; those of an array without names are called x0, x1, ..."""
    source = source_of(data, names)
    return read_columns(source, source.names)


def is_matrix(data: object) -> bool:
    """Whether a table is an array or a sparse matrix whose columns have no names."""
    if isinstance(data, np.ndarray):
        return data.dtype.names is None
    return hasattr(data, "tocsc")


def is_array(X: Any) -> bool:
    """Whether a table has no names for its columns: an array, a sparse matrix, or lists of rows."""
    if isinstance(X, np.ndarray):
        return X.dtype.names is None
    return not isinstance(X, Mapping) and as_frame(X) is None


def as_table(X: Any) -> Any:
    """Return lists of rows and sparse matrices as arrays, other tables as they are."""
    if not is_array(X):
        return X
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        mask = np.ma.getmaskarray(X)
        X = np.asarray(X).astype(object)
        X[mask] = None  # masked is missing
    array = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=getattr(X, "dtype", object))
    if array.ndim != 2:
        raise InvalidDataError(f"X has {array.ndim} dimension(s)", "give a table of rows and columns")
    return array


def as_frame(
    X: object, lazy: str = "X is a lazy frame, whose rows are not read yet; give X.collect()"
) -> "nw.DataFrame[Any] | None":
    """Return X as a narwhals frame, None when it is not a data frame; `lazy` says why a lazy one is refused."""
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame) and nw.get_level(frame) == "interchange":
            frame = nw.from_arrow(X, backend="pyarrow")  # narwhals reads no values of a record batch itself
    except DuplicateError:
        check_names([str(n) for n in _column_names(X)])
        raise
    if isinstance(frame, nw.LazyFrame):
        raise InvalidDataError(lazy)
    return frame if isinstance(frame, nw.DataFrame) else None


def _column_names(X: Any) -> list[object]:
    """The names of a frame that narwhals refuses; those of pyarrow are found in its schema, too."""
    schema = getattr(X, "schema", None)
    return list(X.columns if schema is None or not hasattr(schema, "names") else schema.names)


def orders_of(data: object) -> dict[str, tuple[str, ...]]:
    """The levels of columns that are ordered categories of text (of pandas, Enum of polars), lowest first."""
    if isinstance(data, Mapping) or hasattr(data, "iloc"):
        columns: Iterable[tuple[Any, Any]] = data.items()  # type: ignore[attr-defined]
    elif hasattr(data, "get_columns"):
        columns = [(series.name, series) for series in data.get_columns()]
    else:
        return {}
    orders = {}
    for name, values in columns:
        dtype: Any = getattr(values, "dtype", None)
        has_order = getattr(dtype, "ordered", None) is True or type(dtype).__name__ == "Enum"
        if has_order and all(type(v) is str for v in dtype.categories):
            orders[str(name)] = tuple(v for v in dtype.categories if v)  # an empty text is a missing value
    return {name: levels for name, levels in orders.items() if len(levels) > 1}


def as_series(values: object) -> "nw.Series[Any] | None":
    """Return values as a narwhals series, None when they are none."""
    import narwhals.stable.v1 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def as_array(values: Any) -> NDArray[Any]:
    """Return a list, an array or a series of any library as an array."""
    series = as_series(values)
    check_unmasked(values)
    return np.asarray(values if series is None else series.to_numpy())


def check_unmasked(values: object) -> None:
    """Raise for a masked array with masked values, which numpy would read as if they were not."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        masked = int(np.ma.getmaskarray(values).sum())
        raise InvalidDataError(f"{masked} value(s) are masked", "fill them in (.filled), or drop the rows")


def check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidDataError(f"two columns are named {name!r}", "feature names must differ, rename one")
        seen.add(name)


def is_column(value: object) -> TypeGuard[Collection[object]]:
    """Whether a value holds one entry a row, rather than being a single one."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0


class MappingSource:
    """A mapping from names to columns of any kind."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = {str(name): values for name, values in data.items()}
        self.names = list(self._data)
        first = next((v for v in self._data.values() if is_column(v)), [])
        self.n_rows = len(first)

    def column(self, name: str) -> Cells:
        values = self._data[name]
        if not isinstance(values, np.ndarray) and hasattr(values, "to_numpy"):
            series = as_series(values)
            if series is not None:
                return _series_cells(series)
            values = values.to_numpy()
        if isinstance(values, np.ndarray):
            if values.ndim != 1:
                raise InvalidDataError(f"column {name!r} has shape {values.shape} in a table of {self.n_rows} rows")
            return read_cells(values)
        if not is_column(values):
            raise InvalidDataError(
                f"column {name!r} is {values!r} in a table of {self.n_rows} rows", "give a value for each"
            )
        return read_list(values)


class ArraySource:
    """An array or a sparse matrix, whose columns are known by their positions."""

    def __init__(self, data: Any, positions: Mapping[str, int]) -> None:
        self._positions = positions
        self._data = _by_columns(data) if hasattr(data, "tocsc") else np.asanyarray(data)
        self.names = list(positions)
        self.n_rows = int(data.shape[0])

    def column(self, name: str) -> Cells:
        return read_cells(self.values(self._positions[name]))

    def values(self, position: int) -> NDArray[Any]:
        """The values of one column in their own type."""
        if hasattr(self._data, "tocsc"):
            start, end = self._data.indptr[position : position + 2]
            dense: NDArray[Any] = np.zeros(self.n_rows, dtype=self._data.dtype)
            dense[self._data.indices[start:end]] = self._data.data[start:end]
            return dense
        column: NDArray[Any] = self._data[:, position]  # a masked array stays one
        return column


def _by_columns(data: Any) -> Any:
    """A sparse matrix by columns, each value once; whole numbers in the smallest type that holds them."""
    matrix = data.tocsc()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    values = matrix.data
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.rint(values)).all():
        largest = float(np.abs(values).max(initial=0.0))
        for dtype in (np.int8, np.int16, np.int32):
            if largest <= np.iinfo(dtype).max:
                return matrix.astype(dtype)
    return matrix


def _numbered(data: Any) -> dict[str, int]:
    if data.ndim != 2:
        raise InvalidDataError(f"the array has {data.ndim} dimension(s)", "give a table of rows and columns")
    return {f"x{j}": j for j in range(data.shape[1])}


def _given(data: Any, names: Sequence[str]) -> dict[str, int]:
    if data.ndim != 2 or data.shape[1] != len(names) or len(set(names)) < len(names):
        raise InvalidDataError(
            f"the array has shape {data.shape} and there are {len(names)} names for its columns",
            "give one name a column, each once",
        )
    return {str(name): j for j, name in enumerate(names)}


class FrameSource:
    """A data frame of any library."""

    def __init__(self, frame: "nw.DataFrame[Any]") -> None:
        self.names = [str(name) for name in frame.columns]
        self.series = list(frame.iter_columns())  # by position: a pandas frame may call its columns 0, 1, ...
        self.n_rows = len(frame)
        self._by_name = dict(zip(self.names, self.series, strict=True))

    def column(self, name: str) -> Cells:
        return _series_cells(self._by_name[name])


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
