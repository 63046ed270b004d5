"""`fit` judges its card on held-out rows, within its time limit, and says what it finds."""

import json
from dataclasses import replace

import numpy as np
import pytest

from show.cli.tiny import FIT
from supersparse.base.stop import Stop
from supersparse.learn import crossfit
from supersparse.learn import recipe as recipes

QUICK = ["--target", "ill", "--no-prepare", "--max-points", "3", "--C0", "0.02"]


@pytest.fixture
def rows(tmp_path):
    """60 people whose fever tells most of their illness."""
    random = np.random.default_rng(5)
    fever, age = random.integers(0, 2, 60), random.integers(1, 4, 60)
    ill = np.where(random.random(60) < 0.1, 1 - fever, fever)
    lines = [f"{f},{a},{'yes' if y else 'no'}" for f, a, y in zip(fever, age, ill, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["fever,age,ill", *lines]) + "\n")
    return path


def card_of(done):
    return json.loads(done.stdout)["card"]


def test_a_card_has_risks_and_both_performances(run, rows):
    done = run("fit", rows, "--goal", "errors", *QUICK, "--json", check=True)
    card = card_of(done)
    assert [seen["on"] for seen in card["performance"]] == ["training", "cross-validation"]
    counts = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    assert all(sum(seen[name] for name in counts) == 60 for seen in card["performance"])
    assert sum(row["cases"] for row in card["risk"]["rows"]) == 60
    assert [f"fold {k} of 10: " in done.stderr for k in range(1, 12)] == [True] * 10 + [False]
    assert "warning" not in done.stderr


def test_it_can_be_left_out(run, rows):
    done = run("fit", rows, "--goal", "errors", *QUICK, "--no-validate", "--json", check=True)
    assert [seen["on"] for seen in card_of(done)["performance"]] == ["training"]
    assert "risk" not in card_of(done)
    assert "fold" not in done.stderr
    refused = run("fit", rows, "--goal", "errors", *QUICK, "--no-validate", "--cv", "3")
    assert refused.returncode == 2
    assert "--cv judges the card on held-out rows; remove it, or remove --no-validate" in refused.stderr


def test_folds_that_time_left_out_are_said(run, rows, monkeypatch):
    real, begun = crossfit.CrossFit._announced, []

    def seven(self, some, rounds):
        for one in real(self, some, rounds):
            if len(begun) == 7:
                return
            begun.append(one)
            yield one

    monkeypatch.setattr(crossfit.CrossFit, "_announced", seven)
    done = run("fit", rows, "--goal", "errors", *QUICK, check=True)
    assert "note: the time limit left time for the first 7 of 10 folds; raise --time-limit" in done.stderr
    assert "(cross-validation, 5 of the 10 folds that were planned)." in " ".join(done.stdout.split())
    begun.clear()
    told = json.loads(run("fit", rows, "--goal", "errors", *QUICK, "--json", check=True).stdout)
    assert [told["cross_validation"][name] for name in ("folds", "folds_asked")] == [7, 10]
    assert [told["card"]["performance"][1][name] for name in ("folds", "folds_planned")] == [5, 10]


def test_folds_of_a_cross_validation_are_used_again(run, rows):
    done = run("fit", rows, "--goal", "errors", *QUICK, "--cv", "3", "--json", check=True)
    assert "fold 3 of 3" in done.stderr
    found = card_of(done)["performance"][1]
    wrong = found["false_positives"] + found["false_negatives"]
    assert json.loads(done.stdout)["cross_validation"]["error"] == pytest.approx(wrong / 60)
    assert card_of(done)["risk"]


@pytest.mark.parametrize("before", [0, 2])  # folds
def test_ctrl_c_keeps_the_card(run, rows, monkeypatch, before):
    real, calls = recipes.solve, []

    def interrupted(problem, **options):
        calls.append(problem)
        stop = {} if len(calls) <= 1 + before else {"stop": Stop.INTERRUPTED}
        return replace(real(problem, **options), **stop)

    monkeypatch.setattr(recipes, "solve", interrupted)
    done = run("fit", rows, "--goal", "errors", *QUICK, "--json", check=True)
    assert [seen["on"] for seen in card_of(done)["performance"]] == ["training"]
    assert card_of(done)["items"]
    assert f"Interrupted after {before} of 10 folds; the others were skipped." in done.stderr
    assert len(calls) == before + 2


def test_too_few_rows_to_leave_any_out_is_a_note(run, tmp_path):
    (tmp_path / "few.csv").write_text("x,y\n0,a\n0,a\n1,b\n")
    done = run("fit", "few.csv", "--target", "y", *FIT[2:], check=True)
    assert "note: a class has too few rows for folds" in done.stderr


def test_folds_that_cannot_be_learned_from_are_a_note(run, tmp_path):
    (tmp_path / "one.yaml").write_text("constraints:\n  - max_error: 0.3\n")
    (tmp_path / "few.csv").write_text("x,y\n0,a\n0,b\n1,b\n0,a\n")
    done = run("fit", "few.csv", "--target", "y", *FIT[2:], "--settings", "one.yaml", "--json", check=True)
    assert "note: the card could not be judged on held-out rows: the training rows of fold" in done.stderr
    told = json.loads(done.stdout)
    assert told["cross_validation"] is None
    assert told["unjudged"].startswith("the training rows of fold")


@pytest.mark.parametrize("how", [[], ["--no-validate", "--C0", "0.4"]], ids=["left out", "training"])
def test_a_card_of_no_use_is_warned_about(run, tmp_path, how):
    random = np.random.default_rng(0)
    lines = [",".join(map(str, row)) for row in np.column_stack([random.integers(0, 3, (60, 3)), [0, 0, 1] * 20])]
    (tmp_path / "noise.csv").write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    words = ["--target", "y", "--no-prepare", "--max-points", "2", "--C0", "0.001", *how]
    done = run("fit", "noise.csv", "--goal", "errors", *words, check=True)
    told = "rows it was not learned from" if not how else "the training rows"
    assert "warning: this card is no better than always predicting no: it is wrong for" in done.stderr
    assert f"of {told}, always predicting no for 33.3 %" in done.stderr


def test_the_time_limit_is_for_the_whole_call(run, rows, monkeypatch):
    limits, real = [], recipes.solve

    def spy(problem, *arguments, **options):
        limits.append(options["time_limit"])
        return real(problem, *arguments, **options)

    monkeypatch.setattr(recipes, "solve", spy)
    run("fit", rows, "--goal", "errors", *QUICK, "--time-limit", "100000", check=True)
    main, *each = limits
    assert main == pytest.approx(50_000, rel=0.02)
    assert len(each) == 10
    assert each[0] == pytest.approx(100_000 / 10, rel=0.3)  # the search left nearly all of its half
    assert each == sorted(each)  # what a fold leaves goes to the others
    limits.clear()
    run("fit", rows, "--goal", "errors", *QUICK, "--time-limit", "100000", "--no-validate", check=True)
    assert limits == [pytest.approx(100_000, rel=0.02)]
