"""A card as a reader meets it: title, classes, and one line a column, with the answers and their points.

Every face and every form to fill in shows these lines, in this order, with these numbers and words.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from supersparse.base.exact import counted, shown
from supersparse.card.bands import Band, asks_for_no, asks_for_yes, bands_of
from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, Rule, ValueOf, values_of
from supersparse.card.words import ColumnWording, answer, category_text, condition, question, readable, unit_in
from supersparse.table.plain import quoted, visible

_MOST_VALUES = 3  # of a domain, that are listed next to a column


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One of the answers to a line; `rule` holds for the values that it stands for."""

    text: str
    points: Fraction
    rule: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the card: one column with its points.

    With `answers` (two or more) one of them is chosen, and its points count. Otherwise the line is a question
    whose yes gives `points`, or, if `times`, a number that `points` multiply.
    """

    number: int
    column: str
    text: str
    points: Fraction = Fraction(0)
    times: bool = False
    answers: tuple[Answer, ...] = ()
    rule: Rule | None = None  # of a question
    missing: Fraction | None = None  # the points of a missing value, where it is not among the answers

    @property
    def is_question(self) -> bool:
        """Whether yes gives the points and no gives none."""
        return not self.times and not self.answers


def lines_of(card: Card) -> tuple[Line, ...]:
    """Return the lines of a card, numbered from 1.

    >>> from supersparse.card.build import card_of, item
    >>> items = [item("age", at_least=16, below=23, points=4), item("age", at_least=23, points=2)]
    >>> card = card_of(items, threshold=4, above=None, classes=("no", "yes"), title=None, source=None,
    ...                domains=None, outside="accept")
    >>> [(one.text, str(one.points)) for one in lines_of(card)[0].answers]
    [('under 16', '0'), ('16 to under 23', '4'), ('23 or older', '2')]
    """
    lines = _all_lines(card, in_blocks=False)
    if any(line.answers or _is_negated(line.rule) for line in lines):
        lines = _all_lines(card, in_blocks=True)
    often = Counter(line.text for line in lines)
    return tuple(
        replace(line, number=n, text=line.text if often[line.text] == 1 else _distinguished(line))
        for n, line in enumerate(lines, start=1)
    )


def _all_lines(card: Card, *, in_blocks: bool) -> list[Line]:
    return [
        line
        for column, items, domain in card.by_column()
        for line in _lines(items, domain, card.wording.of(column), in_blocks=in_blocks)
    ]


def _is_negated(rule: Rule | None) -> bool:
    """Whether a question would ask for what a value is not, so that no would be an answer to be thought about."""
    return isinstance(rule, IsNoneOf) and bool(rule.values)


def _distinguished(line: Line) -> str:
    return f"{line.text} ({line.column if line.rule is None else condition(line.rule)})"


def _lines(items: Sequence[Item], domain: Domain | None, words: ColumnWording, *, in_blocks: bool) -> list[Line]:
    """The lines of a column: a question with its answers, or, unless the card is `in_blocks`, one of yes or no."""
    bands = bands_of(items, domain)
    if bands is None:
        return [line_of_item(item, domain, words) for item in items]
    giving = [band for band in bands if band.points]
    missing = next((band.points for band in bands if isinstance(band.rule, IsMissing)), None)
    if len(giving) == 1 and (missing == 0 or missing is None or isinstance(giving[0].rule, IsMissing)):
        (band,) = giving
        like = next((item for item in items if item.rule == band.rule), items[0])
        if asks_for_no(band.rule) or (in_blocks and asks_for_yes(band.rule)):
            return [_yes_or_no(band, like, missing, words)]
        if not in_blocks:
            rule_missing = None if isinstance(band.rule, IsMissing) else missing
            text = _question(band.rule, like, domain, words)
            one = Line(
                number=0, column=band.rule.column, text=text, points=band.points, rule=band.rule, missing=rule_missing
            )
            return [one]
    label, unit = _label(items, words), _unit(items, words)
    is_measured = unit is not None and any(isinstance(band.rule, InRange) for band in bands)
    text_of = answers_in_words(items, domain, words, names_unit=not is_measured)
    label = f"{label} ({unit})" if is_measured else label
    answers = tuple(Answer(text=text_of(band.rule), points=band.points, rule=band.rule) for band in _in_order(bands))
    return [Line(number=0, column=items[0].column, text=label, answers=answers)]


def _unit(items: Sequence[Item], words: ColumnWording) -> str | None:
    """The unit of a column: worded, that of an item, or in the name of the column."""
    return words.unit or next((item.unit for item in items if item.unit), None) or unit_in(items[0].column)


def answers_in_words(
    items: Sequence[Item], domain: Domain | None, words: ColumnWording, *, names_unit: bool = True
) -> Callable[[Rule], str]:
    """Return what puts the answers to the items on a column into words, with its unit unless that is named above."""
    unit = _unit(items, words) if names_unit else None
    whole = domain is not None and domain.whole
    known = values_of(domain)
    is_closed = domain is not None and domain.outside != "accept" and any(isinstance(value, str) for value in known)
    ends = (None, None) if domain is None or not whole else (domain.low, domain.high)
    return partial(answer, ends=ends, unit=unit, whole=whole, answers=words.answers, known=known, is_closed=is_closed)


def _in_order(bands: Sequence[Band]) -> list[Band]:
    """Ranges as they rise, categories by their points, and a missing value last."""
    if any(isinstance(band.rule, InRange) for band in bands):
        return list(bands)
    return sorted(bands, key=lambda band: (isinstance(band.rule, IsMissing), band.points))


def _yes_or_no(band: Band, like: Item, missing: Fraction | None, words: ColumnWording) -> Line:
    """A question with both its answers, yes first, whichever of them gives the points."""
    column, is_yes = band.rule.column, asks_for_yes(band.rule)
    text = words.question or like.question or f"{words.label or readable(column)}?"
    yes = band.rule if is_yes else IsOneOf(column, (True,))
    no = IsNoneOf(column, (True,)) if is_yes else band.rule
    answers = [
        Answer(text=words.answers.get(True, "yes"), points=band.points if is_yes else Fraction(0), rule=yes),
        Answer(text=words.answers.get(False, "no"), points=Fraction(0) if is_yes else band.points, rule=no),
    ]
    if missing is not None:
        answers.append(Answer(text="not known", points=missing, rule=IsMissing(column)))
    return Line(number=0, column=column, text=text, answers=tuple(answers))


def line_of_item(item: Item, domain: Domain | None, words: ColumnWording) -> Line:
    """A line for one item of a column that has no bands."""
    if isinstance(item.rule, ValueOf):
        return Line(
            number=0,
            column=item.column,
            text=_multiplied(item, domain, words),
            points=item.points,
            times=True,
            missing=item.missing,
        )
    text = _question(item.rule, item, domain, words)
    return Line(number=0, column=item.column, text=text, points=item.points, rule=item.rule, missing=item.missing)


def _question(rule: Rule, like: Item, domain: Domain | None, words: ColumnWording) -> str:
    """The question of a line: that of the wording, of the item, or one made from the rule."""
    made = question(
        rule, _unit([like], words), label=words.label, whole=domain is not None and domain.whole, answers=words.answers
    )
    worded = words.question or (like.question if like.rule == rule else None)
    if worded is None:
        return made
    return worded if asks_for_yes(rule) and worded.strip() else f"{worded} ({condition(rule)})"


def _label(items: Sequence[Item], words: ColumnWording) -> str:
    return words.label or words.question or readable(items[0].column)


def _multiplied(item: Item, domain: Domain | None, words: ColumnWording) -> str:
    """The number that is multiplied, with its unit and its range: "Clump thickness (1 to 10)"."""
    hints = [hint for hint in (_unit([item], words), _limits(domain)) if hint is not None]
    name = item.question or _label([item], words)
    return name + (f" ({', '.join(hints)})" if hints else "")


def _limits(domain: Domain | None) -> str | None:
    if domain is None:
        return None
    if domain.values is not None:
        few = len(domain.values) <= _MOST_VALUES
        return " or ".join(map(category_text, domain.values)) if few else None
    if domain.low is None or domain.high is None:
        return None
    return f"{shown(domain.low)} to {shown(domain.high)}"


_FEW = 6  # characters of a weight that is written exactly
_YES = frozenset({"1", "1.0", "true", "yes", "y", "t", "ja", "j", "oui", "si", "sí", "sì", "sim", "vrai", "wahr"})
_NO = frozenset(
    {"0", "0.0", "-1", "-1.0", "false", "no", "n", "f", "nein", "non", "não", "nao", "nee", "faux", "falsch"}
)
_UNTITLED = frozenset({"y", "target", "class", "label", "outcome", "response", "result", "event", "endpoint", "ziel"})
_NO_TITLE = "Risk score"


def class_names(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written: as worded, no and yes where they are 0 and 1, else as they are.

    >>> from supersparse.card.build import card_of
    >>> class_names(card_of([], threshold=None, above=0, classes=(0, 1), title="died", source=None, domains=None,
    ...                     outside="accept"))
    ('no', 'yes')
    """
    words, is_plain = card.wording, _asks_yes_or_no(card) and not all(isinstance(c, str) for c in card.classes)
    names = [words.negative or ("no" if is_plain else None), words.positive or ("yes" if is_plain else None)]
    shown_names = [
        (_name(str(label)) if isinstance(label, str) else str(label)) if name is None else _name(name)
        for label, name in zip(card.classes, names, strict=True)
    ]
    if shown_names[0] == shown_names[1]:  # such as the text "1" and the number 1
        shown_names = [f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes]
    return shown_names[0], shown_names[1]


def _asks_yes_or_no(card: Card) -> bool:
    negative, positive = (str(label).strip().casefold() for label in card.classes)
    return negative in _NO and positive in _YES


_NEGATIVE, _POSITIVE = "the negative class", "the positive class"


def weights_in_words(negative: Fraction, positive: Fraction) -> str:
    """Class weights, short; `with_class_names` names the classes.

    >>> weights_in_words(Fraction(4, 7), Fraction(4))
    'weight 4 for the positive class, 0.571 for the negative class'
    """
    return f"weight {_short(positive)} for {_POSITIVE}, {_short(negative)} for {_NEGATIVE}"


def _short(weight: Fraction) -> str:
    exact = shown(weight)
    if len(exact) <= _FEW and "/" not in exact:
        return exact
    return f"{float(weight):.3g}" if weight < 1000 else f"{float(weight):.0f}"


def with_class_names(card: Card, text: str) -> str:
    """The objective in visible text, with the classes called as on the rest of the card."""
    negative, positive = class_names(card)
    return visible(text).replace(_POSITIVE, positive).replace(_NEGATIVE, negative)


def _name(text: str) -> str:
    """A class in visible text, in quotes unless it is made of plain words."""
    plain = visible(text)
    return plain if text and all(quoted(word) == word for word in text.split(" ")) else quoted(text)


def enumerated(words: Sequence[str]) -> str:
    """Words as in a sentence.

    >>> enumerated(["1"]), enumerated(["1", "2", "5"])
    ('1', '1, 2 and 5')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def heading(card: Card) -> str:
    """The purpose of the card: its title, and the classes where the title does not say them."""
    title = titled(card.title)
    if (_asks_yes_or_no(card) and card.wording.positive is None) or (title and card.wording.positive is not None):
        return title or _NO_TITLE
    negative, positive = class_names(card)
    classes = f"{positive} or {negative}"
    return f"{title}: {classes}" if title else f"{classes[:1].upper()}{classes[1:]}"


def asks_of_title(card: Card) -> bool:
    """Whether the title says what the positive class is, so that its risk needs no other name."""
    return _asks_yes_or_no(card) and card.wording.positive is None


_WITHIN = re.compile(
    r"[\s_<≤=]*(?:\bwithin\b|\bin\b)?[\s_<≤=]*(\d+)[\s_-]?"
    r"(d|days?|h|hrs?|hours?|w|wks?|weeks?|mo|mos|months?|y|yrs?|years?)$",
    re.IGNORECASE,
)
_SPANS = {"d": "day", "h": "hour", "w": "week", "m": "month", "y": "year"}


def titled(name: str | None) -> str | None:
    """A title that a person would give, made of the name of a column; None of a name that says nothing.

    >>> titled("readmitted <7d"), titled("died_30d"), titled("Delir"), titled("target"), titled("heart_failure")
    ('Readmitted within 7 days', 'Died within 30 days', 'Delir', None, 'Heart failure')
    """
    if name is None or not name.strip() or name.strip().casefold() in _UNTITLED:
        return None
    match = _WITHIN.search(name)
    if match is None or not name[: match.start()].strip(" _"):
        return visible(readable(name))
    span = counted(int(match[1]), _SPANS[match[2][0].lower()])
    return f"{visible(readable(name[: match.start()].rstrip(' _<≤=-')))} within {span}"
