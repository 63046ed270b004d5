"""Every process collects the same tests under the same names, at any time of day and with any hash seed.

Two workers share a run (`make test`), and pytest-xdist ends it before the first test when their lists differ:
that is the check of every day, and this one names the test.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.long
def test_another_process_collects_the_same_names(request):
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert collected.returncode == 0, collected.stdout[-2000:] + collected.stderr[-2000:]
    there = set(collected.stdout.splitlines())
    here = {item.nodeid for item in request.session.items}
    assert here - there == set()
