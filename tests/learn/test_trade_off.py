"""Trade-offs on held-out rows, and net benefit as a name for class weights."""

import json
from fractions import Fraction

import numpy as np
import pytest

from supersparse import Problem, SLIMClassifier, cross_validated_trade_off, plot, solve, trade_off
from supersparse.card.evaluate.trade_off import CrossValidatedPoint, CrossValidatedTradeOff, read_ratios
from supersparse.card.performance import Performance
from supersparse.errors import InvalidInputError
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, repeated_splits, splits_of
from supersparse.learn.trade_off import risks_by_fold
from supersparse.learn.validation import validate
from supersparse.problem.objective import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

RANDOM = np.random.default_rng(2)
X = RANDOM.integers(0, 3, (60, 2))
Y = np.where(X[:, 0] + RANDOM.normal(0, 0.8, 60) > 1.2, "ill", "well")
MODEL = SLIMClassifier(C0=0.01, max_points=2, solver="exhaustive", positive="ill")


def test_each_row_is_judged_by_a_card_learned_without_it():
    found = cross_validated_trade_off(MODEL, X, Y, ratios=[0.5, 2], cv=3)
    for point, ratio in zip(found.points, (0.5, 2), strict=True):
        weights = {"well": 2 / (1 + ratio), "ill": 2 * ratio / (1 + ratio)}
        said = np.empty(60, dtype=object)
        for train, test in repeated_splits(Y, 3, 1):
            card = SLIMClassifier(**{**MODEL.get_params(), "class_weight": weights}).fit(X[train], Y[train])
            said[test] = card.predict(X[test])
        seen = point.performance
        assert seen.true_positives == ((said == "ill") & (Y == "ill")).sum()
        assert seen.false_positives == ((said == "ill") & (Y == "well")).sum()
        assert seen.n == 60
        gain = seen.true_positives - seen.false_positives / Fraction(ratio)
        assert point.net_benefit == gain / 60


def test_a_ratio_and_a_threshold_are_one_thing():
    assert read_ratios(None, [0.2]) == read_ratios([4], None) == [4]
    point = CrossValidatedPoint(
        ratio=Fraction(4),
        features=1.0,
        performance=Performance(
            on="cross-validation", true_positives=3, false_negatives=1, true_negatives=4, false_positives=2
        ),
    )
    assert point.threshold == Fraction(1, 5)
    assert point.net_benefit == Fraction(5, 20)
    assert point.net_benefit_of_all == Fraction(5, 20)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ratios": [1], "thresholds": [0.5]}, "give one of them"),
        ({"ratios": [0]}, "each above 0"),
        ({"thresholds": [1]}, "each between 0 and 1"),
        ({"thresholds": []}, "at least one"),
        ({"ratios": [1], "max_false_positive_rates": [0.1]}, "another sweep than ratios or thresholds"),
        ({"max_false_positive_rates": [2]}, "each from 0 to 1"),
    ],
)
def test_what_cannot_be_swept_is_refused(given, message):
    with pytest.raises(InvalidInputError, match=message):
        cross_validated_trade_off(MODEL, X, Y, **given)


def test_it_can_be_drawn_and_tabulated():
    found = cross_validated_trade_off(MODEL, X, Y, thresholds=[0.2, 0.5], cv=2, repeats=2)
    assert (found.folds, found.repeats) == (2, 2)
    assert [row["threshold"] for row in found.table()] == [0.5, 0.2]
    left, right = plot(found).figure.axes
    assert left.get_xlabel() == "specificity on held-out rows"
    assert [line.get_label() for line in right.get_lines()] == ["card for the threshold", "treat all", "treat none"]
    thresholds, of_all = right.get_lines()[1].get_data()
    expected = [row["net_benefit_of_all"] for row in found.table()]
    assert [of_all[0], of_all[-1]] == pytest.approx(expected)
    prevalence = (Y == "ill").mean()  # from which risk on acting on everyone does harm
    assert np.all((of_all > 0) == (thresholds < prevalence))


def test_limits_are_swept_by_the_most_sensitive_card_of_each_fold():
    found = cross_validated_trade_off(MODEL, X, Y, max_false_positive_rates=[0.1, 0.4], cv=3)
    assert [(point.limit, point.ratio) for point in found.points] == [(Fraction(1, 10), None), (Fraction(2, 5), None)]
    for point, limit in zip(found.points, (0.1, 0.4), strict=True):
        said = np.empty(60, dtype=object)
        for train, test in repeated_splits(Y, 3, 1):
            problem = Problem.of(X[train], Y[train], C0=0.01, max_points=2, positive="ill")
            (alone,) = trade_off(problem, solver="exhaustive", max_false_positive_rates=[limit]).points
            values, b = alone.solution.points.values, alone.solution.points.intercept_value
            said[test] = np.where((X[test] * [float(v) for v in values]).sum(axis=1) + float(b) > 0, "ill", "well")
        assert point.performance.true_positives == ((said == "ill") & (Y == "ill")).sum()
        assert point.performance.false_positives == ((said == "ill") & (Y == "well")).sum()
    assert found.table()[0].keys() == {"limit", "features", "sensitivity", "specificity", "auc", "folds"}
    assert str(found).splitlines()[2].split("  ")[0] == "FPR at most"
    assert "2 limits on the false positive rate on 3 folds" in repr(found)
    assert len(plot(found).figure.axes) == 1  # a limit is no price, so there is no net benefit


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.8])
def test_the_best_net_benefit_is_that_of_the_class_weights(threshold):
    asked = {"C0": 0, "max_points": 2, "positive": "ill"}
    problem = Problem.of(X, Y, objective="net_benefit", risk_threshold=threshold, **asked)
    t = Fraction(str(threshold))
    assert problem.class_weights == (2 * t, 2 * (1 - t))

    def net_benefit(points):
        found = evaluate(Problem.of(X, Y, **asked), points)
        positives = int((Y == "ill").sum())
        hits = found.sensitivity * positives
        alarms = (1 - found.specificity) * (60 - positives)
        return (hits - alarms * t / (1 - t)) / 60

    best = solve(problem, "exhaustive")
    others = [solve(Problem.of(X, Y, class_weight={"ill": w}, **asked), "exhaustive") for w in (0.2, 0.5, 1, 2, 5)]
    assert net_benefit(best.points) >= max(net_benefit(other.points) for other in others)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"objective": "net_benefit"}, "give risk_threshold"),
        ({"risk_threshold": 0.2}, "use objective='net_benefit'"),
        ({"objective": "net_benefit", "risk_threshold": 1}, "above 0 and below 1"),
        ({"objective": "net_benefit", "risk_threshold": 0.2, "class_weight": "balanced"}, "sets the class"),
        ({"objective": "benefit"}, "did you mean 'net_benefit'"),
    ],
)
def test_net_benefit_needs_a_threshold_and_no_weights(asked, message):
    with pytest.raises(InvalidInputError, match=message):
        Problem.of(X, Y, **asked)


def test_the_command_shows_the_same(run, tmp_path):
    rows = [f"{a},{b},{y}" for (a, b), y in zip(X.tolist(), Y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    words = ["--target", "y", "--positive", "ill", "--no-prepare", "--max-points", "2", "--C0", "0.01"]
    done = run(
        "trade-off", "rows.csv", *words, "--solver", "exhaustive", "--thresholds", "0.2, 0.5", "--cv", "3",
        "--plot", "both.png", "--json", check=True,
    )  # fmt: skip
    found = cross_validated_trade_off(MODEL, X, Y, thresholds=[0.2, 0.5], cv=3)
    assert json.loads(done.stdout)["rows"] == found.table()
    assert (tmp_path / "both.png").stat().st_size > 1000
    refused = run("trade-off", "rows.csv", *words, "--thresholds", "0.2;0.5")
    assert refused.returncode == 2
    assert "--thresholds is '0.2;0.5', but '0.2;0.5' is not a number" in refused.stderr
    asked = ["--objective", "net_benefit", "--risk-threshold", "0.2", "--no-validate", "--json"]
    card = json.loads(run("fit", "rows.csv", "--goal", "errors", *words, *asked, check=True).stdout)["card"]
    assert card["provenance"]["settings"]["class_weight"] == {"well": 0.4, "ill": 1.6}


# Rows that are held out once

OPTIONS = (
    "--target", "y", "--positive", "ill", "--no-prepare", "--max-points", "2", "--C0", "0.01",
    "--solver", "exhaustive",
)  # fmt: skip


def written(path, rows):
    lines = [f"{a},{b},{y}" for (a, b), y in zip(X[rows].tolist(), Y[rows], strict=True)]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")


@pytest.mark.parametrize(
    ("swept", "asked"),
    [
        (["--ratios", "0.5,2"], {"ratios": [0.5, 2]}),
        (["--max-false-positive-rates", "0.1,0.4"], {"max_false_positive_rates": [0.1, 0.4]}),
    ],
)
def test_a_table_of_held_out_rows_is_judged_as_in_python(swept, asked, run, tmp_path):
    first, last = np.arange(40), np.arange(40, 60)
    written(tmp_path / "rows.csv", first)
    written(tmp_path / "test.csv", last)
    done = run("trade-off", "rows.csv", *OPTIONS, *swept, "--test", "test.csv", "--plot", "p.png", "--json", check=True)
    told = json.loads(done.stdout)
    assert (told["held_out"], told["held_out_positive"]) == (20, int((Y[last] == "ill").sum()))
    problem = Problem.of(X[first], Y[first], C0=0.01, max_points=2, positive="ill")
    for row, value in zip(told["rows"], *asked.values(), strict=True):
        name = next(iter(asked))
        (alone,) = trade_off(problem, solver="exhaustive", test=(X[last], Y[last]), **{name: [value]}).points
        assert row["sensitivity"] == float(alone.test_sensitivity)
        assert row["specificity"] == float(alone.test_specificity)
        assert row["training_sensitivity"] == float(alone.sensitivity)
        assert row["training_specificity"] == float(alone.specificity)
        assert row["proven"]
        assert row["ratio" if name == "ratios" else "limit"] == value
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_share_of_raw_rows_is_held_out(run, tmp_path):
    written(tmp_path / "rows.csv", np.arange(60))
    words = ["--target", "y", "--positive", "ill", "--max-features", "1", "--thresholds", "0.3", "--hold-out", "0.25"]
    text = run("trade-off", "rows.csv", *words, check=True).stdout
    positive = max(1, round(0.25 * int((Y == "ill").sum())))
    assert f"On {positive + round(0.25 * int((Y == 'well').sum()))} held-out rows, {positive} of them positive:" in text
    assert "sens., training" in text
    assert "net benefit" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hold-out", "0.2", "--test", "rows.csv"], "--test and --hold-out both say what to judge on"),
        (["--hold-out", "0.2", "--cv", "3"], "--cv divides rows into folds, and --hold-out has none"),
        (["--test", "rows.csv", "--cv-time", "a"], "--cv-time divides rows into folds, and --test has none"),
        (["--hold-out", "1"], "--hold-out is 1; give a share between 0 and 1, such as 0.2"),
        (["--max-false-positive-rates", "0.1", "--ratios", "1"], "another sweep than --ratios or --thresholds"),
        (["--max-false-positive-rates", "7"], "is 7; give at least one share, each from 0 to 1"),
        (["--max-false-positive-rates", "0.1", "--goal", "risk", "--hold-out", "0.3"], "use goal 'errors'"),
    ],
)
def test_what_contradicts_rows_held_out_is_refused(words, message, run, tmp_path):
    written(tmp_path / "rows.csv", np.arange(60))
    done = run("trade-off", "rows.csv", "--target", "y", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_ratios_that_time_left_without_some_folds_are_named():
    seen = {"on": "cross-validation", "true_positives": 3, "false_negatives": 1}
    whole = Performance(**seen, true_negatives=4, false_positives=2)
    cut = Performance(**seen, true_negatives=4, false_positives=2, folds=(5, 10))
    points = [CrossValidatedPoint(ratio=Fraction(r), features=1.0, performance=p) for r, p in ((1, whole), (4, cut))]
    found = CrossValidatedTradeOff(points=tuple(points), folds=5, repeats=2)
    assert str(found).splitlines()[-1] == "W+/W- 4: judged on 5 of 10 folds, for want of time"
    assert [row["folds"] for row in found.table()] == [10, 5]


def test_folds_whose_teacher_is_known_learn_the_same_cards_of_questions():
    draw = np.random.default_rng(0)
    X = {"age": draw.integers(20, 80, 120), "dose": draw.integers(0, 9, 120)}
    y = (X["age"] / 15 + X["dose"] / 3 + draw.normal(size=120) > 5.2).astype(int)
    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    settings = Settings.of(goal="risk", class_weight={"0": 1, "1": 3}, positive="1")
    recipe = Recipe(settings=settings, prepare=Prepare())
    folds = Folds(splits=splits_of(y, 3))
    taught = risks_by_fold(recipe, rows, folds, 1)
    assert set(taught) == {"fold 1 of 3", "fold 2 of 3", "fold 3 of 3"}
    known, plain = validate(recipe, rows, folds, taught=taught), validate(recipe, rows, folds)
    for one, other in zip(known.unseen, plain.unseen, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
    assert known.comparison is None
    assert plain.comparison is not None
