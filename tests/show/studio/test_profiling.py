"""What the studio says of a table: columns, histograms, questions, and what it noticed."""

import json

import numpy as np
import pytest

from supersparse.show.studio.choices import changed, done, first_plan, no_choices
from supersparse.show.studio.profile import profile, some_rows, try_cuts
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.tables import ending_of, shown_name
from supersparse.show.studio.texts import StudioError

SCRIPT = "<script>alert(1)</script>"
TALK = Talk(1, lambda message: None, lambda: False)


def messy(tmp_path, rows=200):
    """A table with an identifier, a code for missing, two spellings, a date, and hostile names and cells."""
    random = np.random.default_rng(0)
    age = random.integers(20, 80, rows)
    ill = (age + random.normal(0, 10, rows) > 55).astype(int)
    age[:5] = -99
    smoker = np.where(random.random(rows) < 0.5, "yes", np.where(random.random(rows) < 0.5, "no", "No"))
    smoker[7] = "?"
    lines = [f"patient_id,age,smoker,{SCRIPT},seen,=cmd|x,outcome"]
    for k in range(rows):
        cell = "'\"><img src=x onerror=alert(1)>" if k % 3 == 0 else "plain"
        quoted = '"' + cell.replace('"', '""') + '"'
        day = f"2024-01-{k % 28 + 1:02d}"
        lines.append(f"{k // 2 + 1},{age[k]},{smoker[k]},{quoted},{day},{k % 7},{['well', 'ill'][ill[k]]}")
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def seen(path, **choices):
    given = {"path": str(path), "choices": changed(no_choices(), choices), "plan": first_plan()}
    found = profile(given, TALK)
    json.dumps(found, allow_nan=False)
    return found


def column(found, name):
    return next(one for one in found["columns"] if one["name"] == name)


def test_a_target_is_suggested_before_one_is_chosen(tmp_path):
    found = seen(messy(tmp_path))
    best = found["targets"][0]
    assert (best["name"], best["suggested"]) == ("outcome", True)
    assert found["classes"] is None
    age = column(found, "age")["histogram"]
    assert sum(age["positive"]) == 0
    assert sum(age["negative"]) + age["missing"][1] == 200


def test_every_row_is_in_the_histogram_of_its_class(tmp_path):
    found = seen(messy(tmp_path), target="outcome")
    classes = found["classes"]
    assert (classes["positive"], classes["negative"]) == ("ill", "well")
    for one in found["columns"]:
        bins = one["histogram"]
        if bins is not None:
            others = bins["others"]
            assert sum(bins["positive"]) + bins["missing"][0] <= classes["positive_rows"]
            total = sum(bins["positive"]) + sum(bins["negative"]) + sum(bins["missing"]) + others
            assert total == found["rows"], one["name"]


def test_what_was_noticed_comes_with_answers(tmp_path):
    found = seen(messy(tmp_path), target="outcome")
    kinds = {(one["kind"], one["column"]) for one in found["noticed"]}
    assert {("code", "age"), ("spelling", "smoker"), ("repeated", "patient_id"), ("date", "seen")} <= kinds
    assert ("perhaps missing", "smoker") in kinds
    code = next(one for one in found["noticed"] if one["kind"] == "code")
    assert code["answer"] == "yes"
    assert column(found, "age")["missing"] == 5
    no = next(answer for answer in code["answers"] if answer["id"] == "no")
    choices = done(changed(no_choices(), {"target": "outcome"}), no["does"])
    again = profile({"path": str(messy(tmp_path)), "choices": choices, "plan": first_plan()}, TALK)
    assert column(again, "age")["missing"] == 0
    assert column(again, "age")["smallest"] == -99


@pytest.mark.parametrize("cell", ["low", "<4"])
def test_cells_that_are_no_numbers_must_be_decided_first(tmp_path, cell):
    path = tmp_path / "odd.csv"
    rows = "\n".join(f"{k},{cell if k == 5 else k % 9},{'yes' if k % 2 else 'no'}" for k in range(60))
    path.write_text(f"row,level,ill\n{rows}\n", encoding="utf-8")
    found = seen(path, target="ill")
    odd = next(one for one in found["noticed"] if one["kind"] == "odd cells")
    assert odd["needs_answer"]
    assert odd["examples"] == [cell]
    assert column(found, "level")["kind"] == "undecided"
    missing = next(answer for answer in odd["answers"] if answer["id"] == "missing")
    choices = done(changed(no_choices(), {"target": "ill"}), missing["does"])
    again = profile({"path": str(path), "choices": choices, "plan": first_plan()}, TALK)
    assert column(again, "level")["kind"] == "numbers"
    assert column(again, "level")["missing"] == 1


def test_questions_follow_the_cuts_that_were_chosen(tmp_path):
    path = messy(tmp_path)
    found = seen(path, target="outcome", cut_points={"age": [40, 60]})
    age = column(found, "age")
    assert age["cuts"] == [40, 60]
    assert [q["cut"] for q in age["questions"] if q["cut"] is not None] == [40, 60]
    assert age["suggested_cuts"] != [40, 60]
    question = age["questions"][0]
    assert question["positive"] + question["negative"] <= found["rows"]
    given = {"path": str(path), "choices": changed(no_choices(), {"target": "outcome"}), "plan": first_plan()}
    tried = try_cuts({**given, "column": "age", "cuts": [40]}, TALK)
    assert tried["questions"][0] == question
    assert try_cuts({**given, "column": "age", "cuts": []}, TALK)["questions"] == []


def test_hostile_names_and_cells_stay_what_they_are(tmp_path):
    path = messy(tmp_path)
    found = seen(path, target="outcome")
    hostile = column(found, SCRIPT)
    assert hostile["histogram"]["labels"][1] == "'\"><img src=x onerror=alert(1)>"
    given = {"path": str(path), "choices": no_choices(), "plan": first_plan()}
    rows = some_rows({**given, "from": 0, "count": 2}, TALK)
    assert rows["names"][3] == SCRIPT
    assert rows["total"] == 200
    assert rows["rows"][0][3].startswith("'\">")


def test_a_choice_of_the_wrong_shape_is_refused():
    for wrong in (
        {"target": 3}, {"cut_points": {"age": "40"}}, {"cut_points": {"age": [True]}}, {"nothing": 1}, [],
        {"reading": {"decimal": ";"}}, {"direction": {"age": "up"}}, {"max_cuts": 0}, {"drop": "age"},
        {"cut_points": {"age": [float("nan")]}}, {"answers": {"n1": "yes"}}, {"reading": {"path": "/etc"}},
    ):  # fmt: skip
        with pytest.raises(StudioError) as refused:
            changed(no_choices(), wrong)
        assert refused.value.remedy


def test_the_name_of_a_file_is_for_people_only():
    assert shown_name("../../etc/passwd") == "passwd"
    assert shown_name("C:\\secret\\a\x00b.csv") == "ab.csv"
    assert shown_name("..") == ".."
    assert shown_name("/") == "table"
    assert len(shown_name("x" * 1000)) == 120
    assert ending_of("../../x.sh", b"a,b") == ".csv"
    assert ending_of("x.xlsx", b"a,b") == ".csv"  # called a workbook, but text
    assert ending_of("x.csv", b"PK\x03\x04") == ".xlsx"
