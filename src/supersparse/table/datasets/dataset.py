"""Dataset: a two-class table with its source, and the paper's processing steps."""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError, did_you_mean
from supersparse.base.exact import counted
from supersparse.base.writing import whole_text
from supersparse.table.small_table import SmallTable, Tabular, facts, listed

FRAMES = ("pandas", "polars", "pyarrow")


class Columns(Tabular, Mapping[str, NDArray[np.generic]]):
    """Named arrays of equal length: whole numbers, floats (NaN for missing) or text (None for missing).

    >>> import numpy as np
    >>> people = Columns({"age": np.array([40.0, np.nan]), "smokes": np.array(["yes", None], dtype=object)})
    >>> people
    <Columns: 2 rows; age, smokes>
    >>> people["age"]
    array([40., nan])
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
            raise InvalidDataError(f"the columns have different lengths: {sizes}", "give each the same number of rows")
        self._arrays = {name: _read_only(array) for name, array in arrays.items()}

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shown = ", ".join([*list(self)[:4], *(["..."] if len(self) > 4 else [])])
        return f"<Columns: {self.n_rows} rows; {shown}>"

    @property
    def n_rows(self) -> int:
        return len(next(iter(self._arrays.values()), ()))

    def part(self, rows: NDArray[np.integer[Any]]) -> "Columns":
        return Columns({name: array[rows] for name, array in self.items()})

    def frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame of an installed library; missing values stay missing.

        >>> import numpy as np
        >>> Columns({"age": np.array([40, 61])}).frame("polars").shape
        (2, 1)
        """
        if library not in FRAMES:
            raise InvalidOptionError(f"unknown frame library {library!r}", did_you_mean(library, FRAMES))
        if find_spec(library) is None:
            raise PackageNotInstalledError(f"a {library} frame needs the package {library}: pip install {library}")
        import narwhals

        return narwhals.from_dict(
            {name: _with_none(array) for name, array in self.items()}, backend=library
        ).to_native()

    def write_csv(self, path: Path) -> None:
        """Write a CSV file: one header row, blanks for missing values, whole numbers without a point."""
        columns = [[_cell(value) for value in array.tolist()] for array in self.values()]
        with whole_text(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            writer.writerows(zip(*columns, strict=True))

    def _brief(self) -> str:
        return f"{counted(self.n_rows, 'row')}, {counted(len(self), 'column')}"

    def _small_table(self) -> SmallTable:
        kinds = {"O": "text", "f": "numbers", "i": "whole numbers"}
        rows = [
            (name, kinds.get(array.dtype.kind, str(array.dtype)), str(int(missing(array).sum())))
            for name, array in self.items()
        ]
        return SmallTable(("column", "kind", "missing"), rows)


def _read_only(array: NDArray[np.generic]) -> NDArray[np.generic]:
    view = array.view()
    view.setflags(write=False)
    return view


def _with_none(array: NDArray[np.generic]) -> Any:
    """Replace NaN, which polars and pyarrow treat as a number."""
    if array.dtype.kind == "f" and np.isnan(array).any():
        return [None if value != value else value for value in array.tolist()]
    return array.tolist() if array.dtype.kind == "O" else array


def _cell(value: object) -> object:
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() else value
    return value


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Dataset(Tabular):
    """Rows and labels, with their source and licence.

    `X` and `y` are processed as in the SLIM paper; `raw` is the published table, including missing values,
    with words instead of codes and the class in the column `target`.
    """

    name: str
    feature_names: tuple[str, ...]
    X: NDArray[Any]  # one row per case, whole numbers if the source has them; no intercept column
    y: NDArray[np.int64]  # 0 or 1
    target: str  # what y says
    classes: tuple[str, str]  # what 0 and 1 mean
    description: str
    source: str
    licence: str
    raw: Columns
    kept: NDArray[np.intp]  # positions in raw of the rows of X

    @property
    def labels(self) -> NDArray[np.str_]:
        """The class name of each row."""
        return np.array(self.classes)[self.y]

    @property
    def features(self) -> Columns:
        """The processed features as columns with their names.

        The classifiers take them where they prepare columns, without a library for data frames:
        ``SLIMClassifier(prepare="auto").fit(data.features, data.labels)``.
        """
        return Columns(dict(zip(self.feature_names, self.X.T, strict=True)))

    @property
    def columns(self) -> Columns:
        """The processed features, followed by the class name, as columns."""
        return Columns({**self.features, self.target: self.labels.astype(object)})

    def part(self, rows: NDArray[np.integer[Any]]) -> "Dataset":
        """Return only these rows, such as one half of a split, together with their raw rows."""
        chosen = self.kept[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], raw=self.raw.part(chosen), kept=np.arange(len(chosen)))

    def __repr__(self) -> str:
        n_rows, n_features = self.X.shape
        positive = f"{int(self.y.sum())} {positive_in_words(self.target, self.classes)}"
        return f"<Dataset {self.name}: {n_rows} rows, {n_features} features, {positive}>"

    def _brief(self) -> str:
        return f"{self.name}, {counted(len(self.y), 'row')}, {counted(len(self.feature_names), 'feature')}"

    def _small_table(self) -> SmallTable:
        negative, positive = self.classes
        return facts(
            rows=len(self.y),
            features=listed(self.feature_names),
            target=self.target,
            classes=f"{int((self.y == 0).sum())} {negative}, {int(self.y.sum())} {positive}",
            description=self.description,
            source=self.source,
            licence=self.licence,
        )


def positive_in_words(target: str, classes: tuple[str, str]) -> str:
    """A positive row in words: its class, or the target that it answers with yes.

    >>> positive_in_words("diagnosis", ("benign", "malignant")), positive_in_words("x won", ("no", "yes"))
    ('malignant', 'x won')
    """
    return target if classes[1] == "yes" else classes[1]


MISSING = "?"


def bundled_text(file_name: str) -> str:
    return decompressed((files("supersparse.table.datasets") / "data" / file_name).read_bytes()).decode("utf-8")


_MOST_UNPACKED = 2**28


def decompressed(content: bytes) -> bytes:
    """Decompress gzip data; return other data unchanged. What unpacks to more than any dataset is refused."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    with gzip.open(io.BytesIO(content)) as file:
        unpacked = file.read(_MOST_UNPACKED + 1)
    if len(unpacked) > _MOST_UNPACKED:
        raise InvalidDataError(f"the file unpacks to more than {_MOST_UNPACKED:,} bytes", "no dataset is so large")
    return unpacked


def cells(text: str) -> dict[str, tuple[str, ...]]:
    """Read CSV text with one header row into cells by column."""
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def numbers(column: Sequence[str]) -> NDArray[Any]:
    """Read numbers: int64 if all are whole and none is missing, otherwise float64 with NaN for missing.

    >>> numbers(["1", "?"])
    array([ 1., nan])
    """
    value = {cell: float("nan") if cell == MISSING else float(cell) for cell in set(column)}
    read = np.array([value[cell] for cell in column])
    return read.astype(np.int64) if is_whole(np.array(list(value.values()))) else read


def is_whole(array: NDArray[Any]) -> bool:
    """Whether all are whole numbers that float64 represents exactly; NaN is not."""
    return bool(((array == np.round(array)) & (abs(array) < 2**53)).all())


def words(column: Sequence[str], meaning: Mapping[str, str]) -> NDArray[np.object_]:
    """Replace codes by words, with None for missing.

    >>> words(["2", "?"], {"1": "no", "2": "yes"})
    array(['yes', None], dtype=object)
    """
    return np.array([None if cell == MISSING else meaning[cell] for cell in column], dtype=object)


def complete_rows(raw: Columns) -> NDArray[np.intp]:
    keep = np.ones(raw.n_rows, dtype=bool)
    for array in raw.values():
        keep &= ~missing(array)
    return np.flatnonzero(keep)


def missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are missing: NaN for numbers, None for words."""
    if array.dtype.kind == "O":
        return np.array([value is None for value in array])
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)


def indicators(array: NDArray[Any], names: Mapping[str, str]) -> dict[str, NDArray[np.int64]]:
    """Return a named 0/1 column for each category.

    >>> indicators(np.array(["a", "b"], dtype=object), {"a": "is a"})
    {'is a': array([1, 0])}
    """
    return {name: (array == category).astype(np.int64) for category, name in names.items()}


def varying(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in columns.items() if (array != array[0]).any()}


def matrix(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Stack columns: int64 if all are whole numbers, otherwise float64."""
    table = np.column_stack(list(columns.values()))
    return table.astype(np.int64) if is_whole(table) else table


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Names and descriptions of a dataset; `target` is the class column of the raw table.

    The classes have names by which `fit` chooses the same positive class (`data.positive.positive_of`).
    """

    name: str
    target: str
    classes: tuple[str, str]  # the second is positive
    description: str
    source: str
    licence: str = "CC BY 4.0"  # of all the UCI datasets here

    def dataset(self, raw: Columns, features: Mapping[str, NDArray[Any]], complete: NDArray[np.intp]) -> Dataset:
        """Build a dataset; `features` are those of the rows `complete` of `raw`."""
        X = matrix(features)
        y = (raw[self.target][complete] == self.classes[1]).astype(np.int64)
        for array in (X, y, complete):
            array.setflags(write=False)
        about = {one.name: getattr(self, one.name) for one in fields(self)}
        return Dataset(**about, feature_names=tuple(features), X=X, y=y, raw=raw, kept=complete)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Rows and columns (with the intercept) as in the paper's tables, and positive rows."""

    rows: int
    columns: int
    positive: int

    def check(self, data: Dataset, file: str) -> Dataset:
        """Return the data if they have this size; `file` is their source."""
        n_rows, n_features = data.X.shape
        size = Size(rows=n_rows, columns=n_features + 1, positive=int(data.y.sum()))
        if size != self:
            raise InvalidDataError(
                f"{file} gives {size.rows} rows, {size.columns} columns with the intercept and "
                f"{size.positive} {positive_in_words(data.target, data.classes)}; expected are {self.rows}, "
                f"{self.columns} and {self.positive}",
                "delete the file and fetch it again: supersparse datasets fetch",
            )
        return data
