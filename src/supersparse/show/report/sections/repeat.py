"""How to repeat the report: command, data, card, seed, limits and versions."""

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version

from supersparse.card.file import to_json
from supersparse.engine.answers.frontier import Frontier
from supersparse.show.report.blocks import Block, Paragraph, Section, TableBlock, counted
from supersparse.show.report.bootstrap import Stability
from supersparse.show.report.evidence import Evidence
from supersparse.show.report.folds import CrossValidation, Trades
from supersparse.show.report.plan import Absent
from supersparse.table.plain import visible

_PACKAGES = ("supersparse", "numpy", "scipy", "scikit-learn", "numba", "matplotlib", "reportlab")


def repeat(evidence: Evidence, command: str | None) -> Section:
    """TRIPOD+AI asks how data were used (12a), how predictions were made (12g) and for the code (18f)."""
    plan = evidence.plan
    limit = "none" if plan.time_limit is None else f"{plan.time_limit:g} s for the whole report"
    nodes = "" if plan.node_limit is None else f", {plan.node_limit} nodes for each solve"
    rows = [
        *(() if command is None else (("command", visible(command)),)),
        ("card", f"sha256:{hashlib.sha256(to_json(evidence.card).encode()).hexdigest()}"),
        ("rows", _fingerprint(evidence)),
        ("seed", str(plan.seed)),
        ("time limit", limit + nodes),
        *_work(evidence),
        ("versions", f"Python {platform.python_version()}, " + ", ".join(_versions())),
    ]
    blocks: list[Block] = [
        TableBlock(
            caption="What this report was made from",
            header=("what", "value"),
            rows=tuple(rows),
            text_columns=2,
        ),
        Paragraph(_same_again(evidence)),
    ]
    return Section(
        name="repeat", title="How to repeat this report", tripod=("12a", "12g", "18f"), blocks=tuple(blocks)
    )


def _fingerprint(evidence: Evidence) -> str:
    made = evidence.card.provenance
    if evidence.same_rows and made is not None:
        return f"{visible(made.data or '')} (the training rows)"
    return f"{counted(len(evidence.data), 'row')}, not known to be the training rows"


def _work(evidence: Evidence) -> list[tuple[str, str]]:
    """How much of what was planned was done, and how much of it is proven."""
    rows = []
    sizes, folds, trades, samples = (
        evidence.frontier, evidence.validation, evidence.trades, evidence.stability
    )  # fmt: skip
    if isinstance(sizes, Frontier):
        proven = sum(row.proven for row in sizes.rows)
        rows.append(("sizes", f"0 to {len(sizes.rows) - 1}; {proven} of {len(sizes.rows)} proven"))
    if isinstance(folds, CrossValidation):
        proven = sum(fold.proven for fold in folds.folds)
        rows.append(("folds", f"{len(folds.folds)} of {folds.asked}; {proven} cards proven optimal"))
    if isinstance(trades, Trades):
        rows.append(("ratios of class weights", f"{len(trades.points)} of {trades.asked}"))
    if isinstance(samples, Stability):
        rows.append(
            (
                "bootstrap samples",
                f"{samples.samples} of {samples.asked}; {samples.proven} cards proven optimal",
            )
        )
    return rows


def _same_again(evidence: Evidence) -> str:
    if _hit_a_limit(evidence):
        return (
            "Some searches reached their time limit, so a repetition may find slightly different cards on "
            "folds and samples. For the same numbers everywhere, set a node limit and no time limit "
            "(--node-limit 2000 --time-limit inf)."
        )
    return "No search reached its time limit: the same card, rows, seed and versions give the same report."


def _hit_a_limit(evidence: Evidence) -> bool:
    """Whether time decided what is in the report."""
    sizes, folds, trades, samples = (
        evidence.frontier, evidence.validation, evidence.trades, evidence.stability
    )  # fmt: skip
    if evidence.plan.time_limit is None:
        return False
    return (
        (isinstance(sizes, Frontier) and not sizes.proven)
        or (isinstance(folds, CrossValidation) and (folds.timed_out or not _all_proven(folds)))
        or (
            isinstance(trades, Trades)
            and (trades.timed_out or any(p.proven < p.folds for p in trades.points))
        )
        or (isinstance(samples, Stability) and (samples.timed_out or samples.proven < samples.samples))
        or any(isinstance(part, Absent) and "no time" in part.reason for part in (folds, trades, samples))
    )


def _all_proven(folds: CrossValidation) -> bool:
    return all(fold.proven for fold in folds.folds)


def _versions() -> list[str]:
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found
