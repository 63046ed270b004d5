"""Names: the words of a card from a mapping or a file, with every fault named by its line."""

import json

import pytest

from supersparse import ScoringSystem, item
from supersparse.card.names_file import read_names
from supersparse.errors import InvalidSettingsError

SYSTEM = ScoringSystem.of(
    [item("age", at_least=60, points=2), item("sex", equals="F", points=1), item("smoker", equals=True, points=1)],
    above=2,
    classes=(0, 1),
    domains={"sex": ["F", "M"], "smoker": [0, 1]},
)
TEXT = """\
title: Fractures
classes: {1: fracture, 0: no fracture}
columns:
  age:
    label: Age at visit
    unit: years
  sex:
    answers: {F: female, M: male}
  smoker:
    question: Does the patient smoke?
    unit:
    answers: {1: yes, 0: no}
  weight: {unit: kg}
"""


def test_a_file_words_the_card_and_the_card_keeps_it(tmp_path):
    path = tmp_path / "names.yaml"
    path.write_text(TEXT)
    system = SYSTEM.worded(path)
    words = system.card.wording
    assert (system.card.title, words.negative, words.positive) == ("Fractures", "no fracture", "fracture")
    assert (words.of("age").label, words.of("age").unit) == ("Age at visit", "years")
    assert words.of("sex").answers == {"F": "female", "M": "male"}
    assert words.of("smoker").answers == {True: "yes", False: "no"}
    assert (words.of("smoker").question, words.of("smoker").unit) == ("Does the patient smoke?", None)
    assert [one.column for one in words.columns] == ["age", "sex", "smoker"]  # weight gives no points
    assert ScoringSystem.from_json(system.to_json()) == system
    assert system.card.items == SYSTEM.card.items


def test_a_mapping_and_a_json_file_say_the_same(tmp_path):
    content = {
        "title": "Fractures",
        "classes": {1: "fracture", 0: "no fracture"},
        "columns": {
            "age": {"label": "Age at visit", "unit": "years"},
            "sex": {"answers": {"F": "female", "M": "male"}},
            "smoker": {"question": "Does the patient smoke?", "answers": {1: "yes", 0: "no"}},
        },
    }
    (tmp_path / "names.yaml").write_text(TEXT)
    (tmp_path / "names.json").write_text(json.dumps(content))
    expected = SYSTEM.worded(tmp_path / "names.yaml")
    assert SYSTEM.worded(content) == SYSTEM.worded(str(tmp_path / "names.json")) == expected


def test_words_are_added_to_those_there_are():
    system = SYSTEM.worded({"columns": {"age": {"unit": "years"}}}).worded({"classes": {"1": "ill"}})
    assert system.card.wording.of("age").unit == "years"
    assert system.card.wording.positive == "ill"


def test_an_answer_that_gives_the_points_of_the_rest_is_kept():
    system = ScoringSystem.of([item("blood", equals="A", points=1)], above=0)
    worded = system.worded({"columns": {"blood": {"answers": {"A": "group A", "0": "group 0"}}}})
    assert worded.card.wording.of("blood").answers == {"A": "group A", "0": "group 0"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tittle: x", "names.yaml, line 1, column 1: unknown key 'tittle' in the names; did you mean 'title'?"),
        ("title: x\nlabel: y", "line 2, column 1: unknown key 'label' in the names; it belongs to a column"),
        ("columns:\n  agee: {unit: y}", "line 2, column 3: there is no column 'agee'; did you mean 'age'?"),
        ("columns:\n  age: {units: y}", "line 2, column 9: unknown key 'units' .*did you mean 'unit'"),
        ("columns:\n  age: years", "line 2, column 8: columns of 'age' is 'years'; give a mapping"),
        ("columns:\n  sex:\n    answers: {W: woman}", "line 3, column 15: 'sex' has no value 'W'; known: F, M"),
        ("columns:\n  sex:\n    label: [a]", "line 3, column 12: label is a list of 1; give text"),
        ("classes: {2: x}", "line 1, column 11: there is no class '2'; known: 0, 1"),
        ("classes: {0: x, 1: x}", "line 1, column 1: both classes are worded as 'x'; they must differ"),
        (
            "columns:\n  sex:\n    answers: {F: x, M: x}",
            "line 3, column 21: the answers 'F' and 'M' of 'sex' are both worded as 'x'; they must differ",
        ),
        (
            "columns:\n  age: {label: x}\n  sex: {label: x}",
            "line 3, column 9: the columns 'age' and 'sex' are both labelled 'x'; they must differ",
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_to_do(tmp_path, text, message):
    path = tmp_path / "names.yaml"
    path.write_text(text)
    with pytest.raises(InvalidSettingsError, match=message):
        SYSTEM.worded(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(
        InvalidSettingsError, match=r"files of names are YAML or JSON; use a name ending in \.yaml or \.json"
    ):
        read_names(tmp_path / "names.txt")
    (tmp_path / "names.yaml").write_bytes(b"title: \xff")
    with pytest.raises(InvalidSettingsError, match="save it as UTF-8"):
        read_names(tmp_path / "names.yaml")
