"""One time limit for the whole report: every part has its share, and the rest goes to those that follow."""

import re
from dataclasses import replace

import numpy as np
import pytest

from show.report.small import learned, said, table
from supersparse import Problem, frontier
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.settings.settings import Settings
from supersparse.show.report import Plan, make_report
from supersparse.show.report import evidence as gathering
from supersparse.show.report.data import read_data
from supersparse.show.report.evidence import refit_of
from supersparse.show.report.plan import Budget, Step
from supersparse.show.report.proofs import sizes_around

COLUMNS, Y = table()
STEPS = {"sizes": 4, "cross-validation": 5, "trade-off": 10, "bootstrap": 20}


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, tick=0.0):
        self.now, self.tick = 100.0, tick

    def __call__(self):
        self.now += self.tick
        return self.now


def test_time_that_is_not_used_goes_to_the_parts_that_follow():
    clock = Clock()
    budget = Budget(100.0, STEPS, clock=clock)
    first = budget.part("sizes")
    assert first.seconds_each(1) == pytest.approx(26)
    first.end()
    second = budget.part("cross-validation")  # nothing was used: it has the first share and its own
    assert second.seconds_each(1) == pytest.approx(44)
    assert second.seconds_each(4) == pytest.approx(11)
    clock.now += 44
    assert second.over
    assert budget.part("bootstrap").seconds_each(1) == pytest.approx(50)


def test_what_a_refit_looks_at_follows_the_settings_and_not_the_clock():
    planned = []
    for seconds in (0.0, 44.0):  # those that the parts before have used
        clock = Clock()
        budget = Budget(100.0, STEPS, clock=clock)
        clock.now += seconds
        planned.append(budget.part("cross-validation").planned)
    assert planned == [pytest.approx(100 * 0.18 / 5)] * 2
    assert Budget(None, STEPS, clock=Clock()).part("bootstrap").planned is None


def test_parts_that_are_off_leave_their_share_to_the_others():
    budget = Budget(100.0, {**STEPS, "sizes": 0, "trade-off": 0}, clock=Clock())
    assert budget.part("cross-validation").seconds_each(1) == pytest.approx(94 * 18 / (18 + 36))


def test_without_a_limit_nothing_is_limited():
    budget = Budget(None, STEPS, clock=Clock(tick=1e6))
    part = budget.part("bootstrap")
    assert not part.over
    assert part.seconds_each(7) is None


def test_a_solve_has_a_moment_even_at_the_very_end():
    clock = Clock()
    part = Budget(10.0, STEPS, clock=clock).part("sizes")
    clock.now += 1000
    assert part.seconds_each(3) == 0.4


def test_the_estimate_starts_at_the_limit_and_follows_the_pace():
    clock, seen = Clock(), []
    budget = Budget(100.0, {"bootstrap": 20}, seen.append, clock)
    budget.tell("evaluating the card")
    assert seen[-1].left == pytest.approx(94 + 4)  # all that it may take, and the writing
    part = budget.part("bootstrap")
    part.tell("bootstrap: sample 1 of 20", 0)
    clock.now += 2
    part.tell("bootstrap: sample 2 of 20", 1)
    assert seen[-1] == Step(text="bootstrap: sample 2 of 20", seconds=2.0, left=19 * 2.0 + 4)
    assert str(seen[-1]) == "bootstrap: sample 2 of 20 (2 s, about 42 s left)"
    part.end()
    budget.tell("done")
    assert seen[-1].left == pytest.approx(4)


def test_there_is_no_estimate_before_anything_is_known():
    seen = []
    Budget(None, STEPS, seen.append, Clock()).tell("evaluating the card")
    assert seen[-1].left is None
    assert str(seen[-1]) == "evaluating the card (0 s)"


def test_a_part_that_ran_out_of_time_says_how_far_it_came(monkeypatch):
    """The clock jumps by a second whenever it is read, so every part ends early."""
    monkeypatch.setattr(gathering, "Budget", lambda limit, steps, tell: Budget(limit, steps, tell, Clock(tick=1.0)))
    plan = Plan(repeats=1, folds=4, ratios=3, bootstrap=200, larger=2, time_limit=80.0)
    report = make_report(learned(COLUMNS, Y), COLUMNS, Y, plan=plan)
    (reason,) = [reason for reason in report.missing if reason.startswith("part of stability")]
    done = int(reason.split(": ")[1].split(" of 200")[0])
    assert 0 < done < 200
    assert f"Its share of the time limit was used up after {done} of 200 samples." in said(report, "stability")
    assert re.search(rf"\b{done} of 200; \d+ cards? proven optimal", said(report, "repeat"))
    assert "Some searches reached their time limit" in said(report, "repeat")


def test_no_time_at_all_is_said_and_the_frontier_still_reaches_the_card(monkeypatch):
    monkeypatch.setattr(gathering, "Budget", lambda limit, steps, tell: Budget(limit, steps, tell, Clock(tick=50.0)))
    system = learned(COLUMNS, Y)
    report = make_report(system, COLUMNS, Y, plan=Plan(larger=3, time_limit=1.0))
    reasons = dict(reason.split(": ", 1) for reason in report.missing)
    assert reasons["cross-validation"].startswith("no time was left for it")
    assert reasons["stability"].startswith("no time was left for it")
    (rows,) = [b.rows for b in report.section("frontier").blocks if hasattr(b, "rows")]
    assert [row[1] for row in rows] == [str(k) for k in range(system.card.provenance.size + 1)]


@pytest.mark.parametrize("changes", [{}, {"intercept": "free"}, {"C0": 0.2}])
def test_sizes_one_by_one_are_the_frontier(changes):
    card = learned(COLUMNS, Y, **changes).card
    data = read_data(card, COLUMNS, Y)
    question = refit_of(card, data, Plan()).question
    problem, plan = question.problem, Plan(larger=3, time_limit=None)
    found = sizes_around(card, question, plan, Budget(None, {"sizes": 4}).part("sizes"))
    expected = frontier(problem, len(found.rows) - 1)
    assert found.proven
    assert [row.size for row in found.rows] == list(range(len(found.rows)))
    assert [row.solution.objective for row in found.rows] == [r.solution.objective for r in expected.rows]
    assert [row.lower_bound for row in found.rows] == [row.lower_bound for row in expected.rows]
    assert found.reaches_all == expected.reaches_all


def test_a_search_without_time_has_a_model_for_every_size_and_true_bounds():
    random = np.random.default_rng(2)
    columns = {f"x{j}": random.integers(0, 4, 150) for j in range(12)}
    ill = sum(columns.values()) + random.normal(0, 5, 150) > 18
    y = np.where(ill, "ill", "well").tolist()
    card = learned({name: columns[name] for name in list(columns)[:3]}, y, C0=0.02).card
    X = np.column_stack(list(columns.values()))
    problem = Problem.of(X, y, feature_names=list(columns), C0=0.02, max_points=3, positive="ill")
    plan = Plan(larger=3, node_limit=1, time_limit=None)
    question = PreparedProblem(recipe=Recipe(settings=Settings()), problem=problem, prepare=None)
    hasty = sizes_around(card, question, plan, Budget(None, {"sizes": 4}).part("sizes"))
    exact = frontier(problem, len(hasty.rows) - 1)
    assert not hasty.proven
    errors = [row.solution.objective for row in hasty.rows]
    assert errors == sorted(errors, reverse=True)
    for found, best in zip(hasty.rows, exact.rows, strict=True):
        assert found.lower_bound <= best.solution.objective <= found.solution.objective


def test_an_infinite_limit_is_none():
    assert Plan(time_limit=float("inf")) == replace(Plan(), time_limit=None)


def test_numpys_whole_numbers_are_numbers_of_a_plan():
    assert Plan(repeats=1, folds=np.int64(3)) == Plan(repeats=1, folds=3)
