"""Every kind of rule: one person, every kind of table and a plain reference agree exactly."""

import math
import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import ScoringSystem, item
from supersparse.card.rules import Domain, InRange, IsMissing, IsOneOf, ValueOf
from supersparse.card.scoring import score_table
from supersparse.errors import InvalidCardError, InvalidDataError, SinglePrecisionWarning
from supersparse.table.values import equal_to, from_on

edges = st.sampled_from([0, 1, 2, 0.1, 0.5, 2.5, -1, Fraction(1, 3), 60, 0.30000000000000004])
numbers = st.one_of(edges, st.integers(-100, 100), st.decimals(-10, 10, places=1).map(float), st.floats(-1e6, 1e6))
COLUMNS = {
    "whole": st.integers(-3, 70),
    "large": st.integers(-(2**62), 2**62),
    "real": st.one_of(st.decimals(-3, 70, places=1).map(float), st.floats(-1e6, 1e6)),
    "truth": st.booleans(),
    "text": st.sampled_from(["F", "M", "1", "true", " ", "n/a", "é", "\u202ex", "a" * 300]),
}
points = st.integers(-5, 5).filter(bool) | st.sampled_from([0.5, Fraction(1, 3)])


@st.composite
def items_on(draw, column):
    missing = draw(st.sampled_from([0, 3, -1, 0.5]))
    options = {"points": draw(points), "missing": missing}
    if column == "text":
        values = draw(st.lists(COLUMNS["text"], min_size=1, max_size=3, unique=True))
        return item(column, one_of=values, **options)
    kind = draw(st.sampled_from(["value", "category", "range", "missing"]))
    if kind == "value":
        return item(column, **options)
    if kind == "category":
        return item(column, one_of=draw(st.lists(numbers, min_size=1, max_size=3, unique_by=exactly)), **options)
    if kind == "missing":
        return item(column, points=options["points"], is_missing=True)
    low, high = sorted(draw(st.tuples(numbers, numbers)), key=exactly)
    first, last = draw(st.sampled_from(["at_least", "above"])), draw(st.sampled_from(["at_most", "below"]))
    if exactly(low) == exactly(high):
        first, last = "at_least", "at_most"
    bounds = draw(st.sampled_from([{first: low, last: high}, {first: low}, {last: high}]))
    return item(column, **bounds, **options)


def exactly(number):
    return Fraction(number) if isinstance(number, int | Fraction) else Fraction(str(number))


def by_hand(item, value):
    """The points of one value, written without the package's arithmetic."""
    rule = item.rule
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return item.points if isinstance(rule, IsMissing) else item.missing
    if isinstance(rule, IsMissing):
        return 0
    if isinstance(value, str):
        return item.points if value in [v for v in rule.values if isinstance(v, str)] else 0
    number = exactly(value)
    if isinstance(rule, ValueOf):
        return item.points * number
    if isinstance(rule, IsOneOf):
        return item.points if any(not isinstance(v, str) and number == v for v in rule.values) else 0
    low = rule.low is None or (number >= rule.low if rule.low_included else number > rule.low)
    high = rule.high is None or (number <= rule.high if rule.high_included else number < rule.high)
    return item.points if low and high else 0


@st.composite
def cases(draw):
    used = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5))
    items = {i.rule: i for i in (draw(items_on(column)) for column in used)}
    rows = draw(st.integers(1, 6))
    data = {c: draw(st.lists(st.none() | v, min_size=rows, max_size=rows)) for c, v in COLUMNS.items()}
    return ScoringSystem.of(items.values(), above=draw(st.integers(-3, 3))), data


PANDAS = {"whole": "Int64", "large": "Int64", "real": "Float64", "truth": "boolean", "text": "string"}
POLARS = {"whole": pl.Int32, "large": pl.Int64, "real": pl.Float64, "truth": pl.Boolean, "text": pl.String}
ARROW = {"whole": pa.int8(), "large": pa.int64(), "real": pa.float64(), "truth": pa.bool_(), "text": pa.string()}


def as_nan(data):
    return {c: [math.nan if v is None and c == "real" else v for v in vs] for c, vs in data.items()}


def as_empty(data):
    return {c: ["" if v is None and c == "text" else v for v in vs] for c, vs in data.items()}


TABLES = {
    "lists": dict,
    "NaN": as_nan,
    "empty text": as_empty,
    "object arrays": lambda d: {c: np.array(v, dtype=object) for c, v in d.items()},
    "pandas objects": lambda d: pd.DataFrame(d, dtype=object),
    "pandas nullable": lambda d: pd.DataFrame({c: pd.array(v, dtype=PANDAS[c]) for c, v in d.items()}),
    "pandas categories": lambda d: pd.DataFrame(d, dtype=object).assign(text=pd.Categorical(d["text"])),
    "pandas series": lambda d: {c: pd.Series(pd.array(v, dtype=PANDAS[c])) for c, v in d.items()},
    "polars": lambda d: pl.DataFrame(d, schema=POLARS),
    "polars categories": lambda d: pl.DataFrame(d, schema=POLARS | {"text": pl.Categorical}),
    "polars NaN": lambda d: pl.DataFrame(as_nan(d), schema=POLARS),
    "arrow": lambda d: pa.table({c: pa.array(v, type=ARROW[c]) for c, v in d.items()}),
    "masked": lambda d: {
        c: v if None not in v or c == "text"
        else np.ma.array([x or 0 for x in v], mask=[x is None for x in v])
        for c, v in d.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("form", TABLES)
@given(case=cases())
def test_people_tables_and_the_reference_agree(form, case):
    system, data = case
    rows = [{c: v[i] for c, v in data.items()} for i in range(len(data["text"]))]
    expected = [sum(by_hand(i, row[i.column]) for i in system.card.items) + system.card.intercept for row in rows]
    totals = [score - system.card.intercept for score in expected]
    assert [system.total(row) for row in rows] == totals
    table = TABLES[form](data)
    scores = score_table(system.card, table)
    assert [scores[i] for i in range(len(rows))] == expected
    assert system.total(table).tolist() == pytest.approx([float(t) for t in totals], rel=1e-12, abs=1e-12)
    reaches = operator.ge if system.card.cutoff.reached else operator.gt
    labels = ["yes" if reaches(total, system.threshold) else "no" for total in totals]
    assert system.predict(table).tolist() == labels == [system.predict(row) for row in rows]


def test_arrays_take_names():
    system = ScoringSystem.of([item("b", at_least=2, points=1), item("a", points=1)], above=2)
    array = np.array([[1, 2], [2, 1]])
    assert system.predict(array, names=["a", "b"]).tolist() == ["no", "no"]
    assert system.total(array, names=["b", "a"]).tolist() == [2, 2]
    fields = np.array([(1, 2.5), (3, 0.5)], dtype=[("a", "i4"), ("b", "f8")])
    assert system.total(fields).tolist() == [2, 3]
    for names in (["a"], ["a", "a"], ["a", "b", "c"]):
        with pytest.raises(InvalidDataError, match="one name a column"):
            system.total(array, names=names)
    with pytest.raises(InvalidDataError, match="names are for arrays"):
        system.total({"a": [1], "b": [1]}, names=["a", "b"])


@given(
    st.one_of(numbers, st.floats(allow_nan=False, allow_infinity=False), st.fractions(), st.integers()),
    st.sampled_from(["float64", "float32", "float16", "int8", "uint8", "int64", "uint64", "bool"]),
    st.booleans(),
    st.data(),
)
def test_a_column_is_compared_as_its_decimals_are(bound, dtype, included, data):
    bound = exactly(bound)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            near = kind.type(float(max(min(bound, 10**4), -(10**4))))
        values = [near, np.nextafter(near, kind.type(np.inf)), np.nextafter(near, kind.type(-np.inf)), kind.type(0.1)]
    elif kind.kind == "b":
        values = [False, True]
    else:
        info = np.iinfo(kind)
        values = data.draw(st.lists(st.integers(int(info.min), int(info.max)), min_size=1))
        values += [v for v in (math.floor(bound), math.ceil(bound)) if info.min <= v <= info.max]
    column = np.array(values, dtype=kind)
    column = column[np.isfinite(column)]
    exact = [Fraction(str(v)) if kind.kind == "f" else Fraction(int(v)) for v in column]
    found = from_on(column, bound, included=included)
    assert found.tolist() == [v >= bound if included else v > bound for v in exact]
    assert equal_to(column, bound).tolist() == [v == bound for v in exact]


@pytest.mark.parametrize("one", [1, 1.0, True, Decimal("1.00"), Fraction(1), np.float32(1), np.int8(1), np.True_])
def test_equal_numbers_are_one_category(one):
    for declared in (1, 1.0, True, Decimal(1)):
        system = ScoringSystem.of([item("x", equals=declared, points=1)], above=0)
        assert system.predict({"x": one}) == "yes"
        assert system.predict({"x": [one]}).tolist() == ["yes"]
        assert system.predict({"x": 2}) == "no"


@pytest.mark.parametrize("asked", [item("x", at_least=0.7, points=1), item("x", below=0.7, points=1)])
def test_single_precision_that_became_double_on_the_other_side_of_a_cut_is_warned_of(asked):
    system = ScoringSystem.of([asked], above=0)
    grid = (np.arange(11) / 10).astype(np.float32)
    at_least = [k >= 7 for k in range(11)]
    yes = at_least if asked.rule.low is not None else [not one for one in at_least]
    assert [label == "yes" for label in system.predict({"x": grid})] == yes
    assert [label == "yes" for label in system.predict({"x": np.arange(11) / 10})] == yes
    with pytest.warns(SinglePrecisionWarning, match=r"'x' holds 0\.699999988079071, which is 0\.7 in single"):
        system.predict({"x": grid.astype(float)})


def test_a_decimal_is_a_category_as_it_is_written():
    system = ScoringSystem.of([item("x", equals=0.1, points=1)], above=0)
    for tenth in (0.1, np.float32(0.1), Decimal("0.1"), Fraction(1, 10)):
        assert system.predict({"x": tenth}) == "yes"
    assert system.predict({"x": [0.1, Decimal("0.1"), Decimal.from_float(0.1)]}).tolist() == ["yes", "yes", "no"]
    assert system.predict({"x": np.array([0.1, 0.2], dtype=np.float32)}).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        (1, "1", "column 'x'(, row 1)? is '1', which is text; the card expects a number there; convert"),
        ("1", 1, "column 'x'(, row 1)? is 1, which is a number; the card expects text there; convert"),
        ("True", True, "is (True|1), which is a number"),
        (1, b"1", "a category is text, true or false, or a finite number"),
        (1, math.inf, "finite|infinite"),
    ],
)
def test_text_is_never_a_number(declared, value, message):
    system = ScoringSystem.of([item("x", equals=declared, points=1)], above=0)
    for data in ({"x": value}, {"x": [value]}):
        with pytest.raises(InvalidDataError, match=message):
            system.total(data)


def test_categories_of_both_kinds_take_both():
    system = ScoringSystem.of([item("x", equals="F", points=1)], above=0, domains={"x": ["F", "M", 9]})
    assert system.predict({"x": ["F", 9, "M", "other"]}).tolist() == ["yes", "no", "no", "no"]


def test_text_is_compared_as_it_is():
    system = ScoringSystem.of([item("x", equals="é", points=1)], above=0)
    assert [system.predict({"x": v}) for v in ("é", "e\u0301", "É", " é")] == ["yes", "no", "no", "no"]


@pytest.mark.parametrize("gone", [None, math.nan, "", pd.NA, pd.NaT, np.nan, np.float32("nan"), Decimal("nan")])
def test_every_kind_of_missing(gone):
    strict = ScoringSystem.of([item("x", points=1)], above=0)
    with pytest.raises(InvalidDataError, match="column 'x' is"):
        strict.total({"x": gone})
    with pytest.raises(InvalidDataError, match=r"'x' has 1 missing value\(s\), the first in row 2"):
        strict.total({"x": [1, gone]})
    items = [item("x", points=1, missing=5), item("x", is_missing=True, points=2)]
    assert ScoringSystem.of(items, above=0).total({"x": gone}) == 7
    assert ScoringSystem.of(items, above=0).total({"x": [3, gone]}).tolist() == [3, 7]


def test_only_what_is_missing_is_missing():
    system = ScoringSystem.of([item("x", is_missing=True, points=1)], above=0)
    values = [" ", "n/a", "nan", 0, False, math.inf, b""]
    assert [system.predict({"x": v}) for v in values] == ["no"] * 7
    assert system.predict({"x": values}).tolist() == ["no"] * 7
    assert system.predict(pd.DataFrame({"x": pd.to_datetime(["2020-01-01", None])})).tolist() == ["no", "yes"]
    assert system.predict({"x": np.array(["2020", "NaT"], dtype="M8[D]")}).tolist() == ["no", "yes"]


def test_values_outside_a_domain_are_accepted_refused_or_reported():
    items = [item("sex", equals="F", points=1), item("age", at_least=65, points=1)]
    domains = {"sex": ["F", "M"], "age": Domain(column="age", low=0, high=120, whole=True, outside="refuse")}
    data = {"sex": ["F", "X", "X", None], "age": [70.0, 130.0, 60.5, math.nan]}
    lenient = ScoringSystem.of(items, above=0, domains={"sex": ["F", "M"]})
    assert lenient.predict({"sex": "X", "age": 3}) == "no"
    strict = ScoringSystem.of(items, above=0, domains=domains, outside="refuse")
    found = [(o.column, o.value, o.rows, o.first_row) for o in strict.outside(data)]
    assert found == [("sex", "X", 2, 2), ("age", 60.5, 1, 3), ("age", 130.0, 1, 2)]
    assert strict.outside({"sex": "M", "age": 120}) == ()
    for person, message in [
        ({"sex": "X", "age": 1}, "column 'sex' is 'X', which is outside the known values F, M"),
        ({"sex": "F", "age": 121}, "column 'age' is 121, which is outside the whole numbers from 0 up to 120"),
        ({"sex": "F", "age": 0.5}, "column 'age' is 0.5"),
        ({"sex": ["F"], "age": [121]}, "column 'age', row 1 is 121"),
    ]:
        with pytest.raises(InvalidDataError, match=message):
            strict.total(person)


@pytest.mark.parametrize(
    ("made", "question", "name"),
    [
        (item("age", at_least=60, points=1), "Age 60 or older?", "age >= 60"),
        (item("age", at_most=60, points=1, unit="years"), "Age 60 years or younger?", "age <= 60"),
        (item("age", above=60, points=1), "Age above 60?", "age > 60"),
        (item("glucose", below=7.5, points=1, unit="mmol/L"), "Glucose below 7.5 mmol/L?", "glucose < 7.5"),
        (item("glucose", at_least=7, points=1), "Glucose 7 or more?", "glucose >= 7"),
        (item("age", at_least=65, below=75, points=1), "Age 65 to under 75?", "65 <= age < 75"),
        (item("age", at_least=65, at_most=74, points=1), "Age 65 to 74?", "65 <= age <= 74"),
        (item("age", above=65, at_most=74, points=1), "Age above 65 to 74?", "65 < age <= 74"),
        (item("age", above=65, below=74, points=1), "Age above 65 to under 74?", "65 < age < 74"),
        (item("n", at_least=3, at_most=3, points=1), "N exactly 3?", "3 <= n <= 3"),
        (item("sex", equals="F", points=1), "Sex: F?", "sex = F"),
        (item("grade", one_of=["II", "III"], points=1), "Grade: II or III?", "grade in (II, III)"),
        (item("code", equals="1", points=1), 'Code: "1"?', 'code = "1"'),
        (item("code", equals=1, points=1), "Code: 1?", "code = 1"),
        (item("heart_failure", equals=True, points=1), "Heart failure?", "heart_failure = true"),
        (item("heart_failure", equals=False, points=1), "Heart failure: no?", "heart_failure = false"),
        (item("bmi", is_missing=True, points=1), "Bmi not known?", "bmi missing"),
        (item("pH", points=1), "pH?", "pH"),
        (item("age", points=1, unit="years"), "Age, in years?", "age"),
        (item("age", at_least=60, points=1, question="Sixty?"), "Sixty?", "age >= 60"),
    ],
)  # fmt: skip
def test_questions_and_names_are_made_from_the_rule(made, question, name):
    assert (made.asks, made.name) == (question, name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: item("x", at_least=1, equals=2, points=1), "has both equals and at_least; make two items"),
        (lambda: item("x", at_least=1, above=2, points=1), "has both at_least and above"),
        (lambda: item("x", at_least=2, below=2, points=1), "holds no value"),
        (lambda: item("x", one_of="FM", points=1), "one_of of the item on 'x' is 'FM'; give a list"),
        (lambda: item("x", one_of=[], points=1), "names no category"),
        (lambda: item("x", equals="", points=1), "counts as missing"),
        (lambda: item("x", points=0), "'x' gives 0 points; leave it out"),
        (lambda: item("x", points="2"), "the points of an item on 'x' is '2'"),
        (lambda: item("x", points=math.nan), "points of an item on 'x'"),
        (lambda: item("x", points=True), "is True; give a number"),
        (lambda: item("x", points=1, at_least="60"), "a bound of the item on 'x' is '60'"),
        (lambda: item("x", points=1, missing="zero"), "missing of an item on 'x' is 'zero'"),
        (lambda: item("x", points=1, is_missing=True, missing=0), "leave out 'missing'"),
        (lambda: item(3, points=1), "the column 3 of an item must be its name"),
    ],
)
def test_impossible_items_are_refused(make, message):
    with pytest.raises(InvalidCardError, match=message):
        make()


ONE = [item("x", at_least=1, points=1)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"items": ONE}, "give either threshold"),
        ({"items": ONE, "threshold": 1, "above": 2}, "give either threshold"),
        ({"items": ONE, "threshold": 1, "classes": ("a",)}, "give two, the negative one first"),
        ({"items": ONE, "threshold": 1, "domains": {"x": "FM"}}, "give a list of known values"),
        ({"items": ONE, "threshold": 1, "domains": {"y": [1]}}, "a domain for 'y', which no item uses"),
        ({"items": [*ONE, *ONE], "threshold": 1}, "two items give points for the range of 'x'"),
        (
            {"items": [*ONE, item("x", is_missing=True, points=1)], "threshold": 1},
            "'x >= 1' refuses it; say how many points it gives then, such as missing=0",
        ),
        ({"items": [*ONE, item("x >= 1", points=1)], "threshold": 1}, "two items are named 'x >= 1'"),
    ],
)
def test_impossible_systems_are_refused(settings, message):
    with pytest.raises(InvalidCardError, match=message):
        ScoringSystem.of(**settings)


@given(
    st.lists(st.fractions(-5, 5, max_denominator=6).filter(bool), min_size=1, max_size=5),
    st.fractions(-9, 9, max_denominator=6),
)
def test_a_threshold_is_so_many_points_or_more(all_points, least):
    items = [item(f"x{j}", equals=True, points=p) for j, p in enumerate(all_points)]
    system = ScoringSystem.of(items, threshold=least)
    for chosen in range(2 ** len(items)):
        person = {f"x{j}": bool(chosen >> j & 1) for j in range(len(items))}
        total = system.explain(person).total
        assert system.predict(person) == ("yes" if total >= least else "no")


def test_a_range_says_which_ends_it_has():
    assert InRange("x", low=1) == InRange("x", 1, None, True, True)
    assert item("x", points=1, below=3).rule == InRange("x", high=3)
