"""Settings on data: the same problem as in Python, columns taken, labels found, faults by line."""

from dataclasses import fields
from unittest.mock import patch

import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from strategies import constrained_problems
from supersparse import Problem, Settings, constraints, solve
from supersparse.errors import InvalidProblemError, InvalidSettingsError
from supersparse.learn.settings.settings import read_settings, write_settings

X = [[62, 1, 0], [45, 0, 1], [71, 1, 1], [38, 0, 0], [55, 1, 1], [49, 0, 0]]
Y = ["yes", "no", "yes", "no", "yes", "no"]
NAMES = ["age", "smoker", "lab"]
SEX = ["f", "m", "m", "f", "f", "m"]

TEXT = """
C0: 0.2
max_points: 3
rate_groups: sex
sample_weight: weight
class_weight: {yes: 2}
positive: yes
constraints:
  - must_not_use: lab
  - max_total_score: 10
  - min_sensitivity: 0.9
    group: {sex: f}
"""


def frame(make=pd.DataFrame):
    columns = {name: [row[j] for row in X] for j, name in enumerate(NAMES)}
    return make({**columns, "sex": SEX, "weight": [1, 2, 1, 1, 1, 1]})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_settings_make_the_problem_that_python_makes(make):
    asked = [
        constraints.must_not_use("lab"),
        constraints.max_total_score(10),
        constraints.min_sensitivity(0.9, group=("sex", "f")),
    ]
    expected = Problem.of(
        X,
        Y,
        feature_names=NAMES,
        C0=0.2,
        max_points=3,
        rate_groups={"sex": SEX},
        sample_weight=[1, 2, 1, 1, 1, 1],
        class_weight={"yes": 2},
        positive="yes",
        constraints=asked,
    )
    problem = read_settings(TEXT).problem(frame(make), Y)
    assert problem.rows.names == tuple(NAMES)
    assert problem.asked == expected.asked
    assert problem.class_weights == expected.class_weights
    assert problem.rows.weights.tolist() == expected.rows.weights.tolist()
    found = [solve(p, "exhaustive").points for p in (problem, expected)]
    assert found[0] == found[1]


@given(constrained_problems())
def test_the_problem_of_a_file_is_the_one_of_python(case):
    with patch("strategies.Problem") as recorded:
        _ = case.problem
    call = recorded.of.call_args
    data = {name: call.kwargs.pop(name) for name in ("rate_groups", "sample_weight", "feature_names")}
    settings = read_settings(write_settings(Settings.of(**call.kwargs)))
    problem, expected = settings.problem(*call.args, **data), case.problem
    for field in fields(Problem):
        if field.name not in ("rows", "rate_limits"):  # these hold arrays; what is asked tells of the limits
            assert getattr(problem, field.name) == getattr(expected, field.name)


def test_columns_may_be_given_beside_an_array():
    settings = read_settings(TEXT)
    problem = settings.problem(X, Y, rate_groups={"sex": SEX}, sample_weight=[1] * 6, feature_names=NAMES)
    assert problem.n_features == 3
    with pytest.raises(InvalidSettingsError, match="X is not a data frame; use a data frame, or pass sample_weight="):
        settings.problem(X, Y, feature_names=NAMES)


@pytest.mark.parametrize(
    ("labels", "written", "meant"),
    [
        ([0, 1], "0", 0),
        ([0, 1], "0.0", 0),
        ([0.0, 1.0], "0", 0.0),
        ([False, True], "false", False),
        ([False, True], "0", False),
        (["no", "yes"], "no", "no"),
        (["0", "1"], "0", "0"),
        (["00", "1"], "00", "00"),
    ],
)
def test_classes_are_found_by_their_text(labels, written, meant):
    problem = read_settings(f"positive: {written}").problem([[0], [1], [1]], [labels[0], labels[1], labels[1]])
    assert problem.rows.classes[1] == meant
    assert type(problem.rows.classes[1]) is type(meant)


def test_a_label_that_stands_for_two_is_refused():
    settings = Settings.of(constraints=[constraints.max_error(1, group=("g", 1))])
    with pytest.raises(InvalidSettingsError, match="'1' stands for each of"):
        settings.problem([[0], [1]], [0, 1], rate_groups={"g": [1, "1"]})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "use: lab",
            "use: lob",
            "w.yaml, line 9, column 19: lob not used: there is no feature 'lob'; did you mean 'lab'?",
        ),
        ("C0: 0.2", "C0: {agee: 1}", "w.yaml, line 2, column 6: C0: there is no feature 'agee'; did you mean 'age'?"),
        (
            "positive: yes",
            "positive: yess",
            "w.yaml, line 7, column 11: positive: no row has the label 'yess'; did you mean 'yes'?",
        ),
        ("{yes: 2}", "{ja: 2}", "w.yaml, line 6, column 16: class_weight: no row has the label 'ja'; known: no, yes"),
        ("sex: f", "sex: F", "w.yaml, line 12, column 18: the groups of 'sex': no row has the label 'F'; known: f, m"),
        (
            "{sex: f}",
            "{site: f}",
            "w.yaml, line 12, column 13: sensitivity of at least 0.9 among site = f: there is no grouping",
        ),
        (
            "rate_groups: sex",
            "rate_groups: sexx",
            "w.yaml, line 4, column 14: there is no column 'sexx'; did you mean 'sex'?",
        ),
        ("max_points: 3", "bounds: [200, null]", "w.yaml: feature 'age': no value of"),
    ],
)
def test_what_does_not_fit_the_data_is_named_by_its_line(old, new, message):
    assert old in TEXT
    settings = read_settings(TEXT.replace(old, new), source="w.yaml")
    with pytest.raises(InvalidProblemError) as refused:
        settings.problem(frame(), Y)
    assert str(refused.value).startswith(message)


def test_the_options_of_the_solver_can_be_handed_to_solve():
    options = "{solver: exhaustive, time_limit: null, random_state: 3}"
    settings = read_settings(f"C0: 0.3\nmax_points: 2\nsolve: {options}")
    problem = settings.problem([[0], [0], [1], [1]], [0, 0, 1, 1])
    assert solve(problem, **settings.solve).points.coefficients == (1,)
