"""Flips: the smallest changes to one person that give the other class.

Smallest means the fewest columns, then the fewest points moved: the sum, over the changed columns, of the
change in points. `moves_of` determines which values a column can change to. The search is exact, with one
exception: if several columns must change together, columns with more than 500 possible values are thinned
out, and points too fine for sums of a million units are rounded down; `proven_smallest` is then False.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, islice, pairwise
from math import ceil, floor, inf, lcm

from supersparse.base.errors import InvalidDataError, did_you_mean
from supersparse.base.exact import exact_value
from supersparse.card.card import Card, Item, Label
from supersparse.card.risk import risk_of
from supersparse.card.rules import Domain, InRange, IsNoneOf, IsOneOf, ValueOf, looks_at_value
from supersparse.card.scoring import item_points, read_person, score_person
from supersparse.table.small_table import Tabular, cell, number
from supersparse.table.values import Category, is_beyond, is_missing


class _Other:
    """Any value that no item of the column names."""

    def __repr__(self) -> str:
        return "another value"


OTHER = _Other()
FlipTarget = Category | _Other


@dataclass(frozen=True, slots=True)
class Piece:
    """Grid points first..last (None: endless) on which the points are base + slope·value."""

    first: int | None
    last: int | None
    base: Fraction
    slope: Fraction


@dataclass(frozen=True, slots=True)
class Grid:
    """Multiples of a step, piece by piece, and the person's position."""

    step: Fraction
    pieces: tuple[Piece, ...]
    start: int  # the grid point nearest to the current value; 0 if it is missing


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of one column: single targets with their points, or a grid."""

    column: str
    before: object
    points: Fraction  # at present
    targets: tuple[tuple[FlipTarget, Fraction], ...] = ()
    grid: Grid | None = None


def moves_of(column: str, items: Sequence[Item], domain: Domain | None, value: object) -> Moves:
    points = _points(items, value)
    if domain is not None and domain.values is not None:
        return Moves(column, value, points, _targets(items, domain.values))
    rules = [item.rule for item in items]
    if not any(looks_at_value(rule) for rule in rules):
        known = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
        return Moves(column, value, points, ((OTHER, known),))
    numeric = any(isinstance(rule, ValueOf | InRange) for rule in rules)
    if not numeric:
        named = [c for rule in rules if isinstance(rule, IsOneOf | IsNoneOf) for c in rule.values]
        if named and all(isinstance(c, bool) for c in named):
            return Moves(column, value, points, _targets(items, (True, False)))
        targets = _targets(items, tuple(dict.fromkeys(named)))
        others = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
        return Moves(column, value, points, (*targets, (OTHER, others)))
    return Moves(column, value, points, grid=_grid(items, domain, value))


def _points(items: Sequence[Item], value: object) -> Fraction:
    return sum((item_points(item, value) for item in items), Fraction(0))


def _targets(items: Sequence[Item], values: Sequence[Category]) -> tuple[tuple[FlipTarget, Fraction], ...]:
    targets: list[tuple[FlipTarget, Fraction]] = []
    for value in values:
        try:
            targets.append((value, _points(items, value)))
        except InvalidDataError:  # a known text, but an item needs a number: nobody can have it
            continue
    return tuple(targets)


def _grid(items: Sequence[Item], domain: Domain | None, value: object) -> Grid:
    low, high = (None, None) if domain is None else (domain.low, domain.high)
    cuts = sorted(_cuts(items))
    if is_beyond(value):  # it stands before the first cut, or behind the last
        now = cuts[0] - 1 if value == -inf else cuts[-1] + 1
    else:
        now = Fraction(0) if is_missing(value) else exact_value(value, "the value")
    step = _step([now, *cuts], whole=domain is not None and domain.whole)
    slope = sum((item.points for item in items if isinstance(item.rule, ValueOf)), Fraction(0))
    edges = [None, *cuts, None]
    pieces = []
    for left, right in pairwise(edges):
        # the open interval between two cuts, then the right cut itself
        inside = _inside(left, right)
        pieces.append(_piece(items, slope, step, left, right, inside, low, high))
        if right is not None:
            pieces.append(_piece(items, slope, step, right, right, right, low, high))
    return Grid(step, tuple(p for p in pieces if p is not None), round(now / step))


def _cuts(items: Sequence[Item]) -> set[Fraction]:
    cuts: set[Fraction] = set()
    for item in items:
        if isinstance(item.rule, InRange):
            cuts |= {b for b in (item.rule.low, item.rule.high) if b is not None}
        elif isinstance(item.rule, IsOneOf | IsNoneOf):
            cuts |= {Fraction(c) for c in item.rule.values if not isinstance(c, str)}
    return cuts


def _step(numbers: Sequence[Fraction], *, whole: bool) -> Fraction:
    common = 1 if whole else lcm(*(n.denominator for n in numbers))
    places = 0
    while places < 30 and 10**places % common:
        places += 1
    return Fraction(1, 10**places if 10**places % common == 0 else common)


def _inside(left: Fraction | None, right: Fraction | None) -> Fraction:
    if left is None:
        return Fraction(0) if right is None else right - 1
    return left + 1 if right is None else (left + right) / 2


def _piece(
    items: Sequence[Item],
    slope: Fraction,
    step: Fraction,
    left: Fraction | None,
    right: Fraction | None,
    inside: Fraction,
    low: Fraction | None,
    high: Fraction | None,
) -> Piece | None:
    closed = left is not None and left == right
    first = None if left is None else (ceil(left / step) if closed else floor(left / step) + 1)
    last = None if right is None else (floor(right / step) if closed else ceil(right / step) - 1)
    if low is not None:
        first = ceil(low / step) if first is None else max(first, ceil(low / step))
    if high is not None:
        last = floor(high / step) if last is None else min(last, floor(high / step))
    if first is not None and last is not None and first > last:
        return None
    base = _points(items, inside) - slope * inside
    return Piece(first, last, base, slope)


_MOST_VALUES = 500
_MOST_SUMS = 2**20


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Change(Tabular):
    """One changed column; `after` is a category, a number, or `moves.OTHER`."""

    column: str
    before: object
    after: FlipTarget
    points_before: Fraction  # of all items on the column
    points_after: Fraction

    def _brief(self) -> str:
        return f"{self.column} {cell(self.before)} -> {cell(self.after)}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Flip(Tabular):
    """Changes that together give the other class."""

    changes: tuple[Change, ...]
    total: Fraction  # after the changes
    label: Label
    risk: float | None  # of the positive class after the changes; None: the card has no risks
    proven_smallest: bool  # no flip has fewer columns, or as few and fewer points

    @property
    def points_moved(self) -> Fraction:
        """Sum of the changes in points over the changed columns."""
        return sum((abs(c.points_after - c.points_before) for c in self.changes), Fraction(0))

    def _brief(self) -> str:
        changes = ", ".join(change._brief() for change in self.changes)
        return f"{changes} gives {self.label}; {number(self.points_moved)} points moved"


Option = tuple[Fraction, FlipTarget]  # the gain (points in the right direction) and the value that gives it


@dataclass(frozen=True, slots=True)
class _Need:
    """The gain needed; `enough` says whether reaching it exactly is."""

    amount: Fraction
    enough: bool

    def met_by(self, gain: Fraction) -> bool:
        return gain > self.amount or (self.enough and gain == self.amount)


def flips(card: Card, person: Mapping[str, object], *, fixed: Collection[str] = (), most: int = 10) -> tuple[Flip, ...]:
    """Find the smallest changes that flip the class, up to a maximum number; empty if there are none.

    Columns in `fixed` do not change.
    """
    for name in fixed:
        if name not in card.columns:
            raise InvalidDataError(f"the card does not use the fixed column {name!r}", did_you_mean(name, card.columns))
    values, total = read_person(card, person), score_person(card, person) + card.zero_total
    cutoff = card.cutoff
    upwards = not cutoff.includes(total)
    need = _Need(abs(total - cutoff.threshold), cutoff.reached == upwards)
    columns = [
        _Gains(moves_of(column, items, domain, values[column]), 1 if upwards else -1)
        for column, items, domain in card.by_column()
        if column not in fixed
    ]
    ways, proven = _smallest([g for g in columns if g.most is None or g.most > 0], need, most)
    return tuple(
        Flip(
            changes=tuple(gains.change(option) for gains, option in way),
            total=(new := total + sum(g.direction * option[0] for g, option in way)),
            label=card.positive if cutoff.includes(new) else card.negative,
            risk=None if card.risk is None else risk_of(card.risk, new),
            proven_smallest=proven,
        )
        for way in ways
    )


class _Gains:
    """The moves of a column as gains."""

    def __init__(self, moves: Moves, direction: int) -> None:
        self.moves, self.direction = moves, direction
        self._single = [(self._gain(points), target) for target, points in moves.targets]
        ends = [g for g, _ in self._single]
        for piece in moves.grid.pieces if moves.grid else ():
            end = piece.last if piece.slope * direction > 0 else piece.first
            if piece.slope and end is None:
                self.most: Fraction | None = None  # no limit
                return
            ends.append(self._at(piece, end if end is not None else 0))
        self.most = max(ends, default=Fraction(0))

    def _gain(self, points: Fraction) -> Fraction:
        return self.direction * (points - self.moves.points)

    def _at(self, piece: Piece, k: int) -> Fraction:
        assert self.moves.grid is not None
        return self._gain(piece.base + piece.slope * k * self.moves.grid.step)

    def change(self, option: Option) -> Change:
        (gain, target), moves = option, self.moves
        after = moves.points + self.direction * gain
        return Change(
            column=moves.column, before=moves.before, after=target, points_before=moves.points, points_after=after
        )

    def least(self, need: _Need) -> list[Option]:
        """The options with the smallest gain that is sufficient on its own."""
        options = [o for o in self._single if need.met_by(o[0])]
        for piece in self.moves.grid.pieces if self.moves.grid else ():
            k = self._least_on(piece, need)
            if k is not None:
                options.append(self._option(piece, k))
        smallest = min((gain for gain, _ in options), default=None)
        return self._without_detours([o for o in options if o[0] == smallest])

    def _without_detours(self, options: list[Option]) -> list[Option]:
        """Keep only the number nearest to the current value for each gain."""
        grid = self.moves.grid
        if grid is None:
            return options
        by_distance = sorted(options, key=lambda o: abs(Fraction(o[1]) - grid.start * grid.step))  # type: ignore[arg-type]
        return list({gain: (gain, target) for gain, target in reversed(by_distance)}.values())

    def _option(self, piece: Piece, k: int) -> Option:
        assert self.moves.grid is not None
        return self._at(piece, k), k * self.moves.grid.step

    def _least_on(self, piece: Piece, need: _Need) -> int | None:
        grid = self.moves.grid
        assert grid is not None
        if piece.slope == 0:
            return _nearest(piece, grid) if need.met_by(self._at(piece, 0)) else None
        rate = self.direction * piece.slope * grid.step
        edge = (need.amount - self._gain(piece.base)) / rate
        if rate > 0:
            k = ceil(edge) if need.enough else floor(edge) + 1
            k = k if piece.first is None else max(k, piece.first)
            return k if piece.last is None or k <= piece.last else None
        k = floor(edge) if need.enough else ceil(edge) - 1
        k = k if piece.last is None else min(k, piece.last)
        return k if piece.first is None or k >= piece.first else None

    def options(self) -> tuple[list[Option], bool]:
        """All options with a gain, and whether the list is complete; only for bounded columns."""
        options, complete = list(self._single), True
        for piece in self.moves.grid.pieces if self.moves.grid else ():
            found_here, all_of_them = self._on(piece)
            options += found_here
            complete &= all_of_them
        return self._without_detours([o for o in options if o[0] > 0]), complete

    def _on(self, piece: Piece) -> tuple[list[Option], bool]:
        assert self.moves.grid is not None
        if piece.slope == 0:
            return [self._option(piece, _nearest(piece, self.moves.grid))], True
        if piece.first is None or piece.last is None:  # unbounded where there is no gain
            end = piece.last if piece.first is None else piece.first
            assert end is not None
            away = -1 if piece.first is None else 1
            span = range(end, end + away * _MOST_VALUES, away)
            return [self._option(piece, k) for k in span], self._at(piece, span[-1]) <= 0
        count = piece.last - piece.first + 1
        if count <= _MOST_VALUES:
            return [self._option(piece, k) for k in range(piece.first, piece.last + 1)], True
        every = ceil(count / _MOST_VALUES)
        thinned = {*range(piece.first, piece.last + 1, every), piece.last}
        return [self._option(piece, k) for k in sorted(thinned)], False


def _nearest(piece: Piece, grid: Grid) -> int:
    k = grid.start if piece.first is None else max(grid.start, piece.first)
    return k if piece.last is None else min(k, piece.last)


Way = list[tuple[_Gains, Option]]


def _smallest(columns: list[_Gains], need: _Need, most: int) -> tuple[list[Way], bool]:
    alone = [(gains, option) for gains in columns for option in gains.least(need)]
    if alone:
        least = min(option[0] for _, option in alone)
        return [[pair] for pair in alone if pair[1][0] == least][:most], True
    limits = sorted((gains.most for gains in columns if gains.most is not None), reverse=True)
    reached = list(accumulate(limits))
    count = next((i + 1 for i, total in enumerate(reached) if need.met_by(total)), None)
    return ([], True) if count is None else _together(columns, need, count, most)


def _together(columns: list[_Gains], need: _Need, count: int, most: int) -> tuple[list[Way], bool]:
    """Find changes of exactly `count` columns with the smallest sufficient gain."""
    listed = [gains.options() for gains in columns]
    proven = all(complete for _, complete in listed)
    options = [options_of_item for options_of_item, _ in listed]
    unit = Fraction(1, lcm(*(gain.denominator for of_item in options for gain, _ in of_item)))
    highest = sum((max(gain for gain, _ in of_item) for of_item in options), Fraction(0))
    if highest / unit > _MOST_SUMS:  # gains are rounded down, so a sufficient sum is truly sufficient
        unit, proven = highest / _MOST_SUMS, False
    units = [[int(gain / unit) for gain, _ in of_item] for of_item in options]
    sums = _sums(units, count)
    start = ceil(need.amount / unit) if need.enough else floor(need.amount / unit) + 1
    enough = sums[0][count] >> start
    if not enough:  # only by rounding
        best = sorted(range(len(columns)), key=lambda i: -max(gain for gain, _ in options[i]))[:count]
        return [[(columns[i], max(options[i], key=lambda o: o[0])) for i in sorted(best)]], False
    target = start + (enough & -enough).bit_length() - 1
    chosen = islice(_ways(units, sums, 0, count, target), most)
    return [[(columns[i], options[i][j]) for i, j in way] for way in chosen], proven


def _sums(units: list[list[int]], count: int) -> list[list[int]]:
    """For each i and c, the sums that c of the columns from i on can gain: bit s is set for s units."""
    sums = [[1] + [0] * count]
    for of_item in reversed(units):
        after = sums[-1]
        here = list(after)
        for c in range(1, count + 1):
            for gain in set(of_item):
                here[c] |= after[c - 1] << gain
        sums.append(here)
    return sums[::-1]


def _ways(
    units: list[list[int]], sums: list[list[int]], i: int, count: int, target: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield (column, option) pairs that gain the target, following only branches that `sums` allows."""
    if count == 0:
        yield []
        return
    for j, gain in enumerate(units[i]):
        if gain <= target and sums[i + 1][count - 1] >> (target - gain) & 1:
            for rest in _ways(units, sums, i + 1, count - 1, target - gain):
                yield [(i, j), *rest]
    if sums[i + 1][count] >> target & 1:
        yield from _ways(units, sums, i + 1, count, target)
