"""The plain-text face of a card: what to add up, the rule, and what was proven.

A person who follows the printed words gets exactly what `predict` gives. Numbers that decide
anything (points, threshold, errors) are written exactly; only percentages, times and the
objective are rounded, the gap upwards, so that no claim is stronger than what was proven.
"""

from fractions import Fraction
from math import ceil

from supersparse.card.card import Card, Item
from supersparse.card.numbers import shown
from supersparse.card.provenance import Provenance
from supersparse.render.plain import padded, quoted, visible, width, wrap
from supersparse.solution.stop import Stop

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
        paragraphs.append(_facts(card, card.provenance, columns))
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _title(card: Card, columns: int) -> list[str]:
    subject = "Scoring system" if card.title is None else f"Scoring system for {visible(card.title)}"
    negative, positive = _labels(card)
    lines = wrap(f"{subject}: {positive} or {negative}", columns)
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
    negative, positive = _labels(card)
    if not card.items:
        always = positive if card.intercept > 0 else negative
        return wrap(f"No feature is used: predict {always} for everyone.", columns)
    rule = f"Predict {positive} if the total is more than {shown(card.threshold)}, otherwise {negative}."
    return [*wrap(_how_to_add(card), columns), *wrap(rule, columns), *_missing(card, columns)]


def _how_to_add(card: Card) -> str:
    kinds = {item.is_yes_no for item in card.items}
    if kinds == {False}:
        return "Multiply each value by its points and add up the points."
    if kinds == {True}:
        return "Add up the points of the lines that apply."
    return "Multiply each value by its points (x), take the points of the other lines that apply, and add up."


def _missing(card: Card, columns: int) -> list[str]:
    """What a missing value does, where it is not refused."""
    lines = []
    for item in card.items:
        if item.missing is not None:
            said = (
                f"Where {quoted(item.column)} is not known, {quoted(item.name)} gives {shown(item.missing)}."
            )
            lines += wrap(said, columns)
    return lines


def _line(item: Item) -> str:
    """The column for value x points, else the question, with the condition when it was given by hand."""
    if not item.is_yes_no:
        unit = "" if item.unit is None else f" ({item.unit})"
        return item.column + unit
    return item.asks if item.question is None else f"{item.question} ({item.name})"


def _facts(card: Card, made: Provenance, columns: int) -> list[str]:
    facts = [
        ("Proof", _proof(made)),
        ("Errors", _errors(card, made)),
        ("Size", _size(card)),
        ("Asked", f"the least {visible(made.minimised)}; {visible(made.allowed)}"),
        ("Made by", _maker(made)),
    ]
    printed = []
    for label, fact in facts:
        first, *others = wrap(fact, columns - _LABEL_WIDTH)
        printed += [label.ljust(_LABEL_WIDTH) + first, *(" " * _LABEL_WIDTH + line for line in others)]
    return printed


def _proof(made: Provenance) -> str:
    value = f"({float(made.objective):.6f})"
    if made.proven_optimal:
        smallest = ", and none that costs the same has smaller points" if made.proven_smallest else ""
        return f"proven optimal: no allowed scoring system costs less than this one {value}{smallest}"
    if made.lower_bound <= 0:
        return f"not proven: how much less than this one {value} a scoring system can cost is not known"
    percent = f"{ceil(made.gap * 1000) / 10:.1f} %"
    return f"not proven: the best possible costs at most {percent} less than this one {value}"


def _errors(card: Card, made: Provenance) -> str:
    training = f"training errors {_share(made.training_errors, made.total_weight)}"
    if made.predicted_errors == made.training_errors:
        return training
    total = shown(card.threshold)
    return (
        f"{training}, where a total of exactly {total} is wrong for both classes; "
        f"predicted errors {_share(made.predicted_errors, made.total_weight)}, "
        f"as the rule gives {_labels(card)[0]} at exactly {total}"
    )


def _size(card: Card) -> str:
    features = "1 feature" if len(card.items) == 1 else f"{len(card.items)} features"
    return f"{features}, {card.size_with_intercept} with the intercept"


def _maker(made: Provenance) -> str:
    known = Stop.__members__.get(made.stop)
    reason = visible(made.stop) if known is None else known.value
    return f"supersparse {visible(made.version)}, {visible(made.solver)}, in {made.seconds:.1f} s; {reason}"


def _share(part: Fraction, whole: Fraction) -> str:
    percent = f" ({float(100 * part / whole):.2f} %)" if whole else ""
    return f"{shown(part)} of {shown(whole)}{percent}"


def _labels(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written; the text "1" beside the number 1 gets quotes."""
    negative, positive = (quoted(c) if isinstance(c, str) else str(c) for c in card.classes)
    if negative == positive:
        negative, positive = (f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes)
    return negative, positive
