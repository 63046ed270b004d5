"""The answers of a question, chosen beforehand on the teacher's shape of its column.

A number is cut into at most four bands where its shape, made monotone, is best approximated by steps; then each cut
moves to the shortest number within 2.5 % of the rows. Categories are put in the order of their effects and grouped in
the same way. A missing value is an answer of its own where enough rows lack the value and it differs from all
others; elsewhere it counts as the answer of the nearest effect.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import counted, exact_value, shown
from supersparse.card.card import Item
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, Rule
from supersparse.card.scoring import multiplied
from supersparse.card.words import category_text, condition
from supersparse.learn.prepare.additive import Bins, Floats, Shapes, best_parts, monotone
from supersparse.learn.prepare.columns import beyond_note
from supersparse.learn.prepare.feature import domain_of
from supersparse.learn.prepare.raw import RawColumn, as_numbers
from supersparse.learn.prepare.round_numbers import shortest
from supersparse.learn.prepare.settings import PrepareSettings, ordered_levels
from supersparse.table.values import Category, Cells, from_on

MOST_CUTS = 3  # of a question, where nobody says
_MOST_BINS, _MOST_LEVELS = 20, 25
_LEAST_ROWS, _LEAST_SHARE = 5, 0.02  # of an answer
_MISSING_ROWS, _MISSING_SHARE, _MISSING_EFFECT = 20, 0.05, 0.3
_REACH = 0.025  # share of the rows that a cut may pass to become a shorter number
_WORTH_A_NOTE = 0.01  # share of the deviance that a free shape must gain to be named


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnQuestion:
    """The question about one raw column: a rule for each answer, in order.

    `missing` is the answer that a missing value gives; None if it is refused. Where that is an answer of its own, it is
    the last one, and stands outside the order.
    """

    column: str
    position: int  # of the raw column in the training table
    rules: tuple[Rule, ...]
    missing: int | None
    shape: str = "either"
    unit: str | None = None

    @property
    def has_not_known(self) -> bool:
        """Whether a missing value is an answer of its own."""
        return isinstance(self.rules[-1], IsMissing)

    def of_cells(self, cells: Cells) -> NDArray[np.uint8]:
        """The number of the answer of every row."""
        answers = np.zeros(len(cells), dtype=np.uint8)
        for k, rule in enumerate(self.rules):
            if not isinstance(rule, IsMissing):
                answers[np.asarray(as_numbers(*multiplied(rule, cells)), bool)] = k
        if cells.missing is not None and self.missing is not None:
            answers[cells.missing] = self.missing
        return answers

    def item(self, answer: int, points: Fraction) -> Item:
        """The line of a card that gives points for an answer."""
        rule, missing = self.rules[answer], None
        if self.missing is not None and not isinstance(rule, IsMissing):
            missing = points if answer == self.missing else Fraction(0)
        return Item(rule=rule, points=points, missing=missing, unit=self.unit, position=self.position)

    @property
    def items_by_name(self) -> dict[str, Callable[[Fraction], Item]]:
        """The line of each answer, by the name that a card on the numbers of answers has for it."""
        return {condition(IsOneOf(self.column, (Fraction(k),))): partial(self.item, k) for k in range(len(self.rules))}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BinnedColumn:
    """A raw column in fine bins, before its answers are chosen."""

    raw: RawColumn
    bins: Bins
    starts: NDArray[np.intp] | None = None  # of a number: the first distinct value of each bin
    levels: tuple[tuple[Category, ...], ...] = ()  # of categories: those of each bin
    is_open: bool = False  # whether the last bin holds what is not listed
    filling: Category | None = None  # what a missing value counts as


def bin_column(
    column: RawColumn, kind: str, settings: PrepareSettings, weights: Floats, filling: Category | None
) -> BinnedColumn | str:
    """Put the values of a column into bins, or say why it is left out; `filling` stands for a missing value."""
    name, present = column.name, column.present
    is_named = kind in ("categories", "yes or no") or name in settings.categorical or name in settings.ordered
    for what, asked in (("a direction", settings.direction), ("a shape", settings.shape)):
        if name in asked and kind == "categories" and name not in settings.ordered and asked[name] != "any":
            raise InvalidProblemError(
                f"column {name!r} has {what}, but contains categories",
                f"list its levels in order with {ordered_levels(name)}",
            )
    codes = np.empty(len(column.cells), dtype=np.intp)
    if not is_named:
        values, places = column.distinct
        if len(values) == 1 and column.n_missing == 0:
            return "left out: all values are the same"
        below = np.cumsum(np.bincount(places, weights[present], len(values)))
        starts = np.arange(len(values))
        if len(values) > _MOST_BINS:
            shares = np.arange(1, _MOST_BINS) / _MOST_BINS * below[-1]
            starts = np.unique(np.concatenate([[0], np.searchsorted(below, shares * (1 - 1e-12))]))
        codes[present] = np.searchsorted(starts, places, side="right") - 1
        codes[~present] = len(starts)
        if filling is not None:
            at = int(np.searchsorted(values, float(Fraction(filling))))
            codes[~present] = int(np.searchsorted(starts, at, side="right")) - 1
        return BinnedColumn(raw=column, bins=Bins(codes, len(starts), True), starts=starts, filling=filling)
    levels, places = column.levels
    if len(levels) == 1 and column.n_missing == 0:
        return "left out: all values are the same"
    weight = np.bincount(places, weights[present], len(levels))
    order: Sequence[Category] | None = settings.ordered.get(name)
    ranked = sorted(range(len(levels)), key=lambda k: (-weight[k], category_text(levels[k])))
    known = [levels[k] for k in ranked[:_MOST_LEVELS]] if order is None else [v for v in order if v in levels]
    if not known:
        return "left out: none of its values is among the levels in order"
    others = tuple(v for v in levels if v not in known)
    if order is None and len(levels) == column.n_rows - column.n_missing > _MOST_LEVELS:
        return f"left out: {len(levels)} different values in {len(levels)} rows"
    place_of = {v: k for k, v in enumerate(known)}
    codes[present] = np.array([place_of.get(v, len(known)) for v in levels], dtype=np.intp)[places]
    groups = (*((v,) for v in known), *([others] if others else []))
    codes[~present] = len(groups) if filling is None else place_of.get(filling, len(known))
    return BinnedColumn(
        raw=column,
        bins=Bins(codes, len(groups), order is not None),
        levels=groups,
        is_open=order is None and bool(others),
        filling=filling,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BandedColumn:
    """A question, the values that its column took, and a note on what was done; or why there is no question."""

    question: ColumnQuestion | None
    domain: Domain | None
    note: str


def choose_answers(
    column: BinnedColumn, effects: Floats, shapes: Shapes, weights: Floats, settings: PrepareSettings
) -> BandedColumn:
    """Choose the answers of a column on its shape."""
    raw, bins = column.raw, column.bins
    rows, working = bins.sums(weights), bins.sums(shapes.weights)
    total = float(weights.sum())
    least = max(_LEAST_ROWS, _LEAST_SHARE * total) if settings.least_share is None else settings.least_share * total
    body = np.arange(bins.count)
    if not bins.in_order:
        body = np.argsort(effects[:-1], kind="stable")
    kept, straggling = (body[rows[body] > 0], body[rows[body] == 0])
    values, worth, held = effects[kept], working[kept] + 1e-12, rows[kept]
    shape = settings.shape_of_answers(raw.name)
    fitted = monotone(values, worth, shape) if bins.in_order else values
    most = (MOST_CUTS if settings.max_cuts == "auto" else settings.max_cuts) + 1
    cut_points = settings.cut_points.get(raw.name)
    note = ""
    if cut_points is not None and column.starts is not None:
        rules, groups = _by_cuts(raw, sorted(set(cut_points))), None
        note = f"cut at {', '.join(map(shown, sorted(set(cut_points))))} (your cut points)"
    else:
        starts = best_parts(fitted, worth, held, most, float(least))
        groups = [kept[a:b] for a, b in zip(starts, [*starts[1:], len(kept)], strict=True)]
        if bins.in_order and column.starts is None:  # levels that no row has go with those below them
            groups = _with_unseen(groups, straggling)
        rules = (
            _categories(column, groups)
            if column.starts is None
            else _by_cuts(raw, _short_cuts(column, [int(group[0]) for group in groups[1:]], weights, float(least)))
        )
        note = _note(column, rules)
    gain = float(worth @ (values - fitted) ** 2) / shapes.null_deviance
    if gain > _WORTH_A_NOTE:
        note += f"; a free shape would gain {gain:.0%} of the deviance (shape {raw.name}=any)"
    question = ColumnQuestion(
        column=raw.name,
        position=raw.position,
        rules=rules,
        missing=None,
        shape=shape,
        unit=settings.units.get(raw.name),
    )
    question, about_missing = _with_missing(question, column, effects, working, float(rows[-1]), total)
    if len(question.rules) < 2:
        few = "no cut" if column.starts is not None else "no grouping"
        return BandedColumn(
            question=None,
            domain=None,
            note=f"left out: {few} with {least:g} rows in every answer separates the classes",
        )
    return BandedColumn(
        question=question, domain=domain_of(raw, named=column.starts is None), note=note + about_missing
    )


def _by_cuts(raw: RawColumn, cuts: Sequence[Fraction]) -> tuple[Rule, ...]:
    """The bands between cuts; a number equal to a cut lies above it."""
    if not cuts:
        return (IsNoneOf(raw.name, ()),)
    return tuple(InRange(raw.name, low, high) for low, high in zip([None, *cuts], [*cuts, None], strict=True))


def _short_cuts(column: BinnedColumn, bins: Sequence[int], weights: Floats, least: float) -> list[Fraction]:
    """Move each cut to the shortest number that passes few rows and leaves every band its least size."""
    raw = column.raw
    assert column.starts is not None
    values, places = raw.distinct
    below = np.concatenate([[0.0], np.cumsum(np.bincount(places, weights[raw.present], len(values)))])
    what = f"column {raw.name!r}"
    whole = values.dtype.kind != "f" or bool((np.floor(values) == values).all())
    at = [int(column.starts[k]) for k in bins]  # the first distinct value above each cut
    reach, tolerance = _REACH * float(below[-1]), 1e-9 * max(1.0, float(below[-1]))
    ends = [0, *at, len(values)]
    cuts: list[Fraction] = []
    for k, place in enumerate(at, start=1):
        before, after = ends[k - 1], ends[k + 1]
        low, high = exact_value(values[place - 1], what), exact_value(values[place], what)
        near = high if whole else (low + high) / 2
        i = np.arange(before + 1, after)
        held = np.minimum(below[i] - below[before], below[after] - below[i])
        fits = (np.abs(below[i] - below[place]) <= reach + tolerance) & (held >= least - tolerance)
        off = i[~fits & (i != place)]  # the places that fit around this one follow one another
        first = int(off[off < place].max(initial=before)) + 1
        last = int(off[off > place].min(initial=after)) - 1
        cut = shortest(exact_value(values[first - 1], what), exact_value(values[last], what), near)
        if cut is None or (cuts and cut <= cuts[-1]):
            cut = high
        ends[k] = first + int(np.argmax(from_on(values[first : last + 1], cut, included=True)))
        cuts.append(cut)
    return cuts


def _with_unseen(groups: list[NDArray[np.intp]], unseen: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    for k in unseen.tolist():
        at = max((g for g, group in enumerate(groups) if group.min() < k), default=0)
        groups[at] = np.append(groups[at], k)
    return groups


def _categories(column: BinnedColumn, groups: Sequence[NDArray[np.intp]]) -> tuple[Rule, ...]:
    """A rule for each group; that with the levels that are too many to list is none of the others."""
    name, last = column.raw.name, len(column.levels) - 1
    named = [tuple(level for k in sorted(group.tolist()) for level in column.levels[k]) for group in groups]
    rules: list[Rule] = []
    for k, group in enumerate(groups):
        if column.is_open and last in group:
            rules.append(IsNoneOf(name, tuple(v for g, levels in enumerate(named) if g != k for v in levels)))
        else:
            rules.append(IsOneOf(name, named[k]))
    return tuple(rules)


def _with_missing(
    question: ColumnQuestion, column: BinnedColumn, effects: Floats, working: Floats, n_missing: float, total: float
) -> tuple[ColumnQuestion, str]:
    """Make a missing value an answer of its own, or that of the nearest effect."""
    raw = column.raw
    if not raw.n_missing:
        return question, ""
    if column.filling is not None:
        filled = next(k for k, rule in enumerate(question.rules) if rule.of_one(column.filling, raw.name))
        return replace(question, missing=filled), (
            f"; {raw.n_missing} of {raw.n_rows} missing: replaced by {category_text(column.filling)}"
        )
    of_rows = question.of_cells(raw.cells)
    bin_answer = np.zeros(column.bins.count, dtype=np.intp)
    bin_answer[column.bins.codes[raw.present]] = of_rows[raw.present]
    worth = working[:-1] + 1e-12
    sums = np.bincount(bin_answer, worth, len(question.rules))
    means = np.bincount(bin_answer, worth * effects[:-1], len(question.rules)) / np.maximum(sums, 1e-300)
    apart = np.where(sums > 0, np.abs(means - effects[-1]), np.inf)
    nearest = int(apart.argmin())
    of = f"; {raw.n_missing} of {raw.n_rows} missing: "
    enough = n_missing >= max(_MISSING_ROWS, _MISSING_SHARE * total)
    if enough and (len(question.rules) == 1 or apart[nearest] > _MISSING_EFFECT):
        rules = (*question.rules, IsMissing(raw.name))
        return replace(question, rules=rules, missing=len(rules) - 1), of + "an answer of their own"
    return replace(question, missing=nearest), f"{of}they count as {condition(question.rules[nearest])!r}"


def _note(column: BinnedColumn, rules: Sequence[Rule]) -> str:
    if column.starts is not None:
        cuts = [shown(rule.low) for rule in rules if isinstance(rule, InRange) and rule.low is not None]
        infinite = beyond_note(column.raw, named=False)
        return (f"cut at {', '.join(cuts)}" if cuts else "not cut") + (f"; {infinite}" if infinite else "")
    levels = sum(map(len, column.levels))
    if column.bins.in_order:
        listed = [category_text(level) for group in column.levels for level in group]
        return f"{levels} categories in order, from {listed[0]} to {listed[-1]}"
    kinds = "1 category" if levels == 1 else f"{levels} categories"
    return kinds if len(rules) == levels else f"{kinds} in {counted(len(rules), 'group')}"


def bins_effect(bins: Bins, guide: Floats, weights: Floats) -> float:
    """How much of a teacher's log odds the bins of a column tell: the sum of squares between them."""
    held, sums = bins.sums(weights), bins.sums(weights * guide)
    mean = sums.sum() / held.sum()
    return float(((sums - held * mean) ** 2 / np.maximum(held, 1e-300)).sum())


def log_odds(risks: Any) -> Floats:
    """The log odds of risks, bounded."""
    clipped = np.clip(np.asarray(risks, float), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(clipped / (1 - clipped)), float)
