"""Proofs of the default cards of bundled tables, and of a suite: leaves, bytes, seconds to write and to check.

    python -m benchmarks.risk_certificates [--suite FOLDER] [--only NAME] [--questions 6 8] [--jobs 2] [--keep FOLDER]

Each table is written to a file, a card of questions is learned from it by `supersparse fit --certificate`, and
the checker reads the three files in a process of its own. Seconds are of the processor. The figures go to docs/trust,
with ``--only`` those of some tables anew; the files to a folder, with ``--keep``.
"""

import argparse
import datetime
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from benchmarks.data import ROOT
from supersparse._version import __version__
from supersparse.engine.certify.checking import checker_file
from supersparse.learn import certifying
from supersparse.show.cli.app import app
from supersparse.table.datasets import loaders

BUNDLED = ("breast-cancer", "haberman", "mammography", "tic-tac-toe")
OUT = ROOT / "docs" / "trust" / "risk-certificates.json"
MEDIAN = "median of the tables"


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, default=ROOT.parent / "shared" / "suite")
    parser.add_argument("--only", action="append", default=None)
    parser.add_argument("--questions", type=int, nargs="+", default=[6, 8])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None)
    asked = parser.parse_args()
    known = json.loads(OUT.read_text(encoding="utf-8"))["figures"] if OUT.exists() else {}
    figures: dict[str, dict[str, Any]] = {name: dict(one) for name, one in known.items() if name != MEDIAN}
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(asked.jobs) as pool:
        folder = asked.keep or Path(scratch)
        tables = [(name, *bundled(name, folder)) for name in BUNDLED]
        tables += [(file.stem, file, "y") for file in sorted(asked.suite.glob("*.csv"))]
        tables = [table for table in tables if asked.only is None or table[0] in asked.only]
        tasks = [(name, most, table, target) for most in asked.questions for name, table, target in tables]
        found = [pool.submit(measured, folder, table, target, most, asked.seconds) for _, most, table, target in tasks]
        for (name, most, *_), one in zip(tasks, found, strict=True):
            figures.setdefault(name, {})[f"{most} questions"] = one.result()
            print(name, most, json.dumps(one.result()), flush=True)
    content = {
        "command": "make risk-certificates",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": __version__,
        "figures": figures | {MEDIAN: medians(figures)},
    }
    OUT.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def medians(figures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The median of each figure over the tables that have it."""
    found: dict[str, Any] = {}
    for size in dict.fromkeys(size for one in figures.values() for size in one):
        columns: dict[str, list[float]] = {}
        for one in figures.values():
            for name, value in one.get(size, {}).items():
                if isinstance(value, int | float):
                    columns.setdefault(name, []).append(value)
        found[size] = {name: statistics.median_high(values) for name, values in columns.items()}
    return found


def bundled(name: str, folder: Path) -> tuple[Path, str]:
    """A bundled table as a file, and the column to predict."""
    data, place = loaders.load(name), folder / f"{name}.csv"
    data.columns.write_csv(place)
    return place, data.target


def measured(folder: Path, table: Path, target: str, questions: int, seconds: float) -> dict[str, Any]:
    """The figures of one table."""
    card, proof = (folder / f"{table.stem}-{questions}.{kind}" for kind in ("card.json", "proof.json.gz"))
    found: dict[str, Any] = {}
    write = certifying.certify_risk

    def timed(*args: Any, **more: Any) -> int:
        began = time.process_time()
        try:
            found["leaves"] = write(*args, **more)
        finally:
            found["seconds to write"] = round(time.process_time() - began, 1)
        return int(found["leaves"])

    certifying.certify_risk = timed
    command = ["fit", str(table), "--target", target, "--goal", "risk", "--max-questions", str(questions)]
    command += ["--no-validate", "--time-limit", str(seconds), "--out", str(card), "--certificate", str(proof), "-q"]
    try:
        done = CliRunner().invoke(app, command)
    finally:
        certifying.certify_risk = write
    if not proof.exists():
        lines = f"{done.output}\n{done.exception or ''}".strip().splitlines()
        return found | {"checker": next((line for line in lines if "ertificate" in line), lines[-1])}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    check = [sys.executable, "-I", "-S", str(checker_file()), str(table), str(card), str(proof)]
    answer = subprocess.run(check, capture_output=True, text=True, encoding="utf-8").stdout
    found["seconds to check"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 1)
    return found | {"kilobytes": round(proof.stat().st_size / 1e3, 1), "checker": answer.partition(":")[0]}


if __name__ == "__main__":
    main()
