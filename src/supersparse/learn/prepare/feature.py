"""Feature: one prepared column with its rule, and how cards and provenance store it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError, did_you_mean
from supersparse.base.exact import exact, exact_value
from supersparse.base.schema.scalars import plain_number
from supersparse.base.schema.tree import tree_of
from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, IsMissing, Rule, ValueOf
from supersparse.card.scoring import multiplied
from supersparse.card.words import condition
from supersparse.learn.prepare.raw import RawColumn, as_numbers, filled
from supersparse.learn.prepare.settings import Direction
from supersparse.problem.constraints.forms import ConstraintForm
from supersparse.problem.limits import Constraint
from supersparse.problem.points import CoefficientSet
from supersparse.problem.set_forms import SetForm
from supersparse.table.small_table import Tabular
from supersparse.table.values import Cells, Numbers, Objects


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Feature(Tabular):
    """A condition on a raw column, or its value, which a card multiplies by points.

    `when_missing` is what a missing value counts as; None if it is refused.
    """

    rule: Rule
    position: int  # of the raw column in the training table
    when_missing: Fraction | None
    unit: str | None = None
    direction: Direction | None = None  # "+": points of 0 or more only

    @property
    def name(self) -> str:
        """A short name such as "age >= 60", "smoker = yes" or "bmi missing"."""
        return condition(self.rule)

    @property
    def column(self) -> str:
        return self.rule.column

    @property
    def bounds(self) -> tuple[int | None, int | None] | None:
        """Bounds on its points for `Problem.of`; None means no bound."""
        return None if self.direction is None else ((0, None) if self.direction == "+" else (None, 0))

    def item(self, points: Fraction) -> Item:
        """The card item on the raw column, with these points."""
        missing = None
        if self.when_missing is not None and not isinstance(self.rule, IsMissing):
            missing = points * self.when_missing
        return Item(rule=self.rule, points=points, missing=missing, unit=self.unit, position=self.position)

    def of_cells(self, cells: Cells) -> NDArray[Any]:
        """The feature for every row: 0 or 1, or exactly represented numbers."""
        if isinstance(self.rule, IsMissing):
            gone = np.zeros(len(cells), dtype=bool) if cells.missing is None else cells.missing
            return gone.astype(np.int8)
        if isinstance(self.rule, ValueOf) and isinstance(cells, Numbers):
            column = cells.values
        else:
            column = as_numbers(*multiplied(self.rule, cells))
        if cells.missing is None or self.when_missing is None:
            return column
        return filled(column, cells.missing, self.when_missing)

    def _brief(self) -> str:
        return self.name

    _facts = "name column if_missing=when_missing unit direction"


_FEW = 2  # a column with at most this many different numbers lists them in its domain
_MOST_LEVELS = 50


def unit_card(items: Sequence[Item], domains: Mapping[str, Domain], n_columns: int) -> Card:
    """Return a card on the raw columns with one point per feature or answer; it defines which values are accepted."""
    used = dict.fromkeys(item.column for item in items)
    return Card(
        items=tuple(items),
        intercept=Fraction(0),
        negative=0,
        positive=1,
        domains=tuple(domains[name] for name in used if name in domains),
        n_columns=n_columns,
    )


def card_on_raw_columns(card: Card, by_name: Mapping[str, Callable[[Fraction], Item]], known: Card) -> Card:
    """Replace each feature, or answer, by its rule on the raw column; `known` is the `unit_card`."""
    for item in card.items:
        if item.name not in by_name:
            raise InvalidCardError(f"the card's item {item.name!r} is not a feature", did_you_mean(item.name, by_name))
    items = tuple(by_name[item.name](item.points) for item in card.items)
    used = {item.column for item in items}
    domains = tuple(replace(domain, outside="near") for domain in known.domains if domain.column in used)
    # unlike features, raw columns may have missing values, so the stored points no longer apply
    return replace(card, items=items, domains=domains, n_columns=known.n_columns, seen=None)


def domain_of(column: RawColumn, *, named: bool) -> Domain | None:
    """The values of a column in the training rows; None if there are too many to list."""
    if named:
        levels = column.levels[0]
        return Domain(column=column.name, values=tuple(levels)) if len(levels) <= _MOST_LEVELS else None
    if column.rounded is not None:
        known = column.rounded
        return Domain(column=column.name, low=known.low, high=known.high, whole=known.whole)
    values = column.known_numbers
    what = f"a value of column {column.name!r}"
    if len(values) <= _FEW and not any(column.beyond):
        return Domain(column=column.name, values=tuple(exact_value(v, what) for v in values))
    whole = values.dtype.kind != "f" or bool((np.floor(values) == values).all())
    return Domain(column=column.name, low=exact_value(values[0], what), high=exact_value(values[-1], what), whole=whole)


KEY = "prepare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """How the features of a card were made: the parameters of `Prepare`, and the columns."""

    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    texts: tuple[str, ...]  # names of the text columns


def holds_text(cells: Cells) -> bool:
    """Whether a column was text; a file cannot tell if all its text looks like numbers."""
    return isinstance(cells, Objects) and any(isinstance(value, str) for value in cells.distinct)


def with_preparation(
    card: Card,
    recorded: Recorded,
    defaults: Mapping[str, Any],
    features: Sequence[Feature],
    constraints: Sequence[Constraint],
    n_candidates: int,
) -> Card:
    """Return the card with the preparation in its settings, and how many questions there were to choose from.

    Constraints and bounds that came from the preparation are removed from the settings, because other rows
    give other features with other constraints.
    """
    made = card.provenance
    if made is None:
        return card
    made = replace(made, n_candidates=n_candidates)
    if made.settings is None:
        return replace(card, provenance=made)
    content = {
        "columns": list(recorded.columns),
        "texts": list(recorded.texts),
        **{name: plain(value) for name, value in recorded.parameters.items() if not _is_default(value, defaults[name])},
    }
    settings = {**made.settings, KEY: content}
    settings.pop("bounds", None)
    if "points" in settings:
        settings["points"] = _before_bounds(settings["points"], features)
    if "constraints" in settings:
        added = [ConstraintForm().write(constraint) for constraint in constraints]
        settings["constraints"] = [asked for asked in settings["constraints"] if asked not in added]
        if not settings["constraints"]:
            del settings["constraints"]
    return replace(card, provenance=replace(made, settings=settings))


def _before_bounds(points: Any, features: Sequence[Feature]) -> Any:
    """The common set before the feature bounds narrowed it; sets that differ otherwise do not change."""
    if not isinstance(points, Mapping):
        return points
    form = SetForm()
    sets = {name: form.read(tree_of(one), name) for name, one in points.items()}
    whole = CoefficientSet.of({value for one in sets.values() for value in one.values})
    for feature in features:
        low, high = feature.bounds or (None, None)
        if sets.get(feature.name) != whole.within(low, high, feature.name):
            return points
    return form.write(whole)


def taken_apart(settings: Mapping[str, Any]) -> tuple[Mapping[str, Any], Recorded | None]:
    """Split the settings of a card into problem settings and preparation (None if there was none)."""
    if KEY not in settings:
        return settings, None
    try:
        content = dict(settings[KEY])
        columns, texts = (tuple(map(str, content.pop(name))) for name in ("columns", "texts"))
        recorded = Recorded(
            parameters={name: plain_value(value) for name, value in content.items()}, columns=columns, texts=texts
        )
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidCardError(f"the card's record of how its features were made is damaged: {error}") from None
    return {name: value for name, value in settings.items() if name != KEY}, recorded


def _is_default(value: object, default: object) -> bool:
    return value is default or (
        isinstance(value, str | int | float | tuple) and type(value) is type(default) and value == default
    )


def plain(value: object) -> object:
    """The value for JSON; numbers stay exact, as the float with the same decimal or as a fraction."""
    if value is None or isinstance(value, str | bool | np.bool_):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, Mapping):
        return {str(name): plain(v) for name, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(v) for v in (value.tolist() if isinstance(value, np.ndarray) else value)]
    number = plain_number(exact(value, "a parameter of the preparation"))
    return {"fraction": number} if isinstance(number, str) else number


def plain_value(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["fraction"]:
        return Fraction(value["fraction"])
    if isinstance(value, dict):
        return {key: plain_value(v) for key, v in value.items()}
    return [plain_value(v) for v in value] if isinstance(value, list) else value
