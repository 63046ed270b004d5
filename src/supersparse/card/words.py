"""Rules in words: a short condition for tables, and a question for people.

Both show names and categories as they are, line breaks and all; whoever prints them escapes them.
"""

import re
from fractions import Fraction

from supersparse.card.rules import InRange, IsMissing, IsOneOf, Rule, ValueOf
from supersparse.card.values import Category
from supersparse.decimals import shown

_PLAIN = re.compile(r"[^\W\d][\w .%/()+-]*", re.UNICODE)
_WORDS_OF_RULES = re.compile(r"\b(in|or|missing|true|false)\b", re.IGNORECASE)


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
        case InRange(low=low, high=None) if low is not None:
            return f"{name} {'>=' if rule.low_included else '>'} {shown(low)}"
        case InRange(low=None, high=high) if high is not None:
            return f"{name} {'<=' if rule.high_included else '<'} {shown(high)}"
        case InRange(low=low, high=high) if low is not None and high is not None:
            first, last = ("<=" if included else "<" for included in (rule.low_included, rule.high_included))
            return f"{shown(low)} {first} {name} {last} {shown(high)}"
    raise AssertionError(rule)  # a range has a bound


def question(rule: Rule, unit: str | None = None) -> str:
    """Return the question whose answer yes (or a number, for `ValueOf`) gives the points.

    >>> question(InRange("age", low=60)), question(IsOneOf("sex", ("F",)))
    ('Age 60 or older?', 'Sex is F?')
    """
    name = readable(rule.column)
    match rule:
        case ValueOf():
            return f"{name}, in {unit}?" if unit else f"{name}?"
        case IsMissing():
            return f"{name} not known?"
        case IsOneOf(values=(True,)) if rule.values[0] is True:
            return f"{name}?"
        case IsOneOf(values=(False,)) if rule.values[0] is False:
            return f"{name}: no?"
        case IsOneOf(values=values):
            return f"{name} is {' or '.join(map(category_text, values))}?"
        case InRange():
            apart = ":" if name[-1:].isdigit() else ""  # "Lab 6: 1.5 or more?"
            return f"{name}{apart} {_range_in_words(rule, unit)}?"
    raise AssertionError(rule)


def one_line(text: object) -> str:
    r"""Return text for a line of a message: what would break the line or steer a terminal is escaped.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def readable(column: str) -> str:
    """Return a column's name as the beginning of a sentence.

    >>> readable("heart_failure"), readable("pH"), readable("x1")
    ('Heart failure', 'pH', 'X1')
    """
    text = column.replace("_", " ")
    first_word = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first_word.islower() else text


def category_text(value: Category) -> str:
    """Return a category so that text and numbers are told apart: "1" gets quotes, 1 does not.

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
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def _range_in_words(rule: InRange, unit: str | None) -> str:
    older, younger = ("older", "younger") if rule.column.casefold() == "age" else ("more", "less")
    tail = f" {unit}" if unit else ""
    if rule.low is None and rule.high is not None:
        high = f"{shown(rule.high)}{tail}"
        return f"{high} or {younger}" if rule.high_included else f"below {high}"
    if rule.high is None and rule.low is not None:
        low = f"{shown(rule.low)}{tail}"
        return f"{low} or {older}" if rule.low_included else f"above {low}"
    assert rule.low is not None
    assert rule.high is not None
    if rule.low == rule.high:
        return f"exactly {shown(rule.low)}{tail}"
    first = "from" if rule.low_included else "above"
    last = "to" if rule.high_included else "to below"
    if not rule.low_included:
        last = "up to" if rule.high_included else "and below"
    return f"{first} {shown(rule.low)} {last} {shown(rule.high)}{tail}"
