"""Questions over many solves: ``python -m benchmarks.many``.

Measures the frontier to 5 features against the single solve with at most 5 features, and the pool of
models within 1 % of the best (points up to 5, at most 3 features), and writes `results/many.md`.
"""

import time
import warnings
from pathlib import Path

from benchmarks.instances import Instance, all_instances
from benchmarks.worker import warm_up
from supersparse import Problem, frontier, pool, solve

RESULTS = Path(__file__).parent / "results"
_FRONTIERS = ("haberman_max5", "mammo_max5", "breastcancer_max5", "tictactoe_max5", "adult_max5")
_POOLS = ("mammo_max5", "breastcancer_max5")


def main() -> None:
    """Measure, print and store."""
    warnings.simplefilter("ignore")  # penalties out of the paper's range are meant so
    warm_up("exact")
    lines = [
        "CPU seconds, one thread, one run; `python -m benchmarks.many`.",
        "",
        "| data | at most 5 features, s | frontier 0 to 5, s | may take, s | proven | errors by size |",
        "|---|---|---|---|---|---|",
        *(_frontier_row(instance) for instance in _here(_FRONTIERS)),
        "",
        "| data | pool within 1 %, s | ways to predict | models | complete |",
        "|---|---|---|---|---|",
        *(_pool_row(instance) for instance in _here(_POOLS)),
        "",
    ]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "many.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


def _here(names: tuple[str, ...]) -> list[Instance]:
    instances = [all_instances()[name] for name in names]
    for instance in instances:
        if instance.missing is not None:
            print(f"skipped: {instance.name}: {instance.missing}", flush=True)
    return [instance for instance in instances if instance.missing is None]


def _frontier_row(instance: Instance) -> str:
    table = instance.table()
    began = time.process_time()
    solve(instance.settings.problem(table), "exact")
    single = time.process_time() - began
    problem = Problem.of(table.X, table.y, points=instance.settings.largest, feature_names=table.names)
    began = time.process_time()
    found = frontier(problem, max_features=5)
    seconds = time.process_time() - began
    errors = ", ".join(
        f"{float(row.solution.evaluation.training_errors):g}" for row in found.rows if row.solution is not None
    )
    proven = "all" if found.proven else "not all"
    return f"| {instance.file} | {single:.2f} | {seconds:.2f} | {2 * single + 1:.2f} | {proven} | {errors} |"


def _pool_row(instance: Instance) -> str:
    table = instance.table()
    problem = Problem.of(table.X, table.y, C0=0.01, max_points=5, feature_names=table.names)
    began = time.process_time()
    found = pool(problem, within=0.01, max_features=3)
    seconds = time.process_time() - began
    ways = len(found.models) + found.left_out
    return f"| {instance.file} | {seconds:.2f} | {ways} | {found.count} | {'yes' if found.complete else 'no'} |"


if __name__ == "__main__":
    main()
