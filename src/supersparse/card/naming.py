"""How a card and its classes are called on every face."""

from collections.abc import Sequence
from fractions import Fraction

from supersparse.base.exact import shown
from supersparse.card.card import Card
from supersparse.card.words import readable
from supersparse.table.plain import quoted, visible

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
    found = [
        (_name(str(label)) if isinstance(label, str) else str(label)) if name is None else _name(name)
        for label, name in zip((plain_negative, plain_positive), names, strict=True)
    ]
    if found[0] == found[1]:  # the text "1" beside the number 1
        found = [f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes]
    return found[0], found[1]


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
    """What was minimised, in visible text, with the classes called as on the rest of the card."""
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
    """What the card is for: its title, and the classes where the title does not say them."""
    negative, positive = class_names(card)
    classes = f"{positive} or {negative}"
    if card.title is None or not card.title.strip():
        return f"{classes[:1].upper()}{classes[1:]}"
    title = visible(readable(card.title))
    return title if _named_after_title(card) or card.wording.positive else f"{title}: {classes}"
