"""Recorded fits made again."""

from dataclasses import replace

import pytest

from experiments.tiny import tiny_data, tiny_plan
from supersparse.experiments import __main__ as command
from supersparse.experiments.methods.fasterrisk import FasterRisk
from supersparse.experiments.record_file import append_records, read_records
from supersparse.experiments.records import Record, Skipped
from supersparse.experiments.repeating import Repeated, choose_tasks, repeat, why_not_repeated
from supersparse.experiments.running import run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "records.jsonl"
    run(tiny_plan(), lambda name: tiny_data(), path)
    return path


def records_of(path):
    return [line for line in read_records(path) if isinstance(line, Record)]


def test_every_method_and_kind_of_fit_is_made_again_and_comes_out_the_same(recorded):
    chosen = choose_tasks(tiny_plan(), [tiny_data()], records_of(recorded), 1)
    kinds = [(t.method.name, ":" in t.split, t.settings[0].has("C1")) for t, _ in chosen]
    assert sorted(kinds) == [
        ("CART", False, False),
        ("LR", False, False),
        ("Lasso", False, False),
        ("Lasso", True, False),
        ("SLIM", False, False),
        ("SLIM", False, True),
        ("SLIM", True, False),
    ]
    outcomes = [outcome for outcomes in repeat(chosen) for outcome in outcomes]
    assert len(outcomes) == sum(len(task.settings) for task, _ in chosen)
    assert all(outcome.is_equal for outcome in outcomes)
    assert str(outcomes[0]) == "tiny LR 2/2: as recorded"


def test_more_of_each_are_different_ones(recorded):
    chosen = choose_tasks(tiny_plan(), [tiny_data()], records_of(recorded), 9)
    keys = [(t.method.name, t.split, t.settings) for t, _ in chosen]
    assert len(set(keys)) == len(keys)
    assert sum(t.method.name == "LR" for t, _ in chosen) == 2  # there are no more


def test_another_table_of_that_name_is_not_compared(recorded):
    assert choose_tasks(tiny_plan(), [tiny_data(seed=4)], records_of(recorded), 1) == []


def test_what_has_no_part_is_said(recorded):
    tables = [tiny_data()]
    chosen = choose_tasks(tiny_plan(), tables, [r for r in records_of(recorded) if r.method != "LR"], 1)
    (of_lr,) = why_not_repeated(tiny_plan(), tables, chosen)
    assert of_lr == "LR on tiny: not on record for these rows and settings"
    assert len(list(why_not_repeated(tiny_plan(), tables, []))) == len(tiny_plan().methods)
    cannot = tiny_plan(methods=(FasterRisk(None),))
    (said,) = why_not_repeated(cannot, tables, [])
    assert said.startswith("FasterRisk: ")


def test_bad_arguments_are_named(capsys):
    for arguments in (["--each", "0"], ["--jobs", "-1"]):
        with pytest.raises(SystemExit):
            command.main(["repeat", "small", "records.jsonl", *arguments])
        assert f"argument {arguments[0]}: {arguments[1]} is less than 1" in capsys.readouterr().err


def test_what_differs_is_said_with_both_outcomes(recorded):
    record = next(r for r in records_of(recorded) if r.method == "SLIM")
    worse = replace(record, test=replace(record.test, positive=record.test.positive + 1))
    outcome = Repeated(record=record, again=worse)
    assert not outcome.is_equal
    assert f"{record.test.errors} errors" in str(outcome).split("now")[0]
    assert f"{worse.test.errors} errors" in str(outcome).split("now")[1]
    failed = Repeated(record=record, again=Skipped(dataset="tiny", method="SLIM", reason="no memory"))
    assert not failed.is_equal
    assert str(failed).endswith("failed: no memory")


def test_the_command_says_all_outcomes_and_fails_on_a_difference(recorded, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(command.PLANS, "small", lambda environment: tiny_plan())
    monkeypatch.setattr(command, "load_study_data", lambda name, folder: tiny_data())
    assert command.main(["repeat", "small", str(recorded)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "tiny LR 2/2: as recorded" in said
    (of_a_path,) = [line for line in said if line.startswith("tiny Lasso 2/2 ")]
    assert of_a_path.endswith("as recorded (and 5 more of its path)")
    assert said[-1] == "17 of 17 fits came out as recorded"
    changed = tmp_path / "changed.jsonl"
    append_records(changed, [replace(r, size=r.size + 1) for r in records_of(recorded)])
    assert command.main(["repeat", "small", str(changed)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 of ")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert command.main(["repeat", "small", str(empty)]) == 1
