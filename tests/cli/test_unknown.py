"""`predict --unknown`: rows that lack a value which the card needs."""

import json

import pytest

from supersparse import ScoringSystem, item


@pytest.fixture
def card(tmp_path):
    items = [item("age", at_least=60, points=2), item("sex", equals="F", points=3)]
    system = ScoringSystem.of(items, threshold=2, risk={0: 0.1, 5: 0.6})
    system.save(tmp_path / "card.json")
    (tmp_path / "rows.csv").write_text("id,age,sex\na,70,F\nb,,F\nc,70,\nd,,M\n")
    return "card.json"


def test_a_missing_value_is_refused_with_its_place_and_the_option(run, card):
    done = run("predict", card, "rows.csv")
    assert done.returncode == 2
    told = "rows.csv: column 'age' has no value in 2 rows, the first in line 3; fill it in, or use --unknown"
    assert told in done.stderr
    assert run("predict", card, "rows.csv", "--unknown", "alow").returncode == 2


def test_it_can_be_allowed(run, card):
    done = run("predict", card, "rows.csv", "--unknown", "allow", "--with", "id", check=True)
    assert done.stdout.splitlines() == [
        "id,total,total_low,total_high,prediction,risk",
        "a,5,5,5,yes,0.6",
        "b,,3,5,yes,",
        "c,,2,5,not known,",
        "d,,0,2,no,",
    ]
    rows = json.loads(run("predict", card, "rows.csv", "--unknown", "allow", "--json", check=True).stdout)
    assert rows[2] == {
        "total": None,
        "total_low": 2,
        "total_high": 5,
        "prediction": "not known",
        "risk": None,
    }
