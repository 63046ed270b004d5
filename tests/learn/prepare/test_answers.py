"""Answers chosen beforehand: cuts, groups, missing values, and which columns become questions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from supersparse import Prepare
from supersparse.base.errors import InvalidDataError, InvalidProblemError
from supersparse.card.rules import IsMissing, IsNoneOf, IsOneOf
from supersparse.learn.prepare.additive import best_parts, monotone
from supersparse.learn.prepare.round_numbers import shortest

values = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5), st.integers(1, 4)), min_size=1, max_size=7)


@given(values, st.integers(1, 4), st.integers(1, 6))
def test_the_best_parts_are_those_of_all_divisions(entries, most, least):
    v, w, c = (np.array(x, float) for x in zip(*entries, strict=True))

    def cost(starts):
        ends = [*starts[1:], len(v)]
        if any(c[a:b].sum() < least for a, b in zip(starts, ends, strict=True)):
            return np.inf
        means = [np.average(v[a:b], weights=w[a:b]) for a, b in zip(starts, ends, strict=True)]
        return sum(float(w[a:b] @ (v[a:b] - m) ** 2) for a, b, m in zip(starts, ends, means, strict=True))

    divisions = [[0, *(k + 1 for k in range(len(v) - 1) if mask >> k & 1)] for mask in range(2 ** (len(v) - 1))]
    best = min((cost(one) for one in divisions if len(one) <= most), default=np.inf)
    found = best_parts(v, w, c, most, least)
    if np.isfinite(best):
        assert len(found) <= most
        assert cost(found) <= best + 1e-4 * (cost([0]) if np.isfinite(cost([0])) else 1 + best) + 1e-9
    else:
        assert found == [0]


@given(values)
def test_monotone_values_are_those_of_isotonic_regression(entries):
    v, w, _ = (np.array(x, float) for x in zip(*entries, strict=True))
    at = np.arange(len(v))
    fits = [IsotonicRegression(increasing=up).fit(at, v, w).predict(at) for up in (True, False)]
    best = min(float(w @ (fit - v) ** 2) for fit in fits)
    assert float(w @ (monotone(v, w) - v) ** 2) == pytest.approx(best, abs=1e-6)


@given(st.fractions(-100, 100), st.fractions(0, 50), st.floats(0, 1))
@settings(max_examples=300)
def test_the_shortest_number_has_no_shorter_one_beside_it(above, width, share):
    up_to = above + width + Fraction(1, 1000)
    near = above + (up_to - above) * Fraction(share).limit_denominator(100)
    found = shortest(above, up_to, near)
    assert above < found <= up_to
    if found:
        digits = len(str(found.numerator * 10**9 // found.denominator).strip("-").rstrip("0"))
        for power in range(-4, 3):
            step = Fraction(10) ** power
            some = ((above // step) + 1) * step
            if some <= up_to and some:
                lower = len(str(some * 10**9 // 1).strip("-").rstrip("0"))
                assert digits <= lower


def risks_along(x, at, low=0.1, high=0.9):
    return np.where(x >= at, high, low)


def asked(X, labels, **parameters):
    labels = np.asarray(labels, float)
    prepare = Prepare(**parameters).fit_questions(X, labels, labels)
    return {q.column: q for q in prepare.questions_}, prepare


def test_a_number_is_cut_where_the_risk_changes_at_a_short_number():
    age = np.arange(200) % 90
    found, prepare = asked({"age": age}, risks_along(age, 61))
    assert 60 in [rule.low for rule in found["age"].rules]
    assert len(found["age"].rules) <= 4
    answers = prepare.transform({"age": [0, 59, 60, 89]})[:, 0]
    assert answers[0] == 0
    assert answers[1] < answers[2] <= answers[3]


def test_every_band_holds_enough_rows():
    draw = np.random.default_rng(1)
    for n in (60, 400, 2000):
        x = draw.normal(size=n)
        found, prepare = asked({"x": x}, 1 / (1 + np.exp(-3 * x)))
        counts = np.bincount(prepare.transform({"x": x})[:, 0])
        assert counts.min() >= max(5, 0.02 * n)
        assert len(counts) == len(found["x"].rules) == 4


def test_given_cut_points_are_used_as_they_are():
    age = np.arange(200) % 90
    found, _ = asked({"age": age}, risks_along(age, 61), cut_points={"age": [13, 17.5, 20, 77, 88]})
    assert [rule.low for rule in found["age"].rules] == [None, 13, Fraction("17.5"), 20, 77, 88]


def test_categories_are_grouped_by_effect_and_ordered_ones_in_order():
    kind = np.array(list("abcdef") * 50)
    risk = np.select([kind == "a", kind == "d"], [0.9, 0.88], 0.1)
    (found, prepare) = asked({"kind": kind}, risk, max_cuts=1)
    assert [set(rule.values) for rule in found["kind"].rules] == [set("bcef"), set("ad")]
    ordered, _ = asked({"kind": kind}, risk, max_cuts=1, ordered={"kind": list("abcdef")})
    assert [rule.values for rule in ordered["kind"].rules] == [("a",), tuple("bcdef")]
    assert "6 categories in 2 groups" in prepare.notes_[0]


def test_rare_levels_of_many_are_one_group_with_whatever_is_new():
    kind = np.array([f"k{i % 40}" for i in range(2000)])
    risk = np.where(np.char.endswith(kind, "3"), 0.9, 0.1)
    found, prepare = asked({"kind": kind}, risk)
    assert sum(isinstance(rule, IsNoneOf) for rule in found["kind"].rules) == 1
    assert prepare.transform({"kind": ["never seen"]}).shape == (1, 1)


@pytest.mark.parametrize(("n_missing", "risk", "own"), [(40, 0.97, True), (40, 0.9, False), (10, 0.97, False)])
def test_a_missing_value_is_an_answer_of_its_own_only_where_it_tells_more(n_missing, risk, own):
    x = np.arange(400.0)
    labels = risks_along(x, 200)
    gone = np.arange(n_missing) * (400 // n_missing)
    x[gone], labels[gone] = np.nan, risk
    found, prepare = asked({"x": x}, labels)
    question = found["x"]
    assert isinstance(question.rules[-1], IsMissing) == own == question.has_not_known
    assert question.missing == len(question.rules) - 1
    note = prepare.notes_[0]
    assert ("an answer of their own" in note) == own
    assert own or "they count as 'x >= " in note


def test_median_and_mode_stand_for_a_missing_value():
    x = np.concatenate([3 * np.arange(400.0), np.full(60, np.nan)])
    labels = np.concatenate([risks_along(np.arange(400), 200), np.full(60, 0.99)])
    found, prepare = asked({"x": x}, labels, missing="median")
    assert prepare.transform({"x": [np.nan]}).item() == prepare.transform({"x": [597.0]}).item()
    assert "replaced by" in prepare.notes_[0]
    assert not found["x"].has_not_known


def test_shapes_and_directions_reach_the_question():
    x = np.arange(300)
    found, _ = asked(
        {"a": x, "b": x[::-1].copy(), "c": x % 7},
        risks_along(x, 150),
        direction={"a": "+", "b": "-"},
        shape={"c": "any"},
    )
    assert {name: q.shape for name, q in found.items()} == {"a": "up", "b": "down", "c": "free"}


def test_a_note_says_where_a_free_shape_would_gain():
    x = 3 * np.arange(300)
    _, prepare = asked({"x": x}, np.where((x > 300) & (x < 600), 0.9, 0.1))
    assert "a free shape would gain" in prepare.notes_[0]


def test_constant_and_numbering_columns_are_no_questions():
    n = 300
    x = np.arange(n) % 10
    found, prepare = asked({"x": x, "constant": np.ones(n), "id": np.arange(n) + 7}, risks_along(x, 5))
    assert list(found) == ["x"]
    assert "constant: left out: all values are the same" in prepare.notes_
    assert "id: left out: it numbers the rows" in prepare.notes_
    with pytest.raises(InvalidDataError, match="no column gives a usable question"):
        asked({"constant": np.ones(n)}, risks_along(x, 5))


def test_of_a_wide_table_the_most_telling_columns_are_asked():
    draw = np.random.default_rng(0)
    X = {f"x{j}": draw.normal(size=300).round(2) for j in range(70)}
    found, prepare = asked(X, 1 / (1 + np.exp(-X["x65"] - X["x3"])))
    assert len(found) == 60
    assert {"x65", "x3"} <= set(found)
    assert prepare.n_candidates_ == 70
    assert prepare.notes_[0] == "60 of 70 columns tried: those that tell most of the risk"


def test_what_is_only_for_features_is_refused():
    x = np.arange(300)
    for parameters in ({"cuts": "tree"}, {"intervals": True}, {"candidates": 9}, {"keep": ["x"]}, {"per_variable": 3}):
        with pytest.raises(InvalidProblemError, match="is for yes/no features"):
            asked({"x": x}, risks_along(x, 150), **parameters)


def test_levels_of_a_yes_or_no_column_are_its_answers():
    found, _ = asked({"x": np.arange(300) % 2}, risks_along(np.arange(300) % 2, 1))
    assert found["x"].rules == (IsOneOf("x", (0,)), IsOneOf("x", (1,)))
