"""What the log loss cannot be asked of: classes without weight, and values beyond its floating point."""

from fractions import Fraction

import numpy as np

from supersparse.base.errors import InvalidDataError, InvalidProblemError
from supersparse.base.exact import nearest_float
from supersparse.problem.parts import ProblemParts

_LARGEST = 10**145  # of a value, and of a column's whole numbers: their squares must be doubles
_LARGEST_TOTAL = 10**300  # of a total in whole numbers, which becomes a double


def check_log_loss(problem: ProblemParts) -> None:
    """Raise if no log loss can be computed, or if none is the least."""
    for label, weight in zip(problem.rows.classes, problem.class_weights, strict=True):
        if weight == 0:
            raise InvalidProblemError(
                f"class_weight gives class {label!r} the weight 0, so the log loss falls however far the "
                f"intercept goes and none is best; give {label!r} a weight above 0"
            )
    if problem.rows.raw is None:
        _check_whole_columns(problem)
        return
    for name, raw in zip(problem.rows.names, problem.rows.raw, strict=True):
        if raw.dtype == np.float64:
            _check_largest(name, Fraction(max(float(raw.max()), -float(raw.min()))))


def _check_whole_columns(problem: ProblemParts) -> None:
    rows = problem.rows
    largest = [Fraction(m, scale) for m, scale in zip(rows.magnitudes, rows.scales, strict=True)]
    for name, most in zip(rows.names, largest, strict=True):
        _check_largest(name, most)
    most = max(Fraction(1), *largest)
    if max(rows.magnitudes) > _LARGEST or most * problem.score_step > _LARGEST_TOTAL:
        finest = max(range(len(rows.names)), key=lambda j: rows.scales[j])
        decimals = len(str(rows.scales[finest])) - 1
        raise InvalidDataError(
            f"column {rows.names[finest]!r} has values with {decimals} decimals, beside values of up to "
            f"{nearest_float(most):.3g}; the log loss is computed in doubles: rescale the column, say "
            "by a power of ten, or round it"
        )


def _check_largest(name: str, largest: Fraction) -> None:
    if largest > _LARGEST:
        raise InvalidDataError(
            f"column {name!r} has values as large as {nearest_float(largest):.3g}; the log loss is computed "
            f"in doubles and needs values below {float(_LARGEST):.0e}: rescale the column, for example by a "
            "power of ten"
        )
