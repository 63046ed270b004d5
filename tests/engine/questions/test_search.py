"""Cards of questions: the engine beside every card of small problems; limits, checkpoints, refusals."""

from dataclasses import replace

import numpy as np
import pytest

from engine.questions import brute_force
from engine.questions.random_problems import check, faults, indicator, random_judge, random_options, random_problem
from engine.questions.stopped import larger
from supersparse.engine import core
from supersparse.engine.questions.search import BOUNDS, QuestionProblem, SearchOptions, search
from supersparse.errors import InvalidDataError, InvalidProblemError
from supersparse.problem.questions import Question

# Two tables of two yes/no columns on which a prediction, compared where only a bound may be, once proved a
# false optimum: counts and labels of the four patterns, price of a question.
COUNTEREXAMPLES = (
    ((908, 32, 38, 20), (0.115, 0.416, 0.352, 0.63), 0.01918985287306202, 0.4115577),
    ((220, 559, 8, 211), (0.012, 0.001, 0.137, 0.044), 0.00902562669926432, 0.0717042),
)


def two_columns(counts, labels, price):
    answer = np.array([np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)], np.uint8)
    label = np.repeat(np.round(np.array(labels) * 2**20) / 2**20, counts)
    question = Question(2, points=(0, 1, 2, 3), price=price)
    return QuestionProblem((question, question), answer, label, max_questions=2)


@pytest.mark.parametrize(("counts", "labels", "price", "objective"), COUNTEREXAMPLES)
@pytest.mark.parametrize("bounds", [BOUNDS, *[(name,) for name in BOUNDS], ()])
@pytest.mark.parametrize("search_incumbent", [True, False])
def test_a_prediction_never_decides_the_counterexamples(counts, labels, price, objective, bounds, search_incumbent):
    problem = two_columns(counts, labels, price)
    outcome = search(problem, SearchOptions(search_incumbent=search_incumbent, bounds=bounds))
    best = min(value for _, value, _ in brute_force.cards(problem))
    assert outcome.proven
    assert outcome.best.objective == pytest.approx(best, abs=1e-9)
    assert best == pytest.approx(objective, abs=1e-6)
    assert best - 2e-9 <= outcome.bound <= best + 1e-9


# Weights and labels (in 2^-20) of the answers of one question: Newton's whole step led where a label has no curvature
# left, the fit counted as converged, and its minorant proved another card than the best.
LOST_CURVATURE = (
    ((6, 776, 11, 66), (94584, 1046678, 1048477, 439029), Question(4, price=0.0203374, points=(0, 1))),
    ((952, 90, 4), (1032442, 1047281, 1818), Question(3, shape="down", points=(0, 1, 2))),
    ((2, 2, 3, 306), (769, 1048083, 2947, 1047985), Question(4, 3, "up", points=(0, 1, 2), price=0.001)),
    ((2, 539, 4), (662, 15466, 1039946), Question(3, points=(0, 1, 2, 3))),
)


@pytest.mark.parametrize(("weight", "labels", "question"), LOST_CURVATURE)
@pytest.mark.parametrize("bounds", [BOUNDS, ("minorant",)])
def test_a_fit_never_ends_where_its_curvature_is_lost(weight, labels, question, bounds):
    problem = QuestionProblem(
        (question,), np.arange(len(weight), dtype=np.uint8)[None], np.array(labels) / 2**20, np.array(weight, float),
        max_questions=1, change_price=0.001,
    )  # fmt: skip
    best = min(value for _, value, _ in brute_force.cards(problem))
    for search_incumbent in (True, False):
        outcome = search(problem, SearchOptions(search_incumbent=search_incumbent, bounds=bounds))
        assert outcome.proven
        assert outcome.best.objective == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(24))
def test_small_random_problems_have_the_best_card_of_all(seed):
    rng = np.random.default_rng([7, seed])
    problem = random_problem(rng)
    every = list(brute_force.cards(problem))
    for _ in range(4):
        options = random_options(rng)
        found, proven = faults(problem, options, every, options.by_size, random_judge(rng))
        assert not found, options
        assert proven


@pytest.mark.parametrize("share", [0.5, 293 / 294, 1 - 1 / 2**14])
@pytest.mark.parametrize("labels", [(0.008097, 0.909454), (2**-20, 0.5), (0.5, 1 - 2**-20), (0.3, 0.3000002)])
def test_a_step_that_leads_where_curvature_is_gone_is_not_the_end_of_a_fit(share, labels):
    # One yes/no question: the best slope and offset give each answer its own label.
    label = np.round(np.array(labels) * 2**20) / 2**20
    weight = np.array([share, 1 - share])
    problem = QuestionProblem(
        (Question(2, shape="up", points=(0, 1)),),
        np.array([[0, 1]], np.uint8),
        label,
        weight,
        max_questions=1,
        min_questions=1,
        effect_limit=1000.0,
    )
    entropy = -(weight * (label * np.log(label) + (1 - label) * np.log1p(-label))).sum()
    card = search(problem).best
    assert card.loss == pytest.approx(entropy, abs=1e-12)
    assert card.offset == pytest.approx(np.log(label[0] / (1 - label[0])), abs=1e-3)


@pytest.mark.long
def test_ten_thousand_random_problems_have_the_best_card_of_all():
    counted = check(10_000, 46)
    assert counted.get("wrong", 0) == counted.get("unproven", 0) == 0
    assert counted["runs"] == 30_000


def test_threads_bounds_and_versions_of_the_loops_give_the_same_card():
    problem = larger()
    outcomes = [
        search(problem),
        search(problem, SearchOptions(threads=3)),
        search(problem, SearchOptions(search_incumbent=False)),
    ]
    core.choose_loops("baseline")
    outcomes.append(search(problem))
    core.choose_loops("best")
    assert all(outcome.proven for outcome in outcomes)
    assert len({outcome.best.points for outcome in outcomes}) == 1
    assert outcomes[0].work == outcomes[3].work  # to the last node


def test_the_frontier_of_sizes_is_that_of_one_search_a_size():
    problem = larger(count=6)
    frontier = search(problem, SearchOptions(by_size=True))
    assert frontier.proven
    free = replace(problem, questions=tuple(replace(question, price=0.0) for question in problem.questions))
    for size in range(problem.max_questions + 1):
        alone = search(replace(free, max_questions=size))
        assert frontier.best_of_size(size).loss == pytest.approx(alone.best.loss, abs=2e-9)
        assert frontier.bounds[size] == pytest.approx(alone.best.loss, abs=2e-9)


def test_what_the_caller_refuses_is_never_the_answer_and_the_bound_still_holds():
    counts, labels, _, _ = COUNTEREXAMPLES[0]
    problem = two_columns(counts, labels, 1e-4)

    def judge(card):
        return sum(map(sum, card.points)) % 2 == 1

    every = [(objective, points) for _, objective, points in brute_force.cards(problem)]
    best = min(objective for objective, points in every if sum(map(sum, points)) % 2 == 1)
    outcome = search(problem, judge=judge)
    assert outcome.proven
    assert outcome.best.objective == pytest.approx(best, abs=2e-9)
    assert any(objective < best - 1e-9 for objective, _ in every)

    def broken(card):
        raise KeyError("rates")

    with pytest.raises(KeyError, match="rates"):
        search(problem, judge=broken)


def test_ties_go_to_fewer_questions_then_smaller_totals_then_the_order_of_columns():
    answer = np.array([[0, 0, 1, 1]] * 3, np.uint8)  # one column three times
    questions = tuple(Question(2, points=(0, 2, 3)) for _ in range(3))
    problem = QuestionProblem(questions, answer, np.array([0.25, 0.25, 0.75, 0.75]), max_questions=3)
    for options in (SearchOptions(), SearchOptions(search_incumbent=False, threads=2)):
        outcome = search(problem, options)
        assert outcome.best.points == ((0, 2), (0, 0), (0, 0))


def test_more_ties_than_are_kept_leave_the_first_of_every_size():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 2, (2, 60))
    label = np.round((0.2 + 0.4 * first + 0.2 * second) * 2**20) / 2**20
    answer = np.array([first] * 6 + [second] * 6, np.uint8)
    problem = QuestionProblem((Question(2, points=(0, 1, 2)),) * 12, answer, label, max_questions=2)
    assert search(problem, SearchOptions(most_kept=4)).best.asked == (0, 6)
    sizes = search(problem, SearchOptions(most_kept=4, by_size=True))
    assert sizes.proven
    assert not sizes.complete
    assert [sizes.best_of_size(size).asked for size in range(3)] == [(), (0,), (0, 6)]


def test_separated_classes_are_held_by_the_limit_on_effects_and_it_says_so():
    answer = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], np.uint8)
    problem = QuestionProblem(
        (Question(2, price=0.01), Question(2, price=0.01)),
        answer,
        np.array([0.0, 0, 0, 1, 1, 1]),
        max_questions=2,
        effect_limit=4.0,
    )
    outcome = search(problem)
    assert outcome.proven
    assert outcome.best.points == ((0, 1), (0, 0))
    assert outcome.best.effect_limited
    assert outcome.best.slope * 0.5 == pytest.approx(4.0)


def test_input_that_cannot_be_a_problem_is_refused_with_the_remedy():
    question = Question(2)
    answer = np.zeros((1, 4), np.uint8)
    label = np.array([0.25, 0.5, 0.5, 1])
    with pytest.raises(InvalidDataError, match=r"multiples of 2\^-20"):
        QuestionProblem((question,), answer, np.array([0.1, 0.5, 0.5, 1]))
    with pytest.raises(InvalidDataError, match="both classes"):
        QuestionProblem((question,), answer, np.ones(4))
    with pytest.raises(InvalidDataError, match="answers 0 to 1, not 2"):
        QuestionProblem((question,), answer + np.uint8(2), label)
    for bad in (
        {"answers": 1},
        {"answers": 3, "ordered": 1},
        {"answers": 2, "points": (1, 2)},
        {"answers": 2, "price": -1.0},
    ):
        with pytest.raises(InvalidProblemError):
            Question(**bad)
    with pytest.raises(InvalidProblemError, match="one weight for each"):
        QuestionProblem((question,), answer, label, limits=(((1, 1), 0),))
    with pytest.raises(InvalidProblemError, match="out of range"):
        search(QuestionProblem((question,), answer, label, limits=(((2**45,), 0),)))


def test_every_way_to_say_must_must_not_and_groups_excludes_what_it_says():
    problem = larger(count=6)
    best = search(problem).best.asked
    assert len(best) >= 3
    first, second = best[:2]
    cases = [
        ({"must_not": frozenset({first})}, lambda asked: first not in asked),
        ({"limits": (indicator(6, best[:3], 1),)}, lambda asked: len(set(best[:3]) & set(asked)) <= 1),
        (
            {"limits": ((tuple((j == first) - (j == second) for j in range(6)), 0),), "must_not": frozenset({second})},
            lambda asked: first not in asked,
        ),
        (
            {"must": frozenset(range(6)) - frozenset(best[:-1])},
            lambda asked: set(range(6)) - set(best[:-1]) <= set(asked),
        ),
        ({"max_questions": 2}, lambda asked: len(asked) <= 2),
    ]
    for change, holds in cases:
        changed = replace(problem, **change)
        outcome = search(changed)
        assert outcome.proven
        assert holds(outcome.best.asked), change
        assert outcome.best.objective > search(problem).best.objective - 1e-9
