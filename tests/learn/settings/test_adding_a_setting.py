"""The worked examples of CONTRIBUTING.md: one declaration, one effect, and the setting is everywhere."""

import pytest

from worked_examples import run_changed

OF_THE_CARD = """
from supersparse import Problem, Settings, SLIMClassifier, SLIMClassifierCV
from supersparse.learn.settings.settings import read_settings, schema
from supersparse.show.studio.choices import form

X, y = [[0, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 1, 0]
for problem in (
    Problem.of(X, y, max_total=1),
    Settings.of(max_total=1).problem(X, y),
    read_settings("max_total: 1").problem(X, y),
):
    assert len(problem.score_limits) == 1
assert "max_total" in schema()["properties"]
assert form()["fields"]["max_total"]["help"] == "Largest total that a card can give."
for classifier in (SLIMClassifier, SLIMClassifierCV):
    assert "max_total" in classifier().get_params() and "max_total" in classifier.__doc__
model = SLIMClassifier(max_total=1, max_points=3, C0=0.25, solver="exhaustive").fit(X, y)
assert model.coef_.clip(0).sum() <= 1
"""
OF_THE_PREPARATION = """
from sklearn.base import clone
from supersparse import Prepare, SLIMClassifier
from supersparse.learn.settings.settings import read_settings, schema
from supersparse.show.studio.choices import changed, no_choices
from supersparse.show.studio.choices import form

X = {"a": [1, 2, 3, 4] * 10, "b": [1, None, None, 2] * 10}
y = [0, 0, 1, 1] * 10
prepare = Prepare(most_missing=0.3)
assert {f.column for f in clone(prepare).fit(X, y).features_} == {"a"}
assert {f.column for f in Prepare(most_missing=0.5).fit(X, y).features_} == {"a", "b"}
assert "Leave out columns" in Prepare.__doc__
model = SLIMClassifier(C0=0.1, prepare="auto", solver="exhaustive")
model.set_params(prepare__most_missing=0.3).fit(X, y)
assert "b: left out: too many values are missing (most_missing)" in model.prepare_.notes_
settings = read_settings("prepare: {most_missing: 0.3}")
assert settings.to_dict() == {"prepare": {"most_missing": 0.3}}
section = schema()["properties"]["prepare"]["properties"]["most_missing"]
assert section["description"].startswith("Leave out columns")
assert form()["fields"]["prepare.most_missing"]["default"] == 1
assert changed(no_choices(), {"most_missing": 0.3})["most_missing"] == 0.3
for wrong in (lambda: changed(no_choices(), {"most_missing": 2}), lambda: Prepare(most_missing=2).fit(X, y)):
    try:
        wrong()
    except Exception as error:
        assert "most_missing" in str(error), error
    else:
        raise AssertionError("2 was taken")
"""
ON_THE_COMMAND_LINE = """
import subprocess, sys
from pathlib import Path

def supersparse(*words):
    done = subprocess.run([sys.executable, "-m", "supersparse", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout

shown = supersparse("fit", "--help")
assert "--max-total" in shown and "--most-missing" in shown
Path("rows.csv").write_text("a,b,ill\\n" + "1,1,no\\n2,,no\\n3,,yes\\n4,2,yes\\n" * 10)
asked = ["--target", "ill", "--goal", "errors", "--no-validate", "--C0", "0.1", "--solver", "exhaustive"]
supersparse("fit", "rows.csv", *asked, "--max-total", "3", "--most-missing", "0.3", "--out", "card.json")
card = Path("card.json").read_text()
assert '"most_missing": 0.3' in card and '"max_total_score": 3' in card
"""
IN_THE_STUBS = """
import runpy

stub = runpy.run_path("docs/scripts/stubs.py")["stub"]
assert "max_total: Number | None = None," in stub("show/estimators")
assert "most_missing: float = 1," in stub("learn/prepare")
"""


@pytest.mark.long
def test_the_diffs_of_the_guide_add_two_settings_everywhere(tmp_path):
    everywhere = OF_THE_CARD + OF_THE_PREPARATION + ON_THE_COMMAND_LINE + IN_THE_STUBS
    run_changed("Adding a setting", everywhere, tmp_path)
