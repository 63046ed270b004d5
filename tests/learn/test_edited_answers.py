"""A card of questions changed by hand: what is meant, what it costs, and what is refused."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.test_questions import table
from supersparse import Prepare, Settings, solve, what_if
from supersparse import constraints as c
from supersparse.base.errors import InvalidOptionError
from supersparse.card.scoring import score_table
from supersparse.learn.edited_answers import cuts_of, recut_questions
from supersparse.learn.editing import begun, changed, check_possible, with_changes
from supersparse.learn.fit import Fitted
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.problem.objective import evaluate, violated, with_answers
from supersparse.table.sources import as_table


@cache
def learned(n=200, seed=0, **more):
    X, y = table(n, seed)
    risks = np.nan_to_num((X["age"] - 20) / 80 * 0.8 + 0.1 * (X["stage"] == "III"), nan=0.5)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None, risks=risks)
    recipe = Recipe(settings=Settings.of(goal="risk", questions=True, positive="ill", **more), prepare=Prepare())
    question = recipe.question(rows)
    solution = question.solve()
    card = question.card(solution, "y", rows)
    return Fitted(question=question, solution=solution, card=card, validation=None), rows


def points(fitted, name):
    problem = fitted.solution.problem
    return fitted.solution.points.answers[problem.rows.names.index(name)]


def after(fitted, rows, *edits):
    return with_changes(fitted, rows, edits)[0]


def name_of(fitted):
    """A question about a number that the card asks, with its cuts."""
    prepared = {one.column: one for one in fitted.question.prepare.questions_}
    asked_now = begun(fitted.solution).answers
    return next((name, cuts_of(prepared[name])) for name in asked_now if cuts_of(prepared[name]))


def test_points_are_those_of_all_answers_or_of_one():
    fitted, rows = learned(max_questions=2)
    name, _ = name_of(fitted)
    old = points(fitted, name)
    new = tuple(2 * value for value in old)
    changed_card, prices = with_changes(fitted, rows, [{"points": {"question": name, "to": list(new)}, "reason": "x"}])
    assert points(changed_card, name) == new
    assert changed_card.card.provenance.edits[0].reason == "x"
    said = f"points of {name!r} from {'/'.join(map(str, old))} to {'/'.join(map(str, new))}"
    assert changed_card.card.provenance.edits[0].change == said
    assert prices[0].cost == changed_card.solution.objective - fitted.solution.objective > 0
    one = after(fitted, rows, {"points": {"question": name, "answer": len(old), "to": 9}})
    assert points(one, name) == (*old[:-1], 9)
    assert not any(points(after(fitted, rows, {"drop": name}), name))
    assert not any(points(after(fitted, rows, {"points": {"question": name, "to": [0] * len(old)}}), name))


def test_an_edited_card_is_refitted_to_the_labels_it_was_learned_from():
    fitted, rows = learned(max_questions=3)
    name, cuts = name_of(fitted)
    edits = [{"points": {"question": name, "to": list(reversed(points(fitted, name)))}}]
    found = after(fitted, rows, *edits)
    problem, solution = fitted.solution.problem, found.solution
    assert solution.problem is problem
    assert solution.points == with_answers(problem, solution.points.answers)
    moved = after(fitted, rows, {"cut": {"question": name, "from": float(cuts[0]), "to": float(cuts[0]) + 0.5}})
    assert (moved.solution.problem.rows.soft_labels == problem.rows.soft_labels).all()
    assert moved.solution.problem.C0 == problem.C0


def test_undoing_an_edit_costs_nothing_and_keeps_the_proof():
    fitted, rows = learned(max_questions=2)
    name, _ = name_of(fitted)
    old = list(points(fitted, name))
    back = after(fitted, rows, {"drop": name}, {"add": {"question": name, "points": old}})
    assert back.solution.objective == fitted.solution.objective
    assert back.solution.lower_bound == fitted.solution.lower_bound
    assert after(fitted, rows, {"drop": name}).solution.lower_bound <= fitted.solution.objective


@given(st.integers(0, 10**6))
@settings(max_examples=6, deadline=None)
def test_a_question_that_is_added_or_swapped_in_gets_the_best_points(seed):
    """Against every choice of its points, all other points staying as they are."""
    fitted, rows = learned(80, seed=seed, max_questions=1, max_points=3)
    problem = fitted.solution.problem
    state = begun(fitted.solution)
    others = [name for name in problem.rows.names if name not in state.answers]
    new = others[seed % len(others)]
    edits = [{"add": {"question": new}}]
    if state.answers:
        edits.append({"swap": {"question": next(iter(state.answers)), "for": new}})
    for edit in edits:
        found = after(fitted, rows, edit).solution.points.answers
        at = problem.rows.names.index(new)
        question = problem.questions[at]
        tried = [own for own in product(range(4), repeat=question.answers) if question.admits(own)]
        best = min(
            evaluate(problem, with_answers(problem, (*found[:at], own, *found[at + 1 :]))).objective for own in tried
        )
        mine = evaluate(problem, with_answers(problem, found)).objective
        assert abs(mine - best) <= Fraction(2, 10**9)
        if "swap" in edit:
            assert [bool(any(own)) for own in found] == [name == new for name in problem.rows.names]


def test_points_beyond_what_was_asked_can_be_set_by_hand_and_kept_by_an_addition():
    fitted, rows = learned(max_questions=2)
    name, _ = name_of(fitted)
    odd = [0, 25, *[3] * (len(points(fitted, name)) - 2)]
    free = next(n for n in fitted.solution.problem.rows.names if n not in begun(fitted.solution).answers)
    found = after(fitted, rows, {"points": {"question": name, "to": odd}}, {"add": {"question": free}})
    assert points(found, name) == tuple(odd)
    assert any(points(found, free))
    assert found.solution.lower_bound == 0
    assert len(violated(found.solution.problem, found.solution.points)) == 1  # one question more than was asked for


def test_a_moved_cut_divides_the_rows_anew():
    fitted, rows = learned(max_questions=3)
    name, cuts = name_of(fitted)
    to = cuts[0] + 1 if len(cuts) == 1 or cuts[0] + 1 < cuts[1] else cuts[0] - 1
    found = after(fitted, rows, {"cut": {"question": name, "from": float(cuts[0]), "to": float(to)}})
    again = recut_questions(found.card, fitted.question)
    assert [(one.column, cuts_of(one)[0]) for one in again] == [(name, to)]
    at = found.solution.problem.rows.names.index(name)
    values = np.asarray(rows.X[name], float)
    expected = np.searchsorted([float(to), *map(float, cuts[1:])], values, side="right")
    known = ~np.isnan(values)
    assert (found.solution.problem.rows.columns[at][known] == expected[known]).all()
    totals = score_table(found.card, as_table(rows.X)).floats
    risks = found.card.risk.of(totals + float(found.card.zero_total))
    p = found.solution.problem.rows.labels
    loss = -(p * np.log(risks) + (1 - p) * np.log(1 - risks)).mean()
    assert loss == pytest.approx(float(found.solution.evaluation.loss), abs=1e-9)


REFUSED = [
    ({"threshold": 3}, "set risk_threshold instead"),
    ({"drop": "height"}, "is not on the card"),
    ({"add": {"question": "hieght"}}, "is not among those of the table"),
    ({"points": {"question": "age", "to": 2}}, "points in a list"),
    ({"points": {"question": "age", "to": [0, 1, 2, 3, 4, 5, 6]}}, "give one each"),
    ({"points": {"question": "age", "answer": 9, "to": 1}}, "is not an answer of 'age'"),
    ({"cut": {"question": "stage", "to": 3}}, "has no cut to move"),
    ({"cut": {"question": "age", "to": "old"}}, "is not a number"),
    ({"swap": {"question": "age", "for": "agee"}}, "did you mean 'age'"),
]


@pytest.mark.parametrize(("edit", "why"), REFUSED)
def test_what_no_card_allows_is_refused_before_one_is_learned(edit, why):
    question = learned()[0].question
    with pytest.raises(InvalidOptionError, match=why) as caught:
        check_possible(question, [edit])
    assert "edits, entry 1: " in str(caught.value)


def test_points_that_begin_above_0_are_refused_with_those_that_say_the_same():
    fitted, rows = learned(max_questions=2)
    name, _ = name_of(fitted)
    count = len(points(fitted, name))
    with pytest.raises(InvalidOptionError, match=r"give \[0, 1"):
        after(fitted, rows, {"points": {"question": name, "to": list(range(2, 2 + count))}})
    state = begun(fitted.solution)
    with pytest.raises(InvalidOptionError, match="is on the card already"):
        changed(fitted.question, state, {"add": {"question": name}}, rows)


def test_what_ifs_of_questions_say_what_is_asked():
    best = learned(70, seed=3, max_points=1, max_questions=2)[0].solution
    said = str(what_if(best, force="noise", forbid="age", constraints=[c.at_most(1, of=["bmi", "stage"])]))
    assert said.startswith("Change: age not asked; noise asked; at most 1 of bmi, stage.")
    card = learned(70, max_questions=1, constraints=(c.must_use("noise"),))[0].card
    assert "that rise or fall along them, noise asked" in card.provenance.allowed


@pytest.mark.parametrize(
    "change",
    [
        {"force": "noise"}, {"forbid": "age"}, {"forbid": ["age", "stage"]}, {"max_questions": 1},
        {"constraints": [c.at_most(1, of=["age", "bmi"])]}, {"constraints": [c.only_if("age", "noise")]},
        {"pin": {"noise": "all"}}, {"constraints": [c.exactly(2, of="*")]},
    ],
    ids=str,
)  # fmt: skip
def test_a_what_if_costs_what_exhaustive_search_says(change):
    """One number for "must ask", "must not ask", "at most one of these two", fixed points, and another size."""
    fitted, _ = learned(70, seed=3, max_points=1, max_questions=2)
    best = fitted.solution
    if "pin" in change:
        at = best.problem.rows.names.index("noise")
        change = {"pin": {"noise": (0,) * (best.problem.questions[at].answers - 1) + (1,)}}
    found = what_if(best, **change)
    every = solve(found.after.problem, "exhaustive")
    assert found.after.proven_optimal
    assert abs(found.after.objective - every.objective) <= Fraction(2, 10**9)
    assert found.after.problem.rows.soft_labels is best.problem.rows.soft_labels
    assert found.cost >= -Fraction(2, 10**9)
    assert violated(found.after.problem, found.after.points) == []
