"""CPU seconds of proofs beside those of the commit `before-3`: ``python -m benchmarks.before [small] [supports]``.

`small` are the problems of `make bench-small`, `supports` the tables of `small_tables.py`, whose proofs look at many
small supports. Every problem is solved by both versions, one after the other, each in a process of its own with one
thread: once to load everything, then twice more, of which the shorter counts. Both must prove the same objective.
The older version is installed in an environment of its own, with the numba that it needs.
"""

import json
import math
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import ROOT, Table
from benchmarks.environments import before_3
from benchmarks.instances import Settings, all_instances
from benchmarks.processes import output_of
from benchmarks.small_tables import TABLES
from benchmarks.suites import small

RESULTS = ROOT / "benchmarks" / "results" / "before.jsonl"
_LIMIT = 60.0  # CPU seconds of a solve
_PATIENCE = 60  # by the clock, on a busy machine

_SOLVE = """
import json, sys, time, warnings
import numpy as np
from fractions import Fraction
from supersparse import Problem, solve

warnings.simplefilter("ignore")
table = np.load(sys.argv[1])
asked = json.loads(sys.argv[2])
asked["C0"] = Fraction(asked["C0"])
limit, seconds = float(sys.argv[3]), []
for _ in range(3):
    problem = Problem.of(table["X"], table["y"], **asked)
    began = time.process_time()
    found = solve(problem, "exact", cancel=lambda: time.process_time() - began > limit)
    seconds.append(time.process_time() - began)
    if seconds[-1] > limit:
        break
print(json.dumps({
    "seconds": min(seconds[1:] or seconds), "first": seconds[0],
    "objective": str(found.objective), "proven": found.proven_optimal,
}))
"""


def problems(suites: Sequence[str]) -> Iterable[tuple[str, str, Table, Settings]]:
    """The suite, the name, the table and the settings of each problem."""
    if "small" in suites:
        listed = all_instances()
        for job in small().ours:
            instance = listed[job.instance]
            if instance.missing is None:
                yield "small", instance.name, instance.table(), instance.settings
    if "supports" in suites:
        for table in TABLES:
            yield "supports", table.name, table.table(), table.settings


def measured(python: Path, place: Path, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Solve a problem with an interpreter's version."""
    command = [str(python), "-c", _SOLVE, str(place), json.dumps(asked), str(_LIMIT)]
    answer: dict[str, Any] = json.loads(output_of(command, 3 * _PATIENCE * _LIMIT).splitlines()[-1])
    return answer


def main(suites: Sequence[str]) -> int:
    """Measure both versions, print a row for each problem and the geometric mean, and store them."""
    lines, ratios = [], []
    print("| problem | before, CPU s | now | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for suite, name, table, settings in problems(suites or ("small", "supports")):
            rows, features = table.X.shape
            asked = {
                "C0": str(Fraction(9, 10 * rows * features) if settings.C0 is None else Fraction(settings.C0)),
                "points": settings.largest if settings.points is None else list(settings.points),
                "max_features": settings.max_features,
                "intercept": settings.intercept,
            }
            place = Path(folder) / "table.npz"
            np.savez(place, X=table.X, y=table.y)
            before, now = measured(before_3(), place, asked), measured(Path(sys.executable), place, asked)
            both = before["proven"] and now["proven"]
            if both and before["objective"] != now["objective"]:
                print(f"{name}: {before['objective']} before, {now['objective']} now")
                return 1
            lines.append({"suite": suite, "problem": name, "before": before, "now": now})
            ratios.append(now["seconds"] / before["seconds"])
            shown = " | ".join(
                f"{one['seconds']:.3f}" if one["proven"] else f"not proven in {_LIMIT:.0f}" for one in (before, now)
            )
            print(f"| {name} | {shown} | {ratios[-1]:.2f} |", flush=True)
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    print(f"\ngeometric mean of the ratios of {len(ratios)} problems: {mean:.2f}")
    if not suites:
        RESULTS.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
