"""What a card says, followed by hand: it gives what `predict` gives, and its words mean what its rules do."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import floor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cards import any_cards, fractions
from reading_faces import label, people_for, read_needs
from supersparse import ScoringSystem, item
from supersparse.card.bands import example_of
from supersparse.card.card import Card
from supersparse.card.lines import class_names, heading, lines_of
from supersparse.card.performance import Performance
from supersparse.card.printed import printed
from supersparse.card.risk import LogisticRisk, TableRisk, risk_of
from supersparse.card.rules import Domain, InRange, IsMissing, IsNoneOf
from supersparse.card.scoring import predicted_label, score_person
from supersparse.card.words import answer
from supersparse.errors import InvalidDataError, InvalidOptionError
from supersparse.show.document.content import content_of
from supersparse.show.document.risk_strip import risk_columns, risk_percent
from supersparse.table.values import is_missing


def by_hand(card, person):
    """Answer every line, and add up."""
    total = Fraction(0)
    for line in lines_of(card):
        value = person[line.column]
        if line.answers:
            chosen = [one for one in line.answers if holds(one.rule, value)]
            assert len(chosen) == 1, "answers exclude one another, and one always applies"
            total += chosen[0].points
        elif is_missing(value):
            total += line.points if isinstance(line.rule, IsMissing) else line.missing
        elif line.times:
            total += line.points * Fraction(value)
        else:
            total += line.points * holds(line.rule, value)
    return total


def holds(rule, value):
    return isinstance(rule, IsMissing) if is_missing(value) else rule.of_one(value, "a value") == 1


@given(st.data())
def test_following_the_lines_gives_what_the_card_predicts(data):
    card = data.draw(any_cards(worded=True))
    if data.draw(st.booleans()):
        card = printed(card)
    content = content_of(card)
    person = data.draw(people_for(card))
    try:
        expected = predicted_label(card, score_person(card, person))
    except InvalidDataError:
        return
    names = dict(zip(card.classes, class_names(card), strict=True))
    if not content.parts:
        assert content.always == names[expected]
        return
    total = by_hand(card, person)
    (positive_when, positive), (_, negative) = content.results
    assert (positive if read_needs(positive_when)(total) else negative) == names[expected]


@given(st.data())
def test_the_papers_style_gives_the_same_class(data):
    card = data.draw(any_cards())
    made = printed(card)
    content = content_of(made, "paper")
    person = data.draw(people_for(card))
    try:
        expected = predicted_label(card, score_person(card, person))
    except InvalidDataError:
        return
    if not card.items:
        return
    if len(content.parts) > 1:  # the signs are in the totals, A less B
        assert not any(line.points.startswith("-") for line in content.lines)
    total = Fraction(0)
    for i in card.items:
        value = person[i.column]
        given = i.points if isinstance(i.rule, IsMissing) else i.missing
        total += given if is_missing(value) else i.points * i.rule.of_one(value, "a value")
    signed = zip(content.parts, (1, -1), strict=False)
    printed_sum = sum(Fraction(line.points) * sign for part, sign in signed for line in part.lines)
    assert printed_sum == sum((i.points for i in card.items), Fraction(0))
    when = read_needs(content.results[0][0])
    assert when(total) == (expected == card.positive)


NUMBER = r"(-?[\d./]+)"
WORDS = [
    (rf"(?:under|below) {NUMBER}", lambda x, a: x < a),
    (rf"{NUMBER} or (?:less|younger)", lambda x, a: x <= a),
    (rf"{NUMBER} or (?:more|older)", lambda x, a: x >= a),
    (rf"above {NUMBER}", lambda x, a: x > a),
    (rf"(?:exactly )?{NUMBER}", lambda x, a: x == a),
    (rf"{NUMBER} to {NUMBER}", lambda x, a, b: a <= x <= b),
    (rf"{NUMBER} to (?:under|below) {NUMBER}", lambda x, a, b: a <= x < b),
    (rf"above {NUMBER} to {NUMBER}", lambda x, a, b: a < x <= b),
    (rf"above {NUMBER} to (?:under|below) {NUMBER}", lambda x, a, b: a < x < b),
    (r"never", lambda x: False),
]


@given(
    st.lists(fractions, min_size=1, max_size=2, unique=True), st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(["age", "pulse"]), fractions, st.booleans(), st.booleans(),
)  # fmt: skip
def test_words_of_a_range_mean_what_the_range_does(ends, included, column, number, whole, upper):
    low, high = (min(ends), max(ends)) if len(ends) == 2 else (None, ends[0]) if upper else (ends[0], None)
    rule = InRange(column, low, high, *included)
    text = answer(rule, whole=whole)
    near = [number, *(end + step for end in ends for step in (-1, Fraction(-1, 9), 0, Fraction(1, 9), 1))]
    meaning, found = next((m, f) for w, m in WORDS if (f := re.fullmatch(w, text)))
    for x in [Fraction(round(x)) for x in near] if whole else near:
        assert meaning(x, *map(Fraction, found.groups())) == rule.contains(x), text


def test_classes_of_0_and_1_are_no_and_yes_and_the_title_says_of_what():
    card = ScoringSystem.of([item("a", equals=True, points=1)], above=0, classes=(0, 1), title="relapse").card
    assert class_names(card) == ("no", "yes")
    assert heading(card) == "Relapse"
    for title, shown in (
        ("readmitted <7d", "Readmitted within 7 days"),
        ("target", "Risk score"),
        (None, "Risk score"),
    ):
        assert heading(replace(card, title=title)) == shown
    assert heading(replace(card, title="Delir", negative="nein", positive="ja")) == "Delir"
    named = ScoringSystem.of([], above=0, classes=("benign", "malignant"), title="diagnosis").card
    assert class_names(named) == ("benign", "malignant")
    assert heading(named) == "Diagnosis: malignant or benign"


def test_columns_that_multiply_come_with_an_example():
    content = content_of(ScoringSystem.of([item("dose", points=2), item("old", equals=True, points=1)], above=3).card)
    assert content.example == "For example, a value of 3 in question 1 gives 3 \u00d7 2 = 6 points."
    assert content_of(ScoringSystem.of([item("old", equals=True, points=1)], above=0).card).example is None


@pytest.mark.parametrize(
    ("domain", "value", "points"),
    [
        (Domain(column="x", low=1, high=10, whole=True), "3", "6"),
        (Domain(column="x", values=(0, 1)), "1", "2"),
        (Domain(column="x", low=-1, high=1, whole=True), "1", "2"),
        (Domain(column="x", low=0, high=0.5), "0.5", "1"),
        (Domain(column="x", low=17.5), "18", "36"),
        (Domain(column="x", high=-0.5), "-1", "-2"),
    ],
)
@pytest.mark.parametrize("style", ["card", "paper"])
def test_the_worked_example_is_a_value_that_the_column_can_have(domain, value, points, style):
    items = [item("x", points=2), item("y", equals=True, points=1)]
    content = content_of(ScoringSystem.of(items, above=1, domains={"x": domain}).card, style)
    unit = "point" if points == "1" else "points"
    assert content.example == f"For example, a value of {value} in question 1 gives {value} × 2 = {points} {unit}."


@given(fractions, fractions, st.booleans(), st.sampled_from(["both", "low", "high"]))
def test_an_example_lies_in_its_domain(first, second, whole, ends):
    low, high = sorted((first, second))
    assume(not whole or ends != "both" or floor(high) >= low)
    low, high = None if ends == "high" else low, None if ends == "low" else high
    found = example_of(Domain(column="x", low=low, high=high, whole=whole))
    assert low is None or low <= found
    assert high is None or found <= high
    assert not whole or found.denominator == 1


def judged(tp, fn, tn, fp, on="cross-validation"):
    return Performance(
        on=on, true_positives=tp, false_negatives=fn, true_negatives=tn, false_positives=fp, auc=0.7,
        auc_interval=(0.6, 0.8),
    )  # fmt: skip


def card_with(**details):
    base = ScoringSystem.of(
        [item("a", equals=True, points=1), item("b", equals=True, points=2)], above=1,
        classes=("no", "yes"),
    ).card  # fmt: skip
    return Card(**{name: getattr(base, name) for name in base.__dataclass_fields__} | details)


def test_evidence_and_baseline_are_shown_and_a_useless_card_says_so():
    content = content_of(card_with(performance=(judged(40, 10, 130, 20),)))
    assert content.evidence == (
        ("Cases, events", "200, 50"), ("AUC", "0.70 (0.60\u20130.80)"), ("Sensitivity", "80.0 % (67\u201389)"),
        ("Specificity", "86.7 % (80\u201391)"), ("PPV", "66.7 % (54\u201377)"), ("NPV", "92.9 % (87\u201396)"),
        ("Misclassified", "15.0 % (11\u201321)"),
    )  # fmt: skip
    assert content.judged_on == "Measured on rows that the card was not learned from (cross-validation)."
    assert content.baseline == 'For comparison: predicting "no" for everyone misclassifies 25.0 %.'
    assert content.warning is None
    useless = content_of(card_with(performance=(judged(10, 40, 110, 40),)))
    assert useless.warning == (
        "No better than always predicting no: this card is wrong for 40.0 % of rows it was not learned from, "
        "always predicting no for 25.0 %."
    )


def test_a_strip_of_risks_covers_every_total_and_joins_the_nearest():
    card = card_with(risk=TableRisk(totals=(0, 1, 3), risks=(0.02, 0.05, 0.5), cases=(10, 5, 5)))
    assert [(c.totals, c.percent, c.cases) for c in risk_columns(card)] == [
        ("0", "2 %", 10), ("1", "5 %", 5), ("2\u20133", "28\u201350 %", 5),
    ]  # fmt: skip
    (note,) = content_of(card).risk_table.notes
    assert note == "Nobody had a total of 2: the risk there is worked out from the other totals."
    items = [item(f"x{i}", equals=True, points=1) for i in range(30)]
    long = ScoringSystem.of(items, above=14, risk=LogisticRisk(slope=0.3, offset=-4.5)).card
    columns = risk_columns(long)
    assert len(columns) == 7
    assert (columns[0].low, columns[-1].high) == (0, 30)
    assert all(b.low == a.high + 1 and b.least > a.most for a, b in pairwise(columns))
    assert {c.high for c in columns if not c.positive} >= {14}
    assert (columns[0].totals, columns[0].percent) == ("0\u20138", "1\u201311 %")
    assert max(c.most - c.least for c in columns) < 0.25


def test_totals_that_print_alike_are_joined_before_others():
    risk = TableRisk(totals=tuple(range(20)), risks=(*[0.001] * 12, *[i / 8 for i in range(8)]))
    columns = risk_columns(ScoringSystem.of([item("x", points=1)], above=15, risk=risk).card)
    assert (columns[0].totals, columns[0].percent) == ("0\u201312", "< 1 %")
    assert len(columns) == 7


def test_bands_hold_enough_rows_to_be_read():
    cases = (1, 30, 40, 35, 1, 1, 2, 20, 25, 0, 1)
    risk = TableRisk(totals=tuple(range(11)), risks=tuple(k / 11 for k in range(11)), cases=cases)
    items = [item(f"x{i}", equals=True, points=1) for i in range(10)]
    columns = risk_columns(ScoringSystem.of(items, above=6, risk=risk).card)
    assert all(column.cases >= sum(cases) / 25 for column in columns)
    assert sum(column.cases for column in columns) == sum(cases)
    assert [column.positive for column in columns] == sorted(column.positive for column in columns)


def printed_percents(text):
    """The ends of what a band prints, as numbers: "8–14 %", "≤ 9 %"."""
    bare = text.removesuffix(" %")
    ends = {"< 1": (0.0, 0.5), "> 99": (99.5, 100.0)}
    if bare in ends:
        return ends[bare]
    if bare[0] in "\u2264\u2265":
        return (0.0, float(bare[2:])) if bare[0] == "\u2264" else (float(bare[2:]), 100.0)
    found = [float(end) for end in bare.split("\u2013")]
    return found[0], found[-1]


risk_tables = st.lists(st.floats(0, 1), min_size=1, max_size=60).map(
    lambda risks: TableRisk(totals=tuple(range(len(risks))), risks=tuple(risks))
)
logistic_risks = st.builds(LogisticRisk, slope=st.floats(-3, 3), offset=st.floats(-50, 50))


@given(risk_tables | logistic_risks, st.integers(-1, 40))
def test_no_printed_percent_is_untrue_of_a_total(risk, threshold):
    items = [item(f"x{i}", equals=True, points=2**i) for i in range(6)]
    columns = risk_columns(ScoringSystem.of(items, above=threshold, risk=risk).card)
    assert len(columns) <= 7
    assert [columns[0].low, columns[-1].high] == [0, 63]
    for column in columns:
        low, high = printed_percents(column.percent)
        for total in range(int(column.low), int(column.high) + 1):
            at = printed_percents(risk_percent(risk_of(risk, Fraction(total))))
            assert low <= at[0]
            assert at[1] <= high
            assert (total > threshold) == column.positive


def test_a_strip_reaches_totals_that_no_float_can_hold():
    items = [item("a", equals=True, points=10**400), item("b", equals=True, points=-(10**400))]
    for risk in (LogisticRisk(slope=1, offset=0), TableRisk(totals=(0, 5), risks=(0.2, 1.0))):
        columns = risk_columns(ScoringSystem.of(items, above=1, risk=risk).card)
        assert [c.percent for c in columns][::2] == ["0 %" if risk.kind == "logistic" else "20 %", "100 %"]


@given(st.data(), st.sampled_from([LogisticRisk(slope=0.4, offset=-1), TableRisk(totals=(-2, 3), risks=(0.1, 0.9))]))
def test_in_the_style_of_the_paper_every_person_has_the_same_risk(data, risk):
    items = [item("a", equals=True, points=-2), item("b", at_least=3, points=4), item("b", at_least=9, points=-7)]
    learned = ScoringSystem.of(items, above=1, risk=risk).card
    card = printed(learned)
    person = data.draw(people_for(card))
    try:
        total = score_person(card, person) + card.zero_total
    except InvalidDataError:
        return
    shifted = total - (card.zero_total - learned.zero_total)
    asked = [(content_of(card), total), (content_of(card, "paper"), shifted)]
    columns = [next(c for c in content.risks if c.low <= at <= c.high) for content, at in asked]
    at = printed_percents(risk_percent(risk_of(learned.risk, shifted)))
    for column in columns:
        low, high = printed_percents(column.percent)
        assert low <= at[0]
        assert at[1] <= high
    assert content_of(card, "paper").decides == "Total C"


def test_risks_of_numbers_without_limits_are_a_formula():
    card = ScoringSystem.of([item("x", points=1)], above=0, risk=LogisticRisk(slope=0.5, offset=-2)).card
    assert "Risk (yes) by the total: 1 / (1 + exp(-(0.5 * total - 2)))." in content_of(card).notes


def test_an_unknown_style_is_refused():
    with pytest.raises(InvalidOptionError, match="did you mean 'paper'"):
        content_of(card_with(), "papr")


def test_missing_values_are_spoken_of_where_the_card_scores_them():
    items = [
        item("age", at_least=60, points=1, missing=0),
        item("bmi", at_least=30, points=2),
        item("sex", equals="F", points=1, missing=0),
        item("sex", is_missing=True, points=3),
    ]
    content = content_of(ScoringSystem.of(items, above=2, domains={"sex": ["F", "M"]}).card)
    assert content.notes == ("Question 2 cannot be left blank.",)
    assert [one.text for one in content.lines[0].answers] == ["under 60", "60 or older", "not known"]
    assert [one.text for one in content.lines[2].answers] == ["M or other", "F", "not known"]
    assert label(content.lines[1].text) == "Bmi"
    alone = content_of(ScoringSystem.of(items[:2], above=2).card)
    assert alone.notes == ("No answer to question 1 counts as 0 points.", "Question 2 cannot be left blank.")
    assert label(alone.lines[1].text) == "Bmi 30 or more?"


def test_no_card_asks_for_what_a_value_is_not():
    items = [
        replace(item("coma", equals="none", points=3), rule=IsNoneOf("coma", ("none",))),
        item("age", at_least=60, points=1),
    ]
    lines = content_of(ScoringSystem.of(items, above=2, domains={"coma": ["none", "stupor", "deep"]}).card).lines
    assert [line.text for line in lines] == ["Coma", "Age"]
    assert [(a.text, a.points) for a in lines[0].answers] == [("none", "0"), ("stupor, deep or other", "3")]


def test_whole_numbers_have_bands_with_both_ends():
    items = [item("age", at_least=16, below=23, points=4), item("age", at_least=23, points=2)]
    domain = Domain(column="age", low=10, high=90, whole=True)
    card = ScoringSystem.of(items, above=3, domains={"age": domain}).card
    assert [one.text for one in lines_of(card)[0].answers] == ["under 16", "16 to 22", "23 or older"]
