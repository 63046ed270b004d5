"""The column of weights: a number in every row."""

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.tables.columns import Kind
from supersparse.tables.table import Table


def read_weights(table: Table, name: str) -> NDArray[np.generic]:
    """Read a column that has a number in every row."""
    column = table.column(name, "column {name} of weights")
    if column.n_missing or column.kind is not Kind.NUMBER:
        raise InvalidDataError(
            f"{table.name}: the column of weights {name!r} has {column.n_missing} missing value(s); "
            "give every row a weight of 0 or more"
        )
    return column.values
