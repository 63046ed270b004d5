"""Risk problems on executors: the same loss and bound, and lost workers lose nothing but their slice."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import current_thread, main_thread

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from conformance.risk_brute_force import brute_force, draw_rates, draw_risk
from counts import examples
from engine.losing import (
    Answering,
    Changing,
    Late,
    Losing,
    Silent,
    Stale,
    killed_dask_workers,
    killed_processes,
    patient,
)
from engine.risk.test_risk_engine import CLOSE, medium
from supersparse import constraints as c
from supersparse import frontier, pool, solve
from supersparse.base.stop import Stop
from supersparse.engine.proving import cluster
from supersparse.engine.proving.cluster import unpacked
from supersparse.engine.risk import engine
from supersparse.engine.risk import tree as module
from supersparse.engine.risk.engine import RiskRun
from supersparse.engine.risk.instance import risk_instance
from supersparse.engine.risk.tree import RiskTree
from supersparse.errors import InfeasibleError, UnsupportedProblemError, WorkerLostWarning

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.usefixtures(patient.__name__),
]

N_COUNTS = len(RiskTree(risk_instance(medium(), slope_is_free=True)).first.worker.support.counts)
VARIANTS = [
    {},
    {"slope": 1, "C0": 0.002, "max_features": 4},
    {"constraints": [c.min_sensitivity(0.9)], "risk_threshold": 0.4, "max_features": 3},
]


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Send slices from the start, and short ones, so that small problems are cut up."""
    monkeypatch.setattr(RiskRun, "alone_before_executor", 0)
    monkeypatch.setattr(RiskRun, "soon", 0)
    monkeypatch.setattr(RiskTree, "least_work", 40_000)
    monkeypatch.setattr(RiskTree, "most_work", 100_000)


def assert_same(found, alone):
    assert found.stop is alone.stop is Stop.OPTIMAL
    assert found.proven_optimal
    assert alone.proven_optimal
    assert abs(found.objective - alone.objective) <= CLOSE
    assert abs(found.lower_bound - alone.lower_bound) <= CLOSE


@pytest.mark.parametrize("asked", VARIANTS)
def test_slices_elsewhere_prove_the_same_optimum(asked):
    with Losing() as executor:
        assert_same(solve(medium(**asked), executor=executor), solve(medium(**asked)))
        assert executor.n > 4


@given(seed=st.integers(0, 10**6), slope=st.sampled_from(["free", 1]), rates=st.booleans())
@example(seed=838602, slope="free", rates=True)  # a column in use whose points are 0
@settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=examples(30),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_random_problems_agree_with_brute_force_and_one_process(seed, slope, rates):
    drawn = (draw_rates if rates else draw_risk)(seed)
    problem = drawn.problem(goal="risk", slope=slope)
    with ThreadPoolExecutor(2) as executor, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "first_cards", lambda *given: None)  # the slices find the card as well
        patch.setattr(RiskTree, "least_work", 2_000)
        patch.setattr(RiskTree, "most_work", 2_000)
        try:
            found = solve(problem, executor=executor)
        except (InfeasibleError, UnsupportedProblemError) as refused:
            with pytest.raises(type(refused)):
                solve(problem)
            return
    assert_same(found, solve(problem))
    if not rates:
        best = brute_force(drawn, slope_is_free=slope == "free")
        assert float(found.objective) <= best.value + 1.1e-9
        assert found.lower_bound <= Fraction(best.value) + Fraction(1, 10**12)


def test_a_lost_worker_loses_its_slice_and_nothing_else():
    with Losing({1, 2, 3, 5, 8}) as executor, pytest.warns(WorkerLostWarning, match="its slice is done again") as told:
        assert_same(solve(medium(), executor=executor), solve(medium()))
    assert len([w for w in told if w.category is WorkerLostWarning]) == 1


def test_what_never_comes_back_or_too_late_is_done_here(monkeypatch):
    alone = solve(medium())
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.2)
    with Silent({6, 9}) as executor, pytest.warns(WorkerLostWarning, match="its slice is done here"):
        assert_same(solve(medium(), executor=executor), alone)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(cluster.Sender, "_took", lambda *given: None)
    with Late(range(6, 10**6), monkeypatch) as executor, pytest.warns(WorkerLostWarning, match="done here"):
        assert_same(solve(medium(), executor=executor), alone)
    assert executor.late > 0
    monkeypatch.setattr(cluster, "QUIET_SECONDS", 0.05)
    with Silent(range(10**6)) as executor:  # none has answered yet
        assert_same(solve(medium(), executor=executor), alone)


def test_workers_that_answer_none_count_as_lost():
    with Answering(None) as executor, pytest.warns(WorkerLostWarning, match="its slice is done again"):
        assert_same(solve(medium(), executor=executor), solve(medium()))


def test_without_the_executor_the_rest_is_done_here():
    with Losing(last=4) as executor, pytest.warns(WorkerLostWarning, match="the rest is done here"):
        assert_same(solve(medium(), executor=executor), solve(medium()))


def test_a_slice_that_cannot_be_read_is_done_again(monkeypatch):
    slices, whole = [], module.run_remotely

    def damaging(*given):
        outcome = whole(*given)
        slices.append(outcome)
        if outcome is not None and len(slices) % 3 == 0 and current_thread() is not main_thread():
            return outcome._replace(parts=(b"none of ours",))
        return outcome

    monkeypatch.setattr(module, "run_remotely", damaging)
    with ThreadPoolExecutor(2) as executor, pytest.warns(WorkerLostWarning, match="done again"):
        assert_same(solve(medium(), executor=executor), solve(medium()))


@pytest.mark.parametrize(
    "change",
    [
        *({name: None} for name in ("value", "floor", "nodes", "counts", "found", "parts", "question")),
        {"value": float("nan")},
        {"value": -1.0, "found": ()},
        {"floor": float("-inf")},
        {"nodes": -(10**6)},
        {"counts": (1,)},
        {"counts": (-1,) * N_COUNTS},
        {"found": (((0, 0), (0, 0)),)},
        {"found": ((("a",), (0,)),)},
        {"found": ((tuple(range(6)), (0,) * 6),)},
    ],
    ids=str,
)
def test_answers_that_no_slice_can_have_written_are_asked_for_again(change):
    problem = medium(max_features=3)
    alone = solve(problem)
    with (
        Changing(lambda outcome: outcome._replace(**change)) as executor,
        pytest.warns(WorkerLostWarning, match="its slice is done again"),
    ):
        found = solve(problem, executor=executor)
    assert executor.changed > 2
    assert_same(found, alone)
    assert 0 < found.nodes < 10 * alone.nodes + 100


def test_an_answer_to_another_slice_is_none():
    with Stale() as executor, pytest.warns(WorkerLostWarning, match="it answered another slice"):
        assert_same(solve(medium(), executor=executor), solve(medium()))
    assert executor.changed > 2


@pytest.mark.parametrize("asked", [pytest.param(VARIANTS[0], marks=pytest.mark.long), VARIANTS[1], VARIANTS[2]])
def test_a_checkpoint_goes_between_a_cluster_and_one_thread(asked, tmp_path):
    problem, file = medium(**asked), tmp_path / "file"
    limit = max(2, solve(problem).nodes // 6)
    for turn in range(200):
        with ThreadPoolExecutor(1 + turn % 3) as executor:
            elsewhere = executor if turn % 2 == 0 else None
            found = solve(problem, executor=elsewhere, checkpoint=file, node_limit=limit)
        if found.stop is Stop.OPTIMAL:
            break
        assert file.exists()
    assert turn > 0
    assert_same(found, solve(problem))


@pytest.mark.parametrize("slope", ["free", pytest.param(1, marks=pytest.mark.long)])
def test_frontier_and_pool_are_those_of_one_process(slope):
    problem = medium(slope=slope, max_points=2, max_features=2)
    with Losing({4}) as executor, pytest.warns(WorkerLostWarning):
        sizes, cards = frontier(problem, 2, executor=executor), pool(problem, 0.02, executor=executor)
    assert executor.n > 4
    assert sizes.proven
    for row, other in zip(sizes.rows, frontier(problem, 2).rows, strict=True):
        assert abs(row.solution.objective - other.solution.objective) <= CLOSE
    alone = pool(problem, 0.02)
    assert cards.complete
    assert {m.points for m in cards.models} == {m.points for m in alone.models}
    assert alone.count > 1


def test_what_travels_is_what_the_kernels_read():
    with Losing() as executor:
        seen = []
        executor.submit = lambda function, *given: (  # the arrays are sent when a worker asks for them
            seen.append(given[1]) if given[1] is not None else None,
            Losing.submit(executor, function, *given),
        )[1]
        solve(medium(max_features=2), executor=executor)
    assert 1 <= len(seen) <= 4
    assert sum(1 for _ in unpacked(seen[0])) > 20


@pytest.mark.long
@pytest.mark.parametrize("slope", ["free", 1])
def test_processes_that_are_killed_lose_nothing(slope):
    problem = medium(slope=slope, max_features=6, max_points=5)
    with killed_processes() as executor:
        assert_same(solve(problem, executor=executor), solve(problem))


@pytest.mark.long
def test_a_dask_cluster_whose_workers_are_killed_at_random_proves_the_optimum():
    problem = medium(max_features=6, max_points=5)
    with killed_dask_workers() as executor:
        found = solve(problem, executor=executor)
    assert_same(found, solve(problem))
