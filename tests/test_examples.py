"""The published scores of the examples, against totals worked out from the publications."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from supersparse import ScoringSystem
from supersparse.errors import InvalidDataError

PATH = Path(__file__).parent.parent / "examples" / "published_scores.py"


@pytest.fixture(scope="module")
def scores():
    spec = importlib.util.spec_from_file_location("published_scores", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def healthy(system, **changes):
    """Somebody with no finding, apart from the changes."""
    person = dict.fromkeys(system.card.columns, False)
    person |= {n: 20 for n in ("age", "urea", "respiratory_rate", "heart_rate") if n in person}
    person |= {"urea": 5} if "urea" in person else {}
    person |= {"calf_difference": 0} if "calf_difference" in person else {}
    person |= {"sex": "M"} if "sex" in person else {}
    assert changes.keys() <= person.keys()
    return person | changes


@pytest.mark.parametrize(
    ("name", "changes", "total", "label"),
    [
        ("chads2", {}, 0, "not high"),
        ("chads2", {"age": 74}, 0, "not high"),
        ("chads2", {"age": 75}, 1, "not high"),
        ("chads2", {"stroke": True}, 2, "high"),
        ("cha2ds2_vasc", {"age": 65}, 1, "not high"),
        ("cha2ds2_vasc", {"age": 75}, 2, "high"),
        ("cha2ds2_vasc", {"age": 74.9, "sex": "F"}, 2, "high"),
        ("curb65", {"urea": 7, "age": 65}, 1, "not severe"),
        ("curb65", {"urea": 7.1, "age": 65, "respiratory_rate": 30}, 3, "severe"),
        ("wells_dvt", {"cancer": True, "calf_difference": 3}, 2, "likely"),
        ("wells_dvt", {"cancer": True, "calf_difference": 3, "alternative": True}, 0, "unlikely"),
        ("wells_pe", {"heart_rate": 101, "immobile": True, "haemoptysis": True}, 4, "unlikely"),
        ("wells_pe", {"heart_rate": 100, "signs_of_dvt": True, "thrombosis_before": True}, 4.5, "likely"),
    ],
)
def test_totals_as_published(scores, name, changes, total, label):
    system = getattr(scores, name)()
    found = system.explain(healthy(system, **changes))
    assert (found.total, found.label) == (total, label)


def test_apgar_adds_five_signs(scores):
    system = scores.apgar()
    signs = dict.fromkeys(system.card.columns, 2)
    assert system.explain(signs).total == 10
    assert system.predict({**signs, "colour": 0, "reflexes": 1}) == "reassuring"
    assert system.predict({**signs, "colour": 0, "reflexes": 0}) == "not reassuring"
    with pytest.raises(InvalidDataError, match="'colour' is 3, which is outside the whole numbers"):
        system.predict({**signs, "colour": 3})


# the largest totals that the publications state
LARGEST = {"chads2": 6, "cha2ds2_vasc": 9, "curb65": 5, "wells_dvt": 9, "wells_pe": 12.5}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_total_is_the_published_one(scores, name):
    system = getattr(scores, name)()
    worst = healthy(
        system, **{i.column: True for i in system.card.items if i.name.endswith("= true") and i.points > 0}
    )
    worst |= {
        c: 200 for c in ("age", "urea", "respiratory_rate", "heart_rate", "calf_difference") if c in worst
    }
    worst |= {"sex": "F"} if "sex" in worst else {}
    assert system.explain(worst).total == LARGEST[name]


def test_all_save_print_and_score_tables(scores):
    for make in scores.ALL:
        system = make()
        assert ScoringSystem.from_json(system.to_json()) == system
        assert system.card.source
        assert "Predict" in str(system)
    system = scores.cha2ds2_vasc()
    people = [healthy(system), healthy(system, age=80), healthy(system, sex="F", age=70)]
    assert system.predict(pd.DataFrame(people)).tolist() == ["not high", "high", "high"]
