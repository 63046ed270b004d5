"""Words: how rules, values, columns and classes are written on every face, and how a user renames them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import shown
from supersparse.card.rules import InRange, IsMissing, IsNoneOf, IsOneOf, Rule, ValueOf
from supersparse.table.plain import in_quotes
from supersparse.table.small_table import Tabular
from supersparse.table.values import Category, declared_category

_PLAIN = re.compile(r"[^\W\d][\w .%/()+-]*", re.UNICODE)
_WORDS_OF_RULES = re.compile(r"\b(in|or|not|known|missing|true|false)\b", re.IGNORECASE)


def condition(rule: Rule) -> str:
    """Return the rule as a condition; different rules with the same column read differently.

    >>> condition(InRange("age", low=65, high=75)), condition(IsOneOf("sex", ("F",)))
    ('65 <= age < 75', 'sex = F')
    """
    name = _quoted_unless_plain(rule.column)
    match rule:
        case ValueOf():
            return rule.column
        case IsMissing():
            return f"{name} missing"
        case IsOneOf(values=(value,)):
            return f"{name} = {category_text(value)}"
        case IsOneOf(values=values):
            return f"{name} in ({', '.join(map(category_text, values))})"
        case IsNoneOf(values=()):
            return f"{name} known"
        case IsNoneOf(values=(value,)):
            return f"{name} not {category_text(value)}"
        case IsNoneOf(values=values):
            return f"{name} not in ({', '.join(map(category_text, values))})"
        case InRange(low=low, high=None) if low is not None:
            return f"{name} {'>=' if rule.low_included else '>'} {shown(low)}"
        case InRange(low=None, high=high) if high is not None:
            return f"{name} {'<=' if rule.high_included else '<'} {shown(high)}"
        case InRange(low=low, high=high) if low is not None and high is not None:
            first, last = ("<=" if included else "<" for included in (rule.low_included, rule.high_included))
            return f"{shown(low)} {first} {name} {last} {shown(high)}"
    raise AssertionError(rule)  # a range has a bound


def question(
    rule: Rule,
    unit: str | None = None,
    *,
    label: str | None = None,
    whole: bool = False,
    answers: Mapping[Category, str] | None = None,
) -> str:
    """Return the question whose answer yes (or a number, for `ValueOf`) gives the points.

    `label` replaces the column's name, and `answers` replaces categories; `whole` says that the column holds
    whole numbers only.

    >>> question(InRange("age", low=60)), question(IsOneOf("sex", ("F",)))
    ('Age 60 or older?', 'Sex: F?')
    >>> question(InRange("pulse", low=60, high=91), "per minute", whole=True)
    'Pulse 60 to 90 per minute?'
    """
    name = readable(rule.column) if label is None else label
    match rule:
        case ValueOf():
            return f"{name}, in {unit}?" if unit else f"{name}?"
        case IsOneOf(values=(True,)) if rule.values[0] is True and not answers:
            return f"{name}?"
        case IsNoneOf(values=values) if values:
            return f"{name} other than {_either([_answer(v, answers) for v in values])}?"
        case InRange():
            colon = ":" if name[-1:].isdigit() else ""  # "Lab 6: 1.5 or more?"
            return f"{name}{colon} {answer(rule, unit, whole=whole)}?"
        case IsMissing():
            return f"{name} not known?"
        case IsNoneOf():
            return f"{name} known?"
    return f"{name}: {answer(rule, unit, answers=answers)}?"


def answer(
    rule: Rule,
    unit: str | None = None,
    *,
    whole: bool = False,
    answers: Mapping[Category, str] | None = None,
    known: Sequence[Category] = (),
    is_closed: bool = False,
    ends: tuple[Fraction | None, Fraction | None] = (None, None),
) -> str:
    """Return what a person answers where the rule holds; `known` are the values that the column may have.

    `is_closed` says that it can have no others, and `ends` are the least and the greatest whole number of it.

    >>> answer(InRange("age", high=16)), answer(InRange("age", low=16, high=23), whole=True)
    ('under 16', '16 to 22')
    >>> answer(IsOneOf("sex", ("F",)), answers={"F": "female"}), answer(IsNoneOf("sex", ("F",)))
    ('female', 'any other')
    """
    match rule:
        case ValueOf():
            return "a number" if unit is None else f"a number of {unit}"
        case IsMissing():
            return "not known"
        case IsNoneOf(values=()):
            return "known"
        case IsNoneOf(values=values):
            others = [_answer(v, answers) for v in known if v not in values]
            if is_closed and 0 < len(others) <= 2 * _FEW_ANSWERS:
                return _either(others)
            return _either([*others, "other"]) if 0 < len(others) <= _FEW_ANSWERS else "any other"
        case IsOneOf(values=values):
            return _either([_answer(v, answers) for v in values])
        case InRange():
            return _range_in_words(rule, unit, whole, ends)
    raise AssertionError(rule)


_FEW_ANSWERS = 4  # that are listed along with "other"


def _answer(value: Category, answers: Mapping[Category, str] | None) -> str:
    if answers and value in answers:
        return answers[value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return category_text(value)


def _either(texts: Sequence[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last


_COMPARED = re.compile(r"(.+?)_(eq|neq|geq|leq|gt|lt)_(.+)")
_COMPARISONS = {
    "eq": "{}: {}", "neq": "{}: not {}", "geq": "{} {} or more", "leq": "{} {} or less",
    "gt": "{} above {}", "lt": "{} below {}",
}  # fmt: skip
_CAPITALS = re.compile(r"([A-Z][a-z]+){2,}")


_UNITS = re.compile(
    "years?|yrs?|y|jahre?|ans?|années?|años?|ann[oi]|anos?|jaar|months?|mo|monate|mois|meses|mesi|maanden|weeks?|wochen|"
    "semaines|days?|d|tage?|jours|d[íi]as|giorni|dagen|hours?|hrs?|h|stunden|minutes|min|s|sec|[ckm]?m|in|ft|k?g|[mµun]g|"
    "lb|d?l|ml|mmol|mmhg|bpm|kpa|hz|°?c|°f|%|‰|[€$£]|eur|usd|points"
)
_WITH_UNIT = re.compile(r"(.*\S)\s*(?:\[([^\[\]]{1,20})\]|\(([^()]{1,20})\)|,\s*([^,()]{1,20}))")


def unit_in(column: str) -> str | None:
    """The unit in the name of a column: in brackets, or after a comma.

    >>> unit_in("Alter (Jahre)"), unit_in("Lactate [mmol/L]"), unit_in("Outcome (final)")
    ('Jahre', 'mmol/L', None)
    """
    return _parted(column)[1]


def _parted(column: str) -> tuple[str, str | None]:
    """A column's name in one line, without its unit, and the unit."""
    name = " ".join(column.split())
    match = _WITH_UNIT.fullmatch(name)
    if match is None:
        return name or column, None
    unit = (match[2] or match[3] or match[4]).strip()
    parts = re.split(r"[/*·^ ]|per", unit.casefold())
    is_unit = bool(unit) and (
        match[2] is not None or "%" in unit or all(_UNITS.fullmatch(p.strip("0123456789²³-")) for p in parts)
    )
    return (match[1], unit) if is_unit and not unit.isdigit() else (name, None)


def readable(column: str) -> str:
    """Return a column's name as the beginning of a sentence.

    >>> readable("heart_failure"), readable("pH"), readable("x1"), readable("ClumpThickness")
    ('Heart failure', 'pH', 'X1', 'Clump thickness')
    >>> readable("smoker_eq_yes"), readable("age_geq_60")
    ('Smoker: yes', 'Age 60 or more')
    >>> readable("Alter (Jahre)"), readable("Lactate [mmol/L]"), readable("Age\\n[years]"), readable("height, cm")
    ('Alter', 'Lactate', 'Age', 'Height')
    """
    column, _ = _parted(column)
    compared = _COMPARED.fullmatch(column)
    if compared is not None:
        name, word, value = compared.groups()
        return _COMPARISONS[word].format(readable(name), value.replace("_", " "))
    text = column.replace("_", " ")
    if _CAPITALS.fullmatch(text):
        first, *others = re.findall("[A-Z][a-z]+", text)
        text = " ".join([first, *(word.lower() for word in others)])
    first_word = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first_word.islower() else text


def category_text(value: Category) -> str:
    """Return a category so that text and numbers differ: "1" gets quotes, 1 does not.

    >>> category_text("F"), category_text("1"), category_text(Fraction(1)), category_text(True)
    ('F', '"1"', '1', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return shown(value)
    return _quoted_unless_plain(value)


def _quoted_unless_plain(text: str) -> str:
    if _PLAIN.fullmatch(text) and text == text.strip() and not _WORDS_OF_RULES.search(text):
        return text
    return in_quotes(text)


def _range_in_words(
    rule: InRange, unit: str | None, whole: bool, ends: tuple[Fraction | None, Fraction | None] = (None, None)
) -> str:
    of_age = (
        re.search(r"(?<![a-z])(age|alter|âge|edad|età|idade|leeftijd)(?![a-z])", rule.column.casefold()) is not None
    )
    older, younger, below = ("older", "younger", "under") if of_age else ("more", "less", "below")
    tail = f" {unit}" if unit else ""
    low, high = rule.low, rule.high
    if low is None and high is not None and ends[0] == (high if rule.high_included else ceil(high) - 1):
        return f"{shown(ends[0])}{tail}"
    if high is None and low is not None and ends[1] == (low if rule.low_included else floor(low) + 1):
        return f"{shown(ends[1])}{tail}"
    if low is None and high is not None:
        return f"{shown(high)}{tail} or {younger}" if rule.high_included else f"{below} {shown(high)}{tail}"
    if high is None and low is not None:
        return f"{shown(low)}{tail} or {older}" if rule.low_included else f"above {shown(low)}{tail}"
    assert low is not None
    assert high is not None
    if low == high:
        return f"exactly {shown(low)}{tail}"
    if whole:  # the same whole numbers, with both ends included
        first = ceil(low) if rule.low_included else floor(low) + 1
        last = floor(high) if rule.high_included else ceil(high) - 1
        return f"{first}{tail}" if first == last else f"{first} to {last}{tail}" if first < last else "never"
    start = f"{shown(low)}" if rule.low_included else f"above {shown(low)}"
    end = f"{shown(high)}" if rule.high_included else f"{below} {shown(high)}"
    return f"{start} to {end}{tail}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ColumnWording(Tabular):
    """The words for one raw column.

    `label` replaces its name, `unit` follows its numbers, `question` replaces label and condition where the
    column has a single answer that gives points, and `answers` replace categories.
    """

    column: str
    label: str | None = None
    unit: str | None = None
    question: str | None = None
    answers: Mapping[Category, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        what = f"an answer of {self.column!r}"
        read = {declared_category(value, what): text for value, text in self.answers.items()}
        object.__setattr__(self, "answers", read)
        for text in (self.label, self.unit, self.question, *read.values()):
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise InvalidCardError(f"the wording of {self.column!r} has {text!r}", "give a string")

    def __hash__(self) -> int:
        return hash((self.column, self.label, self.unit, self.question, tuple(self.answers.items())))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Wording(Tabular):
    """The words for the classes and for some of the columns."""

    negative: str | None = None
    positive: str | None = None
    columns: tuple[ColumnWording, ...] = ()

    def __post_init__(self) -> None:
        names = [words.column for words in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise InvalidCardError(f"column {name!r} has two wordings", "keep one", subject=name)
        for text in (self.negative, self.positive):
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise InvalidCardError(f"a class is worded as {text!r}", "give a string")
        if self.positive is not None and self.positive == self.negative:
            raise InvalidCardError(f"both classes are worded as {self.positive!r}", "they must differ")

    def of(self, column: str) -> ColumnWording:
        """The words for a column, none of them set where there are none."""
        return next((words for words in self.columns if words.column == column), ColumnWording(column=column))
