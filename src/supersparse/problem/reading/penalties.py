"""Reading C0, C1 and the class weights."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from supersparse.errors import InvalidProblemError
from supersparse.problem.intercept import Intercept
from supersparse.problem.levels import Levels
from supersparse.problem.naming import INTERCEPT, per_feature
from supersparse.problem.reading.numbers import non_negative
from supersparse.problem.rows import Rows

DEFAULT_C0 = Fraction(1, 100)


def read_size_penalty(
    C0: object, names: tuple[str, ...], intercept: Intercept, levels: tuple[Levels | None, ...] = ()
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return C0 of each feature and of the intercept: 0 where levels say what a coefficient costs."""
    if any(levels):
        return _beside_levels(C0, names, intercept, levels)
    if C0 is None:
        C0 = DEFAULT_C0

    def read(value: object, name: str) -> Fraction:
        return non_negative(value, "C0" if not isinstance(C0, Mapping) else f"C0 of {name!r}")

    if isinstance(C0, np.ndarray) and C0.ndim == 1:
        C0 = list(C0)
    penalties = per_feature(C0, names, what="C0", read=read, extra_keys=[INTERCEPT, "*"])
    if not intercept.is_penalised:
        return penalties, Fraction(0)
    if isinstance(C0, Mapping):
        given = C0.get(INTERCEPT, C0.get("*"))
        if given is None:
            raise InvalidProblemError(
                f"intercept='paper' penalises the intercept too; give C0 a key {INTERCEPT!r}"
            )
        return penalties, read(given, INTERCEPT)
    if isinstance(C0, Sequence) and not isinstance(C0, str):
        raise InvalidProblemError(
            f"intercept='paper' penalises the intercept too; give C0 as a mapping with a key {INTERCEPT!r}"
        )
    return penalties, read(C0, INTERCEPT)


def _beside_levels(
    C0: object, names: tuple[str, ...], intercept: Intercept, levels: tuple[Levels | None, ...]
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Read C0 for the features without levels; `levels` has the intercept's at its end."""
    counted = (*names, INTERCEPT) if intercept.is_penalised else names
    plain = [name for name, own in zip(counted, levels, strict=False) if own is None]
    if C0 is not None and not plain:
        raise InvalidProblemError(
            f"C0 is {C0!r} and levels are given for all features; "
            "leave C0 out: the penalties of the levels take its place"
        )
    if C0 is not None and not isinstance(C0, Mapping) and np.ndim(C0):  # type: ignore[arg-type]
        raise InvalidProblemError(
            f"C0 has one entry a feature and {names[_first(levels)]!r} has levels; "
            "give C0 as a number, or as a mapping by name, for the others"
        )
    if isinstance(C0, Mapping):
        for key in C0:
            if key in counted and key not in plain:
                raise InvalidProblemError(
                    f"C0 names {key!r}, which has levels; leave it out of C0, or out of levels"
                )
    own, of_intercept = read_size_penalty(
        C0,
        tuple(n for n in plain if n != INTERCEPT),
        intercept if INTERCEPT in plain else Intercept(mode="free"),
    )
    by_name = dict(zip((n for n in plain if n != INTERCEPT), own, strict=True))
    return tuple(by_name.get(name, Fraction(0)) for name in names), of_intercept


def _first(levels: tuple[Levels | None, ...]) -> int:
    return next(j for j, own in enumerate(levels) if own is not None)


def read_l1_penalty(C1: object) -> Fraction | None:
    """Return C1, None for "auto"."""
    if isinstance(C1, str):
        if C1 == "auto":
            return None
        raise InvalidProblemError(f"C1 is {C1!r}; give 'auto', or a number of at least 0")
    return non_negative(C1, "C1")


def read_class_weight(class_weight: object, rows: Rows) -> tuple[Fraction, Fraction]:
    """Return (W-, W+); "balanced" gives each class half of the total weight (appendix B)."""
    if class_weight is None:
        return Fraction(1), Fraction(1)
    negative, positive = rows.classes
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = int(rows.weights.sum(dtype=object))
        of_positive = int(rows.weights[rows.positive].sum(dtype=object))
        return Fraction(total, 2 * (total - of_positive)), Fraction(total, 2 * of_positive)
    if not isinstance(class_weight, Mapping):
        raise InvalidProblemError(
            f"class_weight is {class_weight!r}; use None, 'balanced' or {{label: weight}}"
        )
    for label in class_weight:
        if label not in (negative, positive):
            raise InvalidProblemError(
                f"class_weight names the class {label!r}; the classes are {negative!r} and {positive!r}"
            )
    weights = tuple(non_negative(class_weight.get(c, 1), f"the weight of class {c!r}") for c in rows.classes)
    if not any(weights):
        raise InvalidProblemError("both class weights are 0; give at least one class a positive weight")
    return weights[0], weights[1]
