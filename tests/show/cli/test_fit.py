"""`fit`: from a table to a card, with and without features made of raw columns."""

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from show.cli.tiny import FIT
from supersparse import Prepare, Problem, ScoringSystem, frontier, solve
from supersparse.base.stop import Stop
from supersparse.datasets import load_breast_cancer
from supersparse.learn import recipe as recipes
from supersparse.show.cli.outputs import files_there


def test_fit_prints_a_card_and_saves_it(run, tiny, tmp_path):
    done = run("fit", tiny, *FIT, "--out", "card.json", check=True)
    system = ScoringSystem.load(tmp_path / "card.json")
    assert done.stdout == f"{system}\n"
    assert f"Predict yes if the total is {system.card.cutoff.positive}, otherwise no." in done.stdout
    assert system.card.cutoff.positive.endswith(" or more")
    assert done.stderr.startswith(
        '6 rows, 2 features\nPredicting "yes" (the usual name of an event): 3 rows, against 3 rows of "no". '
        'For "no": --positive no.\n'
    )
    assert "gap 0.0 %" in done.stderr
    assert re.search(r"s  \d+ s left  fold 6 of 6: .*cross-validated error \d+\.\d %", done.stderr)
    assert done.stderr.endswith(f"Saved to card.json\nNext: supersparse report card.json {tiny}\n")


def test_the_positive_class_and_dropped_columns_are_obeyed(run, tiny):
    done = run("fit", tiny, *FIT, "--positive", "no", "--drop", "fev*", check=True)
    assert re.search(r"Predict no if the total is -\d+ or more, otherwise yes\.", done.stdout)
    assert "6 rows, 1 feature\n" in done.stderr
    assert 'Predicting "no": 3 rows, against 3 rows of "yes".\n' in done.stderr
    kept = run("fit", tiny, *FIT, "--positive", "no", "--keep", "age", check=True)
    one, other = (re.sub(r"in [\d.]+ s;", "", said.stdout) for said in (done, kept))
    assert one == other


def test_rows_can_be_weighted(run, tmp_path):
    (tmp_path / "data.csv").write_text("x,w,y\n0,3,a\n0,1,b\n1,1,b\n1,0,a\n")
    asked = ["--target", "y", "--weights", "w", "--C0", "0.3", *FIT[6:], "--json"]
    made = json.loads(run("fit", "data.csv", "--goal", "errors", *asked, check=True).stdout)["card"]["provenance"]
    assert (made["n_rows"], made["total_weight"], made["features"]) == (3, 5, ["x"])


def test_the_next_step_names_what_the_card_does_not_keep(run, tmp_path):
    (tmp_path / "data.csv").write_text("x,w,y\n0,3,a\n0,1,b\n1,1,b\n1,0,a\n")
    asked = ["--target", "y", "--weights", "w", "--title", "Death", "--no-validate", "--out", "card.json"]
    done = run("fit", "data.csv", "--goal", "errors", "--C0", "0.3", *FIT[6:], *asked, check=True)
    after = done.stderr.partition("Next: supersparse ")[2].split()
    assert after == ["report", "card.json", "data.csv", "--target", "y", "--weights", "w"]
    assert "Saved to r.html" in run(*after, "--no-refits", "--out", "r.html", check=True).stdout


def test_without_a_time_limit_the_search_ends_when_it_is_complete(run, tiny):
    done = run("fit", tiny, *FIT, "--time-limit", "inf", check=True)
    assert "Proven optimal" in done.stdout
    assert " s left" not in done.stderr


def test_a_certificate_of_a_file_that_is_no_text_is_refused_before_the_search(run, tmp_path):
    (tmp_path / "data.parquet").write_bytes(b"PAR1")  # it is not even read
    done = run("fit", "data.parquet", "--goal", "errors", "--target", "y", "--certificate", "c.vipr")
    assert done.returncode == 1
    assert "certificates need a text file, and 'data.parquet' is not one" in done.stderr


def test_a_large_file_is_announced(run, tiny, monkeypatch):
    monkeypatch.setattr("supersparse.show.cli.say._LARGE", 10)
    assert f"reading {tiny}, 0 MB ...\n" in run("fit", tiny, *FIT, check=True).stderr


def test_a_sheet_of_a_file_that_has_none_is_noted(run, tiny):
    done = run("fit", tiny, *FIT, "--sheet", "People", check=True)
    assert f"note: --sheet 'People' is not used: {tiny} is not a workbook" in done.stderr


def test_a_card_that_is_not_saved_says_how(run, tiny):
    assert "Use --out card.json to save it" in run("fit", tiny, *FIT, check=True).stderr


def test_a_table_is_not_overwritten(run, tiny):
    before = tiny.read_text()
    done = run("fit", tiny, *FIT, "--out", tiny)
    assert done.returncode == 2
    assert "would overwrite an input" in done.stderr
    assert tiny.read_text() == before


def test_settings_that_name_a_column_are_told_of_its_features(run, patients, tmp_path):
    (tmp_path / "settings.yaml").write_text("constraints:\n  - must_not_use: age\n")
    done = run("fit", patients, "--goal", "errors", *ASK, "--settings", "settings.yaml")
    assert done.returncode == 2
    assert "settings.yaml, line 2" in done.stderr
    assert "prepared features have names such as 'age >= " in done.stderr
    (tmp_path / "settings.yaml").write_text("constraints:\n  - must_not_use: age*\n")
    done = run(
        "fit", patients, "--goal", "errors", *ASK, "--no-validate", "--settings", "settings.yaml", "--json", check=True
    )
    assert {item["column"] for item in json.loads(done.stdout)["card"]["items"]} == {"smoker"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("positive: dead", "positive: no row has the label 'dead'"),
        ("class_weight: {dead: 2}", "class_weight: no row has the label 'dead'"),
        (
            "rate_groups: centre\nconstraints:\n  - min_sensitivity: 0.5\n    group: {centre: x}",
            "the groups of 'centre': ",
        ),
    ],
)
def test_features_are_not_spoken_of_where_a_class_or_a_group_is_unknown(run, patients, tmp_path, settings, message):
    (tmp_path / "settings.yaml").write_text(f"{settings}\n")
    done = run("fit", patients, "--goal", "errors", "--target", "outcome", "--settings", "settings.yaml")
    assert done.returncode == 2
    assert message in done.stderr
    assert "prepared features" not in done.stderr


def test_a_useless_penalty_is_a_note_not_a_traceback(run, tiny):
    done = run("fit", tiny, *FIT, "--C0", "0.001", check=True)
    assert "note: C0 = 0.001 is below the loss of a single row" in done.stderr
    assert "Warning" not in done.stderr


def test_hostile_names_reach_the_card_escaped(run, tmp_path):
    (tmp_path / "data.csv").write_text('"[red]a\nb\x1b[0m",y\n1,"[/bold]\n"\n1,"[/bold]\n"\n2,zz\n2,zz\n')
    done = run("fit", "data.csv", "--goal", "errors", "--target", "y", "--C0", "0.3", *FIT[6:], check=True)
    assert r"1. [red]a b\x1b[0m" in done.stdout
    assert r'"[/bold]\n"' in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_demo_shows_progress_a_card_and_what_was_proven(run, tmp_path):
    done = run("demo", "--save-data", "data.csv", "--out", "card.json", "--time-limit", "3", check=True)
    assert "features" in done.stderr
    assert "gap" in done.stderr
    assert "There are 794,280,046,581 ways" in done.stdout
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= 80
    data, system = load_breast_cancer(), ScoringSystem.load(tmp_path / "card.json")
    stated = json.loads((tmp_path / "card.json").read_text())["provenance"]["predicted_errors"]
    assert int((system.predict(data.X) != data.labels).sum()) == stated
    assert np.array_equal(np.loadtxt(tmp_path / "data.csv", delimiter=",", dtype=str, skiprows=1)[:, -1], data.labels)


@pytest.fixture
def patients(tmp_path):
    """Ages, a category and blanks; the class follows from both, with some noise."""
    random = np.random.default_rng(3)
    age, smoker = random.integers(20, 90, 200), random.choice(["yes", "no", "former"], 200)
    noise = random.random(200) < 0.05
    ill = ((age >= 60) | (smoker == "yes")) ^ noise
    centre, day = random.integers(0, 12, 200), random.integers(1, 28, 200)
    rows = [
        f"{a if i % 9 else ''},{s},{'ill' if y else 'well'},c{c},2024-01-{d:02d}"
        for i, (a, s, y, c, d) in enumerate(zip(age, smoker, ill, centre, day, strict=True))
    ]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(["age,smoker,outcome,centre,day", *rows]) + "\n")
    return path


ASK = ["--target", "outcome", "--positive", "ill", "--drop", "centre"]


def columns_of(path):
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return {
        "age": np.array([float(cells[0] or "nan") for cells in lines]),
        "smoker": np.array([cells[1] for cells in lines], dtype=object),
    }, [cells[2] for cells in lines]


def test_raw_columns_become_the_card_that_the_library_makes(run, patients, tmp_path):
    done = run("fit", patients, "--goal", "errors", *ASK, "--out", "card.json", "--json", check=True)
    raw, y = columns_of(patients)
    document = json.loads(done.stdout)
    prepared = Prepare().fit(raw, np.array(y))
    problem = Problem.of(
        prepared.transform(raw),
        y,
        C0=document["cross_validation"]["C0"],
        max_features=10,
        positive="ill",
        constraints=prepared.constraints_,
        feature_names=[feature.name for feature in prepared.features_],
    )
    card = prepared.raw_card(ScoringSystem.from_solution(solve(problem, random_state=0), title="outcome").card)
    made = ScoringSystem.from_json(json.dumps(document["card"]))
    assert made.card.items == card.items
    assert made.threshold == card.threshold
    assert document["columns"] == list(prepared.notes_)
    assert all(f"  {note}\n" in done.stderr for note in prepared.notes_)
    assert "note: 'day' is left out: it holds dates" in done.stderr
    assert ScoringSystem.load(tmp_path / "card.json") == made


def test_cut_points_can_be_given(run, patients, tmp_path):
    (tmp_path / "cuts.txt").write_text("age: 50, 70\n")
    for given in ("age=50,70", "cuts.txt"):
        done = run(
            "fit", patients, "--goal", "errors", *ASK, "--no-validate", "--cut-points", given, "--json", check=True
        )
        thresholds = {item.get("at_least") for item in json.loads(done.stdout)["card"]["items"]} - {None}
        assert thresholds <= {50, 70}
        assert thresholds


@pytest.mark.parametrize("how", ["median", "mode", "drop"])
def test_missing_values_are_treated_as_asked(run, patients, how):
    done = run("fit", patients, "--goal", "errors", *ASK, "--no-validate", "--missing", how, "--json", check=True)
    rows = json.loads(done.stdout)["card"]["provenance"]["n_rows"]
    assert rows == (200 - 23 if how == "drop" else 200)


def test_cross_validation_chooses_c0_and_is_shown(run, patients):
    done = run("fit", patients, "--goal", "errors", *ASK, "--cv", "3", "--time-limit", "10000", "--json", check=True)
    document = json.loads(done.stdout)
    found = document["cross_validation"]
    assert found["folds"] == 3
    assert [tried["C0"] for tried in found["tried"]] == [0.005, 0.012, 0.028, 0.065, 0.15, 0.36]
    assert found["error"] == min(tried["error"] for tried in found["tried"])
    assert f"+ {found['C0']:g} per feature" in document["card"]["provenance"]["minimised"]
    assert 0 < found["error"] < 0.3
    assert "fold 3 of 3" in done.stderr
    one = run("fit", patients, "--goal", "errors", *ASK, "--cv", "3", "--C0", "0.02", check=True)
    assert "Cross-validation on 3 folds" in one.stdout
    assert "chosen" not in one.stdout


@pytest.mark.parametrize(("penalty", "solver"), [([], "solve_each_penalty"), (["--C0", "0.02"], "solve")])
@pytest.mark.parametrize("done_before", [0, 2])
def test_ctrl_c_during_cross_validation_still_gives_a_card(run, patients, monkeypatch, penalty, solver, done_before):
    from supersparse.base.stop import Stop
    from supersparse.learn import crossfit, recipe

    place = crossfit if solver == "solve_each_penalty" else recipe
    first = solver == "solve"  # the card itself, before the folds
    real, calls = getattr(place, solver), []

    def interrupted(problem, *arguments, **options):
        calls.append(problem)
        if len(calls) <= done_before + first:
            return real(problem, *arguments, **options)
        if solver == "solve_each_penalty":
            raise KeyboardInterrupt
        return replace(real(problem, **options), stop=Stop.INTERRUPTED)

    monkeypatch.setattr(place, solver, interrupted)
    done = run("fit", patients, "--goal", "errors", *ASK, *penalty, "--cv", "3", "--json", check=True)
    document = json.loads(done.stdout)
    assert document["card"]["items"]
    assert f"Interrupted after {done_before} of 3 folds; the others were skipped." in done.stderr
    assert len(calls) == done_before + 1 + first
    found = document["cross_validation"]
    if done_before:
        assert (found["folds"], found["folds_asked"]) == (2, 3)
        calls.clear()
        in_words = run("fit", patients, "--goal", "errors", *ASK, *penalty, "--cv", "3", check=True).stdout
        assert "Cross-validation on 2 of 3 folds (the others were skipped)" in in_words
    else:
        assert found is None


@pytest.mark.parametrize("how", [["--cv-groups", "centre"], ["--cv-time", "day"]])
def test_folds_keep_groups_together_or_follow_time(run, patients, how, monkeypatch):
    from supersparse.learn import fit

    seen = []
    real = fit.validate

    def spy(recipe, training, folds, watch, **how):
        seen.append((training, folds.splits))
        return real(recipe, training, folds, watch, **how)

    monkeypatch.setattr(fit, "validate", spy)
    run("fit", patients, "--goal", "errors", "--target", "outcome", *how, "--C0", "0.02", check=True)
    ((training, splits),) = seen
    assert "centre" not in training.X or how[1] == "day"
    assert len(splits) == (10 if how[1] == "centre" else 5)  # the order of time is the only one
    for train, test in splits:
        by = training.groups if how[1] == "centre" else training.times
        before, after = by[train], by[test]
        if how[1] == "centre":
            assert not set(before) & set(after)
        else:
            assert max(before) < min(after)


def test_a_rare_class_is_weighted_if_that_is_asked_and_said(run, tmp_path):
    rows = [f"{i // 2},{'yes' if i >= 36 else 'no'}" for i in range(40)]
    (tmp_path / "rare.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    (tmp_path / "weighted.yaml").write_text("goal: errors\nclass_weight: auto\n")
    asks = ["fit", "rare.csv", "--target", "y", "--no-validate"]
    done = run(*asks, "--settings", "weighted.yaml", check=True)
    assert "so errors are weighted" in done.stderr
    assert "makes fewer weighted errors" in " ".join(done.stdout.split())
    plain = run(*asks, "--goal", "errors", check=True)
    assert "weight" not in plain.stderr + plain.stdout


@pytest.mark.parametrize(
    ("given", "positive", "asked"),
    [
        ("1.2,0.8", [], {"no": 1.2, "yes": 0.8}),
        ("1.2,0.8", ["--positive", "no"], {"yes": 1.2, "no": 0.8}),
        ("yes=0.8, no=1.2", [], {"no": 1.2, "yes": 0.8}),
        ("yes=0.8", ["--positive", "no"], {"yes": 0.8}),
    ],
)
def test_class_weights_are_given_as_numbers(run, tmp_path, given, positive, asked):
    rows = [[i // 2, "yes" if i % 5 > 1 else "no"] for i in range(30)]
    (tmp_path / "some.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    wanted = ["--target", "y", "--no-prepare", "--max-points", "3", "--class-weight", given, *positive]
    card = json.loads(run("fit", "some.csv", "--goal", "errors", *wanted, "--json", check=True).stdout)["card"]
    assert card["classes"]["positive"] == (positive[-1] if positive else "yes")
    weights = card["provenance"]["settings"]["class_weight"]
    assert {label: weights.get(label, 1) for label in ("no", "yes")} == {"no": 1, "yes": 1} | asked


def test_a_frontier_can_be_shown_too(run, tiny):
    done = run("fit", tiny, *FIT, "--frontier", "1", "--json", check=True)
    data = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]])
    problem = Problem.of(data, ["no"] * 3 + ["yes"] * 3, C0=0.2, max_points=3, feature_names=["age", "fever"])
    assert json.loads(done.stdout)["frontier"] == frontier(problem, 1, "exhaustive").table()


def test_what_a_frontier_proves_of_the_card_is_on_the_card(run, tiny, tmp_path, monkeypatch):
    real = recipes.solve

    def unproven(*given, **options):
        found = real(*given, **options)
        return replace(found, lower_bound=Fraction(0), smallest=False, stop=Stop.TIME_LIMIT)

    monkeypatch.setattr(recipes, "solve", unproven)
    out = tmp_path / "card.json"
    done = run("fit", tiny, *FIT, "--out", out, check=True)
    assert "Not proven" in done.stdout
    assert not ScoringSystem.load(out).card.provenance.proven_optimal
    done = run("fit", tiny, *FIT, "--frontier", "2", "--out", out, check=True)
    assert "Proven optimal" in done.stdout
    assert "Not proven" not in done.stdout
    assert ScoringSystem.load(out).card.provenance.proven_optimal


def test_a_folder_gets_all_faces_and_says_which_it_lacks(run, tiny, tmp_path, monkeypatch):
    done = run("fit", tiny, *FIT, "--out-dir", "new/folder", check=True)
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert {"card.json", "card.txt", "card.md", "card.html", "card.tex", "card.svg"} <= names
    assert {"sheet.html", "calculator.html", "score.py", "score.sql", "score.js", "score.pmml"} <= names
    assert names <= {path.name for path in files_there(tmp_path / "new" / "folder")}
    card = ScoringSystem.load(tmp_path / "new" / "folder" / "card.json")
    assert (tmp_path / "new" / "folder" / "card.txt").read_text() == f"{card}\n" == done.stdout
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    again = run("fit", tiny, *FIT, "--out-dir", "other", check=True)
    assert "note: score.xlsx skipped: " in again.stderr
    assert not (tmp_path / "other" / "score.xlsx").exists()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",x,no,1", "column 'age' has 1 missing value(s), so it cannot be used as it is; remove --no-prepare"),
        ("7,x,no,1", "column 'name' holds text, so it cannot be used as it is"),
    ],
)
def test_numbers_as_they_are_refuse_text_and_gaps(run, tmp_path, row, message):
    (tmp_path / "data.csv").write_text(f"age,name,ill,w\n1,y,yes,1\n{row}\n")
    done = run("fit", "data.csv", *FIT)
    assert done.returncode == 2
    assert message in done.stderr


def test_class_weights_are_told_to_distort_risks(run, tiny):
    words = ["--goal", "risk", "--solver", "risk", "--class-weight", "1,5", "--no-validate"]
    done = run("fit", tiny, *FIT, *words, check=True)
    said = "two classes had different weights in learning, so the risks are not those of the rows as they are"
    assert f"warning: the {said}; to favour one kind of error" in done.stderr
    assert f"The {said}." in " ".join(done.stdout.split())


@pytest.mark.parametrize("command", ["fit", "frontier", "pool", "trade-off"])
def test_a_solver_that_cannot_reach_the_goal_is_refused_before_the_table_is_read(run, tmp_path, command):
    (tmp_path / "unreadable.csv").write_text("")
    done = run(command, "unreadable.csv", "--target", "ill", "--goal", "risk", "--solver", "exhaustive")
    assert done.returncode == 1
    assert done.stderr.startswith("supersparse: solver 'exhaustive' cannot express goal 'risk'; solvers that")


def test_a_tie_break_that_contradicts_the_goal_is_refused_before_the_table_is_read(run, tmp_path):
    (tmp_path / "unreadable.csv").write_text("")
    done = run("fit", "unreadable.csv", "--target", "ill", "--goal", "risk", "--tie-break", "log_loss")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("goal 'risk' minimises the log loss itself; remove tie_break, or use goal errors")


def test_the_next_command_reads_the_file_as_this_one_did(run, tmp_path):
    rows = [f"{'k. A.' if i == 3 else i % 7};{int(i % 7 > 3)}" for i in range(40)]
    (tmp_path / "odd.csv").write_text("\n".join(["a;y", *rows]), encoding="cp1252")
    reading = ["--na", "k. A.", "--separator", ";", "--encoding", "cp1252"]
    done = run("fit", "odd.csv", "--goal", "errors", "--target", "y", "--out", "card.json", *reading, check=True)
    following = shlex.split(done.stderr.splitlines()[-1])[1:]
    assert following == ["supersparse", "report", "card.json", "odd.csv"]
    run(*following[1:], "--no-refits", "--out", "report.html", check=True)


def test_a_full_disk_prints_the_card_and_leaves_no_half_file(run, tiny, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    (tmp_path / "card.json").write_text("old")
    monkeypatch.setattr("supersparse.base.writing.os.fsync", full)
    done = run("fit", tiny, *FIT, "--out", "card.json")
    assert done.returncode == 1
    assert "Predict yes if the total is" in done.stdout
    assert "the card above could not be saved: [Errno 28] No space left on device" in done.stderr
    assert (tmp_path / "card.json").read_text() == "old"
    assert not list(tmp_path.glob(".card*"))
