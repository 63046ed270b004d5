"""Risk tables: calibration against scikit-learn, cross-fitting, weights as copies, curves by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import _SigmoidCalibration, calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from card.evaluate.rated import SYSTEM, copied, labels, table, weighted_rows
from supersparse import RiskScoreClassifier, SLIMClassifier
from supersparse.card.evaluate.calibrating import cross_fitted
from supersparse.card.evaluate.forecasts import forecasts_of_rows
from supersparse.card.evaluate.rates import read_outcomes
from supersparse.errors import InvalidDataError, InvalidOptionError

METHODS = ["isotonic", "logistic"]


def made(n=300, seed=0):
    rng = np.random.default_rng(seed)
    totals = rng.integers(-4, 5, n)
    return totals.tolist(), (rng.random(n) < 1 / (1 + np.exp(-totals))).tolist()


@given(weighted_rows())
def test_isotonic_risks_are_those_of_scikit_learn(rows):
    totals, positive, weights = rows
    found = SYSTEM.risk(table(totals), labels(positive), sample_weight=weights).risk
    theirs = IsotonicRegression(out_of_bounds="clip").fit(totals, np.float64(positive), sample_weight=weights)
    at = np.arange(-5, 5, 0.5)
    assert found.of(at) == pytest.approx(theirs.predict(at), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1, 0.001])
def test_logistic_risks_are_those_of_scikit_learn(seed, scale):
    totals, positive = made(seed=seed)
    weights = np.random.default_rng(seed).integers(1, 4, len(totals)).astype(float)
    found = SYSTEM.recalibrate(table(totals), labels(positive), sample_weight=scale * weights).card.risk
    theirs = LogisticRegression(C=np.inf, tol=1e-10).fit(np.float64(totals)[:, None], positive, sample_weight=weights)
    assert (found.slope, found.offset) == pytest.approx((theirs.coef_[0, 0], theirs.intercept_[0]), abs=1e-4)


def test_a_logistic_map_is_where_its_likelihood_is_flat():
    totals, positive = made()
    risk = SYSTEM.recalibrate(table(totals), labels(positive)).card.risk
    residual = risk.of(np.float64(totals)) - positive
    assert residual.sum() == pytest.approx(0, abs=1e-6)
    assert (residual * totals).sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("positive", [[0, 0, 0, 1, 1, 1], [1, 1, 0, 0, 0, 0], [0] * 6])
def test_where_no_logistic_map_is_most_likely_it_is_platts(positive):
    totals, positive = [-3, -2, -1, 1, 2, 3], np.array(positive)
    found = SYSTEM.recalibrate(table(totals), labels(positive)).card.risk
    theirs = _SigmoidCalibration().fit(np.float64(totals), positive)
    assert found.of(np.float64(totals)) == pytest.approx(theirs.predict(np.float64(totals)), abs=1e-3)


def test_rows_of_one_total_have_their_share_as_risk():
    assert SYSTEM.recalibrate(table([1] * 4), labels([1, 0, 0, 0])).predict_risk({"x": 1}) == pytest.approx(0.25)


@pytest.mark.parametrize("totals", [[-3, -2, -1, 1, 2, 3], [1, 1, 1, 1, 1, 1], [-1e6, -1, 0, 1, 2, 1e6]])
@pytest.mark.parametrize("positive", [[0, 0, 0, 1, 1, 1], [1] * 6, [0] * 6])
@pytest.mark.parametrize("method", METHODS)
def test_separated_single_and_one_sided_rows_have_finite_risks(totals, positive, method):
    found = SYSTEM.risk(table(totals), labels(positive), method=method, folds=3)
    assert all(0 <= r.calibrated <= 1 and 0 <= r.cross_fitted <= 1 for r in found.rows)
    assert 0 <= found.forecasts.brier <= 1
    assert found.in_words()


@given(weighted_rows(), st.sampled_from(METHODS))
@settings(deadline=None)
def test_weight_k_is_k_copies_in_the_same_fold(rows, method):
    totals, positive, weights = rows
    folds = [i % 3 for i in range(len(totals))]
    with_weights = SYSTEM.risk(table(totals), labels(positive), sample_weight=weights, method=method, folds=folds)
    more_totals, more_positive, origin = copied(*rows)
    with_copies = SYSTEM.risk(
        table(more_totals), labels(more_positive), method=method, folds=[folds[i] for i in origin]
    )
    assert with_weights.risk == with_copies.risk
    assert with_weights.forecasts == with_copies.forecasts
    for one, other in zip(with_weights.table(), with_copies.table(), strict=True):
        assert one == pytest.approx(other, abs=1e-12, nan_ok=False)


@given(weighted_rows(least=4), st.data())
@settings(deadline=None)
def test_cross_fitting_never_uses_a_rows_own_label(rows, data):
    totals, positive, _ = rows
    i = data.draw(st.integers(0, len(totals) - 1))
    method = data.draw(st.sampled_from(METHODS))
    folds = data.draw(st.integers(2, 5))
    flipped = [p != (j == i) for j, p in enumerate(positive)]
    own = [
        cross_fitted(read_outcomes(SYSTEM.card, table(totals), labels(p)), method, folds)[i]
        for p in (positive, flipped)
    ]
    assert own[0] == own[1]


def test_the_map_on_all_rows_does_use_the_label():
    # the control of the test above: without cross-fitting the flipped label shows
    one, other = (SYSTEM.risk(table([1, 2, 3]), labels(p)).risk for p in ([0, 0, 1], [0, 1, 1]))
    assert one != other


def test_folds_divide_the_rows_of_each_total_evenly():
    totals, positive = [0] * 10 + [5] * 10, [0] * 10 + [1] * 10
    found = SYSTEM.risk(table(totals), labels(positive), folds=5)
    assert [r.cross_fitted for r in found.rows] == [0, 1]  # no fold lacked a total


def test_one_row_cannot_be_cross_fitted():
    found = SYSTEM.risk(table([1]), ["yes"])
    assert found.forecasts is None
    assert found.rows[0].cross_fitted is None
    assert found.rows[0].calibrated == 1


def test_without_a_method_there_is_only_what_was_observed():
    found = SYSTEM.risk(table([0, 0, 1]), ["no", "yes", "yes"], method=None)
    assert found.risk is found.forecasts is None
    assert [(r.observed.events, r.observed.of, r.positive) for r in found.rows] == [(1, 2, False), (1, 1, True)]
    assert "-" in str(found)


@given(weighted_rows(), st.integers(1, 6))
def test_joined_totals_lose_no_row(rows, bins):
    totals, positive, weights = rows
    found = SYSTEM.risk(table(totals), labels(positive), sample_weight=weights, bins=bins)
    assert len(found.rows) <= bins
    assert sum(r.observed.of for r in found.rows) == sum(weights)
    assert all(a.high < b.low for a, b in zip(found.rows, found.rows[1:], strict=False))
    weighted = sum(r.cross_fitted * float(r.observed.of) for r in found.rows) if found.forecasts else 0
    if found.forecasts:
        assert weighted / sum(weights) == pytest.approx(found.forecasts.mean)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "isotonik"}, InvalidOptionError),
        ({"folds": 1}, InvalidOptionError),
        ({"folds": [0]}, InvalidDataError),
        ({"bins": 0}, InvalidOptionError),
        ({"level": 95}, InvalidOptionError),
    ],
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error):
        SYSTEM.risk(table([0, 1]), ["no", "yes"], **options)


def forecasts(risks, positive, weights):
    n = len(risks)
    outcomes = read_outcomes(SYSTEM.card, table([0] * n), labels(positive), weights)
    return forecasts_of_rows(outcomes, np.asarray(risks)[outcomes.kept])


@given(weighted_rows(both_classes=True), st.data())
def test_brier_and_calibration_curve_are_those_of_scikit_learn(rows, data):
    _, positive, weights = rows
    n = len(positive)
    risks = data.draw(st.lists(st.floats(0.001, 0.999), min_size=n, max_size=n))
    found = forecasts(risks, positive, weights)
    assert found.brier == pytest.approx(brier_score_loss(positive, risks, sample_weight=weights))
    rows = np.repeat(np.arange(n), weights)
    observed, predicted = calibration_curve(np.array(positive)[rows], np.array(risks)[rows], n_bins=5)
    curve = found.calibration(5)
    # theirs puts a risk on an edge into the lower bin
    if not any(r * 5 == int(r * 5) for r in risks):
        assert [b.predicted for b in curve.bins] == pytest.approx(predicted.tolist())
        assert [b.observed.value for b in curve.bins] == pytest.approx(observed.tolist())
    assert sum(b.observed.of for b in curve.bins) == sum(weights)


def test_a_risk_on_the_edge_of_two_bins_is_in_the_upper_one():
    found = forecasts([k / 10 for k in range(10)], [True, False] * 5, None).calibration(10)
    assert [b.predicted for b in found.bins] == [k / 10 for k in range(10)]


@given(weighted_rows(both_classes=True), st.data())
def test_net_benefit_is_its_definition(rows, data):
    _, positive, weights = rows
    n = len(positive)
    risks = np.array(data.draw(st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 1]), min_size=n, max_size=n)))
    positive, weights = np.array(positive), np.array(weights)
    for point in forecasts(risks, positive, weights).decision_curve([0, 0.1, 0.3, 0.5, 0.9]).points:
        treated = risks >= point.at
        right, wrong = weights[treated & positive].sum(), weights[treated & ~positive].sum()
        assert point.treat_some == pytest.approx((right - wrong * point.at / (1 - point.at)) / weights.sum())
        if point.at == 0:
            assert point.treat_some == point.treat_all == pytest.approx(weights[positive].sum() / weights.sum())


def test_curves_and_thresholds_in_words():
    found = forecasts([0.1, 0.1, 0.8, 0.8], [False, True, True, True], None)
    assert "risk 0 to 0.5: 0.100 predicted, 0.500" in found.calibration(2).in_words()
    assert "at 1 of 2 risk thresholds, between 0.6 and 0.6" in found.decision_curve([0.05, 0.6]).in_words()
    thresholds = SYSTEM.evaluate(table([-1, 1, 2]), ["no", "no", "yes"]).thresholds
    assert thresholds.in_words() == (
        "A total of 2 or more makes the fewest errors, 0 of 3; the card's threshold, more than 0, makes 1."
    )


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda f: f.decision_curve(0.2), r"at is 0.2; give a list of risk thresholds"),
        (lambda f: f.decision_curve(["a"]), "a risk threshold is 'a', which is not a number"),
        (lambda f: f.calibration(2.5), "bins is 2.5; give a whole number of at least 1"),
        (lambda f: f.groups("a"), "most is 'a'; give a whole number of at least 1"),
        (lambda f: f.calibration(level="high"), "level is 'high'; the confidence level must be between"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(ask, message):
    with pytest.raises(InvalidOptionError, match=message):
        ask(forecasts([0.5], [True], [1]))


def test_a_risk_threshold_of_one_is_refused():
    with pytest.raises(InvalidOptionError, match="below 1"):
        forecasts([0.5], [True], [1]).decision_curve([1.0])


@pytest.mark.parametrize("method", ["logistic", "isotonic"])
def test_what_was_proven_of_risks_is_dropped_with_them(method):
    X, y = np.array([[0], [0], [1], [1], [2], [2]] * 5), [0, 1, 0, 1, 1, 1] * 5
    system = RiskScoreClassifier(prepare=None, C0=0, max_points=2).fit(X, y).scoring_system_
    assert "Proven optimal" in str(system)
    other = system.recalibrate(X, y[::-1], method=method)
    assert "roven" not in str(other)
    assert f"risks refitted ({method}) to 30 rows" in " ".join(str(other).split())
    assert list(other.predict(X)) == list(system.predict(X))
    errors = SLIMClassifier(C0=0.05, max_points=2).fit(X, y).scoring_system_
    assert "Proven optimal" in str(errors.recalibrate(X, y[::-1], method=method))


def test_a_recalibrated_card_is_judged_by_its_own_risks():
    totals, positive = made()
    system = SYSTEM.recalibrate(table(totals), labels(positive), method="isotonic")
    found = system.evaluate(table(totals), labels(positive))
    expected = brier_score_loss(positive, system.predict_risk(table(totals)))
    assert found.brier == pytest.approx(expected)
    assert found.forecasts.mean == pytest.approx(found.forecasts.observed)
    assert "Brier" in found.in_words()
    # cross-fitted, the same method looks worse, as it should
    assert SYSTEM.risk(table(totals), labels(positive)).forecasts.brier > expected
