"""The parameters of `Prepare`, read and checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from supersparse.data.values import Category, declared_category, nearest_column
from supersparse.errors import InvalidCardError, InvalidProblemError, did_you_mean
from supersparse.exact import exact, read_count
from supersparse.prepare.feature import Direction
from supersparse.prepare.raw import MissingRule

CutMethod = Literal["optimal", "quantile", "tree", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareSettings:
    """The checked parameters of `Prepare`."""

    cuts: CutMethod
    cut_points: Mapping[str, tuple[Fraction, ...]]
    max_cuts: int
    per_variable: int | None
    intervals: bool
    rare: Fraction
    missing: MissingRule
    directions: Mapping[str, Direction]
    keep: frozenset[str]
    categorical: frozenset[str]
    ordered: Mapping[str, tuple[Category, ...]]
    units: Mapping[str, str]
    max_candidates: int | Literal["auto"] | None

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise if a parameter names a column that the table does not have."""
        for what in ("cut_points", "directions", "keep", "categorical", "ordered", "units"):
            for name in getattr(self, what):
                if name not in names:
                    raise InvalidProblemError(
                        f"{what}: there is no column {name!r}; {nearest_column(name, names)}"
                    )


def read_prepare_settings(given: Mapping[str, Any]) -> PrepareSettings:
    """Read the parameters of `Prepare`."""
    settings = PrepareSettings(
        cuts=_one_of(given["cuts"], "cuts", get_args(CutMethod)),
        cut_points={n: _numbers(v, n) for n, v in _mapping(given["cut_points"], "cut_points").items()},
        max_cuts=_at_least_one(given["max_cuts"], "max_cuts"),
        per_variable=_or_none(given["per_variable"], "per_variable"),
        intervals=_yes_or_no(given["intervals"], "intervals"),
        rare=_share(given["rare"]),
        missing=_one_of(given["missing"], "missing", get_args(MissingRule)),
        directions={
            n: _one_of(v, f"directions: the direction of {n!r}", get_args(Direction))
            for n, v in _mapping(given["directions"], "directions").items()
        },
        keep=_names(given["keep"], "keep"),
        categorical=_names(given["categorical"], "categorical"),
        ordered={n: _levels(v, n) for n, v in _mapping(given["ordered"], "ordered").items()},
        units={str(n): str(v) for n, v in _mapping(given["units"], "units").items()},
        max_candidates="auto"
        if given["max_candidates"] == "auto"
        else _or_none(given["max_candidates"], "max_candidates"),
    )
    _check_one_use(settings)
    return settings


def _check_one_use(settings: PrepareSettings) -> None:
    uses = {
        "cut_points": settings.cut_points,
        "keep": settings.keep,
        "categorical": settings.categorical,
        "ordered": settings.ordered,
    }
    listed = list(uses.items())
    for k, (what, names) in enumerate(listed):
        for other, others in listed[k + 1 :]:
            for name in names:
                if name in others:
                    raise InvalidProblemError(
                        f"column {name!r} is in both {what} and {other}; use only one of them"
                    )
    for name in settings.directions:
        if name in settings.categorical:
            raise InvalidProblemError(
                f"column {name!r} has a direction, but categories have no order; "
                "give its levels in order with ordered={column: [lowest, ..., highest]}"
            )


def _one_of(value: object, what: str, known: Sequence[str]) -> Any:
    if value in known:
        return value
    raise InvalidProblemError(f"{what} is {value!r}; {did_you_mean(str(value), known)}")


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InvalidProblemError(f"{what} is {value!r}; give a mapping from column names")
    return value


def _names(value: object, what: str) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidProblemError(f"{what} is {value!r}; give a list of column names")
    return frozenset(map(str, value))


def _numbers(values: object, name: str) -> tuple[Fraction, ...]:
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    found = tuple(exact(v, f"cut_points: a cut point of {name!r}") for v in listed)
    if not found:
        raise InvalidProblemError(
            f"cut_points of {name!r} are empty; give at least one, or remove the column"
        )
    return found


def _levels(values: object, name: str) -> tuple[Category, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidProblemError(f"ordered: {name!r} is {values!r}; give its levels, lowest first")
    try:
        found = tuple(declared_category(v, f"ordered: a level of {name!r}") for v in values)
    except InvalidCardError as error:
        raise InvalidProblemError(str(error)) from None
    if len(found) < 2 or len(set(found)) < len(found):
        raise InvalidProblemError(
            f"ordered: {name!r} needs at least two levels, each listed once; it has {found!r}"
        )
    return found


def _at_least_one(value: object, what: str) -> int:
    number = read_count(value, what)
    if number < 1:
        raise InvalidProblemError(f"{what} is {value!r}; give a whole number of at least 1")
    return number


def _or_none(value: object, what: str) -> int | None:
    return None if value is None else _at_least_one(value, what)


def _yes_or_no(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidProblemError(f"{what} is {value!r}; give True or False")
    return value


def _share(value: object) -> Fraction:
    share = exact(value, "rare")
    if not 0 <= share < Fraction(1, 2):
        raise InvalidProblemError(f"rare is {value!r}; give a share of the rows from 0 to below 0.5")
    return share
