"""Recorded fits made again."""

from dataclasses import replace

import numpy as np
import pytest

from paper_study.tiny import tiny_data, tiny_plan
from study import __main__ as command
from study.fitting import fits
from study.methods import penalised
from study.methods.contract import Linear
from study.methods.fasterrisk import FasterRisk
from study.record_file import append_records, read_records
from study.records import Record, Skipped
from study.repeating import Again, Repeated, Slack, choose_tasks, repeat, why_not_repeated
from study.running import run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "records.jsonl"
    run(tiny_plan(), lambda name: tiny_data(), path)
    return path


def records_of(path):
    return [line for line in read_records(path) if isinstance(line, Record)]


@pytest.mark.long
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
    assert all(outcome.is_same for outcome in outcomes)
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
    outcome = Repeated(record=record, again=Again(record=worse, slack=Slack(test=9, size=9)))
    assert not outcome.is_equal
    assert f"{record.test.errors} errors" in str(outcome).split("now")[0]
    assert f"{worse.test.errors} errors" in str(outcome).split("now")[1]
    longer = replace(record, proof=replace(record.proof, nodes=record.proof.nodes + 1))
    assert Repeated(record=record, again=Again(record=longer, slack=Slack())).is_same
    contrary = replace(record, proof=replace(record.proof, objective="0", lower_bound="0", proven=False))
    assert not Repeated(record=record, again=Again(record=contrary, slack=Slack())).is_equal
    slower = replace(record, seconds=99.0, proof=replace(record.proof, history=()))
    assert Repeated(record=record, again=Again(record=slower, slack=Slack())).is_same
    failed = Repeated(record=record, again=Skipped(dataset="tiny", method="SLIM", reason="no memory"))
    assert not failed.is_equal
    assert str(failed).endswith("failed: no memory")


def test_floats_may_differ_by_the_rows_at_the_boundary_and_by_one_term(recorded):
    record = next(r for r in records_of(recorded) if r.method == "Lasso")

    def outcome(rows, terms, slack):
        test = replace(record.test, positive=record.test.positive + rows)
        size = {name: getattr(record, name) + terms for name in ("size", "size_with_intercept")}
        return Repeated(record=record, again=Again(record=replace(record, test=test, **size), slack=slack))

    near = Slack(train=0, test=2, size=1)
    assert outcome(0, 0, Slack()).is_same
    assert outcome(2, 1, near).is_equal
    assert not outcome(2, 1, near).is_same
    assert ": as recorded but for rounding, recorded " in str(outcome(2, 1, near))
    assert not outcome(3, 0, near).is_equal
    assert not outcome(0, 2, near).is_equal
    assert not outcome(1, 0, Slack()).is_equal  # whole numbers


def test_rows_at_the_boundary_are_counted():
    data = tiny_data()
    lasso = tiny_plan().methods[2]
    fit = fits(next(tiny_plan().tasks(data, lasso)))[0]
    assert Slack.of(fit) == Slack(train=0, test=0, size=1)
    # x0 - 2: the rows with 2 there lie on the boundary, whatever the last bits are
    on_it = Linear(np.array([1 + 1e-12, 0.0, 0.0]), -2.0)
    moved = replace(fit, model=replace(fit.model, linear=on_it))
    assert Slack.of(moved).train == (fit.train.X[:, 0] == 2).sum() > 0
    slim = fits(next(tiny_plan().tasks(data, tiny_plan().methods[3])))[0]
    assert Slack.of(slim) == Slack()


def test_penalties_that_differ_in_their_last_bits_are_on_record(recorded, monkeypatch):
    exact = penalised.path_of_lambdas

    def nearly(X, y, alpha, count=100):
        return tuple(value * (1 + 1e-13) for value in exact(X, y, alpha, count))

    monkeypatch.setattr(penalised, "path_of_lambdas", nearly)
    chosen = choose_tasks(tiny_plan(), [tiny_data()], records_of(recorded), 1)
    of_lasso = [(task, records) for task, records in chosen if task.method.name == "Lasso"]
    assert len(of_lasso) == 2
    assert all(task.settings[0].values != records[0].setting.values for task, records in of_lasso)
    assert all(outcome.is_equal for outcomes in repeat(of_lasso) for outcome in outcomes)


def test_the_command_says_all_outcomes_and_fails_on_a_difference(recorded, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(command.PLANS, "small", lambda environment: tiny_plan())
    monkeypatch.setattr(command, "load_study_data", lambda name, folder: tiny_data())
    assert command.main(["repeat", "small", str(recorded)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "tiny LR 2/2: as recorded" in said
    (of_a_path,) = [line for line in said if line.startswith("tiny Lasso 2/2 ")]
    assert of_a_path.endswith("as recorded (and 5 more of its path)")
    assert said[-1] == "17 of 17 fits came out as recorded"
    assert command.main(["repeat", "small", str(recorded), "--methods", "SLIM", "--kinds", "nested"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert command.main(["repeat", "small", str(recorded), "--methods", "SLIMM"]) == 2
    assert capsys.readouterr().err == "the plan has no method 'SLIMM'; did you mean 'SLIM'?\n"
    changed = tmp_path / "changed.jsonl"
    append_records(changed, [replace(r, size=r.size + 2) for r in records_of(recorded)])
    assert command.main(["repeat", "small", str(changed)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 of ")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert command.main(["repeat", "small", str(empty)]) == 1
