"""Rows: the training data, read once and kept exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError
from supersparse.problem.decimals import IntArray, gcd_of, integer_column, largest_magnitude


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """The rows of a two-class problem in exact integers.

    The value of feature j in row i is ``columns[j][i] / scales[j]``; the sample weight of
    row i is ``weights[i] * weight_unit``. Rows of weight 0 are not kept.
    """

    names: tuple[str, ...]
    columns: tuple[IntArray, ...]
    scales: tuple[int, ...]
    positive: NDArray[np.bool_]
    weights: IntArray
    weight_unit: Fraction
    classes: tuple[object, object]  # (negative, positive)

    @property
    def n_rows(self) -> int:
        """Number of rows kept."""
        return len(self.positive)

    @property
    def n_features(self) -> int:
        """Number of features, the intercept not counted."""
        return len(self.names)

    @cached_property
    def constant(self) -> tuple[bool, ...]:
        """Which columns hold one value only."""
        return tuple(bool((c == c[0]).all()) for c in self.columns)

    @cached_property
    def magnitudes(self) -> tuple[int, ...]:
        """The largest absolute integer of each column."""
        return tuple(largest_magnitude(c) for c in self.columns)


def read_rows(
    X: object,
    y: object,
    *,
    sample_weight: object = None,
    feature_names: Sequence[str] | None = None,
    positive: object = None,
) -> Rows:
    """Read rows from a data frame, an array or a sparse matrix.

    Labels may be any two values; the larger in sorted order is the positive class unless
    `positive` names the other.
    """
    names, raw = _read_features(X)
    if feature_names is not None:
        names = [str(n) for n in feature_names]
        if len(names) != len(raw):
            raise InvalidDataError(f"feature_names has {len(names)} names for {len(raw)} columns; give one each")
    _check_names(names)
    n_rows = len(raw[0]) if raw else 0
    if n_rows == 0:
        raise InvalidDataError("there are 0 rows or 0 columns; a scoring system needs data of both classes")
    is_positive, classes = _read_labels(y, positive)
    if len(is_positive) != n_rows:
        raise InvalidDataError(f"y has {len(is_positive)} labels for {n_rows} rows; give one label a row")
    weights, unit = _read_weights(sample_weight, n_rows)

    keep = np.asarray(weights > 0, dtype=bool)
    if not keep.all():
        raw = [c[keep] for c in raw]
        is_positive, weights = is_positive[keep], weights[keep]
        if is_positive.all() or not is_positive.any():
            raise InvalidDataError(
                "only one class is left after dropping the rows of weight 0; two classes are needed"
            )
    exact_columns = [integer_column(_finite(c, name)) for c, name in zip(raw, names, strict=True)]
    return Rows(
        names=tuple(names),
        columns=tuple(c for c, _ in exact_columns),
        scales=tuple(s for _, s in exact_columns),
        positive=is_positive,
        weights=weights,
        weight_unit=unit,
        classes=classes,
    )


def _read_features(X: object) -> tuple[list[str], list[NDArray[np.generic]]]:
    frame = nw.from_native(X, eager_only=True, pass_through=True)  # type: ignore[call-overload]
    if isinstance(frame, nw.DataFrame):
        return [str(n) for n in frame.columns], [_frame_column(frame[n], str(n)) for n in frame.columns]
    if hasattr(X, "tocsc"):
        by_column = X.tocsc()
        arrays = [by_column[:, [j]].toarray().ravel() for j in range(by_column.shape[1])]
    else:
        matrix = np.asarray(X)
        if matrix.ndim != 2:
            raise InvalidDataError(f"X has {matrix.ndim} dimension(s); give a table of rows and columns")
        arrays = [matrix[:, j] for j in range(matrix.shape[1])]
    names = [f"x{j}" for j in range(len(arrays))]
    return names, [_numeric_array(a, n) for a, n in zip(arrays, names, strict=True)]


def _frame_column(series: nw.Series, name: str) -> NDArray[np.generic]:  # type: ignore[type-arg]
    dtype = series.dtype
    if not (dtype.is_numeric() or dtype == nw.Boolean):
        if dtype == nw.Object:
            return _numeric_array(series.to_numpy(), name)
        raise InvalidDataError(
            f"column {name!r} holds {dtype}, not numbers; turn it into 0/1 columns, "
            "one for each category, or drop it"
        )
    missing = int(series.null_count())
    if missing:
        raise _missing(name, missing)
    if dtype.is_decimal():
        return np.array([Fraction(v) for v in series.to_list()], dtype=object)
    return np.asarray(series.to_numpy())


def _numeric_array(column: NDArray[np.generic], name: str) -> NDArray[np.generic]:
    if column.dtype.kind in "buif":
        return column
    if column.dtype == object:
        try:
            return column.astype(np.float64)
        except (TypeError, ValueError):
            pass
    found = next((v for v in column if not isinstance(v, int | float)), column[0] if len(column) else None)
    raise InvalidDataError(
        f"column {name!r} holds {found!r}, not a number; turn it into 0/1 columns, "
        "one for each category, or drop it"
    )


def _finite(column: NDArray[np.generic], name: str) -> NDArray[np.generic]:
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        missing = int(np.isnan(column).sum())
        if missing:
            raise _missing(name, missing)
        count = int(np.isinf(column).sum())
        raise InvalidDataError(f"column {name!r} has {count} infinite value(s) (inf); replace them or drop the rows")
    return column


def _missing(name: str, count: int) -> InvalidDataError:
    return InvalidDataError(
        f"column {name!r} has {count} missing value(s) (NaN); fill them in, drop the rows, "
        "or add a 0/1 column that says 'missing'"
    )


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidDataError(f"two columns are called {name!r}; feature names must differ, rename one")
        seen.add(name)


def _read_labels(y: object, positive: object) -> tuple[NDArray[np.bool_], tuple[object, object]]:
    series = nw.from_native(y, series_only=True, pass_through=True)  # type: ignore[call-overload]
    labels = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else y)
    if labels.ndim != 1:
        raise InvalidDataError(f"y has {labels.ndim} dimensions; give one label a row")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidDataError("y holds missing or infinite labels (NaN, inf); drop those rows")
    if labels.dtype == object and any(v is None or v != v for v in labels):
        raise InvalidDataError("y holds missing labels; drop those rows")
    try:
        found = np.unique(labels)
    except TypeError:
        raise InvalidDataError("y mixes labels of different types; give two values of one type") from None
    if len(found) != 2:
        shown = ", ".join(repr(v) for v in found[:5].tolist()) + (", ..." if len(found) > 5 else "")
        raise InvalidDataError(
            f"y has {len(found)} class(es): {shown}; a scoring system separates exactly two classes"
        )
    negative_label, positive_label = found.tolist()
    if positive is not None:
        if positive not in (negative_label, positive_label):
            raise InvalidDataError(
                f"the positive class {positive!r} is not among the labels {negative_label!r} and {positive_label!r}"
            )
        if positive == negative_label:
            negative_label, positive_label = positive_label, negative_label
    return labels == positive_label, (negative_label, positive_label)


def _read_weights(sample_weight: object, n_rows: int) -> tuple[IntArray, Fraction]:
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int8), Fraction(1)
    series = nw.from_native(sample_weight, series_only=True, pass_through=True)  # type: ignore[call-overload]
    weights = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else sample_weight)
    if weights.dtype.kind not in "buif":
        raise InvalidDataError("sample_weight must hold numbers")
    if weights.shape != (n_rows,):
        raise InvalidDataError(f"sample_weight has shape {weights.shape} for {n_rows} rows; give one weight a row")
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        raise InvalidDataError("sample_weight holds NaN or infinite values; give finite weights")
    if (weights < 0).any():
        raise InvalidDataError(f"sample_weight holds {weights.min()}, which is negative; give weights of 0 or more")
    if not (weights > 0).any():
        raise InvalidDataError("all sample weights are 0; at least one row of each class must count")
    integers, scale = integer_column(weights)
    common = gcd_of(integers)
    return integer_column(integers // common)[0] if common > 1 else integers, Fraction(common, scale)
