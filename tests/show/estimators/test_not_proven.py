"""A fit whose proof a limit, an interruption or rounding leaves open says so, with the gap and what to do."""

import warnings

import numpy as np
import pytest

from supersparse import RiskScoreClassifier, SLIMClassifier, Stop
from supersparse.engine.proving.monitor import Monitor
from supersparse.errors import NotProvenWarning, SupersparseError

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 6)).round(2)
Y = (X[:, 0] + X[:, 1] + RANDOM.normal(size=200) > 0).astype(int)


def test_a_limit_is_a_warning_with_the_gap_and_a_remedy():
    with pytest.warns(NotProvenWarning, match=r"a gap of \d+\.\d %; raise the limit.*prepare=") as seen:
        model = SLIMClassifier(node_limit=3, time_limit=None).fit(X, Y)
    assert not model.proven_optimal_
    assert f"{100 * model.gap_:.1f} %" in str(seen[0].message)
    assert seen[0].filename == __file__


@pytest.mark.parametrize("classifier", [SLIMClassifier, RiskScoreClassifier])
def test_an_interruption_is_a_warning_with_the_gap(classifier, monkeypatch):
    monkeypatch.setattr(Monitor, "stop_reason", lambda self: Stop.INTERRUPTED)
    message = r"was interrupted.*a gap of \d+\.\d %; fit again .*twice"
    with pytest.warns(NotProvenWarning, match=message) as seen:
        model = classifier(prepare=None).fit(X, Y)
    assert model.stop_ is Stop.INTERRUPTED
    assert f"{100 * model.gap_:.1f} %" in str(seen[0].message)


def test_small_whole_numbers_need_no_preparation():
    small = (X > 0).astype(int)
    with pytest.warns(NotProvenWarning) as seen:
        SLIMClassifier(C0=0.005, node_limit=1, time_limit=None).fit(np.hstack([small] * 2)[:, :7], Y)
    assert "prepare" not in str(seen[0].message)


def test_a_proven_card_and_one_within_the_gap_that_was_asked_for_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SLIMClassifier(C0=0.2, max_points=1).fit(X.round(), Y)
        SLIMClassifier(gap=1.0, time_limit=None).fit(X, Y)


def people():
    """Age, smoker, and who is ill."""
    rng = np.random.default_rng(0)
    age, smoker = rng.integers(20, 80, 120), rng.integers(0, 2, 120)
    ill = (rng.random(120) < 1 / (1 + np.exp(-(0.06 * (age - 50) + 1.2 * smoker - 0.5)))).astype(int)
    return age, smoker, ill


def test_a_proof_that_rounding_leaves_open_is_a_warning_and_not_called_proven():
    age, smoker, ill = people()
    heavy = RiskScoreClassifier(prepare=None, C0=0, class_weight={1: 1e9, 0: 1})
    with (
        pytest.warns(UserWarning, match="different weights in learning"),
        pytest.warns(NotProvenWarning, match="leave the proof open.*weigh rows and classes less unevenly"),
    ):
        model = heavy.fit(np.column_stack([age, smoker]), ill)
    assert model.stop_ is Stop.ROUNDING
    assert not model.proven_optimal_
    assert "Not proven: a better card could exist" in str(model.scoring_system_)


@pytest.mark.parametrize(
    ("slope", "times", "plus", "remedy"), [(1, 1e15, 0, "divide"), ("free", 1, 1e12, "subtract a constant")]
)
def test_a_column_that_doubles_cannot_hold_is_refused_with_its_name_and_the_remedy(slope, times, plus, remedy):
    age, smoker, ill = people()
    with pytest.raises(SupersparseError, match=rf"column 'x0' has values .*: {remedy}"):
        RiskScoreClassifier(prepare=None, C0=0, slope=slope).fit(np.column_stack([age * times + plus, smoker]), ill)
