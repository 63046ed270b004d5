"""One table gives one card: from the command line, from both classifiers, and learned again for a report."""

import json

import numpy as np
import pandas as pd
import pytest

from supersparse import SLIMClassifier, SLIMClassifierCV, datasets
from supersparse.card.file import from_json
from supersparse.learn.refit import Refit

TABLES = {
    "breast cancer": (datasets.load_breast_cancer, ["Id"]),
    "haberman": (datasets.load_haberman, []),
    "mammography": (datasets.load_mammography, []),
}
LIMIT = 20  # units of work: the same answer each time, proven or not

QUICK = pytest.mark.parametrize(
    "table", ["haberman", *(pytest.param(n, marks=pytest.mark.long) for n in TABLES if n != "haberman")],
    indirect=True,
)  # fmt: skip


@pytest.fixture(params=TABLES)
def table(request, tmp_path):
    """The raw rows without the target, the target as a named series, and the words of a command."""
    load, dropped = TABLES[request.param]
    data = load()
    frame = pd.DataFrame({name: data.raw[name] for name in data.raw})
    target = data.target
    frame.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "limit.yaml").write_text(f"solve: {{node_limit: {LIMIT}, time_limit: null}}\n")
    words = [word for name in dropped for word in ("--drop", name)]
    # a classifier keeps rows together only if it is given their groups
    command = ["rows.csv", "--target", target, "--settings", "limit.yaml", "--cv-groups", "none", *words]
    return frame.drop(columns=[target, *dropped]), frame[target], command


def plain(text):
    """A card as data, without how long it took and how its file was read."""
    content = json.loads(text)
    content.pop("reading", None)
    content["provenance"].pop("seconds")
    content.pop("digest")  # of all of it, the time included
    return content


def from_command(run, command, *more):
    return json.loads(run("fit", *command, "--goal", "errors", *more, "--json", check=True).stdout)["card"]


def test_the_command_and_the_classifier_learn_the_same_card(table, run):
    X, y, command = table
    learned = from_command(run, command, "--no-validate")
    model = SLIMClassifier(prepare="auto", node_limit=LIMIT, time_limit=None).fit(X, y)
    assert plain(json.dumps(learned)) == plain(model.scoring_system_.to_json())


@pytest.mark.filterwarnings("ignore::supersparse.errors.NoBetterThanBaselineWarning")
@QUICK
def test_both_judge_it_on_the_same_rows_left_out(table, run):
    X, y, command = table
    learned = from_command(run, command, "--C0", "0.01", "--repeats", "1")
    model = SLIMClassifier(C0=0.01, prepare="auto", calibrate="logistic", node_limit=LIMIT, time_limit=None).fit(X, y)
    assert [seen["on"] for seen in learned["performance"]] == ["training", "cross-validation"]
    assert plain(json.dumps(learned)) == plain(model.scoring_system_.to_json())


@pytest.mark.filterwarnings("ignore::supersparse.errors.NoBetterThanBaselineWarning")
@QUICK
@pytest.mark.long
def test_both_choose_the_same_c0_by_cross_validation(table, run):
    X, y, command = table
    learned = from_command(run, command, "--cv", "3")
    model = SLIMClassifierCV(prepare="auto", cv=3, calibrate="logistic", node_limit=LIMIT, time_limit=None).fit(X, y)
    assert plain(json.dumps(learned)) == plain(model.scoring_system_.to_json())


def test_learning_again_from_the_file_gives_the_same_card(table, run):
    X, y, command = table
    card = from_json(json.dumps(from_command(run, command, "--no-validate")))
    columns = {name: X[name].to_numpy() for name in X}
    refit = Refit.of(card, columns, y.to_numpy(), None, node_limit=LIMIT, time_limit=None)
    again = refit(np.arange(len(y))).card
    assert (again.items, again.intercept, again.domains) == (card.items, card.intercept, card.domains)
    assert again.seen == card.seen
    assert again.provenance.settings == card.provenance.settings
    assert again.provenance.objective == card.provenance.objective
