"""Features of one raw column, and a note on what was done."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from supersparse.base.errors import InvalidDataError, InvalidProblemError
from supersparse.base.exact import shown
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, Rule, ValueOf
from supersparse.card.words import category_text
from supersparse.learn.prepare.cuts import (
    ClassCounts,
    ClassTarget,
    Enough,
    apart,
    by_gain,
    cut_gains,
    find_edges,
    gain,
    optimal_cuts,
    quantile_edges,
    roundness_of,
    tree_cuts,
)
from supersparse.learn.prepare.feature import Feature, domain_of
from supersparse.learn.prepare.raw import RawColumn, counts_as, stand_in
from supersparse.learn.prepare.settings import CutMethod, PrepareSettings, ordered_levels
from supersparse.table.cells import unit_of
from supersparse.table.roles import with_unit
from supersparse.table.values import Category, Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureCandidate:
    feature: Feature
    gain: float
    round: int  # rank within its column; negative if the user requested it


_YES = {"yes", "y", "true", "t", "positive", "pos", "present", "1"}
_MOST_LISTED = 8  # most rare levels that one readable item lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A candidate rule; `gain` is its information about the class, in nats."""

    rule: Rule
    gain: float
    is_asked: bool = False  # requested by the user: always kept


def value_offer(column: RawColumn, target: ClassTarget) -> Offer:
    if any(column.beyond):
        raise InvalidDataError(
            f"column {column.name!r} has {sum(column.beyond)} infinite value(s) (inf), below or above every "
            "number, which points cannot multiply",
            "cut the column, replace them, or make them missing",
        )
    if column.rounded is not None:
        raise InvalidDataError(
            f"column {column.name!r} has too many different values to be used as it is", "cut it, or round it"
        )
    _, codes = column.distinct
    counts = target.take(column.present).by_code(codes, int(codes.max()) + 1)
    return Offer(rule=ValueOf(column.name), gain=_best_cut_gain(counts))


def _best_cut_gain(counts: ClassCounts) -> float:
    n = len(counts.negative)
    best = optimal_cuts(counts, 1, 0.0) if 1 < n <= 1000 else []
    return float(cut_gains(counts)[best[0]]) if best else 0.0


def threshold_offers(column: RawColumn, target: ClassTarget, cuts: CutMethod, most: int, least: float) -> list[Offer]:
    """Offer "x >= t" for the best cuts t; before, between and after them lies a weight of `least` or more."""
    values, codes = column.distinct
    counts = target.take(column.present).by_code(codes, len(values))
    if cuts == "quantile":
        edges = quantile_edges(values, counts, least, most, column.name)
        chosen = apart(edges.bins.both, by_gain(edges.bins, list(range(len(edges.cuts)))), least)
    else:
        edges = find_edges(values, counts, least, column.name)
        choose = optimal_cuts if cuts == "optimal" else tree_cuts
        prices = edges.prices(roundness_of(values, counts.both, column.name), target.price_of_a_step)
        chosen = choose(edges.bins, most, least, prices) if edges.cuts else []
    gains = cut_gains(edges.bins)
    return [Offer(rule=InRange(column.name, low=edges.cuts[cut]), gain=float(gains[cut])) for cut in chosen]


def asked_offers(column: RawColumn, target: ClassTarget, cut_points: Sequence[Fraction]) -> list[Offer]:
    return [_ranged(column, target, InRange(column.name, low=cut), is_asked=True) for cut in sorted(set(cut_points))]


def interval_offers(column: RawColumn, target: ClassTarget, offers: Sequence[Offer], most: int) -> list[Offer]:
    """Offer the most informative intervals between two cuts."""
    cuts = sorted({o.rule.low for o in offers if isinstance(o.rule, InRange) and o.rule.low is not None})
    between = [_ranged(column, target, InRange(column.name, low=low, high=high)) for low, high in combinations(cuts, 2)]
    return sorted(between, key=lambda offer: -offer.gain)[:most]


def _ranged(column: RawColumn, target: ClassTarget, rule: InRange, *, is_asked: bool = False) -> Offer:
    values, codes = column.distinct
    counts = target.take(column.present).by_code(codes, len(values))
    return Offer(rule=rule, gain=gain(counts, rule.mask(values)), is_asked=is_asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOffers:
    """Rules for a column of categories, and the treatment of its rare levels."""

    offers: list[Offer]
    n_levels: int
    rare: list[Category]
    grouped: bool  # whether the rare levels are combined into one item


def level_offers(column: RawColumn, target: ClassTarget, least: float) -> LevelOffers:
    """Offer "x = level" for each level with a weight of at least `least`, and one rule for the others."""
    levels, codes = column.levels
    counts = target.take(column.present).by_code(codes, len(levels))
    weights = counts.both
    enough = weights >= least * (1 - 1e-9)
    rare = sorted((levels[k] for k in np.flatnonzero(~enough)), key=category_text)
    offers = [
        Offer(rule=IsOneOf(column.name, (levels[k],)), gain=gain(counts, np.arange(len(levels)) == k))
        for k in np.flatnonzero(enough)
    ]
    offers.sort(key=lambda offer: (_is_no(offer.rule, len(levels)), -offer.gain, category_text_of(offer.rule)))
    grouped = 1 < len(rare) <= _MOST_LISTED and float(weights[~enough].sum()) >= least * (1 - 1e-9)
    if grouped:
        offers.append(Offer(rule=IsOneOf(column.name, tuple(rare)), gain=gain(counts, ~enough)))
    return LevelOffers(offers=offers, n_levels=len(levels), rare=rare, grouped=grouped)


def ordered_offers(column: RawColumn, target: ClassTarget, order: Sequence[Category], least: float) -> list[Offer]:
    """Offer "x is this level or higher", the most informative first.

    Before, between and after the levels at which offers begin lies a weight of `least` or more.
    """
    levels, codes = column.levels
    counts = target.take(column.present).by_code(codes, len(levels))
    weight = dict(zip(levels, counts.both.tolist(), strict=True))
    by_level = np.array([weight.get(level, 0.0) for level in order])
    offers: dict[int, Offer] = {}
    for k in range(1, len(order)):
        higher = tuple(order[k:])
        inside = np.array([level in higher for level in levels], dtype=bool)
        if min(by_level[:k].sum(), by_level[k:].sum()) >= least * (1 - 1e-9):
            offers[k - 1] = Offer(rule=IsOneOf(column.name, higher), gain=gain(counts, inside))
    best_first = sorted(offers, key=lambda k: -offers[k].gain)
    return [offers[k] for k in apart(by_level, best_first, least)]


def category_text_of(rule: Rule) -> str:
    """The categories of a rule, to break ties."""
    return " ".join(map(category_text, rule.values)) if isinstance(rule, IsOneOf) else ""


def _is_no(rule: Rule, n_levels: int) -> bool:
    """Whether the other of two levels reads better: "smoker = yes" rather than "smoker = no"."""
    assert isinstance(rule, IsOneOf)
    return n_levels == 2 and str(rule.values[0]).strip().casefold() not in _YES


_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*", re.ASCII)
_ALL_THE_SAME = "left out: all values are the same"
_ALIKE = "left out: all numbers have the same first 17 digits, and no cut is sought beyond these"
_EVERY_ROW_ITS_OWN = 20  # from this many rows on, a different number in every row gets a remark


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """The candidates of a column (none if it is left out), and a note on what was done."""

    name: str
    cells: Cells
    candidates: list[FeatureCandidate]
    note: str
    domain: Domain | None


def plan_column(column: RawColumn, kind: str, target: ClassTarget, settings: PrepareSettings) -> ColumnPlan:
    """Make the candidates of a usable column."""
    enough = Enough.of(target, settings.least_share)
    # categories rather than amounts
    named = kind == "categories" or column.name in settings.categorical or column.name in settings.ordered
    without_order = named and column.name not in settings.ordered
    asked = {"a direction": settings.direction, "a shape": settings.shape, "cut points": settings.cut_points}
    what = next((what for what, columns in asked.items() if column.name in columns), None)
    if without_order and what is not None:
        raise InvalidProblemError(
            f"column {column.name!r} has {what}, but contains categories",
            f"convert it to numbers, or list its levels in order with {ordered_levels(column.name)}",
        )
    offers, note = (
        _named_offers(column, target, settings, enough)
        if named
        else _number_offers(column, kind, target, settings, enough)
    )
    value = stand_in(column, target, settings.missing, has_order=not named)
    features = [
        FeatureCandidate(
            feature=Feature(
                rule=offer.rule,
                position=column.position,
                when_missing=counts_as(offer.rule, settings.missing, value, seen=column.n_missing > 0),
                unit=settings.units.get(column.name),
                direction=settings.direction.get(column.name),
            ),
            gain=offer.gain,
            round=-1 if offer.is_asked else k,
        )
        for k, offer in enumerate(offers)
    ]
    if settings.missing == "item" and column.n_missing:
        features.append(_missing_candidate(column, target, len(features)))
    is_enough = float(target.weights[~column.present].sum()) >= enough.weight
    missing_note = _missing_note(column, settings, value, named=named, enough=is_enough)
    if settings.missing == "item" and column.n_missing and is_enough:
        note = note.removeprefix("left out: ")  # a question remains
    return ColumnPlan(
        name=column.name,
        cells=column.cells,
        candidates=features,
        note="; ".join(part for part in (note, beyond_note(column, named), missing_note) if part),
        domain=domain_of(column, named=named),
    )


def _number_offers(
    column: RawColumn, kind: str, target: ClassTarget, settings: PrepareSettings, enough: Enough
) -> tuple[list[Offer], str]:
    name = column.name
    cut_points = settings.cut_points.get(name)
    if len(column.distinct[0]) == 1:
        return [], _ALIKE if column.is_finer_than_doubles else _ALL_THE_SAME
    if cut_points is not None:
        offers = asked_offers(column, target, cut_points)
        note = f"cut at {_listed(offers)} (your cut points)"
    elif kind == "yes or no":
        return [value_offer(column, target)], "yes (1) or no (0)"
    elif name in settings.keep or settings.cuts == "none":
        return [value_offer(column, target)], "its value"
    elif numbers_the_rows(column):
        return [], "left out: it numbers the rows"
    else:
        offers = threshold_offers(column, target, settings.cuts, settings.most_cuts, enough.weight)
        how = {"optimal": "optimal for the class", "tree": "by a tree", "quantile": "at quantiles"}
        note = f"cut at {_listed(offers)}, {how[settings.cuts]}" if offers else _no_cut(settings, enough)
        if column.rounded is not None:
            note += (
                f", sought at multiples of {shown(column.rounded.step)} because about "
                f"{column.rounded.n_different} numbers differ"
            )
    if settings.intervals and not settings.has_shape(name):
        between = interval_offers(column, target, offers, settings.most_cuts)
        offers += between
        note += f", and {len(between)} interval{'' if len(between) == 1 else 's'} between" if between else ""
    if _has_a_number_of_its_own(column):
        note += "; every row has a different whole number: drop the column if it is an identifier"
    return offers, note


def _no_cut(settings: PrepareSettings, enough: Enough) -> str:
    if settings.cuts in ("optimal", "tree"):
        return f"left out: no cut with {enough.in_words} on both sides separates the classes"
    return f"left out: no cut has {enough.in_words} on both sides"


def _named_offers(
    column: RawColumn, target: ClassTarget, settings: PrepareSettings, enough: Enough
) -> tuple[list[Offer], str]:
    order = settings.ordered.get(column.name)
    if order is not None:
        unknown = [level for level in column.levels[0] if level not in order]
        note = f"{len(order)} levels in order"
        if unknown:
            note += f"; {_some(unknown)} not among them: no points"
        offers = ordered_offers(column, target, order, enough.weight)
        if len(offers) < len(order) - 1:
            note += f"; {len(offers)} of {len(order) - 1} steps offered, with {enough.in_words} between"
        return offers, note
    of_levels = level_offers(column, target, enough.weight)
    return of_levels.offers, _levels_note(column, of_levels, enough)


def _levels_note(column: RawColumn, of_levels: LevelOffers, enough: Enough) -> str:
    n_rows = column.n_rows - column.n_missing
    if not of_levels.offers:
        return (
            f"left out: {of_levels.n_levels} different values in {n_rows} rows{_looks_like_numbers(column)}"
            if of_levels.n_levels > 1
            else _ALL_THE_SAME
        )
    levels = "one category" if of_levels.n_levels == 1 else f"{of_levels.n_levels} categories"
    note = f"{levels}{_looks_like_numbers(column)}"
    if of_levels.rare:
        fewer = "less" if "of" in enough.in_words else "fewer"
        share = f"in {fewer} than {enough.in_words}"
        end = "combined into one question" if of_levels.grouped else "no question of their own"
        note += f"; {_some(of_levels.rare)} {share}: {end}"
    return note


def _looks_like_numbers(column: RawColumn) -> str:
    """A remark on text that looks like numbers, or on codes for missing values among numbers."""
    levels = column.levels[0]
    numbers = [level for level in levels if not isinstance(level, str)]
    texts = [level for level in levels if isinstance(level, str)]
    if numbers and texts and any(not isinstance(level, bool) for level in numbers):
        return f" ({_some(sorted(texts))} among numbers: mark it as missing if it is a code for that)"
    if texts and not numbers and all(map(_NUMBER.fullmatch, texts)):
        return " (text that looks like numbers: convert it to numbers to cut it)"
    unit = None if numbers else unit_of(texts)
    if unit is not None:
        return f" ({with_unit(unit)})"
    return ""


def _missing_candidate(column: RawColumn, target: ClassTarget, place: int) -> FeatureCandidate:
    counts = target.by_code(column.present.astype(np.intp), 2)
    feature = Feature(rule=IsMissing(column.name), position=column.position, when_missing=None)
    # in the first round if it is the only candidate, otherwise in the second
    return FeatureCandidate(feature=feature, gain=gain(counts, np.array([True, False])), round=min(1, place))


def beyond_note(column: RawColumn, named: bool) -> str:
    """Say how many values are below or above every number."""
    counts = (0, 0) if named else column.beyond
    sides = [f"{n} {side} every number" for n, side in zip(counts, ("below", "above"), strict=True) if n]
    return " and ".join(sides)


def _missing_note(
    column: RawColumn, settings: PrepareSettings, value: Category | None, *, named: bool, enough: bool
) -> str:
    if not column.n_missing:
        return ""
    of = f"{column.n_missing} of {column.n_rows} missing"
    if settings.missing == "item":
        return f"{of}: " + ("a question of their own" if enough else "too few for a question, no points")
    if settings.missing == "drop":
        return f"{of}: rows dropped"
    assert value is not None
    return f"{of}: replaced by {category_text(value)}, the {'mode' if named else settings.missing}"


def _has_a_number_of_its_own(column: RawColumn) -> bool:
    """Whether every row has a different whole number, like an identifier."""
    n_rows = column.n_rows - column.n_missing
    if column.rounded is not None:
        return column.rounded.n_different == n_rows and column.rounded.whole
    values = column.distinct[0]
    return len(values) == n_rows >= _EVERY_ROW_ITS_OWN and bool((np.mod(values, 1) == 0).all())


def numbers_the_rows(column: RawColumn) -> bool:
    """Whether the numbers are also consecutive."""
    if not _has_a_number_of_its_own(column):
        return False
    if column.rounded is not None:
        return column.rounded.high - column.rounded.low == column.rounded.n_different - 1
    values = column.distinct[0]
    return bool(values[-1] - values[0] == len(values) - 1)


def _listed(offers: list[Offer]) -> str:
    cuts = sorted(o.rule.low for o in offers if isinstance(o.rule, InRange) and o.rule.low is not None)
    return ", ".join(map(shown, cuts))


def _some(levels: list[Category]) -> str:
    names = ", ".join(map(category_text, levels[:3]))
    return names if len(levels) <= 3 else f"{names} and {len(levels) - 3} more"
