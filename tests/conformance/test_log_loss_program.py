"""The log loss as a program: its tangents lie below the loss, and what cannot be written is refused."""

from fractions import Fraction

import numpy as np
import pytest

from conformance.log_loss_mip import least_log_loss
from conformance.log_loss_program import Point, RiskProgram
from supersparse import Problem, solve
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.log_loss import log_loss, with_best_risk


def problem_of(slope="free", columns=3, **settings):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(0, 1, (60, columns)) * [1, 10, 0.1, 1][:columns] + 5, 2)
    y = (rng.random(60) < 1 / (1 + np.exp(5 - X[:, 0]))).astype(int)
    asked = {"C0": 0.01, "max_points": 3, **settings}
    return Problem.of(X, y, goal="risk", slope=slope, positive=1, **asked)


@pytest.mark.parametrize("slope", ["free", 1])
def test_no_tangent_lies_above_the_loss_of_a_card(slope):
    problem = problem_of(slope)
    program = RiskProgram(problem, 1e-9)
    rng = np.random.default_rng(1)
    for _ in range(20):
        program.add_point(Point(rng.normal(0, 3, 3), float(rng.normal(0, 3))))
    for card in rng.integers(-3, 4, (30, 3)).tolist():
        points = with_best_risk(problem, card)
        point = program.point_of(points)
        z = program.x @ point.effects + point.intercept
        loss = program.weight @ np.logaddexp(0, -program.sign * z)
        assert loss == pytest.approx(float(log_loss(problem, points)), abs=1e-12)
        for g, gb, least in program._cuts:
            assert (g @ point.effects + gb * point.intercept + least).sum() <= loss + 1e-13


@pytest.mark.parametrize("slope", ["free", 1])
def test_a_card_and_its_loss_satisfy_every_row_until_it_is_cut_off(slope):
    problem = problem_of(slope, max_features=2)
    program = RiskProgram(problem, 1e-9)
    points = with_best_risk(problem, (2, -1, 0))
    point = program.point_of(points)
    program.add_point(point)
    values = vector_of(program, points, point)
    model = program.model(None)
    inside = model.rows.matrix @ values
    assert (inside >= model.rows.lower - 1e-6).all()
    assert (inside <= model.rows.upper + 1e-6).all()
    assert (values >= model.lower - 1e-9).all()
    assert (values <= model.upper + 1e-9).all()
    objective = float(log_loss(problem, points)) + 0.02
    assert (model.cost @ values + model.cost_offset) / program.loss_unit == pytest.approx(objective, abs=1e-9)
    program.exclude((2, -1, 0))
    after = program.model(None).rows
    assert (after.matrix @ values > after.upper + 0.5).sum() == 1
    assert program.read(values)[0] == (2, -1, 0)


def vector_of(program, points, point):
    """The variables of one card, from their definitions."""
    whole, values = len(program.draft.lower), np.zeros(len(program.draft.lower) + len(program.lower))
    for j, written in enumerate(program.written):
        c = points.coefficients[j]
        values[written.variables.number] = c // written.term.step
        for value, binary in written.variables.choice:
            values[binary] = value == c
    values[program.effects], values[program.intercept] = point.effects, point.intercept
    if program.whole_intercept is not None:
        values[program.whole_intercept] = float(points.intercept_value)
    z = program.x @ point.effects + point.intercept
    of_row = program.weight * np.logaddexp(0, -program.sign * z)
    values[program.losses] = 1e3 * np.bincount(program.group, of_row, program.n_groups)
    if program.problem.slope == "free":
        at = program.losses[-1] + 1
        least = min(program.deviation)  # one point is the least
        values[at] = float(points.slope) * least / 30
        at += 1
        for j, written in enumerate(program.written):
            for value, _ in written.variables.choice:
                values[at] = abs(point.effects[j]) * (value == points.coefficients[j])
                at += 1
        assert at == whole + len(program.lower)
    return values


def test_sets_and_columns_that_are_too_wide_are_refused():
    with pytest.raises(UnsupportedProblemError, match="needs a binary for each"):
        least_log_loss(problem_of(max_points=200))
    wide = Problem.of([[0, 0], [1, 10**8], [0, 3], [1, 5]] * 3, [0, 1, 1, 0] * 3, goal="risk", C0=0)
    with pytest.raises(UnsupportedProblemError, match="bring the columns to one scale"):
        least_log_loss(wide)


def test_few_nodes_leave_an_honest_bound():
    problem = problem_of(columns=4, max_points=5, C0=0)
    short = least_log_loss(problem, node_limit=1)
    assert short.lower_bound <= solve(problem).objective <= short.objective + Fraction(1, 10**9)


def test_an_oracle_that_finds_nothing_new_says_so(monkeypatch):
    monkeypatch.setattr(RiskProgram, "believable", lambda *_: None)
    monkeypatch.setattr(RiskProgram, "exclude", lambda *_: None)
    with pytest.raises(AssertionError, match="no new card"):
        least_log_loss(problem_of())
