"""What an edit costs, against solving the edited problem from nothing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counts import examples
from strategies import Case, cases
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.engine.answers.edit import what_if
from supersparse.errors import InfeasibleError, InvalidProblemError
from supersparse.problem.points import CoefficientSet

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

X = [[62, 1, 0], [45, 0, 1], [71, 1, 1], [38, 0, 0], [55, 1, 1], [49, 0, 0], [66, 0, 0]]
Y = [1, 0, 1, 0, 1, 0, 1]
NAMES = ["age", "smoker", "lab"]


def problem(**settings):
    return Problem.of(X, Y, **{"feature_names": NAMES, "max_points": 2, "C0": 0.05, **settings})


def solved(**settings):
    return solve(problem(**settings), "exhaustive")


def test_every_edit_is_the_same_as_asking_for_it_from_the_start():
    before = solved()
    for edit, asked in [
        ({"pin": {"age": 1}}, {"constraints": [c.fixed("age", 1)]}),
        ({"forbid": "smoker"}, {"constraints": [c.must_not_use("smoker")]}),
        ({"forbid": ["smo*", "lab"]}, {"constraints": [c.must_not_use(["smoker", "lab"])]}),
        ({"forbid": {"smoker": [1, 2]}}, {"points": {"smoker": CoefficientSet.of([-2, -1, 0])}}),
        ({"forbid": {"*": 2}}, {"points": [-2, -1, 0, 1]}),
        ({"force": ["lab"]}, {"constraints": [c.must_use("lab")]}),
        ({"sign": {"smoker": "-"}}, {"points": {"smoker": CoefficientSet.of([-2, -1, 0])}}),
        ({"sign": {"*": -1}, "force": "age"}, {"points": [-2, -1, 0], "constraints": [c.must_use("age")]}),
        ({"max_features": 0}, {"max_features": 0}),
        ({"constraints": [c.min_specificity(1)]}, {"constraints": [c.min_specificity(1)]}),
    ]:
        found, alone = what_if(before, **edit), solved(**asked)
        assert found.before is before
        assert (found.after.objective, found.after.evaluation.l1) == (alone.objective, alone.evaluation.l1)
        assert found.after.proven_smallest
        assert found.cost == alone.objective - before.objective >= 0
        assert found.cost_bounds == (found.cost, found.cost)
        assert found.errors == alone.evaluation.training_errors - before.evaluation.training_errors
        assert found.size == alone.evaluation.size - before.evaluation.size


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(cases(), st.data())
def test_a_pinned_value_costs_what_the_best_model_with_it_costs(case: Case, data):
    before = solve(case.problem, "exhaustive")
    names = before.problem.rows.names
    j = data.draw(st.integers(0, len(names) - 1))
    value = data.draw(st.sampled_from(before.problem.sets[j].values))
    try:
        alone = solve(before.problem.asking(c.fixed(names[j], value)), "exhaustive")
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            what_if(before, pin={names[j]: value})
        return
    found = what_if(before, pin={names[j]: value})
    assert found.after.points.values[j] == value
    assert (found.after.objective, found.after.evaluation.l1) == (alone.objective, alone.evaluation.l1)
    if value == before.points.values[j]:
        assert found.cost == 0


def test_the_old_model_is_the_start_where_it_can_be():
    before = solved()
    used = NAMES[before.points.support[0]]
    seen = []
    what_if(before, max_features=2, on_progress=seen.append)
    assert seen[0].objective == before.objective  # it obeys: the first incumbent
    seen.clear()
    what_if(before, forbid=used, on_progress=seen.append)
    assert seen[0].points.values[before.points.support[0]] == 0


def test_dropping_a_constraint_can_only_gain():
    asked = c.must_not_use("age")
    before = solved(constraints=[asked, c.must_use("lab")])
    found = what_if(before, without=[asked])
    assert found.cost <= 0
    assert found.after.problem.asked == (c.must_use("lab"),)
    assert "without 'age not used'" in found.in_words()
    with pytest.raises(
        InvalidProblemError, match="'smoker used' is not a constraint of this problem; known: age not used, lab used"
    ):
        what_if(before, without=[c.must_use("smoker")])


def test_the_words_say_what_was_asked_what_it_costs_and_what_is_proven():
    before = solved()
    found = what_if(before, forbid={"age": [1, 2]}, sign={"lab": "+"}, pin={"smoker": 2})
    words = found.in_words()
    assert words.startswith("Change: age not 1 or 2; lab not below 0; smoker = 2.\nErrors: ")
    for name, (one, other) in found.points.items():
        assert f"{name} {one} -> {other}" in words
    assert words.endswith("Both models are proven optimal, so this is the exact cost of the change.")
    same = what_if(before)
    assert "Change: none." in same.in_words()
    assert "No points change." in same.in_words()


def test_an_edit_that_is_not_proven_says_between_what_it_costs():
    before = solved()
    found = what_if(before, max_features=2, node_limit=1)
    assert found.cost_bounds[0] < found.cost <= found.cost_bounds[1]
    assert "The model after the change is not proven optimal: the change costs between" in str(found)


def test_a_limit_on_the_features_replaces_that_of_the_problem():
    X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 1]]
    free = Problem.of(X, [0, 0, 0, 1, 1, 0], C0=0.01, max_points=2)
    for limited in (free.asking(max_features=1), free.asking(max_features=3).asking(max_features=1)):
        found = what_if(solve(limited, "exhaustive"), max_features=3)
        alone = solve(free.asking(max_features=3), "exhaustive")
        assert found.after.objective == alone.objective < found.before.objective
        assert found.asked == ("at most 3 instead of at most 1 features",)
        assert what_if(found.before, max_features=1).asked == ()
        assert what_if(found.before, max_features=0).asked == ("at most 0 instead of at most 1 features",)
    assert what_if(solve(free, "exhaustive"), max_features=1).asked == ("at most 1 feature",)


def test_a_constraint_beside_one_of_its_kind_is_not_told_as_if_it_were_alone():
    before = solved(constraints=[c.min_sensitivity(1), c.at_most(1, of=["age", "lab"])])
    looser = [c.min_sensitivity(0.5), c.at_most(2, of=["age", "lab"]), c.at_most(1, of=["age", "smoker"])]
    assert what_if(before, constraints=looser).asked == (
        "sensitivity of at least 0.5 (besides 'sensitivity of at least 1', which stays)",
        "at most 2 of age, lab (besides 'at most 1 of age, lab', which stays)",
        "at most 1 of age, smoker",
    )
    found = what_if(before, without=[c.min_sensitivity(1)], constraints=[c.min_sensitivity(0.5)])
    assert found.asked == ("without 'sensitivity of at least 1'", "sensitivity of at least 0.5")


def test_edits_that_cannot_be_made_are_refused():
    before = solved(constraints=[c.min_sensitivity(1)])
    with pytest.raises(InvalidProblemError, match="sign: 'age' has 'up'"):
        what_if(before, sign={"age": "up"})
    with pytest.raises(InvalidProblemError, match="forbid: there is no feature 'smokr'; did you mean 'smoker'"):
        what_if(before, forbid={"smokr": 1})
    with pytest.raises(InfeasibleError, match=r"'age': no value of .* satisfies 'age not -2 or -1 or 0 or 1 or 2'"):
        what_if(before, forbid={"age": [-2, -1, 0, 1, 2]})
    with pytest.raises(InfeasibleError, match="satisfies 'age not 0 or 1 or 2' and 'age not below 0'"):
        what_if(before, forbid={"age": [0, 1, 2]}, sign={"age": "+"})
    with pytest.raises(InfeasibleError, match="satisfies 'age not -2 or -1 or 0' and 'age not above 0'"):
        what_if(before, forbid={"age": [-2, -1, 0]}, sign={"age": "-"})
    with pytest.raises(InfeasibleError, match="specificity of at least 1"):
        what_if(before, max_features=0, constraints=[c.min_specificity(1)])
