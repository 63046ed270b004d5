"""What becomes of one raw column: the features it offers, and a sentence that says so."""

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from supersparse.card.cells import Cells
from supersparse.card.domain import Domain
from supersparse.card.rules import InRange, IsMissing
from supersparse.card.values import Category
from supersparse.card.words import category_text
from supersparse.decimals import shown
from supersparse.errors import InvalidProblemError
from supersparse.prepare.candidates import (
    LevelOffers,
    Offer,
    given_offers,
    interval_offers,
    level_offers,
    ordered_offers,
    threshold_offers,
    value_offer,
)
from supersparse.prepare.cards import domain_of
from supersparse.prepare.counts import Target, gain
from supersparse.prepare.feature import Feature
from supersparse.prepare.missing import counts_as, stand_in
from supersparse.prepare.raw import RawColumn
from supersparse.prepare.screening import Candidate
from supersparse.prepare.settings import PrepareSettings

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*", re.ASCII)
_ALL_THE_SAME = "left out, all values are the same"
_EVERY_ROW_ITS_OWN = 20  # rows from which on a number of its own in every row is worth a remark


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """The candidates of a column, none where it is left out, and what was done in words."""

    name: str
    cells: Cells
    candidates: list[Candidate]
    note: str
    domain: Domain | None


def is_category(name: str, kind: str, settings: PrepareSettings) -> bool:
    """Whether the values of a column are names rather than amounts."""
    return kind == "categories" or name in settings.categorical or name in settings.ordered


def plan_column(column: RawColumn, kind: str, target: Target, settings: PrepareSettings) -> ColumnPlan:
    """Make the candidates of a column that can be used."""
    least = float(settings.rare) * target.total
    named = is_category(column.name, kind, settings)
    without_order = named and column.name not in settings.ordered
    if without_order and (column.name in settings.directions or column.name in settings.cut_points):
        what = "a direction" if column.name in settings.directions else "cut points"
        raise InvalidProblemError(
            f"column {column.name!r} has {what}, but it holds categories; convert it to numbers, or give "
            "its levels in order with ordered={column: [lowest, ..., highest]}"
        )
    offers, note = (
        _named_offers(column, target, settings, least)
        if named
        else _number_offers(column, kind, target, settings, least)
    )
    value = stand_in(column, target, settings.missing, has_order=not named)
    features = [
        Candidate(
            feature=Feature(
                rule=offer.rule,
                position=column.position,
                when_missing=counts_as(offer.rule, settings.missing, value),
                unit=settings.units.get(column.name),
                direction=settings.directions.get(column.name),
            ),
            gain=offer.gain,
            round=-1 if offer.given else k,
        )
        for k, offer in enumerate(offers)
    ]
    if settings.missing == "item" and column.n_missing:
        features.append(_missing_candidate(column, target, len(features)))
    enough = float(target.weights[~column.present].sum()) >= least
    missing_note = _missing_note(column, settings, value, named=named, enough=enough)
    return ColumnPlan(
        name=column.name,
        cells=column.cells,
        candidates=features,
        note="; ".join(part for part in (note, missing_note) if part),
        domain=domain_of(column, named=named),
    )


def _number_offers(
    column: RawColumn, kind: str, target: Target, settings: PrepareSettings, least: float
) -> tuple[list[Offer], str]:
    name = column.name
    given = settings.cut_points.get(name)
    if len(column.distinct[0]) == 1:
        return [], _ALL_THE_SAME
    if given is not None:
        offers = given_offers(column, target, given)
        note = f"cut at {_listed(offers)} as given"
    elif kind == "yes or no":
        return [value_offer(column, target)], "yes (1) or no (0)"
    elif name in settings.keep or settings.cuts == "none":
        return [value_offer(column, target)], "its value"
    elif _numbers_the_rows(column):
        return [], "left out, it numbers the rows"
    else:
        offers = threshold_offers(column, target, settings.cuts, settings.max_cuts, least)
        how = {"optimal": "by the class", "tree": "by a tree", "quantile": "at quantiles"}
        note = f"cut at {_listed(offers)}, {how[settings.cuts]}" if offers else _no_cut(settings)
    if settings.intervals and name not in settings.directions:
        between = interval_offers(column, target, offers, settings.max_cuts)
        offers += between
        note += f", and {len(between)} interval{'' if len(between) == 1 else 's'} between" if between else ""
    if _has_a_number_of_its_own(column):
        note += "; every row has another whole number: leave it out if it is an identifier"
    return offers, note


def _no_cut(settings: PrepareSettings) -> str:
    if settings.cuts in ("optimal", "tree"):
        return "left out, no cut tells the classes apart"
    return f"left out, no cut leaves a share of {shown(settings.rare)} of the rows on both sides"


def _named_offers(
    column: RawColumn, target: Target, settings: PrepareSettings, least: float
) -> tuple[list[Offer], str]:
    order = settings.ordered.get(column.name)
    if order is not None:
        unknown = [level for level in column.levels[0] if level not in order]
        note = f"{len(order)} levels in order"
        if unknown:
            note += f"; {_some(unknown)} not among them, without points"
        return ordered_offers(column, target, order), note
    found = level_offers(column, target, least)
    return found.offers, _levels_note(column, found, settings.rare)


def _levels_note(column: RawColumn, found: LevelOffers, rare: Fraction) -> str:
    n_rows = int(column.present.sum())
    if not found.offers:
        return (
            f"left out, {found.n_levels} different values in {n_rows} rows"
            if found.n_levels > 1
            else _ALL_THE_SAME
        )
    levels = "one category" if found.n_levels == 1 else f"{found.n_levels} categories"
    note = f"{levels}{_looks_like_numbers(column)}"
    if found.rare:
        share = f"below a share of {shown(rare)} of the rows"
        end = "together in one item" if found.grouped else "without an item of their own"
        note += f"; {_some(found.rare)} {share}, {end}"
    return note


def _looks_like_numbers(column: RawColumn) -> str:
    """A remark on text that may have been meant as numbers, or hides missing values among them."""
    levels = column.levels[0]
    numbers = [level for level in levels if not isinstance(level, str)]
    texts = [level for level in levels if isinstance(level, str)]
    if numbers and texts and any(not isinstance(level, bool) for level in numbers):
        return f" ({_some(sorted(texts))} among numbers: make it missing if it stands for that)"
    if texts and not numbers and all(map(_NUMBER.fullmatch, texts)):
        return " (text that looks like numbers: convert it to have it cut)"
    return ""


def _missing_candidate(column: RawColumn, target: Target, place: int) -> Candidate:
    counts = target.by_code(column.present.astype(np.intp), 2)
    feature = Feature(rule=IsMissing(column.name), position=column.position, when_missing=None)
    # in the first round where it is all there is, in the second otherwise
    return Candidate(feature=feature, gain=gain(counts, np.array([True, False])), round=min(1, place))


def _missing_note(
    column: RawColumn, settings: PrepareSettings, value: Category | None, *, named: bool, enough: bool
) -> str:
    if not column.n_missing:
        return ""
    of = f"{column.n_missing} of {len(column.cells)} missing"
    if settings.missing == "item":
        return f"{of}: " + ("an item of its own" if enough else "too few for an item, they give no points")
    if settings.missing == "drop":
        return f"{of}: rows dropped"
    if settings.missing == "nearest":
        return f"{of}: filled from the most similar row; a card refuses them until they are filled"
    assert value is not None
    return f"{of}: taken as {category_text(value)}, the {'mode' if named else settings.missing}"


def _has_a_number_of_its_own(column: RawColumn) -> bool:
    """Whether every row has another whole number, as identifiers are."""
    values = column.distinct[0]
    n_rows = int(column.present.sum())
    return len(values) == n_rows >= _EVERY_ROW_ITS_OWN and bool((np.mod(values, 1) == 0).all())


def _numbers_the_rows(column: RawColumn) -> bool:
    """Whether these numbers are consecutive besides."""
    values = column.distinct[0]
    return _has_a_number_of_its_own(column) and values[-1] - values[0] == len(values) - 1


def _listed(offers: list[Offer]) -> str:
    cuts = sorted(o.rule.low for o in offers if isinstance(o.rule, InRange) and o.rule.low is not None)
    return ", ".join(map(shown, cuts))


def _some(levels: list[Category]) -> str:
    names = ", ".join(map(category_text, levels[:3]))
    return names if len(levels) <= 3 else f"{names} and {len(levels) - 3} more"
