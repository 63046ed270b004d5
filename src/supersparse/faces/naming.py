"""How a card and its classes are called on every face."""

from supersparse.card.card import Card
from supersparse.card.words import readable
from supersparse.data.plain import quoted, visible

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


def heading(card: Card) -> str:
    """What the card is for: its title, and the classes where the title does not say them."""
    negative, positive = class_names(card)
    classes = f"{positive} or {negative}"
    if card.title is None or not card.title.strip():
        return f"{classes[:1].upper()}{classes[1:]}"
    title = visible(readable(card.title))
    return title if _named_after_title(card) or card.wording.positive else f"{title}: {classes}"
