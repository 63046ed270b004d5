"""The printed card: the same scores as the learned one, for every input, without negative points."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import any_cards
from reading_faces import people_for
from supersparse import Problem, ScoringSystem, SLIMClassifier, item, solve
from supersparse.card.bands import bands_of
from supersparse.card.card import Card
from supersparse.card.lines import lines_of
from supersparse.card.printed import printed
from supersparse.card.rules import InRange, IsMissing, IsNoneOf, IsOneOf, ValueOf
from supersparse.card.scoring import item_points, score_person
from supersparse.datasets import load_breast_cancer, load_haberman, load_mammography, load_spambase, load_tic_tac_toe
from supersparse.errors import InvalidDataError


def learned(*items, threshold=0, **details):
    return ScoringSystem.of(items, above=threshold, **details).card


def test_negative_points_are_asked_the_other_way_round():
    card = printed(learned(item("age", at_least=60, points=3), item("bp", at_least=90, points=-2), threshold=0))
    assert [(i.name, i.points) for i in card.items] == [("age >= 60", 3), ("bp < 90", 2)]
    assert card.threshold == 3
    assert card.cutoff.positive == "3 or more"


def test_cuts_of_one_column_become_bands():
    card = printed(learned(item("age", at_least=16, points=4), item("age", at_least=23, points=-2)))
    assert [(i.name, i.points) for i in card.items] == [("16 <= age < 23", 4), ("age >= 23", 2)]
    card = printed(learned(item("age", at_least=16, points=-4), item("age", at_least=23, points=1)))
    assert [(i.name, i.points) for i in card.items] == [("age < 16", 4), ("age >= 23", 1)]


def test_categories_that_no_item_names_share_an_answer():
    card = printed(learned(item("sex", equals="F", points=-2), domains={"sex": ["F", "M"]}))
    assert [(i.rule, i.points) for i in card.items] == [(IsNoneOf("sex", ("F",)), 2)]
    assert score_person(card, {"sex": "X"}) == score_person(card, {"sex": "M"}) == -1
    refusing = printed(learned(item("sex", equals="F", points=-2), domains={"sex": ["F", "M"]}, outside="refuse"))
    assert [i.name for i in refusing.items] == ["sex = M"]


def test_a_missing_value_that_would_lower_the_total_gets_points_elsewhere():
    card = printed(learned(item("bmi", is_missing=True, points=-1)))
    assert [(i.name, i.points) for i in card.items] == [("bmi known", 1)]
    assert score_person(card, {"bmi": None}) == -2
    assert score_person(card, {"bmi": "anything"}) == -1


def test_columns_of_0_and_1_are_questions():
    X = np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 3)
    problem = Problem.of(X, ["no", "no", "yes", "no"] * 3, feature_names=["smoker", "fit"], max_points=2, C0=0.1)
    card = ScoringSystem.from_solution(solve(problem)).card
    assert all(isinstance(i.rule, IsOneOf) and i.points > 0 for i in card.items)
    assert {i.name for i in card.items} == {"smoker = false", "fit = false"}
    with pytest.raises(InvalidDataError, match=r"fit.*outside the known values 0, 1"):
        score_person(card, {"smoker": 0, "fit": 2})
    assert {i.name for i in card.as_learned.items} == {"smoker", "fit"}


def test_a_prepared_column_of_0_and_1_is_a_question_too():
    for points, text, answers in ((2, "Confused?", []), (-2, "Confused?", ["yes", "no"])):
        card = printed(learned(item("confused", equals=1, points=points), domains={"confused": [0, 1]}))
        (line,) = lines_of(card)
        assert (line.text, [one.text for one in line.answers]) == (text, answers)


@given(st.data())
def test_the_printed_card_gives_everyone_the_same_score(data):
    card = data.draw(any_cards())
    made = printed(card)
    person = data.draw(people_for(card))
    try:
        expected = score_person(card, person)
    except InvalidDataError:
        if set(made.columns) == set(card.columns):  # else a column whose items cancel out is not asked for
            with pytest.raises(InvalidDataError):
                score_person(made, person)
        return
    before = {domain.column: domain.outside for domain in card.domains}
    questions = [d for d in made.domains if (before[d.column], d.outside) == ("accept", "refuse")]
    if any(person[d.column] is not None and person[d.column] not in d.values for d in questions):
        with pytest.raises(InvalidDataError, match="outside the known values"):
            score_person(made, person)
        return
    assert score_person(made, person) == expected


@given(st.data())
def test_every_answer_is_in_one_band_which_gives_its_points(data):
    card = data.draw(any_cards(columns=st.sampled_from("ab")))
    domains = {domain.column: domain for domain in card.domains}
    person = data.draw(people_for(card))
    for column, items in card.items_by_column().items():
        bands = bands_of(items, domains.get(column))
        part = Card(
            items=tuple(items), intercept=Fraction(0), negative=0, positive=1,
            domains=tuple(d for d in card.domains if d.column == column),
        )  # fmt: skip
        value = person[column]
        if bands is None:
            kinds = {type(i.rule) for i in items} - {IsMissing}
            assert len(kinds) > 1 or ValueOf in kinds
            continue
        try:
            expected = score_person(part, {column: value})
        except InvalidDataError:
            continue
        holding = [b for b in bands if _holds(b.rule, value)]
        assert [b.points for b in holding] == [expected]
        assert min(b.points for b in bands) <= expected


def _holds(rule, value):
    if value is None:
        return isinstance(rule, IsMissing)
    return rule.of_one(value, "a value") == 1


@given(st.data())
def test_no_points_are_negative_but_those_that_multiply(data):
    card = printed(data.draw(any_cards(columns=st.sampled_from(["a", "b", "c"]))))
    for column, items in card.items_by_column().items():
        ranges = any(isinstance(i.rule, InRange) for i in items)
        names = any(isinstance(i.rule, IsOneOf | IsNoneOf) for i in items)
        if any(isinstance(i.rule, ValueOf) for i in items) or (ranges and names):
            continue
        assert all(i.points > 0 and (i.missing or 0) >= 0 for i in items), column
        again = printed(replace(card, learned=None)).items_by_column()[column]  # nothing left to do
        assert sorted(map(_content, again)) == sorted(map(_content, items))


def _content(item):
    values = sorted(map(repr, getattr(item.rule, "values", ())))
    return (item.points, values or [item.name])


TABLES = {
    "breast cancer": load_breast_cancer,
    "haberman": load_haberman,
    "mammography": load_mammography,
    "spambase": load_spambase,
    "tic-tac-toe": load_tic_tac_toe,
}


@pytest.mark.parametrize("name", TABLES)
def test_adding_up_the_answers_by_hand_gives_what_the_classifier_predicts(name):
    data = TABLES[name]()
    model = SLIMClassifier(prepare="auto", C0=0.02, max_features=4, node_limit=20, time_limit=None)
    X = pd.DataFrame(data.X, columns=list(data.feature_names))
    model.fit(X, data.y)
    system = model.scoring_system_
    card = system.card
    assert all(i.points > 0 for i in card.items)
    for row, prediction in zip(X.to_dict("records"), model.predict(X), strict=True):
        total = sum(item_points(i, row[i.column]) for i in card.items)
        assert (card.positive if total >= card.threshold else card.negative) == prediction
