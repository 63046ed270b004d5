"""The versions of `make test-lowest` are the least that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
# measuring, documents, style and licensed solvers have environments of their own
ELSEWHERE = {"gurobi", "cplex", "test-solvers", "bench", "dev", "docs", "all"}


def test_every_least_version_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"]]
    for extra, packages in project["optional-dependencies"].items():
        asked += packages if extra not in ELSEWHERE else []
    least = {re.sub(r"\[.*\]", "", line).replace(">=", "==") + ".*" for line in asked}
    text = (ROOT / "tests" / "lowest-versions.txt").read_text(encoding="utf-8")
    tested, _, _ = text.partition("# not ours")
    assert {line for line in tested.splitlines() if not line.startswith("#")} == least
