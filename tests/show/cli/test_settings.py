"""`fit --settings` and `check`: the file is obeyed, options go before it, faults are named by line."""

import json

import pytest

from supersparse import Problem, ScoringSystem, Settings
from supersparse.errors import InvalidProblemError
from supersparse.learn.settings.settings import load_settings, schema

WISHES = """\
C0: 0.1
max_points: 3
positive: no
sample_weight: w
rate_groups: sex
constraints:
  - must_not_use: age
  - max_error: 0.5
    group: {sex: 1}
solve: {solver: exhaustive, random_state: 1}
goal: errors
"""


@pytest.fixture
def folder(tmp_path):
    rows = ["1,0,0,no,1", "2,1,0,no,1", "3,0,1,no,2", "4,1,0,yes,1", "5,0,1,yes,1", "6,1,1,yes,1"]
    (tmp_path / "tiny.csv").write_text("\n".join(["age,fever,sex,ill,w", *rows]) + "\n")
    (tmp_path / "settings.yaml").write_text(WISHES)
    return tmp_path


FIT = ["fit", "tiny.csv", "--goal", "errors", "--target", "ill", "--settings", "settings.yaml", "--no-prepare"]


def test_fit_obeys_the_file(run, folder):
    done = run(*FIT, "--out", "card.json")
    assert done.returncode == 0, done.stderr
    assert '6 rows, 2 features\nPredicting "no": 3 rows' in done.stderr
    assert "overrides" not in done.stderr
    system = ScoringSystem.load(folder / "card.json")
    assert "age" not in [item.rule.column for item in system.card.items]
    assert system.card.provenance.solver == "exhaustive"
    assert system.card.provenance.total_weight == 7


def test_options_go_before_the_file_and_say_so(run, folder):
    done = run(*FIT, "--positive", "yes", "--C0", "0.4", "--seed", "2", "--max-features", "0")
    assert done.returncode == 0, done.stderr
    assert "note: --C0 overrides C0 in settings.yaml\n" in done.stderr
    assert "note: --positive overrides positive in settings.yaml\n" in done.stderr
    assert "note: --seed overrides random_state in settings.yaml\n" in done.stderr
    assert "max-features" not in done.stderr
    assert 'Predicting "yes"' in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("C0", "C00", "settings.yaml, line 1, column 1: unknown key 'C00' in the settings; did you mean 'C0'?"),
        ("use: age", "use: agee", "settings.yaml, line 7, column 19: agee not used: there is no feature 'agee'"),
        ("{sex: 1}", "{sex: 2}", "settings.yaml, line 9, column 18: the groups of 'sex': no row has the label '2'"),
        (
            "rate_groups: sex",
            "rate_groups: sexx",
            "settings.yaml, line 5, column 14: tiny.csv has no column 'sexx'; did you",
        ),
        (
            "rate_groups: sex",
            "rate_groups: ill",
            "settings.yaml, line 5, column 14: 'ill' is the target, so it cannot hold groups",
        ),
        ("exhaustive", "exhaustiv", "line 10, column 17: solver is 'exhaustiv'; did you mean 'exhaustive'?"),
        ("must_not_use: age", "min_sensitivity: 2", "line 7, column 22: min_sensitivity is 2; give a number"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_2(run, folder, old, new, message):
    assert old in WISHES
    (folder / "settings.yaml").write_text(WISHES.replace(old, new))
    done = run(*FIT)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[-1]


def test_max_points_cannot_speak_against_the_sets_of_the_file(run, folder):
    (folder / "settings.yaml").write_text("points: -1..1\n")
    done = run(*FIT, "--max-points", "5")
    assert done.returncode == 2
    assert "settings.yaml already sets the points of each feature" in done.stderr


def test_a_blank_group_is_named_by_its_line(run, folder):
    (folder / "tiny.csv").write_text("age,sex,ill,w\n1,f,no,1\n2,,yes,1\n")
    done = run(*FIT)
    assert done.returncode == 2
    assert "the column 'sex' is blank in line 3" in done.stderr


def test_check_prints_what_it_understood(run, folder):
    done = run("check", "settings.yaml")
    assert (done.returncode, done.stderr) == (0, "settings.yaml is valid\n")
    (folder / "again.yaml").write_text(done.stdout)
    assert Settings.load(folder / "again.yaml") == load_settings(folder / "settings.yaml", usual_goal="risk")
    (folder / "settings.yaml").write_text("C0: five\n")
    done = run("check", "settings.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("supersparse: settings.yaml, line 1, column 5: C0 is 'five'; give a number")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("slope: 2", "slope is 2; give 'free', or 1"),
        ("goal: errors\nslope: 1", "slope is 1, which only goal 'risk' uses; remove it"),
        ("goal: risk\nintercept: paper", "but goal 'risk' chooses it with the slope; remove it"),
        ("goal: risk\ntie_break: log_loss", "goal 'risk' minimises the log loss itself; remove tie_break"),
        ("goal: risk\nobjective: net_benefit\nrisk_threshold: 0.2", "which goal 'risk' does not use; remove it"),
        ("goal: risk\nsolve: {solver: scip}", "solver 'scip' cannot express goal 'risk'; solvers that can"),
        ("goal: risk\nsolve: {solver: exact}", "solver 'exact' cannot express goal 'risk'; solvers that can"),
        ("goal: errors\nsolve: {solver: risk}", "solver 'risk' cannot express goal 'errors'"),
        ("goal: risk\nedits: [{threshold: 3}]", "edits, entry 1: threshold: '3' cannot be set on a card of"),
        ("slack: 0.01", "slack is 0.01; it needs tie_break log_loss"),
        ("goal: errors\nrisk_threshold: 0.2", "risk_threshold is 1/5, but objective is 'errors'"),
        ("objective: net_benefit", "give risk_threshold, such as 0.2"),
    ],
)
def test_check_refuses_what_no_table_can_satisfy_as_fit_does(run, folder, settings, message):
    (folder / "settings.yaml").write_text(f"{settings}\n")
    checked = run("check", "settings.yaml")
    fitted = run(
        "fit", "tiny.csv", "--target", "ill", "--no-prepare", "--no-validate", "-q", "--settings", "settings.yaml"
    )
    assert checked.returncode == fitted.returncode != 0
    assert message in checked.stderr
    assert checked.stderr.splitlines()[-1] == fitted.stderr.splitlines()[-1]


def test_check_prints_the_schema(run):
    assert json.loads(run("check", "--schema").stdout) == schema()
    done = run("check")
    assert done.returncode == 2
    assert "name a settings file, or use --schema" in done.stderr


def test_a_slope_is_a_word_or_a_number(run, folder):
    asked = ["fit", "tiny.csv", "--target", "ill", "--no-prepare", "--goal", "risk", "--slope"]
    assert "slope is 2; give 'free', or 1" in run(*asked, "2").stderr
    assert "slope is 'steep'; give 'free', or 1\n" in run(*asked, "steep").stderr


@pytest.mark.parametrize("value", ["nan", "0", "1", "-0.5", "2"])
def test_a_risk_threshold_lies_above_0_and_below_1(run, folder, value):
    asked = ["fit", "tiny.csv", "--target", "ill", "--no-prepare", "--goal", "risk"]
    assert "give a number above 0 and below 1" in run(*asked, "--risk-threshold", value).stderr
    with pytest.raises(InvalidProblemError, match="give a number above 0 and below 1"):
        Problem.of([[0], [1]], [0, 1], goal="risk", risk_threshold=float(value))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("goal: risk\nlevels: [{values: [-1, 1], penalty: 0.1}]", "levels is about yes/no features"),
        (
            "goal: risk\npoints: -2..2",
            "use max_points, the largest points of an answer, or questions=False (--features)",
        ),
        ("max_questions: 3\nmax_features: 3", "use max_questions, or questions=False (--features)"),
        ("max_points: 64\ngoal: risk", "max_points is 64; give at most 63"),
        ("questions: false\ngoal: risk\nmin_questions: 2", "use min_features"),
        ("questions: false\ngoal: risk\nteacher: ridge", "teacher is 'ridge'"),
        ("goal: risk\nprepare: {per_variable: 3}", "use max_cuts, or questions=False (--features)"),
        ("goal: errors\nmax_questions: 3", "goal is 'errors', and questions are for goal 'risk'; use goal risk"),
    ],
)
def test_what_belongs_to_the_other_unit_is_refused_with_its_remedy(run, folder, settings, message):
    (folder / "settings.yaml").write_text(f"{settings}\n")
    checked = run("check", "settings.yaml")
    fitted = run("fit", "tiny.csv", "--target", "ill", "--settings", "settings.yaml", "-q")
    assert checked.returncode == fitted.returncode == 2
    assert message in checked.stderr
    assert checked.stderr.splitlines()[-1] == fitted.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("settings", "note", "asks"),
    [
        ("C0: 0.02", None, {"goal": "risk", "C0": 0.02}),
        ("max_questions: 2", None, {"goal": "risk", "max_questions": 2}),
        ("max_features: 2", "max_features and no goal, so the goal is errors", {"goal": "errors", "max_features": 2}),
        ("slack: 0.01\ntie_break: log_loss", "no goal", {"goal": "errors", "tie_break": "log_loss", "slack": 0.01}),
        (
            "goal: risk\nmax_features: 2",
            "max_features, so the card is of yes/no features; write questions: false",
            {"goal": "risk", "max_features": 2, "questions": False},
        ),
        (
            "goal: risk\nprepare: {cuts: tree}",
            "prepare: cuts, so the card is of yes/no features",
            {"goal": "risk", "questions": False, "prepare": {"cuts": "tree"}},
        ),
    ],
)
def test_a_file_that_leaves_goal_or_unit_open_is_read_as_it_always_was(run, folder, settings, note, asks):
    (folder / "settings.yaml").write_text(f"{settings}\n")
    checked = run("check", "settings.yaml", "--json", check=True)
    assert json.loads(checked.stdout) == {name: value for name, value in asks.items() if value != "errors"}
    assert (note or "is valid") in checked.stderr
    assert ("settings.yaml: it has" in checked.stderr) == (note is not None)
