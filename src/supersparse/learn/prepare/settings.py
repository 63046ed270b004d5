"""The parameters of `Prepare`, read and checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

from supersparse.base.errors import InvalidCardError, InvalidProblemError, did_you_mean
from supersparse.base.exact import exact, read_whole
from supersparse.learn.prepare.feature import Direction
from supersparse.learn.prepare.raw import MissingRule
from supersparse.table.values import Category, declared_category, nearest_column

CutMethod = Literal["optimal", "quantile", "tree", "none"]
Shape = Literal["monotone", "rising", "falling", "any"]
_BY_COLUMN = ("cut_points", "direction", "shape", "keep", "categorical", "ordered", "units")
_DIRECTION_OF = {"rising": "+", "falling": "-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareSettings:
    """The checked parameters of `Prepare`."""

    cuts: CutMethod
    cut_points: Mapping[str, tuple[Fraction, ...]]
    max_cuts: int
    per_variable: int | None
    intervals: bool
    rare: Fraction | None  # None: as `Enough` says
    missing: MissingRule
    direction: Mapping[str, Direction]  # of a rising or falling shape too
    shape: Mapping[str, Shape]
    keep: frozenset[str]
    categorical: frozenset[str]
    ordered: Mapping[str, tuple[Category, ...]]
    units: Mapping[str, str]
    candidates: int | Literal["auto"] | None

    def has_shape(self, column: str) -> bool:
        """Whether the user asked that the points of a column rise or fall."""
        return column in self.direction or self.shape.get(column, "any") != "any"

    def is_monotone(self, column: str) -> bool:
        """Whether the points of a column rise or fall, in a direction that is open."""
        default = "any" if self.intervals else "monotone"
        return column not in self.direction and self.shape.get(column, default) == "monotone"

    @property
    def named(self) -> frozenset[str]:
        """The columns that a parameter names."""
        return frozenset(name for what in _BY_COLUMN for name in getattr(self, what))

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise if a parameter names a column that the table does not have."""
        known = set(names)
        for what in _BY_COLUMN:
            for name in getattr(self, what):
                if name not in known:
                    raise InvalidProblemError(
                        f"{what}: there is no column {name!r}; {nearest_column(name, names)}"
                    )


def read_prepare_settings(given: Mapping[str, Any]) -> PrepareSettings:
    """Read the parameters of `Prepare`."""
    shape = {
        n: _one_of(v, f"shape: the shape of {n!r}", get_args(Shape))
        for n, v in _mapping(given["shape"], "shape").items()
    }
    settings = PrepareSettings(
        cuts=_one_of(given["cuts"], "cuts", get_args(CutMethod)),
        cut_points={n: _numbers(v, n) for n, v in _mapping(given["cut_points"], "cut_points").items()},
        max_cuts=read_whole(given["max_cuts"], "max_cuts", 1),
        per_variable=_or_none(given["per_variable"], "per_variable"),
        intervals=_yes_or_no(given["intervals"], "intervals"),
        rare=None if given["rare"] == "auto" else _share(given["rare"]),
        missing=_one_of(given["missing"], "missing", get_args(MissingRule)),
        direction=_directions(given["direction"], shape),
        shape=shape,
        keep=_names(given["keep"], "keep"),
        categorical=_names(given["categorical"], "categorical"),
        ordered={n: _levels(v, n) for n, v in _mapping(given["ordered"], "ordered").items()},
        units={str(n): str(v) for n, v in _mapping(given["units"], "units").items()},
        candidates="auto" if given["candidates"] == "auto" else _or_none(given["candidates"], "candidates"),
    )
    _check_one_use(settings)
    return settings


def with_orders(settings: PrepareSettings, orders: Mapping[str, tuple[str, ...]]) -> PrepareSettings:
    """Take over the order of categories that the table knows, unless a parameter says how to use them."""
    used = {*settings.cut_points, *settings.keep, *settings.categorical, *settings.ordered}
    found = {name: levels for name, levels in orders.items() if name not in used}
    return replace(settings, ordered={**settings.ordered, **found}) if found else settings


def ordered_levels(column: str) -> str:
    """How the levels of a column are put in order, in Python and in a settings file."""
    return f"ordered={{{column!r}: [lowest, ..., highest]}}, in a settings file under prepare"


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
    for name in (*settings.direction, *settings.shape):
        if name in settings.categorical:
            what = "a direction" if name in settings.direction else "a shape"
            raise InvalidProblemError(
                f"column {name!r} has {what}, but categories have no order; list its levels in order "
                f"with {ordered_levels(name)}"
            )


def _directions(given: object, shape: Mapping[str, Shape]) -> dict[str, Direction]:
    """The directions asked for, by themselves or as a rising or falling shape."""
    found: dict[str, Direction] = {
        n: _one_of(v, f"direction: the direction of {n!r}", get_args(Direction))
        for n, v in _mapping(given, "direction").items()
    }
    for name, own in shape.items():
        of_shape = _DIRECTION_OF.get(own)
        if name in found and own != "monotone" and found[name] != of_shape:
            raise InvalidProblemError(
                f"column {name!r} has the direction {found[name]!r} and the shape {own!r}; give one of them"
            )
        if of_shape is not None:
            found[name] = _one_of(of_shape, "direction", get_args(Direction))
    return found


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


def _or_none(value: object, what: str) -> int | None:
    return None if value is None else read_whole(value, what, 1)


def _yes_or_no(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidProblemError(f"{what} is {value!r}; give True or False")
    return value


def _share(value: object) -> Fraction:
    share = exact(value, "rare")
    if not 0 <= share < Fraction(1, 2):
        raise InvalidProblemError(
            f"rare is {value!r}; give a share of the rows from 0 to below 0.5, or 'auto'"
        )
    return share
