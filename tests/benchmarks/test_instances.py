import numpy as np
import pytest

from benchmarks.instances import MILLION_ROWS, all_instances
from benchmarks.suites import SUITES
from shared_data import marked_where_missing
from supersparse import solve

INSTANCES = all_instances()
LARGE = {"rows_100000", MILLION_ROWS, "features_1000"}  # seconds, not needed to see that they build
HERE = [i for i in INSTANCES.values() if i.missing is None and i.name not in LARGE]


@pytest.mark.long
@pytest.mark.parametrize("instance", HERE, ids=lambda i: i.name)
def test_every_instance_with_data_here_builds(instance):
    table = instance.table()
    problem = instance.settings.problem(table)
    assert problem.rows.n_features == table.X.shape[1] == len(table.names)
    assert set(np.unique(table.y)) == {0, 1}


def test_generated_data_is_the_same_each_time():
    first, second = (INSTANCES["rows_1000"].table() for _ in range(2))
    assert (first.X == second.X).all()
    assert (first.y == second.y).all()


def test_a_family_with_more_rows_draws_from_the_same_patterns():
    few, many = INSTANCES["rows_1000"].table(), INSTANCES["rows_10000"].table()
    assert {*map(tuple, few.X)} & {*map(tuple, many.X)}


def test_missing_data_is_a_reason_and_not_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPERSPARSE_DATA", str(tmp_path))
    assert "adult.csv.gz" in INSTANCES["adult-regularized"].missing
    assert INSTANCES["haberman_reg"].missing is None  # comes with the package
    assert INSTANCES["rows_1000"].missing is None  # generated


QUICK = [
    "haberman_reg", "haberman_max5", "breastcancer_reg", "breastcancer_max5", "breastcancer_paperfree",
    "tictactoe_max5", "breastcancer-regularized",
]  # fmt: skip
SLOW = ["mammo_reg", "mammo_max5", "mammo_paper", "mammo_paperfree", "breastcancer_paper", "adult_reg", "adult_max5"]
WHOLE = ["haberman_reg", "haberman_max5", "breastcancer_reg"]  # with whole b too, in every run
REFERENCES = [
    *(pytest.param(n, marks=pytest.mark.long) for n in SLOW),
    *marked_where_missing(QUICK, lambda name: INSTANCES[name].missing is not None),
    *(pytest.param(n, marks=[pytest.mark.long] * (n.removesuffix("_whole") not in WHOLE))
      for n, i in INSTANCES.items() if i.group == "whole" and i.reference.l1 is not None),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")  # errors come first by design
@pytest.mark.parametrize("name", REFERENCES)
def test_reference_values_hold(name):
    instance = INSTANCES[name]
    if instance.missing is not None:
        pytest.skip(instance.missing)
    solution = solve(instance.settings.problem(instance.table()), "exact")
    known = instance.reference
    assert solution.proven_smallest
    assert float(solution.objective) == pytest.approx(known.objective, abs=1e-6)
    found = solution.evaluation
    assert (found.training_errors, found.size, found.l1) == (known.errors, known.size, known.l1)


@pytest.mark.parametrize("suite", SUITES)
def test_suites_name_only_known_instances(suite):
    listed = SUITES[suite]()
    named = {job.instance for job in (*listed.ours, *listed.peers)} | set(listed.compared)
    assert named <= set(INSTANCES)
