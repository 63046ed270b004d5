"""Cards and people for the tests of exports: columns of one type, hostile names, and values at the edges."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supersparse.card.card import Card, Item
from supersparse.card.checks import expectations
from supersparse.card.risk import LogisticRisk, TableRisk, risk_of
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf, IsOneOf, ValueOf
from supersparse.card.scoring import score_person
from supersparse.errors import InvalidDataError

NAMES = [
    "age", "two words", "quote\"and'quote", "back`tick", "line\nbreak", "=cmd()", "<b>x</b>", "</script>",
    "a.b", "שלום", "\u202eevil\u202c", "👩\u200d⚕️", "__proto__", "constructor", "]]>&amp;", "back\\slash",
    "select", "e\u0301",
]  # fmt: skip
TEXTS = [
    "F",
    "f",
    "it's",
    'say "no"',
    "line\nbreak",
    "1",
    "true",
    "NaN",
    " ",
    "é",
    "e\u0301",
    "=1+1",
    "<i>&",
    "-- x",
    "x" * 300,
]
NUMBERS = [0, 1, -1, 2, 0.1, 0.2, 0.3, -0.5, 2.5, 0.7, 37.5, 100, 0.000001, 1e6, 4e-7, 0.12345678]

tenths = st.integers(-50, 50).map(lambda n: Fraction(n, 10))
bounds = st.sampled_from(NUMBERS).map(lambda n: Fraction(str(n))) | st.just(Fraction(1, 3)) | tenths
points = st.one_of(st.integers(-9, 9).map(Fraction), tenths, st.sampled_from([Fraction(1, 3), Fraction(-2, 7)])).filter(
    bool
)


@st.composite
def _item(draw, name, is_text, asked):
    kinds = ["category"] if is_text else ["value", "category", "range", "range", "yes"]
    kind = draw(st.sampled_from(kinds))
    if kind == "value":
        rule = ValueOf(name)
    elif kind == "yes":
        rule = IsOneOf(name, (draw(st.booleans()),))
    elif kind == "category":
        choice = st.sampled_from(TEXTS) if is_text else bounds
        named = tuple(draw(st.lists(choice, min_size=1, max_size=3, unique=True)))
        rule = draw(st.sampled_from([IsOneOf, IsOneOf, IsNoneOf]))(name, named)
    else:
        low, high = sorted(draw(st.lists(bounds, min_size=2, max_size=2, unique=True)))
        side = draw(st.sampled_from(["low", "high", "both"]))
        rule = InRange(
            name,
            None if side == "high" else low,
            None if side == "low" else high,
            low_included=draw(st.booleans()),
            high_included=draw(st.booleans()),
        )
    missing = draw(points | st.just(Fraction(0))) if asked or draw(st.booleans()) else None
    return Item(rule=rule, points=draw(points), missing=missing)


@st.composite
def _domain(draw, name, is_text):
    outside = draw(st.sampled_from(["accept", "near", "refuse"]))
    if is_text or draw(st.booleans()):
        choice = st.sampled_from(TEXTS) if is_text else bounds
        values = tuple(draw(st.lists(choice, min_size=1, max_size=5, unique=True)))
        return Domain(column=name, values=values, outside=outside)
    low, high = sorted(draw(st.tuples(bounds, bounds)))
    return Domain(column=name, low=low, high=high, whole=draw(st.booleans()), outside=outside)


@st.composite
def _risks(draw):
    kind = draw(st.sampled_from(["none", "logistic", "table", "table"]))
    if kind == "logistic":
        return LogisticRisk(slope=draw(st.floats(-3, 300)), offset=draw(st.floats(-5, 5)))
    if kind == "table":
        totals = sorted(draw(st.lists(tenths | bounds, min_size=1, max_size=5, unique=True)))
        return TableRisk(totals=tuple(totals), risks=tuple(draw(st.floats(0, 1)) for _ in totals))
    return None


@st.composite
def typed_cards(draw, names=NAMES):
    """A card whose columns hold text or numbers; returns it with the columns of text."""
    items, texts, domains = [], set(), []
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)):
        is_text, asked = draw(st.booleans()), draw(st.integers(0, 4)) == 0
        own = {i.name: i for i in draw(st.lists(_item(name, is_text, asked), min_size=1, max_size=2))}
        items += own.values()
        if asked:
            items.append(Item(rule=IsMissing(name), points=draw(points)))
        texts |= {name} if is_text else set()
        if draw(st.integers(0, 1)) == 0:
            domains.append(draw(_domain(name, is_text)))
    classes = draw(st.sampled_from([("no", "yes"), ("it's", 'a "b"\n<i>'), (0, 1), (-1.5, 2.5)]))
    return Card(
        items=tuple(items),
        intercept=draw(tenths | st.sampled_from([Fraction(0), Fraction(1, 3)])),
        negative=classes[0],
        positive=classes[1],
        domains=tuple(domains),
        risk=draw(_risks()),
    ), frozenset(texts)


@st.composite
def people(draw, card, texts, n=12, infinite=True):
    """People with values at the edges of the card's rules, some missing, some outside of domains."""
    found = []
    for _ in range(n):
        person = {}
        for name in card.columns:
            if draw(st.integers(0, 9)) == 0:
                person[name] = None
            elif name in texts:
                person[name] = draw(st.sampled_from([*TEXTS, "", "unknown", "2", "tru", "ff"]))
            else:
                edges = [float(b) for i in card.items_by_column()[name] for b in _numbers(i.rule)]
                near = [round(e + step, 6) for e in edges for step in (0, 0.1, -0.1, 1e-6)]
                extreme = [float("inf"), float("nan")] if infinite else []
                person[name] = draw(
                    st.sampled_from([*NUMBERS, *near, *near, *extreme])
                    | st.integers(-(10**6), 10**6).map(lambda k: k / 10)
                )
        found.append(person)
    return found


def _numbers(rule):
    if isinstance(rule, InRange):
        return [b for b in (rule.low, rule.high) if b is not None]
    if isinstance(rule, IsOneOf | IsNoneOf):
        return [v for v in rule.values if not isinstance(v, str)]
    return []


def as_typed(card):
    """The card as a target sees it that cannot tell which new categories are like a known one."""
    alike = {expected.column for expected in expectations(card) if expected.alike}
    domains = [replace(d, outside="refuse") if d.column in alike else d for d in card.domains]
    return replace(card, domains=tuple(domains), learned=None)


def reference(card, person):
    """The exact total, or None where the card refuses the person, or an export does.

    A card orders infinite numbers, which stand for values beyond a limit; exports refuse them.
    """
    looked_at = [person[one.column] for one in expectations(card) if one.needs_value]
    if any(isinstance(value, float) and math.isinf(value) for value in looked_at):
        return None
    try:
        return score_person(card, person) - card.intercept
    except InvalidDataError:
        return None


def label(card, total):
    return None if total is None else card.positive if card.cutoff.includes(total) else card.negative


def check(card, person, total, given_class, risk=None):
    """What an export gives for one person is what the card says; all is None for whom it refuses."""
    expected = reference(card, person)
    if expected is None:
        assert (total, given_class, risk) == (None, None, None), person
        return
    assert float(total) == pytest.approx(float(expected), rel=1e-12, abs=1e-12), person
    wanted = label(card, expected)
    assert given_class in (wanted, str(wanted)) or float(given_class) == wanted, person
    if card.risk is None:
        assert risk is None
    else:
        assert float(risk) == pytest.approx(risk_of(card.risk, expected), rel=1e-9, abs=1e-9), person


def collect(strategy, n):
    """Draw many cases, so that an engine that starts slowly can check them all at once."""
    found = []

    @settings(max_examples=n, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def draw(case):
        found.append(case)

    draw()
    return found


@st.composite
def _cases(draw):
    card, texts = draw(typed_cards())
    return card, texts, draw(people(card, texts, n=8))


@cache
def drawn():
    """Cards, their columns of text, and people; the same for every engine."""
    return [*collect(_cases(), 50), (NEW_ROWS, frozenset({"grade", "stage"}), STRANGERS)]


def _near(column, **known):
    return Domain(column=column, outside="near", **known)


NEW_ROWS = Card(
    items=(
        Item(rule=InRange("age", low=Fraction(50)), points=Fraction(1), missing=Fraction(0)),
        Item(rule=ValueOf("beds"), points=Fraction(2)),
        Item(rule=IsOneOf("grade", ("III", "IV")), points=Fraction(4), missing=Fraction(0)),
        Item(rule=IsOneOf("stage", ("T8",)), points=Fraction(8), missing=Fraction(0)),
        Item(rule=IsOneOf("stage", ("T9",)), points=Fraction(16), missing=Fraction(0)),
    ),
    intercept=Fraction(-5),
    negative="no",
    positive="yes",
    domains=(
        _near("age", low=20, high=80, whole=True),
        _near("beds", values=(1, 3)),
        _near("grade", values=("I", "II", "III", "IV")),
        _near("stage", values=("T7", "T8", "T9")),  # on the card: T8, T9, any other
    ),
)
STRANGERS = [
    {"age": 55, "beds": 2, "grade": "IV", "stage": "T7"} | other
    for other in [
        {}, {"age": 850}, {"age": -40}, {"age": 140}, {"age": 140.5}, {"age": None}, {"beds": 5}, {"beds": 6},
        {"beds": -2}, {"grade": "V"}, {"grade": "iv"}, {"grade": "none"}, {"grade": None}, {"stage": "T10"},
        {"stage": "t9"}, {"stage": "none at all"}, {"stage": "9"}, {"stage": "T11"}, {"stage": "T99"},
    ]
]  # fmt: skip


def finite(group):
    """The people without infinite numbers."""
    return [p for p in group if not any(isinstance(v, float) and math.isinf(v) for v in p.values())]
