"""ScoringSystem: the card of a solution, with nothing lost on the way."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Problem, ScoringSystem, one_digit, solve
from supersparse.card.lines import with_class_names
from supersparse.card.performance import Performance
from supersparse.errors import InvalidCardError
from supersparse.learn.settings.settings import Settings
from supersparse.show.document.content import content_of

X = [[0, 1], [1, 0], [1, 1], [2, 0], [3, 1], [0, 0]]
Y = ["no", "no", "yes", "yes", "yes", "no"]


def solved(X=X, y=Y, **settings):
    problem = Problem.of(X, y, **{"C0": 0.2, "max_points": 3, "feature_names": ["age", "fever"], **settings})
    return solve(problem, "exhaustive")


def test_the_card_says_what_the_solution_says():
    solution = solved(C0=0.25, max_features=2)
    card = ScoringSystem.from_solution(solution, title="ill").card
    made = card.provenance
    assert (card.title, card.classes, card.n_columns) == ("ill", ("no", "yes"), 2)
    assert tuple(i.points for i in card.items) == tuple(v for v in solution.points.values if v)
    assert card.intercept == solution.points.intercept_value
    assert made.objective == solution.objective
    assert made.lower_bound == solution.lower_bound
    assert (made.proven_optimal, made.proven_smallest) == (True, True)
    assert made.training_errors == solution.evaluation.training_errors
    assert made.minimised == "error rate + 0.25 per feature"
    assert made.allowed == "points from -3 to 3, at most 2 features, any threshold"
    assert (made.total_weight, made.n_rows, made.solver, made.stop) == (6, 6, "exhaustive", "OPTIMAL")


def test_the_card_keeps_the_question_to_ask_it_again():
    solution = solved(points={"age": [0, 0.5], "fever": [-1, 0]}, max_features=1)
    made = ScoringSystem.from_json(ScoringSystem.from_solution(solution).to_json()).card.provenance
    asked = Settings.from_dict(made.settings)
    assert dict(asked.solve) == {"solver": "exhaustive", "random_state": 0}
    again = solve(asked.problem(X, Y, feature_names=made.features), **asked.solve)
    assert (again.points, again.objective) == (solution.points, solution.objective)


def test_features_without_points_are_left_out():
    system = ScoringSystem.from_solution(solved())
    assert list(system.points) == ["age"]
    assert system.card.items[0].position == 0
    assert system.predict({"age": 5}) == "yes"


@pytest.mark.parametrize("settings", [{}, {"points": [0, 0.5, 0.001]}, {"intercept": "paper"}, {"C1": 0.001}])
def test_training_errors_come_out_of_predict(settings):
    solution = solved(**settings)
    system = ScoringSystem.from_solution(solution)
    wrong = int((system.predict(np.array(X)) != np.array(Y)).sum())
    assert wrong == solution.evaluation.predicted_errors


def test_points_of_one_digit_stay_exact():
    system = ScoringSystem.from_solution(
        solved(X=[[0.25], [1.5]] * 4, y=[0, 1] * 4, C0=0.2, points=one_digit(), feature_names=["x"])
    )
    assert ScoringSystem.from_json(system.to_json()) == system
    assert isinstance(system.total({"x": 0.1}), Fraction)
    assert system.total({"x": [0.25, 1.5]}).dtype == np.float64


def test_totals_are_whole_numbers_where_they_can_be():
    assert ScoringSystem.from_solution(solved()).total(np.array(X)).dtype == np.int64


def test_saving_and_loading(tmp_path):
    system = ScoringSystem.from_solution(solved())
    system.save(tmp_path / "card.json")
    again = ScoringSystem.load(tmp_path / "card.json")
    assert again == system
    assert str(again) == str(system)
    assert hash(again) == hash(system)
    assert pickle.loads(pickle.dumps(system)) == system
    with pytest.raises(InvalidCardError):
        ScoringSystem.from_json("{}")


def test_weights_and_sets_by_feature_are_described():
    made = ScoringSystem.from_solution(
        solved(class_weight={"yes": 3}, points={"age": [0, 1], "fever": [0, 2, 4]}, sample_weight=[0.5] * 6)
    ).card.provenance
    assert made.minimised == "error rate (weight 3 for the positive class, 1 for the negative class) + 0.2 per feature"
    assert made.allowed == "points from a set for each feature, any threshold"
    assert made.total_weight == 3


def test_class_weights_are_short_and_name_the_classes_as_the_rest_of_the_card():
    weights = {0: Fraction(200, 347), 1: Fraction(200, 53)}
    system = ScoringSystem.from_solution(solved(y=[0, 0, 1, 1, 1, 0], C0=0.1, class_weight=weights), title="relapse")
    assert "otherwise no." in " ".join(str(system).split())
    said = with_class_names(system.card, system.card.provenance.minimised)
    assert said.startswith("error rate (weight 3.77 for yes, 0.576 for no)")


@pytest.mark.parametrize(
    ("weights", "warning"),
    [
        ("balanced", None),  # 60 % of one class and 30 % of the other are wrong: less than half
        ({"no": 1, "yes": "1/2"}, "34.3 % of rows it was not learned from, always predicting no for 14.3 %"),
    ],
)
def test_a_weighted_card_is_compared_with_a_fixed_answer_by_class_weight(weights, warning):
    card = ScoringSystem.from_solution(solved(), title="ill").card
    seen = Performance(
        on="cross-validation", true_positives=20, false_negatives=30, true_negatives=105, false_positives=45
    )
    made = replace(card.provenance, settings={"class_weight": weights})
    content = content_of(replace(card, performance=(seen,), provenance=made))
    assert (
        content.baseline
        == 'For comparison: predicting "no" for everyone misclassifies 25.0 %; this card weighs errors by class.'
    )
    assert (content.warning is None) if warning is None else (f"{warning}, by class weight." in content.warning)


def test_labels_keep_their_type():
    assert ScoringSystem.from_solution(solved(y=[0, 0, 1, 1, 1, 0])).classes == (0, 1)
    system = ScoringSystem.from_solution(solved(y=[False, False, True, True, True, False]))
    assert system.predict({"age": 3, "fever": 1}) is True


def test_a_short_form_for_the_prompt():
    assert repr(ScoringSystem.from_solution(solved())) == "<ScoringSystem: 'yes' if 1 x 'age' >= 1>"


@pytest.mark.parametrize(
    ("weights", "minimised"), [({1: 5}, "weighted errors"), ({0: 5, 1: 5}, "errors"), (None, "errors")]
)
def test_the_proof_names_what_was_minimised(weights, minimised):
    from supersparse import SLIMClassifier

    X, y = [[0, 1], [1, 1], [1, 0], [0, 0]] * 3, [0, 1, 1, 0] * 3
    model = SLIMClassifier(class_weight=weights, C0=0.45, max_points=1).fit(X, y)
    proof = dict(content_of(model.scoring_system_.card).facts)["Proof"]
    assert f"makes fewer {minimised} for its size." in proof
