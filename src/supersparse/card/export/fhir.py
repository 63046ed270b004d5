"""A card as a FHIR R4 Questionnaire that calculates total, risk and class, and a row as the response to it.

Two forms: "choices" has an option for every answer of a line, as on paper; in "values" numbers are typed in, as in
raw data. The expressions that calculate (SDC, FHIRPath) are in `fhirpath`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib.resources import files
from math import ceil, floor
from uuid import NAMESPACE_URL, uuid5

from supersparse.base.errors import InvalidDataError, UnsupportedCardError
from supersparse.base.exact import exact_value, int_or_float
from supersparse.card.card import Card, Item
from supersparse.card.checks import Expected, expectations
from supersparse.card.export.fhirpath import (
    DECIMALS,
    Calculated,
    calculated,
    choice_term,
    classes_of,
    number_term,
    points_of,
)
from supersparse.card.export.plan import is_yes_no
from supersparse.card.export.targets import choice_of, text_of
from supersparse.card.lines import Line, heading, lines_of
from supersparse.card.risk import risk_of
from supersparse.card.rules import InRange, IsMissing, IsNoneOf, IsOneOf, Rule, ValueOf, looks_at_value
from supersparse.card.scoring import read_person, score_person
from supersparse.card.words import ColumnWording, category_text, readable
from supersparse.table.plain import visible
from supersparse.table.values import Category, is_beyond, is_missing, read_category

FORMS = ("choices", "values")
STATUSES = ("draft", "active", "retired", "unknown")
_FHIR = "http://hl7.org/fhir/StructureDefinition"
_CALCULATED = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression"
_MOST_OPTIONS = 100  # of one item; engines recurse over them
_RESULTS = ("total", "units", "risk", "class")

_EXPORTS = files("supersparse.card.export")
_UCUM = json.loads(_EXPORTS.joinpath("ucum.json").read_text(encoding="utf-8"))  # units as people write them, in UCUM
Json = dict[str, object]


def to_fhir(
    card: Card, *, form: str = "choices", url: str | None = None, version: str = "1.0.0", status: str = "draft"
) -> str:
    """Return a Questionnaire as JSON: an item for each column, then total, risk (if the card has risks) and class.

    In the form "choices" each answer is an option, in "values" numbers are typed in. `url` is the canonical address
    of the form, by default one made from the card's points.
    """
    return _json(FhirForm.of(card, form, url, version).questionnaire(choice_of(status, "status", STATUSES)))


def fhir_response(
    card: Card,
    person: Mapping[str, object],
    *,
    form: str = "choices",
    url: str | None = None,
    version: str = "1.0.0",
    one_line: bool = False,
) -> str:
    """Return one person's completed QuestionnaireResponse to that form, with total, risk and class, as JSON."""
    return _json(FhirForm.of(card, form, url, version).response(person), None if one_line else 1)


def _json(resource: Json, indent: int | None = 1) -> str:
    return json.dumps(resource, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    """An answer of a choice; `holds` says whether it is the one for a value, None that the value is missing."""

    code: str
    text: str
    points: Fraction
    holds: Callable[[object], bool] | None

    def stands_for(self, value: object) -> bool:
        return self.holds is None if is_missing(value) else self.holds is not None and self.holds(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class FhirQuestion:
    """A column as an item of the form: a choice of options, or, without them, a number."""

    link: str
    text: str
    expected: Expected
    items: Sequence[Item]
    unit: str | None = None
    options: tuple[_Option, ...] = ()

    @property
    def type(self) -> str:
        if self.options:
            return "choice"
        domain = self.expected.domain
        return "integer" if domain is not None and domain.is_whole else "decimal"

    @property
    def unknown(self) -> str | None:
        """The item that says that a number is not known; None for a choice, and where it must be known."""
        return None if self.options or self.expected.refuses_missing else f"{self.link}-unknown"

    def term(self, scale: int) -> str:
        """The expression for its points, in units."""
        if self.options:
            return choice_term(self.link, [(o.code, o.points * scale) for o in self.options])
        return number_term(self.link, self.unknown, self.items, self.expected, scale, whole=self.type == "integer")


@dataclass(frozen=True, slots=True, kw_only=True)
class FhirForm:
    card: Card
    questions: tuple[FhirQuestion, ...]
    results: Calculated
    url: str
    version: str

    @staticmethod
    def of(card: Card, form: str, url: str | None, version: str) -> "FhirForm":
        by_answer = choice_of(form, "form", FORMS) == "choices"
        links = _unique(card.columns, _RESULTS)
        questions = tuple(
            _question(card, expected, link, by_answer=by_answer)
            for expected, link in zip(expectations(card), links, strict=True)
        )
        decimal = any(isinstance(i.rule, ValueOf) for q in questions if q.type == "decimal" for i in q.items)
        if url is None:
            parts = (form, card.items, card.intercept, card.classes, card.risk)
            url = uuid5(NAMESPACE_URL, "\n".join(map(repr, parts))).urn
        return FhirForm(
            card=card,
            questions=questions,
            results=calculated(card, [q.term for q in questions], decimal=decimal),
            url=text_of(url, "url"),
            version=text_of(version, "version"),
        )

    @property
    def system(self) -> str:
        """The address of the answers' codes."""
        return self.url if self.url.startswith("urn:") else f"{self.url}/answers"

    def questionnaire(self, status: str) -> Json:
        title = visible(heading(self.card))
        return {
            "resourceType": "Questionnaire",
            "url": self.url,
            "version": self.version,
            "name": "".join(word.capitalize() for word in re.findall("[A-Za-z0-9]+", f"card {title}")),
            "title": title,
            "status": status,
            "subjectType": ["Patient"],
            "item": [*(item for q in self.questions for item in self._asked(q)), *self._calculated()],
        }

    def _asked(self, question: FhirQuestion) -> list[Json]:
        item: Json = {"linkId": question.link, "text": question.text, "type": question.type}
        if question.options:
            options = [
                {
                    "extension": [{"url": f"{_FHIR}/itemWeight", "valueDecimal": int_or_float(option.points)}],
                    "valueCoding": self._coding(option),
                }
                for option in question.options
            ]
            return [{**item, "required": True, "answerOption": options}]
        code = _UCUM.get((question.unit or "").strip().casefold())
        extensions = _limits(question)
        if code is not None:
            coding = {"system": "http://unitsofmeasure.org", "code": code, "display": question.unit}
            extensions.append({"url": f"{_FHIR}/questionnaire-unit", "valueCoding": coding})
        elif question.unit is not None:
            item["text"] = f"{question.text} ({visible(question.unit)})"
        if extensions:
            item["extension"] = extensions
        if question.unknown is None:
            return [{**item, "required": True}]
        return [item, {"linkId": question.unknown, "text": f"{question.text}: not known", "type": "boolean"}]

    def _coding(self, option: _Option) -> Json:
        return {"system": self.system, "code": option.code, "display": option.text}

    def _calculated(self) -> list[Json]:
        made = []
        for link, text, kind, expression in self.results.items:
            extensions: list[Json] = [
                {"url": _CALCULATED, "valueExpression": {"language": "text/fhirpath", "expression": expression}}
            ]
            if link == "units":
                extensions.append({"url": f"{_FHIR}/questionnaire-hidden", "valueBoolean": True})
            made.append({"linkId": link, "text": text, "type": kind, "readOnly": True, "extension": extensions})
        return made

    def response(self, person: Mapping[str, object]) -> Json:
        values = read_person(self.card, person)
        answered = [self.answer(q, values[q.expected.column]) for q in self.questions]
        total = score_person(self.card, person) - self.card.intercept
        form: dict[str, object] = {
            "total": int_or_float(total),
            "units": int_or_float(total * self.results.scale),
            "class": classes_of(self.card)[self.card.cutoff.includes(total)],
        }
        if self.card.risk is not None:
            form["risk"] = risk_of(self.card.risk, total)
        results = [
            {"linkId": link, "answer": [{f"value{kind.capitalize()}": form[link]}]}
            for link, _, kind, _ in self.results.items
        ]
        return {
            "resourceType": "QuestionnaireResponse",
            "questionnaire": f"{self.url}|{self.version}",
            "status": "completed",
            "item": [*answered, *results],
        }

    def answer(self, question: FhirQuestion, value: object) -> Json:
        link, answer = question.link, dict[str, object]()
        if question.options:
            option = next((o for o in question.options if o.stands_for(value)), None)
            if option is None:
                column = question.expected.column
                raise InvalidDataError(f"the form has no option for {value!r} in column {column!r}", subject=column)
            answer["valueCoding"] = self._coding(option)
        elif is_missing(value):
            link, answer["valueBoolean"] = str(question.unknown), True
        elif is_beyond(value):
            column = question.expected.column
            raise InvalidDataError(f"column {column!r} is a limit, not a number", "use form='choices'", subject=column)
        else:
            column = question.expected.column
            number = exact_value(value, f"column {column!r}")
            if question.type == "integer" and number.denominator > 1:
                raise InvalidDataError(f"column {column!r} is {value!r}; the form takes whole numbers", subject=column)
            answer[f"value{question.type.capitalize()}"] = int_or_float(number)
        return {"linkId": link, "answer": [answer]}


def _limits(question: FhirQuestion) -> list[Json]:
    """The least and the largest number that may be typed in."""
    refusing = question.expected.refusing
    if refusing is None:
        return []
    low, high = refusing.low, refusing.high
    if refusing.values is not None:
        low, high = min(refusing.numbers), max(refusing.numbers)
    unit = 1 if question.type == "integer" else 10**DECIMALS
    return [
        {
            "url": f"{_FHIR}/{name}",
            f"value{question.type.capitalize()}": int_or_float(Fraction(rounded(end * unit), unit)),
        }
        for name, end, rounded in (("minValue", low, ceil), ("maxValue", high, floor))
        if end is not None
    ]


def _question(card: Card, expected: Expected, link: str, *, by_answer: bool) -> FhirQuestion:
    column, items = expected.column, card.items_by_column()[expected.column]
    words = card.wording.of(column)
    lines = [line for line in lines_of(card) if line.column == column]
    numbers = any(isinstance(i.rule, ValueOf | InRange) for i in items) or "a number" in expected.kinds
    if numbers and "text" in expected.kinds:
        raise UnsupportedCardError(
            f"column {column!r} holds both text and numbers, and an item of a FHIR form holds one of them",
            "use the Python or JavaScript export",
        )
    options: Sequence[_Option] = ()
    if by_answer and len(lines) == 1 and not lines[0].times:
        options = _answers(lines[0])
    elif not any(looks_at_value(i.rule) for i in items):
        points = sum((i.points for i in items if not isinstance(i.rule, IsMissing)), Fraction(0))
        options = _options([("known", points, lambda value: True), *_not_known(items)])
    elif is_yes_no(items, expected.domain):
        options = _categories([True, False], items, words)
    elif not numbers:
        known = expected.domain.values if expected.domain is not None and expected.domain.values else ()
        named = [v for i in items if isinstance(i.rule, IsOneOf | IsNoneOf) for v in i.rule.values]
        accepted = expected.refusing.values if expected.refusing is not None else None
        options = _categories(accepted or dict.fromkeys((*known, *named)), items, words, others=accepted is None)
    if len(options) > _MOST_OPTIONS:
        raise UnsupportedCardError(
            f"column {column!r} has {len(options)} categories, and a form at most {_MOST_OPTIONS} options",
            "use form='choices', which has one for each answer",
        )
    label = words.label or (words.question if by_answer or not numbers else None) or readable(column)
    return FhirQuestion(
        link=link,
        text=visible(lines[0].text if by_answer and options else label),
        expected=expected,
        items=items,
        unit=words.unit or next((item.unit for item in items if item.unit), None),
        options=tuple(options),
    )


def _answers(line: Line) -> list[_Option]:
    """The answers of a line as they are printed; a question can be answered with yes and no."""
    answers: list[tuple[str, Fraction, Callable[[object], bool] | None]] = []
    if line.answers:
        answers = [(one.text, one.points, _test_of(one.rule)) for one in line.answers]
    elif isinstance(line.rule, IsMissing):
        answers = [("no", Fraction(0), lambda value: True), ("yes", line.points, None)]
    else:
        assert line.rule is not None
        answers = [("yes", line.points, _test_of(line.rule)), ("no", Fraction(0), lambda value: True)]
        if line.missing is not None:
            answers.append(("not known", line.missing, None))
    return _options(answers)


def _test_of(rule: Rule) -> Callable[[object], bool] | None:
    if isinstance(rule, IsMissing):
        return None
    return lambda value: rule.of_one(value, f"column {rule.column!r}") == 1


def _not_known(items: Sequence[Item]) -> list[tuple[str, Fraction, None]]:
    points = [item.when_missing for item in items]
    return [] if None in points else [("not known", sum((p for p in points if p), Fraction(0)), None)]


def _categories(
    values: Iterable[Category], items: Sequence[Item], words: ColumnWording, *, others: bool = False
) -> list[_Option]:
    """An option for each category, one for all others where the card scores them, and one for not known."""
    answers: list[tuple[str, Fraction, Callable[[object], bool] | None]] = []
    for value in values:
        plain = ("yes" if value else "no") if isinstance(value, bool) else category_text(value)
        points = sum((points_of(item, value) for item in items), Fraction(0))
        answers.append((words.answers.get(value, plain), points, partial(_is, value)))
    if others:
        points = sum((item.points for item in items if isinstance(item.rule, IsNoneOf)), Fraction(0))
        answers.append(("other", points, lambda value: True))
    return _options([*answers, *_not_known(items)])


def _is(category: Category, value: object) -> bool:
    return read_category(value, "a value") == category


def _options(answers: Sequence[tuple[str, Fraction, Callable[[object], bool] | None]]) -> list[_Option]:
    texts = [visible(text) for text, _, _ in answers]
    codes = _unique(texts)
    return [
        _Option(code=code, text=text, points=points, holds=holds)
        for code, text, (_, points, holds) in zip(codes, texts, answers, strict=True)
    ]


def _unique(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names of letters, digits and hyphens, each once, none of them taken or made of one by "-unknown"."""
    texts: list[str] = []
    used = set(taken)
    for name in names:
        slug = "-".join(re.findall("[a-z0-9]+", name.casefold()))[:40].strip("-") or "item"
        number = 1
        while (made := slug if number == 1 else f"{slug}-{number}") in used:
            number += 1
        used |= {made, f"{made}-unknown"}
        texts.append(made)
    return texts
