"""The decision tree of a card with the fewest leaves.

The order of the questions may differ between branches. Ties go to the tree with the fewest questions on
average, then to card order.

If each column has two cases, asking for the largest points first gives a smallest tree. Call a set of items just enough
for the positive class if removing any item makes it insufficient. Each such set has its own leaf in every tree: the
person with exactly these items reaches a leaf where exactly they were answered with yes. The same holds for the sets
whose absence is just enough for the negative class. And this tree has no other leaves: the answer that settles the
class is about the smallest item so far, and without it the class was open.
"""

import sys
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, gcd, lcm

from supersparse.base.errors import InvalidCardError, InvalidDataError, InvalidOptionError
from supersparse.card.card import Card, Cutoff, Item
from supersparse.card.checks import check_person
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, Rule, ValueOf, accepting_domains
from supersparse.card.scoring import item_points
from supersparse.card.words import question as words_for
from supersparse.table.plain import visible
from supersparse.table.small_table import Tabular
from supersparse.table.values import is_missing

OpenCases = tuple[tuple[tuple[bool, ...], int], ...]  # answers to the questions of a column, and points
Cost = tuple[int, int]  # leaves, and the sum of their depths

_MOST_SUM = 20_000  # points up to which reachable sums are listed


@dataclass(frozen=True, slots=True)
class TreeState:
    """More than `needed` points give the positive class; each of `pairs` gives its points or none."""

    needed: int
    pairs: tuple[int, ...]
    others: tuple[OpenCases, ...]  # columns with three or more cases, the lowest with 0 points


class TooManyStatesError(Exception):
    """There are more states than the limit."""


def state_of(columns: list[OpenCases], needed: int) -> TreeState | bool:
    """The state with these cases left, or the class if it is certain."""
    pairs, others = [], []
    most = 0
    for cases in columns:
        least = min(points for _, points in cases)
        needed -= least
        spread = max(points for _, points in cases) - least
        if spread == 0:
            continue
        most += spread
        if len(cases) == 2:
            pairs.append(spread)
        else:
            others.append(tuple(sorted((answers, points - least) for answers, points in cases)))
    if needed < 0:
        return True
    if most <= needed:
        return False
    return _reduced(needed, pairs, others)


def _reduced(needed: int, pairs: list[int], others: list[OpenCases]) -> TreeState:
    pairs = [min(spread, needed + 1) for spread in pairs]
    if not others:
        unit = gcd(*pairs)
        pairs, needed = [spread // unit for spread in pairs], needed // unit
        if sum(pairs) <= _MOST_SUM:
            sums = 1
            for spread in pairs:
                sums |= sums << spread
            needed = (sums & ((1 << (needed + 1)) - 1)).bit_length() - 1
            pairs = [min(spread, needed + 1) for spread in pairs]
    return TreeState(needed, tuple(sorted(pairs)), tuple(sorted(others)))


def fewest_leaves(spreads: list[int], needed: int) -> int:
    """Number of leaves of the smallest tree over columns with two cases, from their spreads.

    The leaves are the sets that are just enough for a class; see `supersparse.card.explain.tree`.

    >>> fewest_leaves([1] * 12, 5)
    1716
    """
    return _just_enough(spreads, needed) + _just_enough(spreads, sum(spreads) - needed - 1)


def _just_enough(spreads: list[int], needed: int) -> int:
    """Number of sets that exceed `needed`, but not without their smallest spread."""
    if needed < 0:
        return 1  # the empty set
    sets, n_sets = {0: 1}, 0  # insufficient sets by their sum
    for spread in sorted(spreads, reverse=True):
        for total, count in list(sets.items()):
            if total + spread > needed:
                n_sets += count
            else:
                sets[total + spread] = sets.get(total + spread, 0) + count
    return n_sets


def splits(cases: OpenCases) -> list[tuple[int, OpenCases, OpenCases]]:
    """The open questions: their positions, and the cases left after yes and after no."""
    if len({points for _, points in cases}) == 1:
        return []
    splits = []
    for j in range(len(cases[0][0])):
        yes = tuple(case for case in cases if case[0][j])
        if 0 < len(yes) < len(cases):
            splits.append((j, yes, tuple(case for case in cases if not case[0][j])))
    return splits


@dataclass(slots=True)
class Smallest:
    """Costs of the smallest trees, one per state; gives up after a maximum number of states."""

    most_states: int
    known: dict[TreeState, Cost] = field(default_factory=dict)

    def cost(self, state: TreeState | bool) -> Cost:
        """The number of leaves of the smallest tree, then the smallest sum of their depths."""
        if isinstance(state, bool):
            return 1, 0
        least = self.known.get(state)
        if least is None:
            if len(self.known) >= self.most_states:
                raise TooManyStatesError
            least = min(map(self.together, self._ways(state)))
            self.known[state] = least
        return least

    def together(self, way: tuple[TreeState | bool, TreeState | bool]) -> Cost:
        """The cost of a question that leads to these two states."""
        (first, first_depth), (second, second_depth) = self.cost(way[0]), self.cost(way[1])
        leaves = first + second
        return leaves, first_depth + second_depth + leaves

    def _ways(self, state: TreeState) -> set[tuple[TreeState | bool, TreeState | bool]]:
        ways = set()
        as_cases: list[OpenCases] = [(((False,), 0), ((True,), spread)) for spread in state.pairs]
        columns = [*as_cases, *state.others]
        previous = None
        for i, cases in enumerate(columns):
            if cases == previous:
                continue
            previous = cases
            rest = columns[:i] + columns[i + 1 :]
            for _, yes, no in splits(cases):
                ways.add((state_of([*rest, yes], state.needed), state_of([*rest, no], state.needed)))
        return ways


_OTHER_TEXT = "another text"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeQuestion:
    """A yes/no question: yes if the rule holds, no otherwise, including for a missing value."""

    text: str  # visible text
    rule: Rule

    def answer(self, value: object) -> bool:
        if is_missing(value):
            return isinstance(self.rule, IsMissing)
        return self.rule.of_one(value, "a value") == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way to answer the questions of a column, and its points."""

    answers: tuple[bool, ...]
    points: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedColumn:
    """The questions on one raw column, and its cases."""

    name: str
    questions: tuple[TreeQuestion, ...]
    cases: tuple[Case, ...]
    may_be_missing: bool


def columns_of(card: Card) -> tuple[AskedColumn, ...]:
    """The columns of a card that has only yes/no items."""
    return tuple(_column(card, name, items, domain) for name, items, domain in card.by_column())


def _column(card: Card, name: str, items: list[Item], domain: Domain | None) -> AskedColumn:
    questions = tuple(TreeQuestion(text=_text(item, rule), rule=rule) for item, rule in _rules(items, domain))
    part = Card(
        items=tuple(items), intercept=Fraction(0), negative=0, positive=1,
        domains=accepting_domains(() if domain is None else (domain,)), n_columns=card.n_columns,
    )  # fmt: skip
    may_be_missing = _scores(part, None)
    asks_missing = any(isinstance(question.rule, IsMissing) for question in questions)
    if may_be_missing and not asks_missing and any(item.missing for item in items):
        rule = IsMissing(name)  # its points differ from the points for no
        questions = (*questions, TreeQuestion(text=visible(words_for(rule)), rule=rule))
    cases: dict[tuple[bool, ...], Fraction] = {}
    for value in (*_values(items, domain), None):
        if _scores(part, value):
            answers = tuple(question.answer(value) for question in questions)
            cases[answers] = sum((item_points(item, value) for item in items), Fraction(0))
    if not cases:
        raise InvalidCardError(f"the card accepts no value of {name!r}, so there is nothing to ask")
    return AskedColumn(
        name=name,
        questions=questions,
        cases=tuple(Case(answers=a, points=p) for a, p in cases.items()),
        may_be_missing=may_be_missing,
    )


def _rules(items: list[Item], domain: Domain | None) -> list[tuple[Item, Rule]]:
    rules: list[tuple[Item, Rule]] = []
    for item in items:
        if not isinstance(item.rule, ValueOf):
            rules.append((item, item.rule))
            continue
        known = _two_numbers(domain)
        if known is None:
            raise InvalidCardError(
                f"a tree needs yes/no items, but {item.name!r} multiplies a value",
                f"if it has only two values, declare them: domains={{{item.column!r}: [0, 1]}}",
            )
        rules.append((item, IsOneOf(item.column, (known[-1],))))
    return rules


def _two_numbers(domain: Domain | None) -> list[Fraction] | None:
    if domain is None or domain.values is None or len(domain.values) > 2:
        return None
    return sorted(domain.numbers) if len(domain.numbers) == len(domain.values) else None


def _text(item: Item, rule: Rule) -> str:
    zero_or_one = isinstance(rule, IsOneOf) and rule.values == (1,)
    if item.question is not None or rule is item.rule or zero_or_one:
        return visible(item.asks) or '""'
    return visible(words_for(rule))


def _scores(part: Card, value: object) -> bool:
    """Whether the card accepts this value of its only column."""
    try:
        check_person(part, {part.columns[0]: value})
        for item in part.items:
            item_points(item, value)
    except InvalidDataError:
        return False
    return True


def _values(items: list[Item], domain: Domain | None) -> list[object]:
    """Representative values: every other value gets the same answers as one of them."""
    if domain is not None and domain.values is not None:
        multiplies = any(isinstance(item.rule, ValueOf) for item in items)
        if multiplies or domain.outside == "refuse":
            return list(domain.values)
    named = [v for item in items if isinstance(item.rule, IsOneOf | IsNoneOf) for v in item.rule.values]
    texts: list[object] = [v for v in named if isinstance(v, str)]
    other = _OTHER_TEXT
    while other in texts:
        other += "!"
    cuts = {Fraction(v) for v in named if not isinstance(v, str)}
    limits: list[InRange | Domain] = [item.rule for item in items if isinstance(item.rule, InRange)]
    for rule in limits if domain is None else [*limits, domain]:
        cuts |= {bound for bound in (rule.low, rule.high) if bound is not None}
    return [*texts, other, *_around(sorted(cuts))]


def _around(cuts: list[Fraction]) -> list[Fraction]:
    """The cuts, and numbers between and beyond them, including whole numbers."""
    if not cuts:
        return [Fraction(0)]
    between = [(a + b) / 2 for a, b in pairwise(cuts)]
    whole = [Fraction(n) for c in cuts for n in (ceil(c) - 1, floor(c), ceil(c), floor(c) + 1)]
    return sorted({*cuts, *between, *whole, cuts[0] - 1, cuts[-1] + 1})


_MOST_STATES = 8_000  # some seconds


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TreeLeaf(Tabular):
    """A leaf: the class is certain."""

    positive: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TreeNode(Tabular):
    """A question, as visible text, and the subtree for each answer."""

    text: str
    yes: "TreeNode | TreeLeaf"
    no: "TreeNode | TreeLeaf"

    def _brief(self) -> str:
        return self.text

    _facts = "question=text yes no"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FoundTree(Tabular):
    """A tree, and whether it is proven to have the fewest leaves."""

    root: TreeNode | TreeLeaf
    leaves: int
    proven_smallest: bool
    missing_is_no: bool  # values may be missing; questions about a missing value are answered with no

    _facts = "first_question=root leaves proven_smallest"


class _TooManyLeavesError(Exception):
    """The tree would have more leaves than the limit."""


def find_tree(card: Card, *, max_leaves: int = 64) -> FoundTree:
    """Find the smallest tree, or raise if it has more than `max_leaves` leaves.

    With very many different points the search takes too long; the tree then asks for the item with the
    largest spread first. With two cases per column that tree is smallest too; otherwise this is not proven.
    """
    columns = columns_of(card)
    cases, needed = _in_whole_numbers(columns, card.cutoff)
    smallest = _smallest(cases, needed)
    finder = _Finder(columns, needed, smallest, max_leaves)
    try:
        root = finder.tree(cases)
    except _TooManyLeavesError:
        raise InvalidOptionError(
            f"{_size(cases, needed, smallest)} has more leaves than max_leaves={max_leaves}",
            "raise the limit, or use the card",
        ) from None
    return FoundTree(
        root=root,
        leaves=finder.leaves,
        proven_smallest=smallest is not None or _is_of_pairs(cases),
        missing_is_no=any(column.may_be_missing for column in columns),
    )


def _smallest(cases: list[OpenCases], needed: int) -> Smallest | None:
    """The costs of all states, or None if there are too many."""
    smallest = Smallest(_MOST_STATES)
    try:
        smallest.cost(state_of(cases, needed))
    except TooManyStatesError:
        return None
    smallest.most_states = sys.maxsize  # building the tree visits few other states
    return smallest


def _is_of_pairs(cases: list[OpenCases]) -> bool:
    return all(len(column) <= 2 for column in cases)


def _size(cases: list[OpenCases], needed: int, smallest: Smallest | None) -> str:
    if smallest is not None:
        return f"the smallest tree, with {smallest.cost(state_of(cases, needed))[0]},"
    if not _is_of_pairs(cases):
        return "the tree"
    least = sum(min(points for _, points in column) for column in cases)
    return f"the smallest tree, with {fewest_leaves(list(map(_spread, cases)), needed - least)},"


def _in_whole_numbers(columns: tuple[AskedColumn, ...], cutoff: Cutoff) -> tuple[list[OpenCases], int]:
    """Scale all points to whole numbers; the class is positive above the number that is returned."""
    unit = lcm(cutoff.threshold.denominator, *(case.points.denominator for c in columns for case in c.cases))
    return (
        [tuple((case.answers, int(case.points * unit)) for case in column.cases) for column in columns],
        int(cutoff.threshold * unit) - cutoff.reached,
    )


@dataclass(slots=True)
class _Finder:
    columns: tuple[AskedColumn, ...]
    needed: int
    smallest: Smallest | None  # None: it takes too long
    max_leaves: int
    leaves: int = 0

    def tree(self, cases: list[OpenCases]) -> TreeNode | TreeLeaf:
        """Build the tree for the cases left in each column."""
        state = state_of(cases, self.needed)
        if isinstance(state, bool):
            self.leaves += 1
            if self.leaves > self.max_leaves:
                raise _TooManyLeavesError
            return TreeLeaf(positive=state)
        i, j, yes, no = self._best(cases)
        return TreeNode(
            text=self.columns[i].questions[j].text,
            yes=self.tree([*cases[:i], yes, *cases[i + 1 :]]),
            no=self.tree([*cases[:i], no, *cases[i + 1 :]]),
        )

    def _best(self, cases: list[OpenCases]) -> tuple[int, int, OpenCases, OpenCases]:
        open_ones = [(i, *split) for i, column in enumerate(cases) for split in splits(column)]
        if self.smallest is None:
            return max(open_ones, key=lambda s: (_spread(cases[s[0]]), -_spread(s[2]) - _spread(s[3])))
        cost = self.smallest.together
        return min(
            open_ones,
            key=lambda s: cost(
                (
                    state_of([*cases[: s[0]], s[2], *cases[s[0] + 1 :]], self.needed),
                    state_of([*cases[: s[0]], s[3], *cases[s[0] + 1 :]], self.needed),
                )
            ),
        )


def _spread(cases: OpenCases) -> int:
    points = [points for _, points in cases]
    return max(points) - min(points)
