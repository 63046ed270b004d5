"""Problems of questions: what they refuse, and the solver beside exhaustive search and other readings."""

import math
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Problem, explain_infeasible, frontier, pool, solve, what_if
from supersparse import constraints as c
from supersparse.base.errors import (
    InfeasibleError,
    InvalidDataError,
    InvalidOptionError,
    InvalidProblemError,
    PenaltyRangeWarning,
    UnsupportedProblemError,
    VerificationError,
)
from supersparse.base.stop import Stop
from supersparse.engine.verify import check_points
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.objective import evaluate, violated, with_answers
from supersparse.problem.points import Points


def table(seed=0, rows=60, columns=3, answers=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, answers, (rows, columns))
    y = (X[:, 0] - X[:, 1] + rng.normal(0, 1, rows) > 0).astype(int)
    soft = np.clip(0.85 / (1 + np.exp(X[:, 1] - X[:, 0] + 0.2 * X[:, 2])) + 0.15 * y, 1e-6, 1 - 1e-6)
    return X, y, soft


def asked(**settings):
    X, y, soft = table()
    return Problem.of_questions(X, y, **{"soft_labels": soft, "C0": 0.001, "points": {"x0": 2, "*": 1}} | settings)


SETTINGS = (
    {},
    {"soft_labels": None},
    {"sample_weight": np.arange(60) % 4 + 0.5},
    {"class_weight": {0: 1, 1: 5}},
    {"class_weight": "balanced", "shape": {"x0": "down"}},
    {"shape": "free", "change_price": 0.002, "max_questions": 2},
    {
        "equal_steps": True,
        "points": {"x2": 1, "*": 2},
        "max_questions": 2,
        "min_questions": 2,
        "C0": {"x0": 0.02, "*": 0.001},
    },
    {"not_known": ["x1"], "points": {"x0": [0, 2], "*": 1}},
    {"constraints": [c.must_use("x2"), c.must_not_use("x1")]},
    {"constraints": [c.at_most(1, of=["x0", "x1"]), c.only_if("x0", "x2")]},
    {"constraints": [c.at_least(2, of="x*"), c.budget({"x0": 3, "x1": 2, "x2": 1}, at_most=4)]},
    {"constraints": [c.same_sign(["x0", "x1"])]},
    {"constraints": [c.same_sign({"first": ["x0"], "rest": ["x1", "x2"]})], "shape": "free"},
    {"constraints": [c.min_sensitivity(0.9)], "risk_threshold": 0.4},
    {"constraints": [c.close_to({"x0": (0, 1, 1)}, questions=1)]},
    {"constraints": [c.close_to({"x0": (0, 1, 1), "x1": (1, 1, 0)}, answers=2, questions=2)]},
    {"constraints": [c.fixed("x0", (2, 1, 0))]},
    {"constraints": [c.fixed("x0", (0, 2, 0)), c.fixed("x1", (0, None, 1))], "shape": "free"},
    {"constraints": [c.fixed("x0", (0, 1, 2)), c.fixed("x2", (0, 0, 0))], "change_price": 0.002},
    {"constraints": [c.fixed("x0", (0, 0, 2)), c.close_to({"x0": (0, 0, 2)}, questions=2)]},
    {"constraints": [c.fixed("x1", (0, 1, 1)), c.min_sensitivity(0.9)], "risk_threshold": 0.4},
)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(settings) or "plain")
def test_the_solver_finds_what_exhaustive_search_does(settings):
    problem = asked(**settings)
    found, every = solve(problem), solve(problem, "exhaustive")
    assert found.solver == "questions"
    assert found.proven_optimal
    assert found.stop is Stop.OPTIMAL
    assert abs(found.objective - every.objective) <= Fraction(2, 10**9)
    assert found.lower_bound <= every.objective
    assert violated(problem, found.points) == []


def test_the_objective_is_that_of_its_definition():
    X, y, soft = table()
    weight = np.arange(60) % 4 + 0.5
    problem = Problem.of_questions(
        X, y, soft_labels=soft, sample_weight=weight, class_weight={0: 1, 1: 5}, C0=0.01, change_price=0.002
    )
    points = with_answers(problem, ((0, 1, 3), (2, 0, 0), (0, 0, 0)))
    label = np.round(soft * 2**20) / 2**20
    total = np.array([0, 1, 3])[X[:, 0]] + np.array([2, 0, 0])[X[:, 1]]
    z = float(points.slope) * (total + float(points.intercept_value))
    halves = np.stack([5 * label * np.logaddexp(0, -z), (1 - label) * np.logaddexp(0, z)])
    factor = float(problem.class_weights[0])  # 1 : 5, as the conventions scale them
    loss = factor * (weight * halves).sum() / weight.sum()
    evaluation = evaluate(problem, points)
    assert float(evaluation.loss) == pytest.approx(loss, abs=1e-12)
    assert evaluation.objective - evaluation.loss == Fraction(2, 100) + 3 * Fraction(2, 1000)
    assert (evaluation.size, evaluation.l1) == (2, 5)
    assert evaluation.wrong_positive == Fraction(weight[(y == 1) & (z <= 0)].sum())
    for slope, b in ((1.01, 0), (0.99, 0), (1, 0.01), (1, -0.01)):
        moved = replace(points, slope=points.slope * Fraction(slope), intercept=points.intercept + Fraction(b))
        assert evaluate(problem, moved).loss > evaluation.loss


def test_the_frontier_and_the_pool_are_those_of_exhaustive_search():
    problem = asked(max_points=1, points=None, change_price=0.001)
    found, every = frontier(problem), frontier(problem, solver="exhaustive")
    assert found.solver == "questions"
    assert found.proven
    assert found.floor <= found.rows[-1].solution.objective
    assert len(found.rows) == 4
    for mine, theirs in zip(found.rows, every.rows, strict=True):
        assert abs(mine.solution.objective - theirs.solution.objective) <= Fraction(2, 10**9)
        assert mine.lower_bound <= theirs.solution.objective
        assert mine.solution.objective == mine.solution.evaluation.loss
    cards, all_cards = (pool(problem, within=0.04, solver=name) for name in ("auto", "exhaustive"))
    assert cards.complete
    assert cards.count == all_cards.count > 2
    assert {m.points.answers for m in cards.models} == {m.points.answers for m in all_cards.models}
    assert "x1" in cards.in_all


def test_hard_labels_bind_the_limit_on_effects_and_the_card_says_so():
    X = np.array([[0], [0], [1], [1]])
    solution = solve(Problem.of_questions(X, [0, 0, 1, 1], C0=0))
    assert solution.proven_optimal
    assert solution.slope_at_limit
    assert solution.slope * 0.5 == pytest.approx(30)


def test_it_stops_when_asked_and_starts_from_a_card():
    problem = asked()
    best = solve(problem)
    stopped = solve(problem, initial=best, cancel=lambda: True, time_limit=0)
    assert stopped.points == best.points
    assert stopped.lower_bound <= best.objective
    with pytest.raises(InvalidOptionError, match="starts from a solution of questions"):
        solve(problem, initial=[1, 0, 0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"goal": "errors"}, "questions are for goal risk"),
        ({"C1": 0.1}, "use change_price"),
        ({"levels": [([0, 1], 0.1)]}, "remove it, or use Problem.of"),
        ({"max_features": 3}, "use max_questions"),
        ({"slope": 1}, "slope of such a card is free"),
        ({"bounds": (0, 3)}, "use max_points"),
        ({"points": [0, 0.5]}, "are whole"),
        ({"points": 64}, "at most 63"),
        ({"shape": "rising"}, "shape is 'rising'"),
        ({"not_known": "z*"}, "there is no feature 'z\\*'"),
        ({"constraints": [c.max_total_score(5)]}, r"limits on scores do not hold for questions; .* \(questions=False"),
        ({"constraints": [c.fixed("x0", 1)]}, "give a list of them"),
        ({"constraints": [c.fixed("x0", [0, 1])]}, "has 2 points, but 'x0' has 3 answers"),
        ({"constraints": [c.close_to({"x0": (0, 1)}, questions=1)]}, "give one each"),
    ],
)
def test_what_questions_do_not_have_is_refused_with_the_remedy(settings, words):
    with pytest.raises(InvalidProblemError, match=words):
        asked(**settings)


def test_data_that_are_no_answers_are_refused_with_the_remedy():
    _, y, soft = table()
    with pytest.raises(InvalidDataError, match="cut it into bands"):
        Problem.of_questions(np.linspace(0, 1, 60)[:, None], y)
    with pytest.raises(InvalidDataError, match="at most 63"):
        Problem.of_questions(np.arange(60)[:, None] * 2, y)
    with pytest.raises(InvalidDataError, match="one per row"):
        Problem.of_questions(np.zeros((60, 1)), y, soft_labels=soft[1:])
    with pytest.raises(InvalidDataError, match=r"row 3 .* has 1\.5"):
        Problem.of_questions(np.zeros((60, 1)), y, soft_labels=np.r_[soft[:3], 1.5, soft[4:]])


def test_what_cannot_be_asked_of_questions_says_so(tmp_path):
    problem = asked()
    with pytest.raises(UnsupportedProblemError, match="solvers that can: questions, exhaustive"):
        solve(problem, "risk")
    with pytest.raises(UnsupportedProblemError, match="cannot express goal 'risk'"):
        solve(Problem.of([[0], [1]], [0, 1], goal="risk"), "questions")
    with pytest.raises(UnsupportedProblemError, match="has features, not questions"):
        problem.write_program(tmp_path / "program.lp")
    with pytest.raises(InfeasibleError, match="x0"):
        asked(constraints=[c.must_use("x0"), c.must_not_use("x0")])


def test_soft_labels_are_multiples_and_change_the_fingerprint():
    X, y, soft = table()
    problem = Problem.of_questions(X, y, soft_labels=soft)
    assert (problem.rows.soft_labels == np.round(soft * 2**20)).all()
    same = Problem.of_questions(X, y, soft_labels=problem.rows.labels)
    others = [
        Problem.of_questions(X, y),
        Problem.of_questions(X, y, soft_labels=soft, shape="free"),
        Problem.of_questions(X, y, soft_labels=soft, change_price=0.1),
        Problem.of_questions(X, y, soft_labels=soft, constraints=[c.close_to({}, answers=3)]),
    ]
    assert fingerprint(same) == fingerprint(problem)
    assert len({fingerprint(other) for other in (problem, *others)}) == 5


def test_points_that_a_question_does_not_allow_are_refused():
    problem = asked(shape="up")
    good = with_answers(problem, ((0, 1, 2), (0, 0, 0), (0, 0, 0)))
    check_points(problem, good, "a solver")
    for answers in (((2, 1, 0), (0,) * 3, (0,) * 3), ((1, 1, 2), (0,) * 3, (0,) * 3)):
        with pytest.raises(VerificationError, match="does not allow"):
            check_points(problem, with_answers(problem, answers), "a solver")
    with pytest.raises(VerificationError, match="largest points"):
        check_points(problem, replace(good, coefficients=(1, 0, 0)), "a solver")
    with pytest.raises(VerificationError, match="by feature"):
        check_points(problem, Points((2, 0, 0), 0, slope=Fraction(1)), "a solver")
    with pytest.raises(VerificationError, match="slope"):
        check_points(problem, replace(good, slope=Fraction(math.ceil(good.slope * 1000))), "a solver")


def test_ties_go_to_fewer_questions_then_the_smaller_largest_total_then_the_order_of_columns():
    X, y, soft = table()
    twice = np.c_[X[:, 2] * 0, X[:, :1] > 0, X[:, :1] > 0]  # a column that says nothing, and the same one twice
    both = {"soft_labels": soft, "C0": 0, "max_questions": 2}
    first = solve(Problem.of_questions(twice, y, max_points=2, **both)).points
    assert [any(own) for own in first.answers] == [False, True, False]
    doubled = {"x1": [0, 2], "*": [0, 1]}
    smaller = solve(Problem.of_questions(twice, y, points=doubled, **both)).points
    assert [any(own) for own in smaller.answers] == [False, False, True]
    nothing = Problem.of_questions(np.zeros((60, 2)), y, soft_labels=soft, C0=0)
    assert solve(nothing).evaluation.size == 0


def test_a_limit_on_fairness_is_checked_exactly_where_everything_is_decided():
    X, y, soft = table()
    sex = np.where(np.arange(60) % 3, "F", "M")
    settings = {"soft_labels": soft, "C0": 0.001, "max_points": 1, "rate_groups": {"sex": sex}}
    limits = [c.max_difference("sensitivity", group="sex", at_most=0.05), c.max_error(0.4)]
    free, fair = (Problem.of_questions(X, y, constraints=own, **settings) for own in ([], limits))
    found = solve(fair)
    assert found.proven_optimal
    assert abs(found.objective - solve(fair, "exhaustive").objective) <= Fraction(2, 10**9)
    assert found.objective > solve(free).objective
    total = sum(np.array(own)[answer] for own, answer in zip(found.points.answers, X.T, strict=True))
    above = total > -float(found.points.intercept_value)
    rates = [(above & (y == 1) & (sex == name)).sum() / ((y == 1) & (sex == name)).sum() for name in "FM"]
    assert abs(rates[0] - rates[1]) <= 0.05


def test_what_if_gives_the_price_of_a_change():
    solution = solve(asked())
    fewer = what_if(solution, max_questions=1)
    assert fewer.after.objective == solve(asked(max_questions=1)).objective
    assert fewer.cost > 0
    assert "at most 1 instead of at most 6 questions" in str(fewer)
    assert f"{'/'.join(map(str, solution.points.answers[0]))} -> " in str(fewer)
    without = what_if(solution, forbid="x0")
    assert not any(without.after.points.answers[0])
    assert without.after.proven_optimal
    fixed = what_if(solution, pin={"x0": (2, 1, 0)})
    assert fixed.after.points.answers[0] == (2, 1, 0)
    assert fixed.after.objective == solve(asked(constraints=[c.fixed("x0", (2, 1, 0))])).objective
    assert "Change: x0 = 2/1/0." in str(fixed)
    kept = what_if(solution, constraints=[c.close_to({"x0": (2, 1, 0)}, questions=0)])
    assert kept.after.points.answers == ((2, 1, 0), (0, 0, 0), (0, 0, 0))
    with pytest.raises(InvalidProblemError, match="give max_features"):
        what_if(solve(Problem.of([[0], [1]], [0, 1], C0=0.5)), max_questions=1)
    with pytest.raises(InvalidProblemError, match="the unit of size is the question"):
        what_if(solution, max_questions=1, max_features=1)


def test_points_that_a_question_may_not_have_are_refused():
    with pytest.raises(InfeasibleError, match=r"'x0 = 0/2/1' is not allowed.*they rise or fall along its answers"):
        asked(constraints=[c.fixed("x0", (0, 2, 1))])
    with pytest.raises(InfeasibleError, match="its answers may have 0, 1"):
        asked(constraints=[c.fixed("x1", (0, None, 2))])
    with pytest.raises(InvalidProblemError, match=r"Problem\.of_questions"):
        Problem.of([[0], [1]], [0, 1], constraints=[c.fixed("x0", (0, 1))])
    with pytest.raises(InvalidProblemError, match="name one question"):
        c.fixed(["x0", "x1"], (0, 1))


def test_a_search_with_fixed_points_begins_from_a_card_that_has_them():
    problem = asked(constraints=[c.fixed("x0", (0, 1, 2))])
    best = solve(problem)
    only = with_answers(problem, ((0, 1, 2), (0, 0, 0), (0, 0, 0)))
    for start in (best.points, only):
        assert solve(problem, initial=start).objective == best.objective
    assert solve(problem, initial=best.points, node_limit=0).points == best.points


def test_constraints_that_conflict_are_a_smallest_set():
    limits = [c.at_least(2, of=["x0", "x1"]), c.only_if("x0", "x2"), c.must_not_use("x2"), c.at_most(3, of="x*")]
    problem = asked(constraints=limits)
    assert set(explain_infeasible(problem, time_limit=1e6).constraints) == set(limits[:3])
    with pytest.raises(InfeasibleError, match="x0 only if x2"):
        solve(problem)
    rates = [c.min_sensitivity(0.9), c.min_specificity(0.9)]
    problem = asked(points=None, max_points=1, risk_threshold=0.4, constraints=[*rates, c.at_least(1, of="x*")])
    assert set(explain_infeasible(problem, time_limit=1e6).constraints) == set(rates)


def random_asked(seed):
    """A problem of all that can be asked of questions, small enough for exhaustive search."""
    rng = np.random.default_rng([46, seed])
    rows, answers = int(rng.integers(20, 60)), rng.integers(2, 4, 3)
    X = np.stack([rng.integers(0, most, rows) for most in answers], axis=1)
    X[0], X[1] = 0, 1
    y = rng.random(rows) < 1 / (1 + np.exp(1 - X @ rng.normal(0, 1, 3)))
    y[:2] = False, True
    settings = {
        "soft_labels": [None, np.round(rng.random(rows), 3), 0.8 * y + 0.1][rng.integers(3)],
        "sample_weight": [None, rng.integers(1, 5, rows) / 2][rng.integers(2)],
        "class_weight": [None, "balanced", {False: 1, True: 3}][rng.integers(3)],
        "C0": [0, 0.002, {"x1": 0.03, "*": 0}][rng.integers(3)],
        "change_price": float(rng.choice([0, 0.003])),
        "points": [None, {"x0": [0, 2, 3], "*": 1}, {"x1": 2, "*": 1}][rng.integers(3)],
        "shape": [str(rng.choice(["up", "down", "free", "either"])), {"x2": "up"}][rng.integers(2)],
        "equal_steps": bool(rng.random() < 0.2),
        "not_known": [[], ["x2"]][rng.integers(2)],
        "max_questions": int(rng.integers(1, 4)),
        "min_questions": int(rng.random() < 0.2),
        "risk_threshold": [None, 0.3][rng.integers(2)],
        "rate_groups": {"sex": np.where(np.arange(rows) % 2, "F", "M")},
    }
    if settings["points"] is None:
        settings["max_points"] = 1
    limits = [
        c.must_use("x1"), c.must_not_use("x2"), c.at_most(1, of=["x0", "x1"]), c.only_if("x0", ["x1", "x2"]),
        c.at_least(1, of="x*"), c.budget({"x0": 1.5, "x1": 1, "x2": 0.25}, at_most=1.75),
        c.close_to({"x0": (0, 1, 1)[: answers[0]]}, questions=1), c.close_to({}, answers=2),
        c.fixed("x0", (0, 1, 1)[: answers[0]]), c.fixed("x1", (0, None, 1)[: answers[1]]),
        c.min_sensitivity(0.6), c.max_error(0.45), c.max_difference("error", group="sex", at_most=0.2),
    ]  # fmt: skip
    chosen = [limit for limit in limits if rng.random() < 0.15]
    return X, y, settings | {"constraints": chosen}


def beside_exhaustive_search(seed):
    """Whether the solver agrees with exhaustive search, or both find no card."""
    X, y, settings = random_asked(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)
        try:
            problem = Problem.of_questions(X, y, **settings)
            every = solve(problem, "exhaustive")
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                solve(Problem.of_questions(X, y, **settings))
            return
        found = solve(problem)
    assert found.proven_optimal
    assert abs(found.objective - every.objective) <= Fraction(2, 10**9), settings
    assert found.lower_bound <= every.objective
    assert violated(problem, found.points) == []


@pytest.mark.parametrize("seed", range(20))
def test_random_problems_of_all_settings_have_the_card_of_exhaustive_search(seed):
    beside_exhaustive_search(seed)


@pytest.mark.long
def test_many_random_problems_of_all_settings_have_the_card_of_exhaustive_search():
    for seed in range(20, 500):
        beside_exhaustive_search(seed)


def test_a_pool_without_time_keeps_its_best_cards_and_says_that_some_may_be_missing(monkeypatch):
    draw = np.random.default_rng(0)
    X = draw.integers(0, 3, (80, 3))
    y = (X @ [1, 1, 0] + draw.normal(size=80) > 2).astype(int)
    problem = Problem.of_questions(X, y, C0=0)
    whole = pool(problem, within=0.02, time_limit=None)
    assert whole.complete
    assert len(whole.models) > 1
    monkeypatch.setattr("supersparse.engine.questions.solver._VERIFIED", 1e12)  # verifying would take longer
    short = pool(problem, within=0.02, time_limit=1000)
    assert (len(short.models), short.complete, short.stop) == (1, False, Stop.TIME_LIMIT)
    assert short.best == whole.best
