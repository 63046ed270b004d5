"""Columns: a table as named arrays, readable as a mapping and as a frame of any library."""

import csv
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError, InvalidOptionError, PackageNotInstalledError, did_you_mean

FRAMES = ("pandas", "polars", "pyarrow")


class Columns(Mapping[str, NDArray[np.generic]]):
    """Named arrays of one length: whole numbers, floats (NaN where missing) or text (None where missing).

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
            said = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
            raise InvalidDataError(f"columns of different lengths: {said}; give each the same number of rows")
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
        """The number of rows."""
        return len(next(iter(self._arrays.values()), ()))

    def part(self, rows: NDArray[np.integer[Any]]) -> "Columns":
        """Return these rows only."""
        return Columns({name: array[rows] for name, array in self.items()})

    def frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame of a library that is installed; what is missing is missing there, too.

        >>> import numpy as np
        >>> Columns({"age": np.array([40, 61])}).frame("polars").shape
        (2, 1)
        """
        if library not in FRAMES:
            raise InvalidOptionError(f"unknown frame library {library!r}; {did_you_mean(library, FRAMES)}")
        if find_spec(library) is None:
            raise PackageNotInstalledError(
                f"a frame of {library} needs the package {library}; install it: pip install {library}"
            )
        import narwhals

        return narwhals.from_dict(
            {name: _with_none(array) for name, array in self.items()}, backend=library
        ).to_native()

    def write_csv(self, path: Path) -> None:
        """Write a CSV file: one header row, blanks for what is missing, whole numbers without a point."""
        columns = [[_cell(value) for value in array.tolist()] for array in self.values()]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            writer.writerows(zip(*columns, strict=True))


def _read_only(array: NDArray[np.generic]) -> NDArray[np.generic]:
    view = array.view()
    view.setflags(write=False)
    return view


def _with_none(array: NDArray[np.generic]) -> Any:
    """Replace NaN, which polars and pyarrow take for a number."""
    if array.dtype.kind == "f" and np.isnan(array).any():
        return [None if value != value else value for value in array.tolist()]
    return array.tolist() if array.dtype.kind == "O" else array


def _cell(value: object) -> object:
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() else value
    return value
