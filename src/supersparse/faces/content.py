"""The content of a card, shared by all formats: lines with points, totals, rules, and the proof."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from supersparse.card.card import Card, Cutoff, Item
from supersparse.card.provenance import Provenance
from supersparse.card.risk import TableRisk
from supersparse.card.rules import Domain, IsMissing, IsOneOf, category_text
from supersparse.data.plain import quoted, visible
from supersparse.exact import shown
from supersparse.stop import Stop


def facts(card: Card) -> tuple[tuple[str, str], ...]:
    """Labelled facts about how the card was made; none for a card written by hand."""
    made = card.provenance
    if made is None:
        return ()
    return (
        ("Proof", _proof(made)),
        ("Errors", _errors(card, made)),
        ("Size", _size(card)),
        ("Settings", f"minimise {visible(made.minimised)}; {visible(made.allowed)}"),
        ("Made by", _maker(made)),
    )


def class_names(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written; the text "1" beside the number 1 gets quotes."""
    negative, positive = (quoted(c) if isinstance(c, str) else str(c) for c in card.classes)
    if negative == positive:
        negative, positive = (f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes)
    return negative, positive


def heading(card: Card) -> str:
    """What the card is for, and its classes."""
    subject = "Scoring system" if card.title is None else f"Scoring system for {visible(card.title)}"
    negative, positive = class_names(card)
    return f"{subject}: {positive} or {negative}"


def risk_note(card: Card, total: str) -> str | None:
    """The risks on the card, in a sentence; `total` names the number they depend on."""
    risk, positive = card.risk, class_names(card)[1]
    if risk is None:
        return None
    if isinstance(risk, TableRisk):
        known = ", ".join(
            f"{shown(points)}: {100 * one:.1f} %" for points, one in zip(risk.totals, risk.risks, strict=True)
        )
        return f"Risk of {positive} by {total} (interpolated in between): {known}."
    sign = "+" if risk.offset >= 0 else "-"
    power = f"{risk.slope:.6g} * total {sign} {abs(risk.offset):.6g}"
    return f"Risk of {positive} by {total}: 1 / (1 + exp(-({power})))."


def _proof(made: Provenance) -> str:
    objective = f"objective (errors plus penalties, {float(made.objective):.6f})"
    if made.proven_optimal:
        smallest = ", and no equally good one has smaller points" if made.proven_smallest else ""
        return f"Proven optimal: no other card with these settings has a lower {objective}{smallest}"
    if made.lower_bound <= 0:
        return f"Not proven: a card with a lower {objective} could exist; how much lower is unknown"
    percent = f"{ceil(made.gap * 1000) / 10:.1f} %"
    return f"Not proven: a better card could exist, by at most {percent} of the {objective}"


def _errors(card: Card, made: Provenance) -> str:
    training = f"training errors {_share(made.training_errors, made.total_weight)}"
    if made.predicted_errors == made.training_errors:
        return training
    total = shown(card.threshold)
    return (
        f"{training}, counting a total of exactly {total} as wrong for both classes; "
        f"predicted errors {_share(made.predicted_errors, made.total_weight)}, "
        f"because the rule predicts {class_names(card)[0]} at exactly {total}"
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


TIMES = "\u00d7"
_MOST_VALUES = 3  # of a domain, that are listed beside a column


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One item: its number on the page, what it asks, and its points."""

    number: int
    text: str
    times: bool  # the points multiply the value
    points: str

    @property
    def shown_points(self) -> str:
        """The points, after a sign where they multiply."""
        return f"{TIMES} {self.points}" if self.times else self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Lines that are added up, and the name of their total."""

    lines: tuple[Line, ...]
    adds: str
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Everything a format shows, in order."""

    heading: str
    parts: tuple[Part, ...]  # none, one, or A and B
    difference: tuple[str, str] | None  # what to do with A and B, and the name of the result
    total: str  # the name of the number that decides
    cutoff: Cutoff
    negative: str
    positive: str
    how: str
    rule: str
    notes: tuple[str, ...]  # what missing values do, risks, the source
    facts: tuple[tuple[str, str], ...]

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """What each total means, the positive class first: ("The total is 4 or more", "yes")."""
        total = self.total[:1].upper() + self.total[1:]
        return (
            (f"{total} is {self.cutoff.positive}", self.positive),
            (f"{total} is {self.cutoff.negative}", self.negative),
        )

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all parts."""
        return tuple(line for part in self.parts for line in part.lines)


def content(card: Card) -> Content:
    """Return the content of a card."""
    up = [item for item in card.items if item.points > 0]
    down = [item for item in card.items if item.points < 0]
    both = bool(up and down)
    ordered = [*up, *down] if both else list(card.items)
    texts = _texts(card, ordered)
    total = "Total C" if both else "the total"
    negative, positive = class_names(card)
    cutoff = card.cutoff
    if not ordered:
        parts: tuple[Part, ...] = ()
        rule = f"No feature is used: predict {positive if card.intercept > 0 else negative} for everyone."
    else:
        rule = f"Predict {positive} if {total} is {cutoff.positive}, otherwise {negative}."
        if both:
            parts = (_part(up, texts, 1, "Total A", 1), _part(down, texts, len(up) + 1, "Total B", -1))
        else:
            parts = (_part(ordered, texts, 1, "Total", 1),)
    risk = risk_note(card, total)
    source = () if card.source is None else (f"Source: {visible(card.source)}",)
    return Content(
        heading=heading(card),
        parts=parts,
        difference=("Subtract Total B from Total A", "Total C") if both else None,
        total=total,
        cutoff=cutoff,
        negative=negative,
        positive=positive,
        how=_how_to_add(card),
        rule=rule,
        notes=(
            *_missing(ordered, len(up) if both else len(ordered)),
            *(() if risk is None else (risk,)),
            *source,
        ),
        facts=facts(card),
    )


def _part(items: Sequence[Item], texts: dict[Item, str], first: int, total: str, sign: int) -> Part:
    lines = tuple(
        Line(number=n, text=texts[item], times=not item.is_yes_no, points=shown(sign * item.points))
        for n, item in enumerate(items, start=first)
    )
    last = first + len(lines) - 1
    adds = f"Add points from {first} to {last}" if last > first else f"Points of line {first}"
    return Part(lines=lines, adds=adds, total=total)


def _texts(card: Card, items: Sequence[Item]) -> dict[Item, str]:
    """What each line asks; the condition is added where the words alone do not say it."""
    domains = {domain.column: domain for domain in card.domains}
    plain = {item: _text(item, domains.get(item.column)) for item in items}
    often = Counter(plain.values())
    return {
        item: visible(text if often[text] == 1 else f"{text} ({item.name})") or '""'
        for item, text in plain.items()
    }


def _text(item: Item, domain: Domain | None) -> str:
    if not item.is_yes_no:
        hints = [hint for hint in (item.unit, _limits(domain)) if hint is not None]
        return item.column + (f" ({', '.join(hints)})" if hints else "")
    plain_yes = isinstance(item.rule, IsOneOf) and item.rule.values[0] is True and len(item.rule.values) == 1
    if item.question is None or (plain_yes and item.question.strip()):
        return item.asks
    return f"{item.question} ({item.name})"


def _limits(domain: Domain | None) -> str | None:
    """The range of a column, as the paper writes it: "1 to 10"."""
    if domain is None:
        return None
    if domain.values is not None:
        few = len(domain.values) <= _MOST_VALUES
        return " or ".join(map(category_text, domain.values)) if few else None
    if domain.low is None or domain.high is None:
        return None
    return f"{shown(domain.low)} to {shown(domain.high)}"


def _how_to_add(card: Card) -> str:
    kinds = {item.is_yes_no for item in card.items}
    if not kinds:
        return ""
    if kinds == {False}:
        return "Multiply each value by its points."
    if kinds == {True}:
        return "Take the points of the lines that apply."
    return f"Multiply each value by its points ({TIMES}); take the points of the other lines that apply."


def _missing(ordered: Sequence[Item], n_added: int) -> list[str]:
    """How missing values are scored."""
    given: dict[Fraction, list[int]] = {}
    refusing = []
    for n, item in enumerate(ordered, start=1):
        if item.missing is not None:
            given.setdefault(item.missing if n <= n_added else -item.missing, []).append(n)
        elif not isinstance(item.rule, IsMissing):
            refusing.append(n)
    said = [
        f"A missing value counts as {shown(points)} in {lines_named(numbers)}."
        for points, numbers in given.items()
    ]
    if not refusing:
        return said
    if len(refusing) == len(ordered):
        return ["Every value must be known."]
    return [*said, f"A value must be known in {lines_named(refusing)}."]


def lines_named(numbers: Sequence[int]) -> str:
    """Name lines of a card by their numbers: "lines 1, 2 and 5"."""
    *first, last = map(str, numbers)
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"
