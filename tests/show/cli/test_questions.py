"""Options about the questions that a card may ask: --direction, --shape, --candidates."""

import numpy as np
import pytest

from supersparse import ScoringSystem
from supersparse.learn.prepare.fitting import _MOST_CELLS, _MOST_FEATURES
from supersparse.show.cli.counts import _QUESTIONS

ASK = ["--target", "ill", "--C0", "0.01", "--no-validate", "--time-limit", "20", "--out", "card.json"]


@pytest.fixture
def patients(tmp_path):
    """Patients who are ill when they are young or old."""
    random = np.random.default_rng(0)
    age = random.integers(18, 95, 200)
    bmi = random.normal(27, 5, 200).round(1)
    ill = np.where(random.random(200) < 0.1, random.random(200) < 0.5, (age < 40) | (age >= 70))
    rows = zip(age, bmi, np.where(ill, "yes", "no"), strict=True)
    text = "age,bmi,ill\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    (tmp_path / "patients.csv").write_text(text)
    return "patients.csv"


def points_by_age(path):
    system = ScoringSystem.load(path)
    people = {"age": np.arange(18, 95), "bmi": np.full(77, 27.0)}
    return np.diff([float(t) for t in system.total(people)])


def test_points_rise_or_fall_unless_the_command_says_otherwise(run, patients, tmp_path):
    run("fit", patients, "--goal", "errors", *ASK, "--no-validate", check=True)
    steps = points_by_age(tmp_path / "card.json")
    assert (steps >= 0).all() or (steps <= 0).all()
    for option, value in (("--direction", "age=+"), ("--shape", "age=rising")):
        run("fit", patients, "--goal", "errors", *ASK, "--no-validate", option, value, check=True)
        assert (points_by_age(tmp_path / "card.json") >= 0).all()
    run("fit", patients, "--goal", "errors", *ASK, "--no-validate", "--shape", "age=any", check=True)
    steps = points_by_age(tmp_path / "card.json")
    assert (steps > 0).any()
    assert (steps < 0).any()


def test_help_says_how_many_candidates_there_are(run):
    said = " ".join(run("counts", "--help", check=True).stdout.split())
    assert f"auto for {_MOST_FEATURES} ({_QUESTIONS} for counts)" in said
    assert f"fewer above {_MOST_CELLS // _MOST_FEATURES:,} rows" in said


def test_a_card_from_few_candidates_says_so(run, patients, tmp_path):
    done = run("fit", patients, "--goal", "errors", *ASK, "--no-validate", "--candidates", "3", check=True)
    made = ScoringSystem.load(tmp_path / "card.json").card.provenance
    assert len(made.features) == 3 < made.n_candidates
    assert f"over 3 of {made.n_candidates} candidate features" in " ".join(done.stdout.split())
    done = run("fit", patients, "--goal", "errors", *ASK, "--no-validate", "--candidates", "all", check=True)
    assert f"over {made.n_candidates} features" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--direction", "age"], "--direction is 'age'; give NAME=SIGN"),
        (["--direction", "age=up"], "--direction of 'age' is 'up'; give '+' or '-'"),
        (["--shape", "age=risng"], "--shape of 'age' is 'risng'; did you mean 'rising'?"),
        (["--shape", "age=any", "--shape", "age=rising"], "--shape names 'age' twice; give it once"),
        (["--shape", "agee=any"], "shape: there is no column 'agee'; did you mean 'age'?"),
        (["--candidates", "0"], "--candidates is 0; give a whole number of at least 1"),
        (["--candidates", "some"], "--candidates is 'some'; give 'auto', or a whole number of"),
    ],
)
def test_what_cannot_be_read_is_named(run, patients, given, message):
    done = run("fit", patients, "--goal", "errors", *ASK, *given)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
