"""The worked example of CONTRIBUTING.md: one declaration, one effect, and the setting is everywhere."""

import pytest

from worked_examples import run_changed

EVERYWHERE = """
import subprocess, sys
from supersparse import Problem, Settings, SLIMClassifier, SLIMClassifierCV
from supersparse.learn.settings.settings import read_settings, schema

X, y = [[0, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 1, 0]
for problem in (
    Problem.of(X, y, max_total=1),
    Settings.of(max_total=1).problem(X, y),
    read_settings("max_total: 1").problem(X, y),
):
    assert len(problem.score_limits) == 1
assert "max_total" in schema()["properties"]
for classifier in (SLIMClassifier, SLIMClassifierCV):
    assert "max_total" in classifier().get_params() and "max_total" in classifier.__doc__
model = SLIMClassifier(max_total=1, max_points=3, C0=0.25, solver="exhaustive").fit(X, y)
assert model.coef_.clip(0).sum() <= 1

call = [sys.executable, "-c", "from supersparse.show.cli.app import main; main()", "fit", "--help"]
assert "--max-total" in subprocess.run(call, capture_output=True, text=True, check=True).stdout
"""


@pytest.mark.long
def test_the_diff_of_the_guide_adds_a_setting_everywhere(tmp_path):
    run_changed("Adding a setting", EVERYWHERE, tmp_path)
