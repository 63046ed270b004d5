"""The plain-text face of a card: what to add up, the rule, and what was proven.

A person who follows the printed words gets exactly what `predict` gives. Numbers that decide
anything (points, threshold, errors) are written exactly.
"""

from fractions import Fraction

from supersparse.card.card import Card, Item
from supersparse.decimals import shown
from supersparse.render.content import lines_named
from supersparse.render.facts import class_names, facts, heading, risk_note
from supersparse.render.plain import padded, visible, width, wrap

_BLANK = "......"
_LEAST_NAME_WIDTH = 12  # the longest escape, \U0001f600, and the mark of a broken word fit in
_LABEL_WIDTH = 9  # of the labels before the facts


def card_text(card: Card, *, columns: int = 80) -> str:
    """Return the card as lines of at most so many terminal columns (40 or more)."""
    columns = max(columns, 40)
    paragraphs = [_title(card, columns)]
    if card.items:
        paragraphs.append(_items(card, columns))
    paragraphs.append(_rule(card, columns))
    if card.provenance is not None:
        paragraphs.append(_facts(card, columns))
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _title(card: Card, columns: int) -> list[str]:
    lines = wrap(heading(card), columns)
    return [*lines, "-" * max(map(width, lines))]


def _items(card: Card, columns: int) -> list[str]:
    points = [shown(item.points) for item in card.items]
    points_width = max(4, *map(len, points))
    numbers = [f"{i}. " for i in range(1, len(card.items) + 1)]
    head = 2 + len(numbers[-1])
    tail = len("  x ") + points_width + len(f" = {_BLANK}")
    names = [wrap(visible(_line(item)), max(columns - head - tail, _LEAST_NAME_WIDTH)) for item in card.items]
    name_width = max(len("feature"), *(width(line) for lines in names for line in lines))
    printed = [f"{' ' * head}{padded('feature', name_width)}  {'points'.rjust(points_width + 2)}"]
    for item, number, lines, value in zip(card.items, numbers, names, points, strict=True):
        sign = " " if item.is_yes_no else "x"
        for i, line in enumerate(lines):
            start = (number if i == 0 else "").rjust(head)
            end = f"  {sign} {value.rjust(points_width)} = {_BLANK}" if line is lines[-1] else ""
            printed.append(start + (padded(line, name_width) if end else line) + end)
    total = "total".rjust(head + name_width + len("  x ") + points_width)
    return [*printed, f"{total} = {_BLANK}"]


def _rule(card: Card, columns: int) -> list[str]:
    negative, positive = class_names(card)
    if not card.items:
        always = positive if card.intercept > 0 else negative
        return wrap(f"No feature is used: predict {always} for everyone.", columns)
    rule = f"Predict {positive} if the total is more than {shown(card.threshold)}, otherwise {negative}."
    risk = risk_note(card, "the total")
    risks = [] if risk is None else wrap(risk, columns)
    return [*wrap(_how_to_add(card), columns), *wrap(rule, columns), *_missing(card, columns), *risks]


def _how_to_add(card: Card) -> str:
    kinds = {item.is_yes_no for item in card.items}
    if kinds == {False}:
        return "Multiply each value by its points and add up the points."
    if kinds == {True}:
        return "Add up the points of the lines that apply."
    return "Multiply each value by its points (x), take the points of the other lines that apply, and add up."


def _missing(card: Card, columns: int) -> list[str]:
    """What a missing value does, where it is not refused."""
    by_points: dict[Fraction, list[int]] = {}
    for n, item in enumerate(card.items, start=1):
        if item.missing is not None:
            by_points.setdefault(item.missing, []).append(n)
    said = [
        f"A value that is not known gives {shown(points)} in {lines_named(numbers)}."
        for points, numbers in by_points.items()
    ]
    return [line for sentence in said for line in wrap(sentence, columns)]


def _line(item: Item) -> str:
    """The column for value x points, else the question, with the condition when it was given by hand."""
    if not item.is_yes_no:
        unit = "" if item.unit is None else f" ({item.unit})"
        return item.column + unit
    return item.asks if item.question is None else f"{item.question} ({item.name})"


def _facts(card: Card, columns: int) -> list[str]:
    printed = []
    for label, fact in facts(card):
        first, *others = wrap(fact, columns - _LABEL_WIDTH)
        printed += [label.ljust(_LABEL_WIDTH) + first, *(" " * _LABEL_WIDTH + line for line in others)]
    return printed
