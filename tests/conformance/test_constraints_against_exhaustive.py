"""Levels and constraints: every MIP back end against exhaustive search, exactly."""

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from counts import examples
from solvers import require_solver, without_incumbent_search
from strategies import ConstrainedCase, constrained_problems
from supersparse import constraints as c
from supersparse.engine import solvers
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT
from supersparse.errors import InfeasibleError
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

NAMES = ["highs", "scip", "gurobi", "cplex"]
WAYS = [
    (name, formulation)
    for name in NAMES
    for formulation in sorted(solvers.solver_class(name).capabilities.formulations)
]
DEFAULT_WAY = ("highs", "bigm")

deterministic = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@pytest.fixture(scope="module", autouse=True)
def _no_help_from_the_incumbent_search():
    with pytest.MonkeyPatch.context() as patch:
        without_incumbent_search(patch)
        yield


def best_of(problem: Problem) -> Solution | None:
    try:
        return solve(problem, "exhaustive")
    except InfeasibleError:
        return None


@cache
def oracle(case: ConstrainedCase) -> Solution | None:
    return best_of(case.problem)


def check(problem: Problem, best: Solution | None, name: str, formulation: str, **options: object) -> None:
    require_solver(name)
    if best is None:
        with pytest.raises(InfeasibleError, match="no scoring system satisfies"):
            solve(problem, name, formulation=formulation, **options)
        return
    found = solve(problem, name, formulation=formulation, **options)
    assert found.lower_bound <= best.objective  # a bound may be weak, never wrong
    assert found.objective == best.objective
    assert found.proven_optimal
    assert found.evaluation.l1 == best.evaluation.l1
    assert found.proven_smallest


@pytest.mark.parametrize("name", NAMES)
def test_levels_and_every_kind_of_constraint_are_declared(name):
    can = solvers.solver_class(name).capabilities
    assert can.levels
    assert can.constraints == {SUPPORT, SIGNS, RATES, SCORE}


@settings(deterministic, max_examples=examples(40))
@given(case=constrained_problems())
def test_the_default_mip_agrees_with_exhaustive_search(case):
    check(case.problem, oracle(case), *DEFAULT_WAY)


@pytest.mark.parametrize(("name", "formulation"), [w for w in WAYS if w != DEFAULT_WAY], ids=lambda word: word)
@settings(deterministic, max_examples=8)
@given(case=constrained_problems())
def test_every_solver_agrees_with_exhaustive_search(name, formulation, case):
    check(case.problem, oracle(case), name, formulation)


@pytest.mark.parametrize(
    ("name", "formulation"), [w for w in WAYS if w[0] != "highs"], ids=lambda word: word
)  # which has no priorities
@settings(deterministic, max_examples=8)
@given(case=constrained_problems())
def test_every_solver_agrees_whatever_is_branched_on_first(name, formulation, case):
    problem = case.problem
    first = {"a": 2, **{i: i % 3 for i in range(problem.rows.n_rows)}}
    check(problem, oracle(case), name, formulation, branching_priorities=first)


@settings(deterministic, max_examples=12)
@given(case=constrained_problems())
def test_pair_covers_cut_off_no_best_model_that_obeys(case):
    check(case.problem, oracle(case), *DEFAULT_WAY, pair_covers=True)


@pytest.mark.long
@pytest.mark.parametrize(("name", "formulation"), WAYS, ids=lambda word: word)
@settings(deterministic, max_examples=1000)
@given(case=constrained_problems())
def test_every_solver_agrees_with_exhaustive_search_on_many_problems(name, formulation, case):
    check(case.problem, oracle(case), name, formulation)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@settings(deterministic, max_examples=300)
@given(case=constrained_problems())
def test_pair_covers_cut_off_no_best_model_that_obeys_on_many_problems(name, case):
    check(case.problem, oracle(case), name, "bigm", pair_covers=True)


# Twelve rows, three features, two groups. Without constraints the best model is a - 2·c above -1/2 with one
# error, a positive row; where positives weigh more it is a - b - c with a negative one.
X = [[0, 1, 2], [1, 0, 0], [2, 1, 0], [0, 0, 1], [1, 1, 1], [2, 2, 0],
     [0, 2, 1], [1, 2, 2], [2, 0, 2], [1, 0, 1], [0, 0, 0], [2, 1, 1]]  # fmt: skip
Y = [0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1]
SEX = list("fmfmfmffmmmf")
TWO_LEVELS = [([-1, 1], 0.02), ([-3, -2, 2, 3], 0.1)]

ASKED = {
    "levels": {"levels": TWO_LEVELS},
    "levels of the intercept": {"levels": TWO_LEVELS, "intercept": "paper"},
    "levels of one feature": {"levels": {"b": TWO_LEVELS}, "max_features": 1},
    "levels in which 0 is not the cheapest": {"levels": {"c": [([1, 2], 0), ([0], 0.05), ([-1], 0.3)]}},
    "levels cut by bounds": {"levels": TWO_LEVELS, "bounds": (0, 2)},
    "levels with a numeric C1": {"levels": TWO_LEVELS, "C1": 0.01},
    "at most": {"constraints": c.at_most(0, of=["a", "c"])},
    "at least": {"constraints": c.at_least(2, of=["b", "c"])},
    "at least, at no price": {"constraints": c.at_least(1, of="b"), "C0": 0, "max_features": 2},
    "at least, one sign": {"constraints": c.at_least(1, of=["c"]), "points": [0, 1, 2]},
    "exactly": {"constraints": c.exactly(1, of=["a", "b", "c"]), "C0": 0.01},
    "thresholds": {"constraints": c.thresholds_per_variable(1, {"v": ["a", "c"], "w": "b"}), "C0": 0.01},
    "same sign": {"constraints": c.same_sign({"v": ["a", "c"], "w": "b"})},
    "same sign, of one that is used": {
        "constraints": [c.same_sign("*"), c.must_use("c"), c.at_least(2, of="*")],
        "C0": 0.01,
    },
    "same sign of scattered values": {
        "constraints": c.same_sign({"v": ["a", "c"]}),
        "points": [-5, -1, 0, 1, 4],
        "C0": 0.01,
    },
    "only if": {"constraints": c.only_if(["a", "c"], "b")},
    "budget": {"constraints": c.budget({"a": 2.5, "b": 1.25, "c": 0.2}, at_most=2.6), "C0": 0.01},
    "min features": {"min_features": 3},
    "min features, with the intercept": {"min_features": 3, "intercept": "paper"},
    "sensitivity": {"constraints": c.min_sensitivity(1)},
    "specificity": {"constraints": c.min_specificity(1), "class_weight": {0: 1, 1: 3}},
    "false positive rate": {
        "constraints": c.max_false_positive_rate(0.1, group=("sex", "m")),
        "class_weight": {0: 1, 1: 3},
    },
    "error": {"constraints": c.max_error(0.1), "C0": 0.15},
    "error in every group": {"constraints": c.max_error(0.2, group="sex"), "C0": 0.35},
    "sensitivity of a class that weighs nothing": {"constraints": c.min_sensitivity(0.8), "class_weight": {0: 1, 1: 0}},
    "difference in error": {"constraints": c.max_difference("error", group="sex", at_most=0), "C0": 0.01},
    "difference in sensitivity": {"constraints": c.max_difference("sensitivity", group="sex", at_most=0.1)},
    "difference, weighted": {
        "constraints": c.max_difference("error", group="sex", at_most=0.01),
        "sample_weight": [1, 2, 0.5, 1] * 3,
    },
    "difference in a class that weighs nothing": {
        "constraints": [
            c.max_difference("sensitivity", group="sex", at_most=0),
            c.min_sensitivity(0.5, group=("sex", "f")),
        ],
        "class_weight": {0: 1, 1: 0},
    },
    "total score": {"constraints": c.max_total_score(1.5), "C0": 0.01},
    "total score, declared": {
        "constraints": c.max_total_score(2.5, ranges={"a": (-1, 2.75), "b": (-4, 2)}),
        "C0": 0.01,
    },
    "total score below 0": {"constraints": c.max_total_score(-3, ranges={"*": (1, 2)})},
    "total score of scattered values": {"constraints": c.max_total_score(3), "points": [-5, -1, 0, 1, 4], "C0": 0.01},
    "all kinds": {
        "levels": {"a": TWO_LEVELS},
        "constraints": [
            c.at_least(1, of=["b", "a"]),
            c.max_total_score(4),
            c.max_difference("error", group="sex", at_most=0.1),
            c.min_sensitivity(0.9),
        ],
    },
}


def asked_of(kind):
    given = {"C0": None if ASKED[kind].get("levels") == TWO_LEVELS else 0.05, "max_points": 3, **ASKED[kind]}
    return Problem.of(X, Y, feature_names=list("abc"), rate_groups={"sex": SEX}, **given)


@cache
def answer_to(kind):
    return best_of(asked_of(kind))


FREE = {}  # best models without constraints, by the problem's fingerprint


def answer_without_constraints(kind):
    problem = asked_of(kind)
    free = problem.without(problem.asked)
    key = fingerprint(free)
    if key not in FREE:
        FREE[key] = best_of(free)
    return FREE[key]


@pytest.mark.parametrize("kind", [kind for kind in ASKED if not kind.startswith("levels")])
def test_each_kind_of_constraint_makes_a_difference_here(kind):
    best, free = answer_to(kind), answer_without_constraints(kind)
    assert best is not None
    assert (free.objective, free.evaluation.l1) < (best.objective, best.evaluation.l1)


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", NAMES)
def test_every_solver_takes_each_kind(name, kind):
    check(asked_of(kind), answer_to(kind), name, "bigm")


@pytest.mark.parametrize("kind", [kind for kind in ASKED if kind.startswith(("difference", "all"))])
@pytest.mark.parametrize("name", [name for name, formulation in WAYS if formulation == "indicator"])
def test_rows_that_must_be_exact_are_so_by_indicators_too(name, kind):
    check(asked_of(kind), answer_to(kind), name, "indicator")


@pytest.mark.parametrize(("name", "formulation"), WAYS, ids=lambda word: word)
def test_what_only_search_finds_infeasible_is_said_in_the_words_of_what_was_asked(name, formulation):
    require_solver(name)
    asked = [c.max_error(0.05), c.at_most(1, of="*"), c.max_difference("error", group="sex", at_most=0.5)]
    problem = Problem.of(X, Y, feature_names=list("abc"), rate_groups={"sex": SEX}, max_points=3, constraints=asked)
    assert best_of(problem) is None
    with pytest.raises(InfeasibleError, match=r"'error of at most 0.05', 'at most 1 of \*'"):
        solve(problem, name, formulation=formulation)


@pytest.mark.parametrize("name", NAMES)
def test_a_known_model_that_obeys_is_a_start(name):
    require_solver(name)
    problem, best = asked_of("all kinds"), answer_to("all kinds")
    found = solve(problem, name, initial=best.points, node_limit=1)
    assert (found.objective, found.evaluation.l1) == (best.objective, best.evaluation.l1)


@settings(deterministic, max_examples=8)
@given(
    rows=st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.booleans()), min_size=4, max_size=8).filter(
        lambda rows: len({y for _, _, y in rows}) == 2
    ),
    intercept=st.sampled_from(["free", "paper", "none", (-1, 2)]),
    C0=st.sampled_from([0.01, 0.1, 0.25]),
)
def test_levels_zero_at_0_and_the_rest_at_c0_are_exactly_slim(rows, intercept, C0):
    table, y = [[a, b] for a, b, _ in rows], [int(label) for _, _, label in rows]
    slim = solve(Problem.of(table, y, C0=C0, max_points=2, intercept=intercept), "highs")
    for levels in ([([0], 0), ([-2, -1, 1, 2], C0)], [([-2, -1, 1, 2], C0)]):
        found = solve(Problem.of(table, y, levels=levels, intercept=intercept), "highs")
        assert (found.objective, found.evaluation.l1) == (slim.objective, slim.evaluation.l1)
        assert found.lower_bound == slim.lower_bound
        assert found.proven_smallest
        assert slim.proven_smallest
