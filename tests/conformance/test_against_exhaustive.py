"""Every installed solver against exhaustive search, exactly: F, l1, and what was proven."""

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from counts import examples
from solvers import FOR_ERRORS, require_solver
from strategies import Case, cases
from supersparse.engine import solvers
from supersparse.engine.search import incumbent
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.problem.objective import with_best_intercept

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

WAYS = [
    (name, formulation)
    for name in FOR_ERRORS
    if name != "exhaustive"
    for formulation in sorted(solvers.solver_class(name).capabilities.formulations or {"bigm"})
]


@pytest.fixture(scope="module", autouse=True)
def _no_help_from_the_incumbent_search():
    """Solvers start from the smallest model, so that they must find the best one themselves."""

    def smallest_only(problem, monitor):
        smallest = [int(min(s.values, key=lambda v: (abs(v), v)) * problem.unit) for s in problem.sets]
        monitor.incumbent(with_best_intercept(problem, smallest))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incumbent, "search", smallest_only)
        yield


@cache
def oracle(case: Case) -> Solution:
    return solve(case.problem, "exhaustive")


def check(name: str, formulation: str, case: Case, **options: object) -> None:
    best = oracle(case)
    found = solve(case.problem, name, formulation=formulation, **options)
    assert found.lower_bound <= best.objective  # a bound may be weak, never wrong
    assert found.objective == best.objective
    assert found.proven_optimal
    assert found.evaluation.l1 == best.evaluation.l1
    assert found.proven_smallest


deterministic = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize(("name", "formulation"), WAYS, ids=lambda word: word)
@settings(deterministic, max_examples=examples(60))
@given(case=cases())
def test_solver_agrees_with_exhaustive_search(name, formulation, case):
    require_solver(name)
    check(name, formulation, case)


RANKING = [w for w in WAYS if solvers.solver_class(w[0]).capabilities.branching_priorities]


def some_priorities(case: Case) -> dict[str | int, int]:
    """Some features and rows first, in an order that has nothing to do with what helps."""
    names = case.problem.rows.names
    return {**{n: 3 + j for j, n in enumerate(names)}, **{i: i % 5 for i in range(0, len(case.y), 2)}}


@pytest.mark.parametrize(("name", "formulation"), RANKING, ids=lambda word: word)
@settings(deterministic, max_examples=examples(25))
@given(case=cases())
def test_solver_agrees_whatever_is_branched_on_first(name, formulation, case):
    require_solver(name)
    n_rows = case.problem.rows.n_rows  # without those of weight 0
    given = {k: p for k, p in some_priorities(case).items() if isinstance(k, str) or k < n_rows}
    check(name, formulation, case, branching_priorities=given)


@pytest.mark.parametrize("name", [n for n in solvers.names() if solvers.solver_class(n).capabilities.takes_pair_covers])
@settings(deterministic, max_examples=examples(40))
@given(case=cases())
def test_pair_covers_cut_off_no_best_model(name, case):
    require_solver(name)
    check(name, "bigm", case, pair_covers=True)


@pytest.mark.long
@pytest.mark.parametrize(("name", "formulation"), WAYS, ids=lambda word: word)
@settings(deterministic, max_examples=1000)
@given(case=cases())
def test_solver_agrees_with_exhaustive_search_on_many_problems(name, formulation, case):
    require_solver(name)
    check(name, formulation, case)
