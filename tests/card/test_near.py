"""What is far from the training rows is refused: numbers, and categories that they did not have."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from supersparse import Domain, Prepare, ScoringSystem, SLIMClassifier, item
from supersparse.card.card import Card
from supersparse.card.file import from_json, to_json
from supersparse.card.rules import is_like, nearest, next_to, one_edit_apart
from supersparse.errors import InvalidCardError, InvalidDataError
from supersparse.learn.prepare.sample import Most


def near(*items, **domains):
    made = {
        name: Domain(column=name, outside="near", **({"values": known} if isinstance(known, tuple) else known))
        for name, known in domains.items()
    }
    return ScoringSystem.of(items, threshold=1, domains=made)


AGE = {"low": 20, "high": 80, "whole": True}


@pytest.mark.parametrize(("age", "scored"), [(-40, True), (140, True), (140.5, False), (-41, False)])
def test_a_number_further_outside_than_the_range_is_wide_is_refused(age, scored):
    system = near(item("age", at_least=50, points=1, missing=0), age=AGE)
    for data in ({"age": age}, {"age": [30, age]}, pd.DataFrame({"age": [30, age]}), {"age": ["x", age][1:]}):
        if scored:
            system.predict(data)
            continue
        with pytest.raises(InvalidDataError, match=r"column 'age'.* further from the training rows' 20 to 80"):
            system.predict(data)
        with pytest.raises(InvalidDataError, match=r"accepting_unknown"):
            system.total(data)
        assert system.accepting_unknown().predict(data) is not None
    with pytest.raises(InvalidDataError, match="'age', row 2 is 850"):
        system.predict({"age": [30, 850, None]})
    assert system.predict({"age": [30, None, float("inf")]}).tolist() == ["no", "no", "yes"]


def test_two_listed_numbers_are_a_range_too():
    system = near(item("beds", at_least=2, points=1), beds=(1, 3))
    assert system.predict({"beds": 5}) == "yes"
    with pytest.raises(InvalidDataError, match="'beds' is 6, further from the training rows' 1 to 3"):
        system.predict({"beds": 6})


@pytest.mark.parametrize(
    ("known", "value", "said"),
    [
        (("I", "II", "III", "IV"), "V", "the nearest is IV"),
        (("1", "2", "3", "4"), "5", 'the nearest is "4"'),
        (("T8", "T9"), "T10", "the nearest is T9"),
        (("a", "b", "c"), "D", "the nearest is c"),
        (("never", "smoker"), "smokre", "the nearest is smoker"),
        (("never", "smoker"), "Smoker", "the nearest is smoker"),
        (("never", "smoker"), "xyz", "its known values are never, smoker"),
        ((1, 2, 3), 7, "the nearest is 3"),
    ],
)
def test_a_category_that_training_did_not_have_is_refused(known, value, said):
    system = near(item("grade", one_of=known[1:], points=1), grade=known)
    assert system.predict({"grade": known[0]}) == "no"
    for data in ({"grade": value}, {"grade": [known[0], value]}):
        with pytest.raises(InvalidDataError, match="a category that no training row had") as told:
            system.explain(data) if data["grade"] == value else system.predict(data)
        assert said in str(told.value)
    assert system.accepting_unknown().predict({"grade": value}) == "no"


def test_with_an_answer_other_only_what_is_like_a_known_category_is_refused():
    items = [item("grade", equals="III", points=1), item("grade", equals="IV", points=2)]
    system = near(*items, grade=("I", "II", "III", "IV"))
    assert "other" in str(system)
    assert system.predict({"grade": ["unknown", "never"]}).tolist() == ["no", "no"]
    for value in ("V", "iv", "IVV"):
        with pytest.raises(InvalidDataError, match="the nearest is IV"):
            system.predict({"grade": value})
    with pytest.raises(InvalidDataError, match="row 2 is 'V'"):
        system.predict({"grade": ["IV", "V"]})


def test_likeness():
    assert one_edit_apart("abc", "ABD")
    assert one_edit_apart("abc", "bc")
    assert one_edit_apart("", "x")
    assert not one_edit_apart("abc", "cab")
    assert not one_edit_apart("ab", "ba")
    assert next_to("IX", "VIII")
    assert next_to("stage iv", "Stage III")
    assert next_to("10 mm", "9 mm")
    assert not next_to("10 mm", "9 cm")
    assert not next_to("XI", "IX")
    assert nearest("xyz", ["never", "smoker"]) is None
    assert is_like(Fraction(5), [Fraction(4)])
    assert not is_like(Fraction(6), [Fraction(4), "5"])


def test_text_where_a_number_belongs_is_not_sent_to_a_card_that_refuses_it_too():
    system = near(item("age", at_least=50, points=1), age=AGE)
    with pytest.raises(InvalidDataError, match=r"which is text; the card expects a number there$"):
        system.predict({"age": "45"})
    with pytest.raises(InvalidDataError, match="is not a number"):
        system.accepting_unknown().predict({"age": "45"})
    with pytest.raises(InvalidDataError, match=r"accepting_unknown\(\) returns$"):
        system.predict({"age": 850})


def test_a_file_keeps_it_and_older_versions_do_not_know_it():
    card = near(item("age", at_least=50, points=1), age=AGE).card
    text = to_json(card)
    again = from_json(text)
    assert isinstance(again, Card)
    assert again.domains[0].outside == "near"


ROWS = pd.DataFrame({"age": [20, 30, 40, 50, 60, 80] * 10, "grade": ["I", "II", "III", "IV", "IV", "II"] * 10})
Y = ROWS["grade"].isin(["III", "IV"]).to_numpy()


def test_a_learned_card_refuses_and_a_matrix_of_numbers_is_free():
    model = SLIMClassifier(prepare=Prepare(), C0=0.02).fit(ROWS, Y)
    assert model.predict(ROWS).tolist() == Y.tolist()
    with pytest.raises(InvalidDataError, match=r"'grade', row 2 is 'V'.*the nearest is IV"):
        model.predict(ROWS.assign(grade=["I", "V"] * 30))
    numbers = ROWS[["age"]].to_numpy()
    other = SLIMClassifier(prepare=Prepare(), C0=0.02).fit(numbers, numbers[:, 0] > 45)
    assert other.predict(np.array([[850], [-850]])).tolist() == [True, False]
    with pytest.raises(InvalidDataError, match="'x0', row 1 is 850"):
        other.scoring_system_.predict({"x0": [850]})


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_older_version_does_not_know_the_word(version):
    content = json.loads(to_json(near(item("age", at_least=50, points=1), age=AGE).card))
    content.pop("digest")
    if version == 2:
        old = {**content, "version": 2, "threshold": 0}
        with pytest.raises(InvalidCardError, match="'outside' of entry 1 of 'domains' is 'near'"):
            from_json(json.dumps(old))
        old["domains"][0]["outside"] = "accept"
        assert ScoringSystem(from_json(json.dumps(old))).predict({"age": 850}) == "yes"
        return
    old = {name: content[name] for name in ("format", "title", "classes", "n_columns", "provenance")}
    old |= {"version": 1, "intercept": 0, "items": [{"rule": "value", "column": "age", "points": 1}]}
    assert ScoringSystem(from_json(json.dumps(old))).predict({"age": 850}) == "yes"


def test_no_training_row_is_new_to_a_card_of_a_sample():
    """Numbers that are categories are in the sample, however rare."""
    codes = np.where(np.arange(20_000) == 7, 5, np.arange(20_000) % 4 * 3)
    age = np.arange(20_000) % 61 + 20
    age[11] = 400
    table = {"code": codes, "age": age}
    made = Prepare(categorical=["code"])
    made.fit_within(table, codes > 4, None, Most(values=8000, columns=50))
    assert "a sample of" in made.notes_[0]
    domains = {domain.column: domain for domain in made.raw_questions.domains}
    assert set(map(int, domains["code"].values)) == {0, 3, 5, 6, 9}
