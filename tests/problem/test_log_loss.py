"""The log loss of a risk model: its value, its best slope and intercept, and what goal risk refuses."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import Points, Problem, solve
from supersparse.engine.verify import check_points
from supersparse.errors import InvalidDataError, InvalidProblemError, UnsupportedProblemError, VerificationError
from supersparse.problem import rows as rows_module
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.log_loss import largest_slope, log_loss, slope_at_limit, with_best_risk
from supersparse.problem.near_totals import NearTotals
from supersparse.problem.objective import evaluate

X = [[0], [0], [0], [1], [1], [1]]
Y = [0, 0, 1, 0, 1, 1]


def risk_problem(**settings):
    return Problem.of(X, Y, goal="risk", **{"C0": 0, "max_points": 3, **settings})


def test_the_loss_is_the_mean_of_the_definition():
    # risk 1/3 in the first three rows and 2/3 in the others: log odds of -log 2 and log 2
    points = Points((1,), Fraction(-1, 2), slope=Fraction(math.log(4)))
    expected = -(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3)
    loss = float(log_loss(risk_problem(), points))
    assert loss == pytest.approx(expected, abs=1e-14)


def test_class_and_sample_weights_enter_the_loss_but_class_weights_not_its_denominator():
    points = Points((1,), Fraction(-1, 2), slope=Fraction(1))
    copies = Problem.of(X + X[:1], Y + Y[:1], goal="risk", C0=0)
    weighted = Problem.of(X, Y, sample_weight=[2, 1, 1, 1, 1, 1], goal="risk", C0=0)
    assert float(log_loss(weighted, points)) == pytest.approx(float(log_loss(copies, points)), abs=1e-14)
    twice = risk_problem(class_weight={0: 2, 1: 2})
    assert float(log_loss(twice, points)) == pytest.approx(2 * float(log_loss(risk_problem(), points)), abs=1e-14)


def test_the_reported_loss_is_never_below_the_true_one():
    decimal = pytest.importorskip("decimal")
    decimal.getcontext().prec = 50
    points = Points((3,), Fraction(-7, 5), slope=Fraction(1, 3))
    true = decimal.Decimal(0)
    for (x,), y in zip(X, Y, strict=True):
        z = (decimal.Decimal(3 * x) - decimal.Decimal(7) / 5) / 3
        true += (1 + (-z if y else z).exp()).ln() / 6
    reported = log_loss(risk_problem(), points)
    reported = decimal.Decimal(reported.numerator) / decimal.Decimal(reported.denominator)
    assert 0 <= reported - true < decimal.Decimal("1e-14")


@pytest.mark.parametrize("is_large", [False, True])
def test_the_same_points_have_the_same_loss_over_any_denominator(monkeypatch, is_large):
    if is_large:  # totals are then added up in doubles
        monkeypatch.setattr(rows_module, "LARGE", 0)
    random = np.random.default_rng(1)
    problem = Problem.of(random.normal(5, 2, (40, 2)), np.arange(40) % 2, goal="risk", C0=0, max_points=3)
    points = Points((1, -2), Fraction(7, 3), slope=Fraction(1, 3))
    assert (NearTotals.of(problem, points.coefficients) is not None) == is_large
    for denominator in (2, 30):
        other = points.over(denominator)
        assert float(log_loss(problem, other)) == pytest.approx(float(log_loss(problem, points)), abs=1e-12)
        check_points(problem, other, "the test")


def test_a_slope_beyond_the_cap_is_found_over_any_denominator():
    problem = risk_problem()
    steep = Points((1,), Fraction(-1, 2), slope=Fraction(61))  # the deviation of the column is a half
    for points in (steep, steep.over(4)):
        with pytest.raises(VerificationError, match="allow up to 60"):
            check_points(problem, points, "the test")
        assert slope_at_limit(problem, points)


def test_the_best_slope_and_intercept_give_the_shares_of_the_cells():
    points = with_best_risk(risk_problem(), (2,))
    slope, shift = float(points.slope), float(points.intercept_value)
    assert [1 / (1 + math.exp(-slope * (2 * x + shift))) for x in (0, 1)] == pytest.approx([1 / 3, 2 / 3])


def test_a_whole_intercept_is_the_better_of_the_two_neighbours():
    problem = risk_problem(slope=1)
    found = with_best_risk(problem, (1,))
    assert found.slope == 1
    losses = {b: log_loss(problem, Points((1,), b, slope=Fraction(1))) for b in range(-5, 6)}
    assert log_loss(problem, found) == min(losses.values())


def test_separated_classes_end_with_the_slope_at_its_limit():
    problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], goal="risk", C0=0, max_points=2)
    solution = solve(problem)
    assert solution.proven_optimal
    assert solution.slope_at_limit
    assert slope_at_limit(problem, solution.points)
    # effects are at most 30: the standard deviation of the column is one half
    assert solution.slope * abs(solution.points.coefficients[0]) * 0.5 == pytest.approx(30)
    assert not solve(risk_problem()).slope_at_limit


def test_points_without_a_slope_or_beyond_the_cap_are_refused():
    problem = risk_problem()
    with pytest.raises(VerificationError, match="slope None for goal 'risk'"):
        check_points(problem, Points((1,), 0), "someone")
    with pytest.raises(VerificationError, match="effects of at most 30"):
        check_points(problem, Points((1,), 0, slope=Fraction(61)), "someone")
    with pytest.raises(VerificationError, match="slope=1 needs"):
        check_points(risk_problem(slope=1), Points((1,), Fraction(1, 2), slope=Fraction(1)), "someone")
    with pytest.raises(VerificationError, match="for goal 'errors'"):
        check_points(Problem.of(X, Y), Points((1,), 0, slope=Fraction(1)), "someone")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"goal": "risks"}, "did you mean 'risk'"),
        ({"goal": "risk", "slope": 2}, "slope is 2; give 'free', or 1"),
        ({"slope": 1}, "only goal 'risk' uses"),
        ({"goal": "risk", "intercept": "none"}, "intercept is 'none', but goal 'risk' chooses it"),
        ({"goal": "risk", "objective": "net_benefit", "risk_threshold": 0.2}, "goal 'risk' does not use"),
    ],
)
def test_settings_that_do_not_fit_the_goal_are_refused(settings, message):
    with pytest.raises(InvalidProblemError, match=message):
        Problem.of(X, Y, **settings)


def test_a_class_without_weight_is_refused_by_name():
    labels = ["ill" if y else "well" for y in Y]
    with pytest.raises(InvalidProblemError, match=r"class 'ill' the weight 0.*; give 'ill' a weight above 0"):
        Problem.of(X, labels, goal="risk", class_weight={"ill": 0, "well": 1})


@pytest.mark.parametrize("large", [0, 2**21])  # large tables are kept as they came
def test_values_whose_squares_are_beyond_doubles_are_refused_by_column(large, monkeypatch):
    monkeypatch.setattr("supersparse.problem.rows.LARGE", large)
    rows = [[0.5, 1e200 * i] for i in range(6)]
    message = r"column 'x1' has values as large as 5e\+200; .* rescale the column"
    with pytest.raises(InvalidDataError, match=message):
        Problem.of(np.array(rows), Y, goal="risk")


@pytest.mark.parametrize("beside", [1.0, 1e140])
def test_decimals_beyond_doubles_are_refused_by_column(beside):
    rows = [[beside * i, 1.5e-310 * (i % 2)] for i in range(6)]
    with pytest.raises(InvalidDataError, match=r"column 'x1' has values with 310 decimals, .* rescale the column"):
        Problem.of(rows, Y, goal="risk")


def test_large_values_within_doubles_are_solved():
    scaled = solve(Problem.of([[1e140 * x] for [x] in X], Y, goal="risk", C0=0))
    assert float(scaled.objective) == pytest.approx(float(solve(risk_problem()).objective), abs=1e-12)


@pytest.mark.parametrize("solver", ["exact", "highs", "exhaustive"])
def test_solvers_that_cannot_are_refused_by_name(solver):
    with pytest.raises(UnsupportedProblemError, match=f"'{solver}' cannot .*; solvers that can: risk$"):
        solve(risk_problem(), solver)


def test_the_goal_is_part_of_the_fingerprint():
    prints = {fingerprint(p) for p in (Problem.of(X, Y, max_points=3), risk_problem(C0=None))}
    prints.add(fingerprint(risk_problem(C0=None, slope=1)))
    assert len(prints) == 3


def test_points_with_a_common_factor_are_divided_by_it():
    rng = np.random.default_rng(0)
    data = rng.integers(0, 2, (200, 2))
    y = rng.random(200) < 1 / (1 + np.exp(1 - 2 * data[:, 0]))
    solution = solve(Problem.of(data, y.astype(int), goal="risk", C0=0.01, max_points=5))
    assert solution.points.coefficients == (1, 0)


def test_numeric_c1_counts_each_point():
    problem = risk_problem(C1=0.001, slope=1)
    solution = solve(problem)
    assert evaluate(problem, solution.points).objective == solution.objective
    by_hand = min(float(log_loss(problem, with_best_risk(problem, (w,)))) + 0.001 * abs(w) for w in range(-3, 4))
    assert float(solution.objective) == pytest.approx(by_hand, abs=2e-9)


@pytest.mark.parametrize("threshold", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 4), Fraction(19, 20)])
def test_a_fitted_risk_equal_to_the_threshold_counts_as_above_it(threshold):
    random = np.random.default_rng(threshold.denominator)
    for _ in range(60):  # two cells: the fitted risks are the shares, and that of the second is the threshold
        at = threshold.denominator * int(random.integers(1, 7))
        others = int(random.integers(2, 150))
        events = [int(random.integers(1, others)), int(threshold * at)]
        below = Fraction(events[0], others) < threshold
        x = np.r_[np.zeros(others), np.ones(at)]
        y = np.r_[np.arange(others) < events[0], np.arange(at) < events[1]].astype(int)
        problem = Problem.of(x[:, None], y, goal="risk", risk_threshold=threshold, max_points=2, C0=0)
        found = evaluate(problem, with_best_risk(problem, (1 if below else -1,)))
        wrong = at - events[1] + (events[0] if below else others - events[0])
        assert found.training_errors == wrong


@pytest.mark.parametrize("value", [1, 2])
def test_a_card_that_points_the_wrong_way_is_decided_like_one_without_features(value):
    x = [0, 4, 0, 3, 3, -1, 3, -3, 3, 2, -3, 0, 4, 5, 0, 4, 4, 1, -2, 0]
    problem = Problem.of([[v] for v in x], [0] * 10 + [1] * 10, goal="risk", C0=0, points=[0, value])
    points = with_best_risk(problem, (value * problem.unit,))
    # all risks are one half but for rounding, so every row counts as above
    assert min(value * v + points.intercept_value for v in x) > 0


def test_a_slope_near_its_limit_keeps_the_intercept_that_belongs_to_it():
    rows, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 1] * 2 + [0, 0, 1, 1]
    problem = Problem.of(rows, y, goal="risk", C0=0, max_points=2)
    # the risks of the totals 0 to 3 are 0, 2/3, 1 and 1 at the steepest slope
    expected = -(2 * math.log(2 / 3) + math.log(1 / 3)) / 12
    assert float(log_loss(problem, with_best_risk(problem, (2, 1)))) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10**6))
def test_slope_and_intercept_are_the_best_to_be_found(seed):
    random = np.random.default_rng(seed)
    rows, y = random.integers(-3, 4, (12, 2)), random.permutation([0, 1] * 6)
    problem = Problem.of(rows, y, goal="risk", C0=0, max_points=3)
    coefficients = tuple(random.integers(1, 4, 2).tolist())
    points = with_best_risk(problem, coefficients)
    least = log_loss(problem, points)
    most = Fraction(largest_slope(problem, coefficients, problem.unit))
    for factor, shift in product((0.7, 0.999, 1.001, 1.3), (-0.3, -0.001, 0.0, 0.001, 0.3)):
        slope, intercept = points.slope * Fraction(factor), points.intercept_value + Fraction(shift)
        other = Points(points.coefficients, intercept * points.denominator, points.denominator, slope=min(slope, most))
        assert log_loss(problem, other) >= least - Fraction(1, 10**9)
