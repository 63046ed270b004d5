"""Literals: a feature together with the sign of its coefficient.

A model's signed support is a set of literals, at most one per feature. Literal 2·f means "feature f with a
positive coefficient", and 2·f + 1 "with a negative one", so an array over literals has the two of each
feature side by side. Only this file and the kernels know the numbering: compiled loops cannot call this file.
"""

from collections.abc import Iterable
from typing import NewType, TypeVar

import numpy as np
from numpy.typing import NDArray

Literal = NewType("Literal", int)
Literals = tuple[Literal, ...]
_Scalar = TypeVar("_Scalar", bound=np.generic)

SIGNS = (1, -1)
"""The signs of a feature's two literals, in the order of their numbers."""


def positive_literal(feature: int) -> Literal:
    """Feature with a positive coefficient."""
    return Literal(2 * feature)


def negative_literal(feature: int) -> Literal:
    """Feature with a negative coefficient."""
    return Literal(2 * feature + 1)


def both_literals(feature: int) -> tuple[Literal, Literal]:
    """The two literals of a feature, positive first."""
    return positive_literal(feature), negative_literal(feature)


def feature_of(literal: Literal) -> int:
    """The feature of a literal."""
    return literal // 2


def is_negative(literal: Literal) -> bool:
    """Whether a literal means a negative coefficient."""
    return literal % 2 == 1


def sign_of(literal: Literal) -> int:
    """1 for a positive coefficient, -1 for a negative one."""
    return -1 if is_negative(literal) else 1


def n_literals(n_features: int) -> int:
    """The length of an array over literals."""
    return 2 * n_features


def literals_where(flags: NDArray[np.bool_]) -> Literals:
    """The literals whose flag is set, ascending."""
    return tuple(Literal(literal) for literal in np.flatnonzero(flags).tolist())


def flags_of(literals: Iterable[Literal], n_features: int) -> NDArray[np.bool_]:
    """An array over literals that is True for these."""
    flags = np.zeros(n_literals(n_features), bool)
    flags[list(literals)] = True
    return flags


def by_feature(per_literal: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """View an array over literals as (features, 2): column 0 positive, column 1 negative."""
    return per_literal.reshape(-1, 2)


def for_both_signs(per_feature: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Give both literals of each feature the feature's value."""
    return np.repeat(per_feature, 2)
