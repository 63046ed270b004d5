"""The worked example of CONTRIBUTING.md: one declaration, one effect, and the setting is everywhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EVERYWHERE = """
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
"""


@pytest.mark.long
def test_the_diff_of_the_guide_adds_a_setting_everywhere(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (tmp_path / "setting.diff").write_text(
        re.search(r"```diff\n(.*?)```", guide, re.DOTALL)[1], encoding="utf-8"
    )
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
    subprocess.run(["git", "apply", "setting.diff"], cwd=tmp_path, check=True)
    changed = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    subprocess.run([sys.executable, "-c", EVERYWHERE], env=changed, check=True)
    shown = subprocess.run(
        [sys.executable, "-c", "from supersparse.show.cli.app import main; main()", "fit", "--help"],
        env=changed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "--max-total" in shown.stdout
