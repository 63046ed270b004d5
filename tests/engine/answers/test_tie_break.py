"""The least log loss among the cards with the fewest errors, against every card."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from counts import examples
from strategies import Case, cases
from supersparse import Problem, Settings, SLIMClassifier, SLIMClassifierCV, solve
from supersparse.engine.answers import tie_break
from supersparse.engine.answers.tie_break import least_log_loss, loss_of
from supersparse.errors import InvalidOptionError, SupersparseError
from supersparse.learn.recipe import Recipe
from supersparse.problem.objective import evaluate, with_best_intercept

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def every_card(problem):
    """F and log loss of every vector of points."""
    for values in product(*([int(v * problem.unit) for v in s.values] for s in problem.sets)):
        limit = problem.max_features
        if limit is not None and sum(v != 0 for v in values) > limit:
            continue
        points = with_best_intercept(problem, values)
        if points is not None:
            loss = loss_of(problem, values)
            yield evaluate(problem, points).objective, float(loss)


@settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(case=cases(), slack=st.sampled_from([0, 0.02, 0.1]))
def test_no_card_within_the_slack_has_a_smaller_log_loss(case: Case, slack):
    problem = case.problem
    found = least_log_loss(problem, slack)
    tried = list(every_card(problem))
    fewest = min(F for F, _ in tried)
    limit = fewest + Fraction(str(slack))
    assert found.proven == (fewest > 0 or slack == 0)
    assert found.solution.lower_bound == fewest
    assert found.solution.objective <= limit
    if found.proven:
        assert float(found.log_loss) <= min(loss for F, loss in tried if limit >= F) + 1e-8
    own = loss_of(problem, found.solution.points.over(problem.unit).coefficients)
    assert float(own) == pytest.approx(float(found.log_loss), abs=1e-9)


def made():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, (80, 4))
    y = (rng.random(80) < 1 / (1 + np.exp(2 - 2 * X[:, 0] - 1.5 * X[:, 1] - X[:, 2]))).astype(int)
    return X, y


def test_the_classifier_chooses_by_log_loss_and_says_so():
    X, y = made()
    plain = SLIMClassifier(C0=0.001, max_points=3).fit(X, y)
    tied = SLIMClassifier(C0=0.001, max_points=3, tie_break="log_loss").fit(X, y)
    loose = SLIMClassifier(C0=0.001, max_points=3, tie_break="log_loss", slack=0.02).fit(X, y)
    assert tied.objective_ == plain.objective_
    assert tied.proven_optimal_
    assert tied.tie_break_.proven
    assert loose.tie_break_.log_loss <= tied.tie_break_.log_loss
    assert loose.objective_ <= plain.objective_ + 0.02
    assert loose.lower_bound_ == plain.lower_bound_
    assert "proven" in str(loose.tie_break_)
    assert not hasattr(plain, "tie_break_")


def test_the_penalty_is_chosen_with_the_same_rule():
    X, y = made()
    asked = {"Cs": [0.001, 0.05], "cv": 2, "max_points": 2, "tie_break": "log_loss", "slack": 0.01}
    model = SLIMClassifierCV(**asked).fit(X, y)
    alone = SLIMClassifier(C0=model.C0_, max_points=2, tie_break="log_loss", slack=0.01).fit(X, y)
    assert model.tie_break_.log_loss == alone.tie_break_.log_loss
    kept = model.scoring_system_.card.provenance.settings
    assert (kept["tie_break"], kept["slack"]) == ("log_loss", 0.01)


def test_goal_risk_breaks_no_ties_by_itself():
    with pytest.raises(InvalidOptionError, match="goal 'risk' minimises the log loss itself"):
        Recipe(settings=Settings.of(goal="risk", tie_break="log_loss")).check()


def test_a_limit_leaves_it_unproven():
    X, y = made()
    problem = Problem.of(X, y, C0=0.001, max_points=3)
    found = least_log_loss(problem, 0.05, "exhaustive", node_limit=200)
    assert not found.proven
    assert "not all cards were compared" in str(found)
    assert found.solution.objective >= solve(problem).objective


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"tie_break": "loss"}, "tie_break is 'loss'"),
        ({"slack": 0.1}, "slack is 0.1; it needs tie_break log_loss"),
        ({"tie_break": "log_loss", "slack": -1}, "slack is -1; "),
    ],
)
def test_what_makes_no_sense_is_refused(asked, said):
    with pytest.raises(SupersparseError, match=said):
        SLIMClassifier(**asked).fit(*made())


def test_cards_are_compared_until_the_time_ends_the_best_first(monkeypatch):
    problem = Problem.of(*made(), C0=0.001, max_points=2)
    whole = least_log_loss(problem, 0.05, time_limit=1000)
    assert whole.proven
    over = iter([False, False])  # it is asked before each card but the first; then the time is up
    monkeypatch.setattr(tie_break, "_is_over", lambda _ends: next(over, True))
    cut = least_log_loss(problem, 0.05, time_limit=1000)
    assert cut.cards == 3 < whole.cards
    assert "not proven: not all cards were compared" in str(cut)
    assert cut.solution.lower_bound == whole.solution.lower_bound
    assert cut.log_loss <= loss_of(problem, solve(problem).points.over(problem.unit).coefficients)


def test_listing_the_cards_leaves_half_of_the_time_to_compare_them(monkeypatch):
    given = []

    def listed(problem, factor, solver, **options):
        given.append(options["time_limit"])
        return list_all(problem, factor, solver, **options)

    list_all = tie_break.solve_all_within
    monkeypatch.setattr(tie_break, "solve_all_within", listed)
    least_log_loss(Problem.of(*made(), C0=0.01, max_points=2), 0.01, time_limit=1000)
    assert 400 < given[0] <= 500
