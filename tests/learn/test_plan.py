"""What is tried is planned before any clock is read: the same on a machine that is slow, busy or uneven."""

import time
from dataclasses import replace
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest

from supersparse import ScoringSystem, SLIMClassifierCV
from supersparse.base.stop import Stop
from supersparse.errors import SkippedFoldsWarning
from supersparse.learn import crossfit, validation
from supersparse.learn.crossfit import FitsOfFold, LateError
from supersparse.learn.fit import fit
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, repeated_splits

RANDOM = np.random.default_rng(5)
X = RANDOM.integers(0, 3, (120, 3))
Y = (X[:, 0] + RANDOM.normal(0, 1, 120) > 1).astype(int)
ROWS = TrainingRows(X=X, y=Y, sample_weight=None, rate_groups=None, names=("a", "b", "c"))
RECIPE = Recipe(settings=Settings.of(max_points=1), options={"solver": "exhaustive", "time_limit": 60.0, "n_jobs": 1})
PACES = {"fast": [0.0], "slow": [1.0], "uneven": [0.1, 1.0, 0.6], "late": [2.0]}


@pytest.fixture
def machine(monkeypatch):
    """A machine whose folds take given shares of the seconds that they are given."""
    now, real = [1000.0], FitsOfFold.learned
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + now[0])

    def at(pace):
        shares = cycle(pace)

        def learned(task, fold, seconds):
            recipe = task.recipe
            unlimited = replace(recipe, options={**recipe.options, "time_limit": None}, planned_seconds=recipe.plan)
            found = real(replace(task, recipe=unlimited), fold, None)
            now[0] += next(shares) * seconds
            return found

        monkeypatch.setattr(FitsOfFold, "learned", learned)
        return now

    return at


def fitted(recipe=RECIPE, **asked):
    question = recipe.question(ROWS)
    return fit(question, ROWS, Folds(splits=repeated_splits(Y, 5, 2), repeats=2, **asked))


def without_seconds(card):
    return replace(card, provenance=replace(card.provenance, seconds=0.0))


@pytest.mark.parametrize("given", [{}, {"C0": 0.05}], ids=["C0 chosen", "C0 given"])
def test_every_machine_tries_the_same_folds_and_penalties(machine, monkeypatch, given):
    monkeypatch.setattr(crossfit, "LARGE", 0)
    monkeypatch.setattr(crossfit, "_LEAST_ROWS", 10)
    monkeypatch.setattr(crossfit, "_LEAST_OF_CLASS", 5)
    monkeypatch.setattr(crossfit, "_VALUES_PER_SECOND", 200 if not given else 40)
    seen = []
    for name in ("fast", "slow", "uneven"):
        machine(PACES[name])
        seen.append(fitted(RECIPE.asking(**given)))
    for one in seen:
        assert (one.validation.folds, one.validation.folds_asked, one.validation.repeats) == (10, 10, 2)
        assert one.validation.sampled is not None
        assert one.validation.as_data() == seen[0].validation.as_data()
        assert without_seconds(one.card) == without_seconds(seen[0].card)
        assert one.card.performance[-1].folds is None


def test_folds_for_which_time_runs_out_are_the_last_ones_and_the_card_says_so(machine):
    now = machine(PACES["late"])
    began = now[0]
    one = fitted(RECIPE.asking(C0=0.05))
    done = one.validation.folds
    assert 5 <= done < 10
    assert now[0] - began <= 60
    whole = repeated_splits(Y, 5, 2)[:done]
    assert [part.rows.tolist() for part in one.validation.chosen.unseen] == [t.tolist() for _, t in whole]
    assert f"{done} of 10 folds (the others were skipped)" in one.validation.in_words()
    assert one.card.performance[-1].folds == (5, 10)
    system = ScoringSystem.from_json(ScoringSystem(one.card).to_json())
    assert system.card == one.card
    for text in (str(system), system.to_markdown(), system.to_html(), system.to_latex()):
        assert "(cross-validation, 5 of the 10 folds that were planned)." in " ".join(text.split())


def test_a_classifier_says_which_folds_were_left_out(machine):
    machine([10.0])
    with pytest.warns(SkippedFoldsWarning, match="time for 1 of 5 folds"):
        model = SLIMClassifierCV(Cs=[0.05], max_points=1, solver="exhaustive").fit(X, Y)
    assert model.scoring_system_.card.performance[-1].folds == (1, 5)


def test_processes_that_load_for_long_leave_the_final_card_its_time(machine, monkeypatch):
    now = machine([0.0])

    class Late:
        """Processes of which none answers before the time is up."""

        def __init__(self, *, timeout=None, **_):
            self.timeout = timeout

        def __call__(self, tasks):
            next(iter(tasks))
            now[0] += 1e6 if self.timeout is None else self.timeout
            raise LateError
            yield

    monkeypatch.setattr(crossfit, "Parallel", Late)
    monkeypatch.setattr(crossfit, "_START", 0.0)
    limits, real = [], PreparedProblem.solve

    def solve(self, **options):
        limits.append(options["time_limit"])
        return real(self, **options)

    monkeypatch.setattr(PreparedProblem, "solve", solve)
    assert fitted(n_jobs=2).validation.folds == 10  # within so short a limit none are started
    monkeypatch.setattr(crossfit, "_LOADING", 0.0)
    one = fitted(n_jobs=2)
    assert one.validation.folds == 2  # the first, and one more in what the card left
    assert limits[-1] > 0.35 * 60


def test_a_classifier_whose_processes_come_too_late_learns_one_fold_itself(machine, monkeypatch):
    now = machine([0.0])

    def late(*, timeout, **_):
        def run(tasks):
            now[0] += timeout
            raise LateError
            yield tasks

        return run

    monkeypatch.setattr(crossfit, "Parallel", late)
    with pytest.warns(SkippedFoldsWarning, match="time for 1 of 5 folds"):
        model = SLIMClassifierCV(Cs=[0.05], max_points=1, solver="exhaustive", n_jobs=2).fit(X, Y)
    assert model.n_splits_ == 1


def test_what_the_first_card_proved_of_the_final_one_stays(monkeypatch):
    monkeypatch.setattr(validation, "VALUES", [0.01])  # the C0 that the first card has
    real, searches = PreparedProblem.solve, []

    def solve(self, **options):
        searches.append(self)
        found = real(self, **options)
        if len(searches) == 1:  # proven, but smaller points could exist
            return replace(found, stop=Stop.BOUND, smallest=False)
        return replace(found, stop=Stop.TIME_LIMIT, smallest=False, lower_bound=Fraction(0))

    monkeypatch.setattr(PreparedProblem, "solve", solve)
    one = fitted()
    assert len(searches) == 2
    assert one.solution.proven_optimal
    assert one.card.provenance.proven_optimal


def test_a_first_card_that_is_complete_is_not_searched_again(monkeypatch):
    monkeypatch.setattr(validation, "VALUES", [0.01])
    real, searches = PreparedProblem.solve, []
    monkeypatch.setattr(PreparedProblem, "solve", lambda self, **o: searches.append(self) or real(self, **o))
    assert fitted().solution.proven_optimal
    assert len(searches) == 1


def test_a_fold_of_questions_whose_time_went_into_its_teacher_is_searched_all_the_same():
    columns = {name: X[:, j] * 10 + np.arange(120) % 7 for j, name in enumerate("abc")}
    rows = TrainingRows(X=columns, y=Y, sample_weight=None, rate_groups=None)
    recipe = Recipe(settings=Settings.of(goal="risk", max_questions=2), prepare=Prepare(), options={"time_limit": 60.0})
    (fold, *_) = crossfit.named_folds(repeated_splits(Y, 5, 1))
    task = FitsOfFold(recipe=recipe, rows=rows, costs={0: Fraction(1), 1: Fraction(1)})
    (found,) = task.learned(fold, 1e-6)
    assert found.searched
    assert found.size > 0
