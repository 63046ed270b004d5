"""A card as a reader meets it: title, classes, and one line a column, with the answers and their points.

Every face and every form to fill in shows these lines, in this order, with these numbers and words.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from supersparse.base.exact import shown
from supersparse.card.bands import Band, asks_for_no, asks_for_yes, bands_of
from supersparse.card.card import Card, Item
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, Rule, ValueOf, values_of
from supersparse.card.words import ColumnWording, answer, category_text, condition, question, readable
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
    lines: list[Line] = []
    for column, items, domain in card.by_column():
        lines += _lines(items, domain, card.wording.of(column))
    often = Counter(line.text for line in lines)
    return tuple(
        replace(line, number=n, text=line.text if often[line.text] == 1 else _told_apart(line))
        for n, line in enumerate(lines, start=1)
    )


def _told_apart(line: Line) -> str:
    return f"{line.text} ({line.column if line.rule is None else condition(line.rule)})"


def _lines(items: Sequence[Item], domain: Domain | None, words: ColumnWording) -> list[Line]:
    bands = bands_of(items, domain)
    if bands is None:
        return [line_of_item(item, domain, words) for item in items]
    giving = [band for band in bands if band.points]
    missing = next((band.points for band in bands if isinstance(band.rule, IsMissing)), None)
    if len(giving) == 1 and (missing == 0 or missing is None or isinstance(giving[0].rule, IsMissing)):
        like = next((item for item in items if item.rule == giving[0].rule), items[0])
        if asks_for_no(giving[0].rule):
            return [_yes_or_no(giving[0], like, missing, words)]
        rule_missing = None if isinstance(giving[0].rule, IsMissing) else missing
        text = _question(giving[0].rule, like, domain, words)
        (band,) = giving
        return [
            Line(number=0, column=band.rule.column, text=text, points=band.points, rule=band.rule, missing=rule_missing)
        ]
    label = _label(items, words)
    text_of = answers_in_words(items, domain, words)
    answers = tuple(Answer(text=text_of(band.rule), points=band.points, rule=band.rule) for band in _in_order(bands))
    return [Line(number=0, column=items[0].column, text=label, answers=answers)]


def answers_in_words(items: Sequence[Item], domain: Domain | None, words: ColumnWording) -> Callable[[Rule], str]:
    """Return what puts the answers to the items on a column into words."""
    unit = words.unit or next((item.unit for item in items if item.unit), None)
    whole = domain is not None and domain.whole
    return partial(answer, unit=unit, whole=whole, answers=words.answers, known=values_of(domain))


def _in_order(bands: Sequence[Band]) -> list[Band]:
    """Ranges as they rise, categories by their points, and a missing value last."""
    if any(isinstance(band.rule, InRange) for band in bands):
        return list(bands)
    return sorted(bands, key=lambda band: (isinstance(band.rule, IsMissing), band.points))


def _yes_or_no(band: Band, like: Item, missing: Fraction | None, words: ColumnWording) -> Line:
    """A question whose no gives the points: both answers are shown, so that nobody has to turn it round."""
    column = band.rule.column
    text = words.question or like.question or f"{words.label or readable(column)}?"
    answers = [
        Answer(text=words.answers.get(True, "yes"), points=Fraction(0), rule=IsOneOf(column, (True,))),
        Answer(text=words.answers.get(False, "no"), points=band.points, rule=band.rule),
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
        rule,
        words.unit or like.unit,
        label=words.label,
        whole=domain is not None and domain.whole,
        answers=words.answers,
    )
    worded = words.question or (like.question if like.rule == rule else None)
    if worded is None:
        return made
    return worded if asks_for_yes(rule) and worded.strip() else f"{worded} ({condition(rule)})"


def _label(items: Sequence[Item], words: ColumnWording) -> str:
    return words.label or words.question or readable(items[0].column)


def _multiplied(item: Item, domain: Domain | None, words: ColumnWording) -> str:
    """The number that is multiplied, with its unit and its range: "Clump thickness (1 to 10)"."""
    hints = [hint for hint in (words.unit or item.unit, _limits(domain)) if hint is not None]
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
_YES = {"1", "1.0", "true", "yes", "y"}
_ADJECTIVES = {"ill", "sick", "dead", "alive", "high", "low", "positive", "severe", "malignant", "pregnant"}
_NO = {"0", "0.0", "-1", "-1.0", "false", "no", "n"}


def class_names(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written: worded, or named after the title where they are 0 and 1."""
    words, (plain_negative, plain_positive) = card.wording, card.classes
    after_title = _named_after_title(card)
    names = [
        words.negative or (_not(_subject(card)) if after_title else None),
        words.positive or (_subject(card) if after_title else None),
    ]
    shown_names = [
        (_name(str(label)) if isinstance(label, str) else str(label)) if name is None else _name(name)
        for label, name in zip((plain_negative, plain_positive), names, strict=True)
    ]
    if shown_names[0] == shown_names[1]:  # such as the text "1" and the number 1
        shown_names = [f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes]
    return shown_names[0], shown_names[1]


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


def _named_after_title(card: Card) -> bool:
    plain = [str(label).strip().casefold() for label in card.classes]
    return bool(card.title and card.title.strip()) and plain[0] in _NO and plain[1] in _YES


def _not(subject: str) -> str:
    """The contrary: "no relapse", but "not readmitted" and "not ill"."""
    last = subject.split(" ")[-1].casefold()
    return f"{'not' if last.endswith('ed') or last in _ADJECTIVES else 'no'} {subject}"


def _subject(card: Card) -> str:
    title = readable(card.title or "")
    first = title.split(" ", 1)[0]
    return title[:1].lower() + title[1:] if first[1:].islower() or len(first) == 1 else title


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
    negative, positive = class_names(card)
    classes = f"{positive} or {negative}"
    if card.title is None or not card.title.strip():
        return f"{classes[:1].upper()}{classes[1:]}"
    title = visible(readable(card.title))
    return title if _named_after_title(card) or card.wording.positive else f"{title}: {classes}"
