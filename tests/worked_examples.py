"""The worked examples of CONTRIBUTING.md, and a copy of the package to which one is applied."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def diffs_of_the_guide():
    """The diffs, by the heading that they stand below."""
    parts = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")
    found = {part.splitlines()[0]: re.findall(r"```diff\n(.*?)^```", part, re.DOTALL | re.MULTILINE) for part in parts}
    return {heading: diffs for heading, diffs in found.items() if diffs}


def apply(diff, folder, *options):
    """Apply a diff in a folder, as a reader would."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    call = ["git", "apply", *options, "-"]
    done = subprocess.run(call, cwd=folder, input=diff, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# an editable installation finds the package before the path is asked
_WITHOUT_EDITABLE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable")]
"""


def run_changed(heading, code, folder):
    """Run Python on a copy of the package with the diffs below a heading; return what it prints."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("pictures", "study"))
    for diff in diffs_of_the_guide()[heading]:
        apply(diff, folder)
    (folder / "src" / "sitecustomize.py").write_text(_WITHOUT_EDITABLE, encoding="utf-8")
    changed = {**os.environ, "PYTHONPATH": str(folder / "src")}
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, cwd=folder, env=changed, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
