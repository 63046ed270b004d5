"""Large tables under a time limit: what is left out, and that a valid card still comes. No clock is read."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Prepare, Problem, RiskScoreClassifierCV, Settings, SLIMClassifier, solve
from supersparse.base.integer_arrays import distinct_of
from supersparse.engine import pipeline, sampling
from supersparse.errors import InvalidDataError, SolverFailedError
from supersparse.learn import crossfit
from supersparse.learn.crossfit import CrossFit, FitsOfFold, Fold
from supersparse.learn.fit import Learner, fit
from supersparse.learn.prepare.cuts import ClassCounts, cut_gains, gain
from supersparse.learn.prepare.round_numbers import roundest
from supersparse.learn.prepare.sample import Most
from supersparse.learn.progress import Clock
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import Folds, splits_of
from supersparse.show.estimators.learning import recipe_of


def wide(n_rows=400, n_columns=100, share=0.3):
    random = np.random.default_rng(0)
    X = (random.random((n_rows, n_columns)) < share).astype(np.int8)
    y = X[:, -30] | X[:, -29]
    return X, y


def rows_of(X, y):
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return TrainingRows(X=table, y=y, sample_weight=None, rate_groups=None)


def test_columns_are_no_longer_looked_at_when_time_is_up():
    X, y = wide()
    late = Prepare().fit_within(X, y, None, Most(values=1e9, columns=1000, ends=0.0))
    assert late.notes_[0].startswith("70 of 100 columns were not looked at, to keep the time limit")
    assert {"x70", "x71"} <= {feature.column for feature in late.features_}
    assert [feature.position for feature in late.features_] == sorted(f.position for f in late.features_)
    assert np.array_equal(late.transform(X)[:, [f.column for f in late.features_].index("x70")], X[:, 70])


def test_rare_answers_are_offered_where_most_are_rare():
    X, y = wide(1000, 40, 0.015)
    assert 10 <= X.sum(axis=0).mean() < 20
    prepare = Prepare().fit(X, y)
    assert prepare.notes_[0] == ("most answers are rarer than 20 rows; those with at least 10 are offered (rare)")
    offered = {feature.column for feature in prepare.features_}
    assert offered == {f"x{j}" for j in range(40) if X[:, j].sum() >= 10}


def test_rare_answers_are_refused_with_a_remedy_where_a_share_was_asked():
    X, y = wide(1000, 40, 0.015)
    with pytest.raises(InvalidDataError, match=r"40 candidates single out fewer than 0\.1 of the rows.*rare"):
        Prepare(rare=0.1).fit(X, y)


def test_a_wide_table_of_rare_columns_gives_features_though_time_is_up(monkeypatch):
    monkeypatch.setattr(pipeline, "LARGE", 0)
    monkeypatch.setattr(sampling, "LEAST_SECONDS", 1e6)  # of a search that ends by itself
    random = np.random.default_rng(0)
    X = (random.random((600, 150)) < 0.05).astype(np.int8)
    y = X[:, 140] | X[:, 141] | X[:, 142]
    solution = solve(Problem.of(X, y, C0=0.002, max_points=1), time_limit=0.0)
    assert {140, 141, 142} == set(solution.points.support)
    assert solution.evaluation.training_errors == 0


def test_a_card_comes_without_folds_when_time_is_up():
    X, y = wide(200, 40)
    rows = rows_of(X, y)
    recipe = recipe_of(SLIMClassifier(prepare="auto", C0=0.02, max_points=1, time_limit=0.0))
    question = recipe.question(rows)
    fitted = fit(question, rows, Folds(splits=splits_of(y, 2)), clock=Clock(ends=0.0))
    assert fitted.validation is None
    assert fitted.unjudged == "the time limit leaves too little time for the folds; raise it"
    assert fitted.card.provenance.n_rows == 200


def test_a_search_has_a_tenth_of_the_limit_when_preparing_took_it_all():
    X, y = wide(200, 40)
    rows = rows_of(X, y)
    question = recipe_of(SLIMClassifier(prepare="auto", C0=0.02, max_points=1, time_limit=30)).question(rows)
    limits = []

    def noted(asked, options):
        limits.append(options["time_limit"])
        return solve(asked.problem, **{**options, "time_limit": None})

    Learner(solve=noted).fit(question, rows, Clock(ends=0.0))
    assert limits == [3.0]


def test_no_fold_is_begun_that_takes_longer_than_the_time_left():
    nobody = np.arange(0)
    folds = [Fold(name=f"fold {k}", train=nobody, test=nobody) for k in range(3)]
    clock = Clock(ends=time.monotonic() + 1000)
    begun = CrossFit(task=None, clock=clock)
    assert [fold.name for fold, *_ in begun._announced(folds, 3)] == ["fold 0", "fold 1", "fold 2"]
    begun.least = 1e6  # seconds that an earlier fold took, though it was given fewer
    assert list(begun._announced(folds, 3)) == []


@pytest.mark.parametrize(
    ("took", "limit", "least"), [(1.2, 10.0, 0.0), (1.5, 10.0, 1.5), (1.5, 60.0, 0.0), (3.5, 60.0, 3.5)]
)
def test_only_a_fold_that_takes_far_longer_than_it_is_given_keeps_others_from_being_begun(
    monkeypatch, took, limit, least
):
    now = [10.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def learned(*_):
        now[0] += took
        return ["found"]

    monkeypatch.setattr(FitsOfFold, "learned", learned)
    in_time = CrossFit(task=fold_task(time_limit=limit), clock=Clock(ends=11.0))
    some = [Fold(name="fold", train=np.arange(3), test=np.arange(1))]
    assert list(in_time.over(some)) == [["found"]]
    assert in_time.least == pytest.approx(least)


def test_another_penalty_asks_what_the_settings_would_ask():
    X, y = wide(100, 40)
    rows = rows_of(X, y)
    recipe = recipe_of(SLIMClassifier(prepare="auto"))
    changed, asked = recipe.question(rows).with_penalty(0.03), recipe.asking(C0=0.03).question(rows)
    assert changed.recipe.settings == asked.recipe.settings
    assert changed.problem.C0 == asked.problem.C0 == (Fraction(3, 100),) * asked.problem.n_features
    assert changed.problem.intercept_C0 == asked.problem.intercept_C0
    assert changed.problem.sets == asked.problem.sets
    assert changed.problem.asked == asked.problem.asked


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40) | st.integers(-3, 3), min_size=1, max_size=40))
def test_distinct_values_are_those_that_sorting_finds(values):
    column = np.array(values)
    found, place = distinct_of(column)
    assert found.tolist() == sorted(set(values))
    assert found.dtype == column.dtype
    assert found[place].tolist() == values


@settings(max_examples=examples(100), deadline=None)
@given(st.fractions(-1000, 1000, max_denominator=1000), st.fractions(0, 50, max_denominator=1000))
def test_the_roundest_number_is_the_multiple_of_the_largest_step_nearest_to_the_middle(above, width):
    up_to = above + max(width, Fraction(1, 1000))
    found = roundest(above, up_to)
    assert above < found <= up_to
    steps = [Fraction(10) ** p / half for p in range(4, -6, -1) for half in (1, 2)]
    step = next(s for s in steps if up_to // s > above // s or found == 0)
    if found != 0:
        multiples = [k * step for k in range(above // step + 1, up_to // step + 1)]
        assert found == min(multiples, key=lambda t: (abs(t - (above + up_to) / 2), t))


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8))
def test_gains_of_all_cuts_are_those_of_each(counts):
    negative, positive = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    bins = ClassCounts(negative, positive)
    each = [gain(bins, np.arange(len(counts)) > cut) for cut in range(len(counts) - 1)]
    assert cut_gains(bins) == pytest.approx(each, abs=1e-9)


def nothing_found(*_, **__):
    raise SolverFailedError("the solver found nothing; raise the limits")


def fold_task(**options):
    recipe = Recipe(settings=Settings.of(), prepare=None, options={"solver": "exhaustive", **options})
    return FitsOfFold(recipe=recipe, rows=None, costs={})


def test_a_fold_that_finds_nothing_is_fitted_again_in_the_time_that_is_left(monkeypatch):
    given = []

    def learned(task, fold, seconds):
        given.append(seconds)
        return nothing_found() if len(given) == 1 else ["found"]

    monkeypatch.setattr(FitsOfFold, "learned", learned)
    assert fold_task()(None, 1.0, time.time() + 1000, False) == ["found"]
    assert given[0] == 1.0
    assert 900 < given[1] <= 1000


def test_a_process_that_starts_late_has_less_time_and_does_nothing_when_it_is_up(monkeypatch):
    given = []
    monkeypatch.setattr(FitsOfFold, "learned", lambda task, fold, seconds: given.append(seconds) or ["found"])
    task = fold_task(time_limit=60.0)
    monkeypatch.setattr(time, "time", lambda: 103.0)
    assert task(None, 5.0, 105.0, False) == ["found"]  # 2 of 5 seconds are left
    assert task(None, 1.0, 106.0, False) == ["found"]
    assert task(None, 5.0, 103.0, False) is None
    assert given == [2.0, 1.0]


def test_a_fold_that_still_finds_nothing_is_named_with_its_share_and_what_to_do(monkeypatch):
    monkeypatch.setattr(crossfit, "solve_each_penalty", nothing_found)
    X, y = [[i, i % 3] for i in range(40)], [i % 2 for i in range(40)]
    message = r"fold 1 of 5, in \S+ s, its share of the time: .* raise the limits, relax the constraints, or use"
    with pytest.raises(SolverFailedError, match=message):
        RiskScoreClassifierCV(prepare=None, time_limit=1000).fit(X, y)
