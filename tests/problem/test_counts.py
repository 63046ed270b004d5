"""A table of counts is the same as its rows written out."""

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import ScoringSystem, constraints
from supersparse.engine.solve import solve
from supersparse.errors import InvalidDataError, InvalidProblemError
from supersparse.problem.objective import evaluate
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

TABLE = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "died": ["no", "yes", "no", "yes"], "n": [9, 3, 2, 8]}


def written_out(table, count="n"):
    """One row for each that is counted."""
    names = [name for name in table if name != count]
    return {name: [v for v, n in zip(table[name], table[count], strict=True) for _ in range(int(n))] for name in names}


@st.composite
def tables(draw):
    n_rows, n_features = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    column = st.lists(st.sampled_from([0, 1, 2.5]), min_size=n_rows, max_size=n_rows)
    labels = draw(st.sampled_from([(0, 1), ("blue", "red"), ("ill", "well")]))
    classes = [*labels, *draw(st.lists(st.sampled_from(labels), min_size=n_rows - 2, max_size=n_rows - 2))]
    counts = draw(st.lists(st.integers(0, 9), min_size=n_rows, max_size=n_rows))
    counts[0], counts[1] = max(counts[0], 1), max(counts[1], 1)
    return {**{f"f{j}": draw(column) for j in range(n_features)}, "y": classes, "n": counts}


@given(
    tables(),
    st.sampled_from([None, "balanced"]),
    st.sampled_from([0.01, 0.07, 0.2]),
    st.sampled_from(["free", (-3, 3)]),
)
def test_the_answer_is_that_of_the_rows_written_out(table, class_weight, C0, intercept):
    asked = {"class_weight": class_weight, "C0": C0, "max_points": 2, "intercept": intercept}
    rows = written_out(table)
    y = rows.pop("y")
    counted = Problem.of_counts(table, target="y", **asked)
    single = Problem.of(rows, y, **asked)
    assert counted.rows.classes == single.rows.classes
    assert counted.class_totals == single.class_totals
    assert counted.class_weights == single.class_weights
    mine, theirs = solve(counted, "exhaustive"), solve(single, "exhaustive")
    assert mine.objective == theirs.objective == mine.lower_bound
    assert mine.evaluation.training_errors == theirs.evaluation.training_errors
    assert mine.points == theirs.points
    assert evaluate(single, mine.points) == theirs.evaluation


@given(tables())
def test_the_card_is_that_of_the_rows_written_out(table):
    rows = written_out(table)
    y = rows.pop("y")
    mine = ScoringSystem.from_solution(solve(Problem.of_counts(table, target="y"), random_state=0)).card
    theirs = ScoringSystem.from_solution(solve(Problem.of(rows, y), random_state=0)).card
    assert mine.provenance.objective == theirs.provenance.objective == theirs.provenance.lower_bound
    assert mine.provenance.total_weight == theirs.provenance.n_rows
    assert mine.items == theirs.items
    assert mine.intercept == theirs.intercept
    assert mine.performance == theirs.performance
    assert mine.domains == theirs.domains
    assert mine.seen == theirs.seen


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, pl.LazyFrame, lambda t: nw.from_native(pl.DataFrame(t))],
    ids=["pandas", "polars", "lazy", "narwhals"],
)
def test_any_frame_is_read(frame):
    problem = Problem.of_counts(frame(TABLE), target="died", C0=0.01)
    expected = Problem.of_counts(TABLE, target="died", C0=0.01)
    assert problem.rows.names == expected.rows.names == ("a", "b")
    assert problem.class_totals == (11, 11)
    assert solve(problem).objective == solve(expected).objective


def test_a_relation_of_duckdb_is_read():
    duckdb = pytest.importorskip("duckdb")
    counts = duckdb.sql("select i % 2 as a, i % 3 > 0 as y, count(*) as n from range(60) t(i) group by all")
    assert Problem.of_counts(counts, target="y").class_totals == (20, 40)


def test_the_rarer_class_is_positive_by_its_count():
    table = {"a": [0, 1, 1], "y": ["blue", "red", "red"], "n": [9, 1, 2]}
    assert Problem.of_counts(table, target="y").rows.classes == ("blue", "red")
    assert Problem.of_counts(table, target="y", positive="blue").rows.classes == ("red", "blue")


def test_a_class_that_nobody_has_is_none():
    table = {"a": [0, 1, 1], "y": ["blue", "red", "green"], "n": [9, 1, 0]}
    assert Problem.of_counts(table, target="y").rows.classes == ("blue", "red")
    with pytest.raises(InvalidDataError, match=r"y has 1 class\(es\): 'blue'"):
        Problem.of_counts({**table, "n": [9, 0, 0]}, target="y")


@pytest.mark.parametrize("made", [dict, pd.DataFrame], ids=["dict", "frame"])
def test_what_is_missing_in_a_line_that_nobody_is_in_is_not_needed(made):
    without = Problem.of_counts(TABLE, target="died", rate_groups=["b"])
    more = {"a": None, "b": None, "died": None, "n": 0}
    table = made({name: [more[name], *values] for name, values in TABLE.items()})
    found = Problem.of_counts(table, target="died", rate_groups=["b"])
    assert (found.class_totals, found.rows.names) == (without.class_totals, without.rows.names)
    assert solve(found).objective == solve(without).objective
    with pytest.raises(InvalidDataError, match=r"'a' has .*missing"):
        Problem.of_counts({**table, "n": [1, *TABLE["n"]]}, target="died")


def test_groups_are_columns():
    table = {**TABLE, "sex": ["f", "m", "m", "f"]}
    asked = [constraints.max_error(0, group="sex")]
    problem = Problem.of_counts(table, target="died", rate_groups=["sex"], constraints=asked)
    assert solve(problem).points.support == (1,)  # b errs on nobody
    assert [(g.name, g.labels) for g in problem.rows.groupings] == [("sex", ("f", "m"))]
    assert problem.rows.names == ("a", "b")


def test_counts_beyond_64_bits_stay_exact():
    table = {"a": [0, 1, 1], "y": [0, 1, 0], "n": [10**20, 10**20 + 1, 3]}
    problem = Problem.of_counts(table, target="y")
    assert problem.class_totals == (10**20 + 3, 10**20 + 1)
    assert solve(problem).evaluation.training_errors == 3


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {"target": "dead"}, "target: the table of counts has no column 'dead'; did you mean 'died'"),
        ({}, {"count": "m"}, "count: the table of counts has no column 'm'"),
        ({}, {"count": "died"}, "column 'died' has two uses"),
        ({"n": [1, 2.5, 3, 4]}, {}, r"column 'n' has 2.5 in row 1 \(counted from 0\); a count is a whole"),
        ({"n": [1, -2, 3, 4]}, {}, "column 'n' has -2 in row 1"),
        ({"n": [1, 2, float("nan"), 4]}, {}, "column 'n' has nan in row 2"),
        ({"n": [1, 2, None, 4]}, {}, r"column 'n' has 1 missing count\(s\); fill them in"),
        ({"n": ["1", "2", "3", "4"]}, {}, "column 'n' holds '1', not counts"),
        ({"n": [0, 0, 0, 0]}, {}, "every count in column 'n' is 0"),
        ({"n": [1, 2, 3]}, {}, "column 'a' has 4 values for 3 counts"),
        ({"b": [0, 1, 0]}, {}, "column 'b' has 3 values for 4 counts"),
        ({"b": 7}, {}, "column 'b' is 7; give a value for each row"),
        ({"b": list("xyzw")}, {}, "column 'b' holds 'x', not numbers"),
        ({}, {"rate_groups": "sex"}, r"rate_groups is 'sex'; give a list of columns: \['sex'\]"),
        ({"died": [0, "yes", 0, "yes"]}, {}, "y mixes labels of different types"),
    ],
)
def test_what_is_wrong_is_named(changes, options, message):
    with pytest.raises(InvalidDataError, match=message):
        Problem.of_counts({**TABLE, **changes}, **{"target": "died", **options})


@pytest.mark.parametrize("name", ["sample_weight", "feature_names"])
def test_what_the_table_says_is_not_asked_again(name):
    with pytest.raises(InvalidProblemError, match=f"{name}: the counts are the weights"):
        Problem.of_counts(TABLE, target="died", **{name: [1, 2, 3, 4]})


def test_other_things_are_no_tables():
    with pytest.raises(InvalidDataError, match="ndarray is not a table of counts; give a data frame"):
        Problem.of_counts(np.zeros((3, 3)), target="y")
    with pytest.raises(InvalidDataError, match=r"the table has no column besides \['y', 'n'\]"):
        Problem.of_counts({"y": [0, 1], "n": [1, 1]}, target="y")
