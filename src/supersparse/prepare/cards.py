"""Cards over features, and the same cards over raw columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from supersparse.card.card import Card
from supersparse.card.domain import Domain
from supersparse.card.numbers import exact
from supersparse.errors import InvalidCardError, did_you_mean
from supersparse.prepare.feature import Feature
from supersparse.prepare.raw import RawColumn

_FEW = 2  # a column with so many different numbers or fewer has them listed in its domain
_MOST_LEVELS = 50


def unit_card(features: Sequence[Feature], domains: Mapping[str, Domain], n_columns: int) -> Card:
    """Return a card on the raw columns with one point for every feature: what all of them accept."""
    used = dict.fromkeys(feature.column for feature in features)
    return Card(
        items=tuple(feature.item(Fraction(1)) for feature in features),
        intercept=Fraction(0),
        negative=0,
        positive=1,
        domains=tuple(domains[name] for name in used if name in domains),
        n_columns=n_columns,
    )


def card_on_raw_columns(card: Card, features: Sequence[Feature], known: Card) -> Card:
    """Put the rule of each feature in the place of its value; `known` is the `unit_card`."""
    by_name = {feature.name: feature for feature in features}
    for item in card.items:
        if item.name not in by_name:
            raise InvalidCardError(
                f"the card has an item {item.name!r}, which is no feature; {did_you_mean(item.name, by_name)}"
            )
    items = tuple(by_name[item.name].item(item.points) for item in card.items)
    used = {item.column for item in items}
    domains = tuple(domain for domain in known.domains if domain.column in used)
    # features have no missing values, raw columns may have had them: what they gave must be looked at anew
    return replace(card, items=items, domains=domains, n_columns=known.n_columns, seen=None)


def domain_of(column: RawColumn, *, named: bool) -> Domain | None:
    """The values that a column took in the training rows; None where they are too many to list."""
    if named:
        levels = column.levels[0]
        return Domain(column=column.name, values=tuple(levels)) if len(levels) <= _MOST_LEVELS else None
    values = column.distinct[0]
    what = f"a value of column {column.name!r}"
    if len(values) <= _FEW:
        return Domain(column=column.name, values=tuple(exact(v, what) for v in values))
    whole = values.dtype.kind != "f" or bool((np.floor(values) == values).all())
    return Domain(column=column.name, low=exact(values[0], what), high=exact(values[-1], what), whole=whole)
