"""The stored runs in short tables, for docs/comparison.md: `python -m benchmarks.overview` writes them."""

from benchmarks.data import ROOT
from benchmarks.instances import all_instances
from benchmarks.ratios import against_best
from benchmarks.record import Record, Results, load
from benchmarks.suites import OURS, PEERS
from benchmarks.table import grid, into_docs, number

PAGE = ROOT / "docs" / "comparison.md"
STORED = ROOT / "benchmarks" / "results" / "full.jsonl"
STORED_LONG = STORED.with_name("adult.jsonl")
GROUPS = ("reference", "miplib")


def markdown(results: Results, longer: Results | None) -> str:
    """Write the solvers on the same problems, also those of a longer run, and FasterRisk at equal size."""
    parts = [_race(results)]
    if longer is not None:
        limit = max(record.limit for record in longer.records)
        parts += [f"With {limit:.0f} CPU seconds for each of the others:", _race(longer)]
    return "\n\n".join([*parts, "## FasterRisk, at equal size and equal points", _compared(results)]) + "\n"


def _race(results: Results) -> str:
    names = [i.name for i in all_instances().values() if i.group in GROUPS]
    raced = [n for n in names if any(results.of(n, peer) is not None for peer in PEERS)]
    return grid(
        ("problem", "supersparse", "HiGHS", "SCIP", "CP-SAT", "fastest other / ours"),
        [
            [
                name,
                *(_outcome(results.of(name, solver)) for solver in (OURS, *PEERS)),
                str(against_best(results, name) or "-"),
            ]
            for name in raced
        ],
    )


def _compared(results: Results) -> str:
    return grid(
        ("problem", "at most", "FasterRisk", "supersparse", "the fewest possible"),
        [
            [
                c.instance,
                f"{c.size} features",
                f"{c.fasterrisk_errors} errors",
                f"{c.errors} errors",
                _proof(c.proven),
            ]
            for c in results.comparisons
            if c.error is None
        ],
    )


def _outcome(record: Record | None) -> str:
    if record is None:
        return "not run"
    if record.model is None:
        return "refused"
    if record.model.proven_optimal:
        # ours goes on to prove the smallest points, which the ratio counts as well
        return f"proven, {number(record.cpu_seconds if record.solver == OURS else record.proof_seconds)} s"
    return f"gap {record.model.gap:.0%}"


def _proof(proven: bool) -> str:
    return "yes, proven" if proven else "not proven"


def main() -> None:
    """Write the tables of the stored runs into the page."""
    into_docs(markdown(load(STORED), load(STORED_LONG)), PAGE)


if __name__ == "__main__":
    main()
