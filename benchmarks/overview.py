"""The stored runs in short tables, for docs/comparison.md and README.md: `python -m benchmarks.overview`."""

from benchmarks.data import ROOT
from benchmarks.instances import all_instances
from benchmarks.ratios import against_best
from benchmarks.record import Record, Results, load
from benchmarks.suites import OURS, PEERS
from benchmarks.table import grid, into_docs, number

PAGE = ROOT / "docs" / "comparison.md"
STORED = ROOT / "benchmarks" / "results" / "full.jsonl"
STORED_LONG = STORED.with_name("adult.jsonl")
_SOLVERS = ("supersparse", "HiGHS", "SCIP", "CP-SAT")
_RATIO = "fastest other / ours"
README = ROOT / "README.md"
GROUPS = ("reference", "miplib")
# Each table once or twice, the paper's own settings among them, and what is too hard or takes us longest.
HEADLINES = {
    "breastcancer_reg": "683 biopsies, 9 columns, C0 = 0.01",
    "breastcancer_paper": "683 biopsies, 9 columns, as in the paper",
    "mammo_max5": "961 mammograms, 14 columns, at most 5",
    "mammo_paper": "961 mammograms, 14 columns, as in the paper",
    "tictactoe_max5": "958 boards, 27 columns, at most 5",
    "tictactoe_reg": "958 boards, 27 columns, C0 = 0.01",
    "adult_reg": "32,561 adults, 36 columns, C0 = 0.01",
    "spambase_reg": "4,601 e-mails, 57 columns, C0 = 0.01",
}


def markdown(results: Results, longer: Results | None) -> str:
    """Write the solvers on the same problems, also those of a longer run, and FasterRisk at equal size."""
    parts = [_race(results)]
    if longer is not None:
        limit = max(record.limit for record in longer.records)
        parts += [f"With {limit:.0f} CPU seconds for each of the others:", _race(longer)]
    return "\n\n".join([*parts, "## FasterRisk, at equal size and equal points", _compared(results)]) + "\n"


def headlines(results: Results) -> str:
    """Write some of the problems, in words, and how many of all were proven."""
    rows = [
        [words, *_outcomes(results, name), str(against_best(results, name) or "-")] for name, words in HEADLINES.items()
    ]
    return grid(("problem", *_SOLVERS, _RATIO), rows) + f"\n\n{_proven_of_all(results)}\n"


def into_pages(results: Results, longer: Results | None) -> None:
    """Write the tables into the pages that show them."""
    into_docs(markdown(results, longer), PAGE)
    into_docs(headlines(results), README)


def raced(results: Results) -> list[str]:
    """Name the problems on which others were run too."""
    names = [i.name for i in all_instances().values() if i.group in GROUPS]
    return [n for n in names if any(results.of(n, peer) is not None for peer in PEERS)]


def _race(results: Results) -> str:
    return grid(
        ("problem", *_SOLVERS, _RATIO),
        [[name, *_outcomes(results, name), str(against_best(results, name) or "-")] for name in raced(results)],
    )


def _proven_of_all(results: Results) -> str:
    names = raced(results)

    def count(solver: str) -> int:
        return sum(record is not None and record.proven for record in (results.of(n, solver) for n in names))

    ours, *others = (f"{title} {count(solver)}" for title, solver in zip(_SOLVERS, (OURS, *PEERS), strict=True))
    return (
        f"Proven of all {len(names)} problems on which they were compared: {ours}, "
        f"{', '.join(others[:-1])} and {others[-1]}."
    )


def _outcomes(results: Results, name: str) -> list[str]:
    return [_outcome(results.of(name, solver)) for solver in (OURS, *PEERS)]


def _compared(results: Results) -> str:
    return grid(
        ("problem", "at most", "FasterRisk", "supersparse", "the fewest possible"),
        [
            [c.instance, f"{c.size} features", f"{c.fasterrisk_errors} errors", f"{c.errors} errors", _proof(c.proven)]
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
    """Write the tables of the stored runs."""
    into_pages(load(STORED), load(STORED_LONG))


if __name__ == "__main__":
    main()
