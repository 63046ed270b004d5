"""The proof alone against exhaustive search: no incumbent search helps it to the optimum."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from strategies import cases
from supersparse.engine.search.incumbent import Search
from supersparse.engine.solve import solve
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


@pytest.fixture(scope="module", autouse=True)
def _no_incumbent_search():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Search, "run", lambda self, work: None)
        patch.setattr(Search, "warm_up", lambda self, work: None)
        yield


def check(problem, **options):
    best, found = solve(problem, "exhaustive"), solve(problem, "exact", **options)
    assert found.proven_optimal
    assert found.proven_smallest
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


@st.composite
def related_columns(draw):
    """Problems with twins, shifts, complements and one-hot groups, most intercepts, mixed sets."""
    n = draw(st.integers(4, 12))
    column = st.lists(st.integers(0, draw(st.sampled_from([1, 3]))), min_size=n, max_size=n)
    columns = [draw(column), draw(column)]
    for _ in range(draw(st.integers(0, 2))):
        source = draw(st.sampled_from(columns))
        kind = draw(st.sampled_from(["equal", "shifted", "complement", "rest", "fresh"]))
        if kind == "equal":
            columns.append(list(source))
        elif kind == "shifted":
            columns.append([x + 2 for x in source])
        elif kind == "complement":
            columns.append([3 - x for x in source])
        elif kind == "rest":  # one-hot: what the first two leave
            columns.append([int(a == 0 and b == 0) for a, b in zip(*columns[:2], strict=True)])
        else:
            columns.append(draw(column))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    most = {2: 5, 3: 3, 4: 2}[len(columns)]
    sets = draw(st.sampled_from([most, most, [0, 1, 2], [-2, 0, 1], [-1, 1], [-3, -1, 0, 1, 3]]))
    return Problem.of(
        [list(row) for row in zip(*columns, strict=True)],
        y,
        points=sets,
        C0=draw(st.sampled_from([0.0, 0.01, 0.04])),
        C1=draw(st.sampled_from(["auto", "auto", 0.002])),
        intercept=draw(st.sampled_from(["free", "free", "paper", "none", (-3, 3), (-3, -3), (2, 2), (1, 4)])),
        max_features=draw(st.sampled_from([None, None, 1, 2, len(columns)] if sets != [-1, 1] else [None])),
        class_weight=draw(st.sampled_from([None, "balanced"])),
    )


@st.composite
def too_wide_for_64_bits(draw):
    """Entries from 10^-12 to 10^12: kernels see them rounded, and must leave near-ties to the evaluator."""
    entry = st.sampled_from([1e-12, 2e-12, -3e-12, 0.1, 5e11, -7e11, 3e12, 3e12 + 1, 0.0])
    n = draw(st.integers(4, 8))
    X = draw(st.lists(st.tuples(entry, entry), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    intercept = draw(st.sampled_from(["free", "none", "paper", (-2, 3), (2, 2)]))
    C1 = draw(st.sampled_from(["auto", 0.002]))
    return Problem.of([list(row) for row in X], y, C0=0.01, C1=C1, max_points=3, intercept=intercept)


few = settings(max_examples=examples(100))
many = settings(max_examples=2500, suppress_health_check=list(HealthCheck))


@few
@given(cases())
def test_the_proof_agrees_with_exhaustive_search(case):
    check(case.problem)


@settings(max_examples=examples(40))
@given(related_columns())
def test_the_proof_agrees_where_columns_say_the_same(problem):
    check(problem)


@settings(max_examples=examples(40))
@given(too_wide_for_64_bits())
def test_the_proof_agrees_where_kernels_see_rounded_entries(problem):
    check(problem)


@pytest.mark.long
@settings(max_examples=1000, suppress_health_check=list(HealthCheck))
@given(too_wide_for_64_bits())
def test_the_proof_agrees_on_many_problems_with_rounded_entries(problem):
    check(problem)


@pytest.mark.long
@many
@given(cases())
def test_the_proof_agrees_on_thousands_of_problems(case):
    check(case.problem)


@pytest.mark.long
@many
@given(related_columns(), st.sampled_from([1, 1, 1, 2]))
def test_the_proof_agrees_on_thousands_of_problems_with_related_columns(problem, threads):
    check(problem, n_jobs=threads)
