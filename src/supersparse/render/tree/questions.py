"""The questions of a tree: what a column can hold, how it answers them, and the points it gives.

Items on one column hang together: who is 75 or older is not between 65 and 75. A column therefore has
cases, one for each way in which its questions can be answered; a value that the card refuses makes
none. An item that multiplies a column of two known numbers asks whether it is the greater one.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from supersparse.card.card import Card, Item
from supersparse.card.checks import check_person
from supersparse.card.domain import Domain
from supersparse.card.rules import InRange, IsMissing, IsOneOf, Rule, ValueOf
from supersparse.card.scoring import item_points
from supersparse.card.values import is_missing
from supersparse.card.words import question as words_for
from supersparse.errors import InvalidCardError, InvalidDataError
from supersparse.render.plain import visible

_OTHER_TEXT = "another text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with the answer yes or no: yes where the rule holds, no also where the value is missing."""

    text: str  # visible text
    rule: Rule

    def answer(self, value: object) -> bool:
        """The answer for one raw value."""
        if is_missing(value):
            return isinstance(self.rule, IsMissing)
        return self.rule.of_one(value, "a value") == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way to answer the questions of a column, and the points that follow."""

    answers: tuple[bool, ...]
    points: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The questions on one raw column, and its cases."""

    name: str
    questions: tuple[Question, ...]
    cases: tuple[Case, ...]
    may_be_missing: bool


def columns_of(card: Card) -> tuple[Column, ...]:
    """The columns of a card whose items are all yes or no."""
    domains = {domain.column: domain for domain in card.domains}
    return tuple(
        _column(card, name, items, domains.get(name)) for name, items in card.items_by_column().items()
    )


def _column(card: Card, name: str, items: list[Item], domain: Domain | None) -> Column:
    questions = tuple(Question(text=_text(item, rule), rule=rule) for item, rule in _rules(items, domain))
    part = Card(
        items=tuple(items), intercept=Fraction(0), negative=0, positive=1,
        domains=() if domain is None else (domain,), n_columns=card.n_columns,
    )  # fmt: skip
    may_be_missing = _scores(part, None)
    asks_missing = any(isinstance(question.rule, IsMissing) for question in questions)
    if may_be_missing and not asks_missing and any(item.missing for item in items):
        rule = IsMissing(name)  # its points differ from those of no
        questions = (*questions, Question(text=visible(words_for(rule)), rule=rule))
    cases: dict[tuple[bool, ...], Fraction] = {}
    for value in (*_values(items, domain), None):
        if _scores(part, value):
            answers = tuple(question.answer(value) for question in questions)
            cases[answers] = sum((item_points(item, value) for item in items), Fraction(0))
    if not cases:
        raise InvalidCardError(f"the card refuses every value of {name!r}; there is nothing to ask")
    return Column(
        name=name,
        questions=questions,
        cases=tuple(Case(answers=a, points=p) for a, p in cases.items()),
        may_be_missing=may_be_missing,
    )


def _rules(items: list[Item], domain: Domain | None) -> list[tuple[Item, Rule]]:
    """What each item asks with yes or no."""
    found: list[tuple[Item, Rule]] = []
    for item in items:
        if not isinstance(item.rule, ValueOf):
            found.append((item, item.rule))
            continue
        known = _two_numbers(domain)
        if known is None:
            raise InvalidCardError(
                f"a tree needs items of yes or no, but {item.name!r} multiplies a value; if it takes two "
                f"values only, declare them: domains={{{item.column!r}: [0, 1]}}"
            )
        found.append((item, IsOneOf(item.column, (known[-1],))))
    return found


def _two_numbers(domain: Domain | None) -> list[Fraction] | None:
    if domain is None or domain.values is None or len(domain.values) > 2:
        return None
    numbers = sorted(Fraction(v) for v in domain.values if not isinstance(v, str))
    return numbers if len(numbers) == len(domain.values) else None


def _text(item: Item, rule: Rule) -> str:
    zero_or_one = isinstance(rule, IsOneOf) and rule.values == (1,)
    if item.question is not None or rule is item.rule or zero_or_one:
        return visible(item.asks) or '""'
    return visible(words_for(rule))


def _scores(part: Card, value: object) -> bool:
    """Whether the card takes this value of its only column."""
    try:
        check_person(part, {part.columns[0]: value})
        for item in part.items:
            item_points(item, value)
    except InvalidDataError:
        return False
    return True


def _values(items: list[Item], domain: Domain | None) -> list[object]:
    """Values such that every other one is answered as one of them is."""
    if domain is not None and domain.values is not None:
        multiplies = any(isinstance(item.rule, ValueOf) for item in items)
        if multiplies or domain.outside == "refuse":
            return list(domain.values)
    named = [v for item in items if isinstance(item.rule, IsOneOf) for v in item.rule.values]
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
    """The cuts, and numbers between and beyond them, whole ones too."""
    if not cuts:
        return [Fraction(0)]
    between = [(a + b) / 2 for a, b in pairwise(cuts)]
    whole = [Fraction(n) for c in cuts for n in (ceil(c) - 1, floor(c), ceil(c), floor(c) + 1)]
    return sorted({*cuts, *between, *whole, cuts[0] - 1, cuts[-1] + 1})
