"""Candidates: the features that one raw column offers, the most useful first."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

import numpy as np

from supersparse.card.rules import InRange, IsOneOf, Rule, ValueOf
from supersparse.card.values import Category
from supersparse.card.words import category_text
from supersparse.prepare.counts import ClassCounts, Target, gain
from supersparse.prepare.cuts import by_gain, optimal_cuts, tree_cuts
from supersparse.prepare.edges import Edges, find_edges, quantile_edges
from supersparse.prepare.raw import RawColumn

Cuts = Literal["optimal", "quantile", "tree", "none"]

_YES = {"yes", "y", "true", "t", "positive", "pos", "present", "1"}
_MOST_LISTED = 8  # rare levels that one item may list and still be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A rule that a feature could follow; `gain` is its information about the class, in nats."""

    rule: Rule
    gain: float
    given: bool = False  # by the user: kept whatever it tells


def value_offer(column: RawColumn, target: Target) -> Offer:
    """Offer the value itself."""
    _, codes = column.distinct
    counts = target.take(column.present).by_code(codes, int(codes.max()) + 1)
    return Offer(rule=ValueOf(column.name), gain=_best_cut_gain(counts))


def _best_cut_gain(counts: ClassCounts) -> float:
    n = len(counts.negative)
    best = optimal_cuts(counts, 1, 0.0) if 1 < n <= 1000 else []
    return gain(counts, np.arange(n) > best[0]) if best else 0.0


def threshold_offers(column: RawColumn, target: Target, cuts: Cuts, most: int, least: float) -> list[Offer]:
    """Offer "x >= t" for at most so many cuts t, each with a weight of `least` or more on both sides."""
    values, codes = column.distinct
    counts = target.take(column.present).by_code(codes, len(values))
    if cuts == "quantile":
        edges = quantile_edges(values, counts, least, most, column.name)
        chosen = by_gain(edges.bins, list(range(len(edges.cuts))))
    else:
        edges = find_edges(values, counts, least, column.name)
        choose = optimal_cuts if cuts == "optimal" else tree_cuts
        chosen = choose(edges.bins, most, least) if edges.cuts else []
    return [_threshold(column.name, edges, cut) for cut in chosen]


def _threshold(name: str, edges: Edges, cut: int) -> Offer:
    above = np.arange(len(edges.bins.negative)) > cut
    return Offer(rule=InRange(name, low=edges.cuts[cut]), gain=gain(edges.bins, above))


def given_offers(column: RawColumn, target: Target, cut_points: Sequence[Fraction]) -> list[Offer]:
    """Offer the cut points that the user gave."""
    return [
        _ranged(column, target, InRange(column.name, low=cut), given=True) for cut in sorted(set(cut_points))
    ]


def interval_offers(column: RawColumn, target: Target, offers: Sequence[Offer], most: int) -> list[Offer]:
    """Offer the intervals between any two of the cuts, the most telling ones."""
    cuts = sorted({o.rule.low for o in offers if isinstance(o.rule, InRange) and o.rule.low is not None})
    found = [
        _ranged(column, target, InRange(column.name, low=low, high=high))
        for low, high in combinations(cuts, 2)
    ]
    return sorted(found, key=lambda offer: -offer.gain)[:most]


def _ranged(column: RawColumn, target: Target, rule: InRange, *, given: bool = False) -> Offer:
    values, codes = column.distinct
    counts = target.take(column.present).by_code(codes, len(values))
    return Offer(rule=rule, gain=gain(counts, rule.mask(values)), given=given)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOffers:
    """What a column of categories offers, and what became of its rare levels."""

    offers: list[Offer]
    n_levels: int
    rare: list[Category]
    grouped: bool  # whether the rare levels share an item


def level_offers(column: RawColumn, target: Target, least: float) -> LevelOffers:
    """Offer "x = level" for each level that has a weight of `least`, and the others together."""
    levels, codes = column.levels
    counts = target.take(column.present).by_code(codes, len(levels))
    weights = counts.both
    enough = weights >= least * (1 - 1e-9)
    rare = sorted((levels[k] for k in np.flatnonzero(~enough)), key=category_text)
    offers = [
        Offer(rule=IsOneOf(column.name, (levels[k],)), gain=gain(counts, np.arange(len(levels)) == k))
        for k in np.flatnonzero(enough)
    ]
    offers.sort(
        key=lambda offer: (_is_no(offer.rule, len(levels)), -offer.gain, category_text_of(offer.rule))
    )
    grouped = 1 < len(rare) <= _MOST_LISTED and float(weights[~enough].sum()) >= least * (1 - 1e-9)
    if grouped:
        offers.append(Offer(rule=IsOneOf(column.name, tuple(rare)), gain=gain(counts, ~enough)))
    return LevelOffers(offers=offers, n_levels=len(levels), rare=rare, grouped=grouped)


def ordered_offers(column: RawColumn, target: Target, order: Sequence[Category]) -> list[Offer]:
    """Offer "x is this level or a higher one" for all but the lowest."""
    levels, codes = column.levels
    counts = target.take(column.present).by_code(codes, len(levels))
    found = []
    for k in range(1, len(order)):
        higher = tuple(order[k:])
        inside = np.array([level in higher for level in levels], dtype=bool)
        found.append(Offer(rule=IsOneOf(column.name, higher), gain=gain(counts, inside)))
    return sorted(found, key=lambda offer: -offer.gain)


def category_text_of(rule: Rule) -> str:
    """The categories of a rule, to break ties."""
    return " ".join(map(category_text, rule.values)) if isinstance(rule, IsOneOf) else ""


def _is_no(rule: Rule, n_levels: int) -> bool:
    """Whether, of two levels, this one is better said by the other: "smoker = yes" rather than "= no"."""
    assert isinstance(rule, IsOneOf)
    return n_levels == 2 and str(rule.values[0]).strip().casefold() not in _YES
