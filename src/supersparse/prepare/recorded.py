"""The preparation as a part of a card's provenance, so that the card can be learned again from raw columns.

It stands in the settings, under "prepare": the parameters that are not defaults, and the raw columns with
those among them that held text.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from supersparse.card.card import Card
from supersparse.card.cells import Cells, Objects
from supersparse.decimals import exact
from supersparse.errors import InvalidCardError
from supersparse.prepare.feature import Feature
from supersparse.problem.coefficients import CoefficientSet
from supersparse.problem.file.by_name import ByName
from supersparse.problem.file.forms.scalars import plain_number
from supersparse.problem.file.json_tree import json_tree
from supersparse.problem.file.settings import Settings
from supersparse.problem.limits import Constraint

KEY = "prepare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """How the features of a card were made: what `Prepare` was given, and from which columns."""

    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    texts: tuple[str, ...]  # those of the columns that held text


def holds_text(cells: Cells) -> bool:
    """Whether a column held text, which a file does not show where all of it looks like numbers."""
    return isinstance(cells, Objects) and any(isinstance(value, str) for value in cells.distinct)


def with_preparation(
    card: Card,
    recorded: Recorded,
    defaults: Mapping[str, Any],
    features: Sequence[Feature],
    constraints: Sequence[Constraint],
) -> Card:
    """Return the card with the preparation among its settings; unchanged where there are no settings.

    What the preparation put into the question, its constraints and the bounds of its features, is taken
    out of the settings: other rows give other features, and other constraints on them.
    """
    made = card.provenance
    if made is None or made.settings is None:
        return card
    content = {
        "columns": list(recorded.columns),
        "texts": list(recorded.texts),
        **{
            name: _plain(value)
            for name, value in recorded.parameters.items()
            if not _is_default(value, defaults[name])
        },
    }
    asked = Settings.from_tree(json_tree(made.settings, "the settings of the card"))
    own = asked.changed(
        constraints=[c for c in asked.constraints if c not in constraints],
        coef_set=_before_bounds(asked.coef_set, features),
        bounds=None,
    )
    settings = json.dumps({**own.to_dict(), KEY: content})
    return replace(card, provenance=replace(made, settings=settings))


def _before_bounds(coef_set: object, features: Sequence[Feature]) -> object:
    """The one set that the bounds of features narrowed; sets that differ besides stay as they are."""
    if not isinstance(coef_set, ByName):
        return coef_set
    whole = CoefficientSet.of({value for one in coef_set.values() for value in one.values})
    for feature in features:
        low, high = feature.bounds or (None, None)
        if coef_set.get(feature.name) != whole.within(low, high, feature.name):
            return coef_set
    return whole


def taken_apart(settings: str) -> tuple[str, Recorded | None]:
    """Divide the settings of a card into the question and the preparation, None where there was none."""
    content = json.loads(settings)
    if KEY not in content:
        return settings, None
    found = content.pop(KEY)
    try:
        columns, texts = (tuple(map(str, found.pop(name))) for name in ("columns", "texts"))
        recorded = Recorded(
            parameters={name: _read(value) for name, value in found.items()},
            columns=columns,
            texts=texts,
        )
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidCardError(
            f"the card's record of how its features were made is damaged: {error}"
        ) from None
    return json.dumps(content), recorded


def _is_default(value: object, default: object) -> bool:
    return value is default or (
        isinstance(value, str | int | float | tuple) and type(value) is type(default) and value == default
    )


def _plain(value: object) -> object:
    """The value as JSON holds it; numbers stay exact, as the float of the same decimal or as a fraction."""
    if value is None or isinstance(value, str | bool | np.bool_):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(v) for name, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [_plain(v) for v in (value.tolist() if isinstance(value, np.ndarray) else value)]
    number = plain_number(exact(value, "a parameter of the preparation"))
    return {"fraction": number} if isinstance(number, str) else number


def _read(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["fraction"]:
        return Fraction(value["fraction"])
    if isinstance(value, dict):
        return {key: _read(v) for key, v in value.items()}
    return [_read(v) for v in value] if isinstance(value, list) else value
