"""`predict --unknown`: rows that lack a value which the card needs."""

import json

import pytest

from supersparse import ScoringSystem, item


@pytest.fixture
def card(tmp_path):
    items = [item("age", at_least=60, points=2), item("sex", equals="F", points=3)]
    system = ScoringSystem.of(items, above=2, risk={0: 0.1, 5: 0.6})
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
    assert rows[2] == {"total": None, "total_low": 2, "total_high": 5, "prediction": "not known", "risk": None}


@pytest.mark.parametrize("command", [["predict"], ["predict", "--unknown", "allow"], ["evaluate"]])
def test_a_value_that_the_card_refuses_is_told_with_its_place(run, tmp_path, command):
    system = ScoringSystem.of(
        [item("sex", equals="F", points=3)], above=2, domains={"sex": ["F", "M"]}, outside="refuse"
    )
    system.save(tmp_path / "card.json")
    (tmp_path / "rows.csv").write_text("sex,ill\nF,\nF,yes\nX,no\nX,yes\nM,no\n")
    target = ["--target", "ill"] if command == ["evaluate"] else []
    done = run(command[0], "card.json", "rows.csv", *command[1:], *target)
    assert (done.returncode, done.stdout) == (2, "")
    told = "rows.csv: column 'sex' is 'X' in 2 rows, the first in line 4, which is outside the known values F, M"
    assert f"{told}; correct it, or leave such rows out" in done.stderr
    assert "usual rules" not in done.stderr


def test_evaluate_says_where_a_value_is_missing(run, card, tmp_path):
    (tmp_path / "rows.csv").write_text("age,sex,state\n70,F,\n70,F,yes\n,M,no\n60,M,no\n")
    done = run("evaluate", card, "rows.csv", "--target", "state")
    assert (done.returncode, done.stdout) == (2, "")
    told = "rows.csv: column 'age' has no value in line 4; fill it in, or leave such rows out"
    assert told in done.stderr
