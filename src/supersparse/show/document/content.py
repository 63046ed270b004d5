"""The content of a card, shared by all faces: lines with points, what totals mean, risks, evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.exact import shown
from supersparse.card.bands import example_of, possible_totals
from supersparse.card.card import Card, Cutoff, Item
from supersparse.card.evidence import (
    about_labels,
    baseline,
    evidence_rows,
    facts,
    in_one_line,
    judged_on,
    no_better,
    weighted_risks,
)
from supersparse.card.lines import Line, asks_of_title, class_names, enumerated, heading, line_of_item, lines_of
from supersparse.card.printed import moved_risk
from supersparse.card.risk import risk_of
from supersparse.card.rules import IsMissing
from supersparse.show.document.blocks import (
    TIMES,
    CardBlock,
    Facts,
    Paragraph,
    Part,
    Questions,
    ShownAnswer,
    ShownLine,
    TableBlock,
    Title,
)
from supersparse.show.document.risk_strip import (
    RiskColumn,
    risk_columns,
    risk_formula,
    risk_percent,
    risks_by_total,
    unseen_totals,
)
from supersparse.table.plain import visible
from supersparse.table.small_table import number

Style = Literal["card", "paper"]
_MOST_TOTALS = 2000  # among which the highest and the lowest are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Everything a face shows, in order."""

    heading: str
    how: str
    parts: tuple[Part, ...]  # none, one, or in the paper's style A and B
    difference: tuple[str, str] | None  # what to do with A and B, and the name of the result
    total: str  # the name of the number that decides
    cutoff: Cutoff
    negative: str
    positive: str
    titled: bool  # whether the heading says what the positive class is
    always: str | None  # the class of everyone, for a card without lines
    one_sided: str | None  # that every total predicts the same class, where it does
    risk_of_all: str | None  # the risk of everyone on such a card, if it has one
    example: str | None  # how to multiply, where a line needs it
    risks: tuple[RiskColumn, ...]
    risk_note: str | None  # why risks are not the shares of events below them, and what labels were learned from
    evidence: tuple[tuple[str, str], ...]  # how well it does, on the rows that say most about new ones
    judged_on: str | None  # which rows these are
    baseline: str | None  # how good the same answer for everyone would be
    warning: str | None  # of a card that is no better; not for the bedside
    notes: tuple[str, ...]  # what missing values do, the source
    facts: tuple[tuple[str, str], ...]

    @property
    def at_the_bedside(self) -> "Content":
        """The content of a form to fill in: whether a card is worth using is not for whoever fills it in."""
        return replace(self, warning=None, baseline=None if self.warning else self.baseline)

    @property
    def results(self) -> tuple[tuple[str, str], ...]:
        """The meaning of totals, the positive class first: ("4 or more", "yes")."""
        return (self.cutoff.positive, self.positive), (self.cutoff.negative, self.negative)

    @property
    def rule(self) -> str:
        if self.always is not None:
            risk = (
                "" if self.risk_of_all is None else f" The risk of {self.positive} is {self.risk_of_all} for everyone."
            )
            return f"No question is asked: predict {self.always} for everyone.{risk}"
        rule = f"Predict {self.positive} if {self.total} is {self.cutoff.positive}, otherwise {self.negative}."
        return rule if self.one_sided is None else f"{rule} {self.one_sided}"

    @property
    def decides(self) -> str:
        """The name of the number that decides, over the risks: "Total", or "Total C"."""
        return "Total" if self.difference is None else self.difference[1]

    @property
    def questions(self) -> Questions:
        return Questions(parts=self.parts, difference=self.difference)

    @property
    def lines(self) -> tuple[ShownLine, ...]:
        return self.questions.lines

    @property
    def risk_table(self) -> TableBlock:
        """The risk by total, in few bands, and how many cases had such a total where that is known."""
        cases = [column.cases for column in self.risks]
        rows = [("Risk", *(column.percent for column in self.risks))]
        if any(n is not None for n in cases):
            rows.append(("Cases", *("-" if n is None else number(n) for n in cases)))
        return TableBlock(
            caption="Risk" if self.titled else f"Risk ({self.positive})",
            header=(self.decides, *(column.totals for column in self.risks)),
            rows=tuple(rows),
            notes=() if self.risk_note is None else (self.risk_note,),
            marked=(False, *(column.positive for column in self.risks)),
        )

    @property
    def blocks(self) -> Iterator[CardBlock]:
        """The card from top to bottom, as every face shows it."""
        yield Title(self.heading)
        if self.how:
            yield Paragraph(self.how)
        if self.example:
            yield Paragraph(self.example)
        if self.parts:
            yield self.questions
        yield Paragraph(self.rule, "rule")
        if self.risks:
            yield self.risk_table
        elif self.risk_note:
            yield Paragraph(self.risk_note, "note")
        if self.warning:
            yield Paragraph(f"Warning: {self.warning}", "warning")
        if self.evidence:
            yield Facts(self.evidence)
        if self.judged_on:
            yield Paragraph(self.judged_on, "note")
        if self.baseline and not self.warning:
            yield Paragraph(self.baseline, "note")
        for text in (*self.notes, *(in_one_line(label, fact) for label, fact in self.facts)):
            yield Paragraph(text, "note")


def content_of(card: Card, style: Style = "card") -> Content:
    """Return the content of a card: as a reader would fill it in, or in the style of the paper."""
    if style not in get_args(Style):
        raise InvalidOptionError(subject="style", value=style, remedy=did_you_mean(str(style), get_args(Style)))
    shown_card, learned = card, card.as_learned
    if style == "paper":
        shown_card = replace(learned, risk=moved_risk(card.risk, learned.intercept - card.intercept))
    lines = lines_of(shown_card) if style == "card" else ()
    parts, difference = _one_part(card, lines) if style == "card" else _paper_parts(shown_card)
    negative, positive = class_names(card)
    cutoff = shown_card.cutoff
    asked = bool(shown_card.items)
    total = "Total C" if difference is not None else "the total"
    strip = risk_columns(shown_card) if asked else ()
    formula = risk_formula(shown_card, positive, total) if asked and not strip else ()
    remarks = (unseen_totals(risks_by_total(shown_card)) if strip else None, weighted_risks(card), about_labels(card))
    weighted = " ".join(one for one in remarks if one is not None) or None
    judged = card.performance[-1] if card.performance else None
    horizon = None if card.provenance is None else card.provenance.horizon
    return Content(
        heading=heading(card),
        how=_how_to_add(parts),
        parts=parts,
        difference=difference,
        total=total,
        cutoff=cutoff,
        negative=negative,
        positive=positive,
        titled=asks_of_title(card),
        always=None if asked else (positive if cutoff.includes(Fraction(0)) else negative),
        one_sided=_one_sided(shown_card) if asked and card.risk is not None else None,
        risk_of_all=None if asked or card.risk is None else risk_percent(risk_of(card.risk, Fraction(0))),
        example=_example(parts),
        risks=strip,
        risk_note=None if formula else weighted,
        evidence=() if judged is None else evidence_rows(judged, horizon),
        judged_on=None if judged is None else judged_on(judged),
        baseline=None if judged is None else baseline(card, judged),
        warning=None if judged is None else no_better(card, judged),
        notes=(
            *(_missing_notes(lines) if style == "card" else _missing_by_item(parts, shown_card)),
            *formula,
            *((weighted,) if formula and weighted is not None else ()),
            *(() if card.source is None else (f"Source: {visible(card.source)}",)),
        ),
        facts=facts(card),
    )


def _one_sided(card: Card) -> str | None:
    """Say that no total reaches the threshold, or that every one does, as happens where one class is rare."""
    totals = possible_totals(card, _MOST_TOTALS)
    if not totals:
        return None
    if not card.cutoff.includes(totals[-1]):
        return f"No total is: the highest is {shown(totals[-1])}."
    if card.cutoff.includes(totals[0]):
        return f"Every total is: the lowest is {shown(totals[0])}."
    return None


def _one_part(card: Card, lines: Sequence[Line]) -> tuple[tuple[Part, ...], None]:
    if not lines:
        return (), None
    shown_lines = tuple(
        ShownLine(
            number=line.number,
            text=visible(line.text) or '""',
            times=line.times,
            example=example_of(card.domain(line.column)) if line.times else None,
            points="" if line.answers else shown(line.points),
            answers=tuple(ShownAnswer(text=visible(a.text) or '""', points=shown(a.points)) for a in line.answers),
        )
        for line in lines
    )
    return (Part(lines=shown_lines, adds="Add up the points", total="Total"),), None


def _paper_parts(card: Card) -> tuple[tuple[Part, ...], tuple[str, str] | None]:
    """A line for each item; where points have both signs, their totals A and B are subtracted."""
    up = [item for item in card.items if item.points > 0]
    down = [item for item in card.items if item.points < 0]
    if not card.items:
        return (), None
    if not up or not down:
        return (_paper_part(card, card.items, 1, "Total", 1),), None
    parts = (_paper_part(card, up, 1, "Total A", 1), _paper_part(card, down, len(up) + 1, "Total B", -1))
    return parts, ("Subtract Total B from Total A", "Total C")


def _paper_part(card: Card, items: Sequence[Item], first: int, total: str, sign: int) -> Part:
    lines = tuple(
        ShownLine(
            number=n,
            text=visible(line_of_item(item, card.domain(item.column), card.wording.of(item.column)).text) or '""',
            times=not item.is_yes_no,
            example=None if item.is_yes_no else example_of(card.domain(item.column)),
            points=shown(sign * item.points),
        )
        for n, item in enumerate(items, start=first)
    )
    last = first + len(lines) - 1
    adds = f"Add points from {first} to {last}" if last > first else f"Points of line {first}"
    return Part(lines=lines, adds=adds, total=total)


def _how_to_add(parts: Sequence[Part]) -> str:
    lines = [line for part in parts for line in part.lines]
    times = {line.times for line in lines}
    if not times:
        return ""
    if times == {True}:
        return "Multiply each value by its points."
    if times == {False}:
        if all(line.answers for line in lines):
            return "For each question, choose one answer and write down its points."
        return "Add up the points of the answers that apply."
    return f"Multiply each value by its points ({TIMES}); take the points of the other answers that apply."


def _example(parts: Sequence[Part]) -> str | None:
    """How to multiply, shown for the first line that needs it."""
    for line in (line for part in parts for line in part.lines):
        if line.example is not None:
            value, product = shown(line.example), shown(line.example * Fraction(line.points))
            gives = f"{value} {TIMES} {line.points} = {product} {'point' if product == '1' else 'points'}"
            return f"For example, a value of {value} in question {line.number} gives {gives}."
    return None


def _missing_notes(lines: Sequence[Line]) -> list[str]:
    counted: dict[Fraction, list[int]] = {}
    refusing = []
    for line in lines:
        if line.missing is not None:
            counted.setdefault(line.missing, []).append(line.number)
        elif not any(isinstance(rule, IsMissing) for rule in (line.rule, *(a.rule for a in line.answers))):
            refusing.append(line.number)
    return _missing_in_words(counted, refusing, len(lines))


def _missing_by_item(parts: Sequence[Part], card: Card) -> list[str]:
    ordered = list(card.items)
    if len(parts) > 1:
        ordered = [i for i in card.items if i.points > 0] + [i for i in card.items if i.points < 0]
    n_added = len(parts[0].lines) if parts else 0
    counted: dict[Fraction, list[int]] = {}
    refusing = []
    for n, item in enumerate(ordered, start=1):
        if item.missing is not None:
            counted.setdefault(item.missing if n <= n_added else -item.missing, []).append(n)
        elif not isinstance(item.rule, IsMissing):
            refusing.append(n)
    return _missing_in_words(counted, refusing, len(ordered))


def _missing_in_words(counted: dict[Fraction, list[int]], refusing: list[int], n_lines: int) -> list[str]:
    counted_as = [
        f"No answer to {questions_named(numbers)} counts as {counted_points(points)}."
        for points, numbers in counted.items()
    ]
    if not refusing:
        return counted_as
    if len(refusing) == n_lines:
        return ["No question can be left blank." if n_lines > 1 else "The question cannot be left blank."]
    named = questions_named(refusing)
    return [*counted_as, f"{named[:1].upper()}{named[1:]} cannot be left blank."]


def counted_points(points: Fraction) -> str:
    return f"{shown(points)} point{'' if abs(points) == 1 else 's'}"


def questions_named(numbers: Sequence[int]) -> str:
    """Name questions of a card by their numbers: "questions 1, 2 and 5"."""
    return f"question{'s' if len(numbers) > 1 else ''} {enumerated([str(number) for number in numbers])}"
