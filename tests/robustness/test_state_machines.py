"""What users do to an estimator and to settings, in any order, beside plain models of both."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase
from hypothesis import settings as run_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone

from settings_cases import all_settings
from supersparse import Settings, SLIMClassifier
from supersparse.card.file import from_json, to_json
from supersparse.errors import InvalidInputError, SupersparseError, SupersparseWarning
from supersparse.learn.settings.settings import read_settings, write_settings

# the text of a strategy for settings of all kinds is long
pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")

CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "C0": st.sampled_from([0.01, 0.1, 0.3, {"x0": 0.2, "*": 0.05}]),
        "max_points": st.integers(1, 2),
        "max_features": st.sampled_from([1, 2, None, "auto"]),
        "class_weight": st.sampled_from([None, "balanced", {0: 2, 1: 1}]),
        "intercept": st.sampled_from(["free", "none", (-2, 2)]),
        "positive": st.sampled_from([None, 0, 1]),
        "random_state": st.sampled_from([None, 0, 7]),
    },
)
WRONG = st.sampled_from(
    [
        {"C0": -1}, {"max_points": 0}, {"points": "many"}, {"class_weight": {3: 1}}, {"intercept": "any"},
        {"solver": "best"}, {"time_limit": -1}, {"max_features": -1}, {"positive": "x"}, {"gap": "no"},
    ]
)  # fmt: skip


@st.composite
def tables(draw):
    n = draw(st.integers(4, 8))
    X = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=n, max_size=n))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return np.array(X), np.array(y), None if weights is None else np.array(weights)


class Estimators(RuleBasedStateMachine):
    """A classifier beside what it was told: parameters, and the rows of the last fit that succeeded."""

    def __init__(self):
        super().__init__()
        warnings.simplefilter("ignore", SupersparseWarning)
        self.model = SLIMClassifier(solver="exhaustive", max_points=2)
        self.told = self.model.get_params()
        self.known = None  # rows, labels, predictions and parameters of the last fit

    @rule(changes=CHANGES)
    def set_parameters(self, changes):
        self.model.set_params(**changes)
        self.told.update(changes)

    @rule(table=tables())
    def fit(self, table):
        X, y, weights = table
        try:
            self.model.fit(X, y, sample_weight=weights)
        except SupersparseError:
            self.known = None
            return
        again = clone(self.model).fit(X, y, sample_weight=weights)
        assert again.points_ == self.model.points_
        assert self.model.proven_optimal_
        self.known = X, y, self.model.predict(X), self.model.points_

    @rule(wrong=WRONG, table=tables())
    def refuse(self, wrong, table):
        before = {name: self.told.get(name) for name in wrong}
        self.model.set_params(**wrong)
        with pytest.raises((InvalidInputError, SupersparseError)):
            self.model.fit(*table[:2])
        self.model.set_params(**before)

    @rule()
    def copy(self):
        copied = clone(self.model)
        assert str(copied.get_params()) == str(self.model.get_params())
        assert not hasattr(copied, "points_")

    @precondition(lambda self: self.known is not None)
    @rule()
    def start_from_itself(self):
        X, y, _, points = self.known
        first = clone(self.model).fit(X, y)
        warm = clone(self.model).set_params(initial=first.scoring_system_).fit(X, y)
        assert warm.objective_ == first.objective_
        assert self.model.points_ == points

    @precondition(lambda self: self.known is not None)
    @rule()
    def save_and_load(self):
        pytest.importorskip("skops")
        from supersparse.card.export.estimator import load_estimator, save_estimator

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.skops"
            save_estimator(self.model, path)
            self.model = load_estimator(path)
        assert set(self.model.get_params()) == set(self.told)

    @precondition(lambda self: self.known is not None)
    @rule()
    def card_and_back(self):
        X, _, predictions, _ = self.known
        card = self.model.scoring_system_.card
        assert from_json(to_json(card)) == card
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
        assert self.model.scoring_system_.predict(columns).tolist() == predictions.tolist()

    @invariant()
    def parameters_are_what_was_told(self):
        found = self.model.get_params()
        assert {name: str(value) for name, value in found.items()} == {
            name: str(value) for name, value in self.told.items()
        }

    @invariant()
    def predictions_stay(self):
        if self.known is not None:
            X, _, predictions, points = self.known
            assert self.model.predict(X).tolist() == predictions.tolist()
            assert self.model.points_ == points


class Files(RuleBasedStateMachine):
    """Settings in memory and in a file: written, read, edited and merged."""

    def __init__(self):
        super().__init__()
        self.settings = Settings.of()

    @initialize(given=all_settings())
    def begin(self, given):
        self.settings = given

    @rule(form=st.sampled_from(["yaml", "json"]))
    def write_and_read(self, form):
        text = write_settings(self.settings, form)
        found = read_settings(text, form)
        assert found == self.settings
        assert write_settings(found, form) == text

    @rule(form=st.sampled_from(["yaml", "json"]))
    def save_and_load(self, form):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"settings.{form}"
            self.settings.save(path)
            self.settings.save(path)  # over itself
            assert Settings.load(path) == self.settings
            assert [found.name for found in Path(folder).iterdir()] == [path.name]

    @rule(C0=st.sampled_from([0, 0.25, {"*": 0.5}]), most=st.integers(3, 9))
    def change(self, C0, most):
        try:
            changed = self.settings.changed(C0=C0, max_features=most)
        except InvalidInputError:  # levels replace C0, and limits may contradict others
            return
        assert changed.max_features == most
        assert changed.changed(C0=C0, max_features=most) == changed
        self.settings = changed

    @rule(other=all_settings())
    def merge(self, other):
        """What another file says goes before; the rest stays."""
        both = {**self.settings.to_dict(), **other.to_dict()}
        try:
            merged = Settings.from_dict(both)
        except InvalidInputError:
            return
        for name in other.to_dict():
            assert getattr(merged, name) == getattr(other, name)
        self.settings = merged

    @rule(line=st.integers(0, 40), word=st.sampled_from(["", "nonsense: 1", "C0: -1", "  - x", "["]))
    def edit(self, line, word):
        lines = write_settings(self.settings, "yaml").splitlines()
        lines.insert(min(line, len(lines)), word)
        try:
            found = read_settings("\n".join(lines))
        except InvalidInputError:
            return
        assert read_settings(write_settings(found)) == found

    @invariant()
    def meaning_is_its_dictionary(self):
        assert Settings.from_dict(self.settings.to_dict()) == self.settings


def examples(default, long):
    """A bounded part by default, more with the profile of the long tests."""
    many = run_settings.default.max_examples > 40
    return run_settings(
        max_examples=long if many else default,
        stateful_step_count=30 if many else 10,
        phases=(Phase.explicit, Phase.generate),  # a sequence of steps takes minutes to shrink
    )


def test_an_estimator_keeps_its_word_whatever_is_done_to_it():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Estimators, settings=examples(6, 150))


def test_settings_mean_the_same_however_they_are_kept():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Files, settings=examples(6, 150))
