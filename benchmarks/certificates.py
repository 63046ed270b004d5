"""Certificates of the named instances and what becomes of changed ones: the figures of docs/trust.

    PYTHONPATH=tests python -m benchmarks.certificates [--viprchk PROGRAM] [--only NAME] [--tamper TRIALS]

Each instance is solved without and with a certificate (CPU seconds, kernels compiled before); then our
checker and viprchk read the files, each in a process of its own. Without --viprchk, the program is compiled
from shared/vipr, or left out where that, g++ or GMP is missing.
"""

import argparse
import csv
import datetime
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.data import ROOT, Table
from benchmarks.instances import Instance, all_instances
from engine.certify.certificates import built_viprchk
from engine.certify.tampering import tampered
from supersparse import ScoringSystem, solve
from supersparse._version import __version__
from supersparse.base.errors import PenaltyRangeWarning
from supersparse.engine.certify.certificate import certify, digest_of
from supersparse.engine.certify.checking import checker_file
from supersparse.engine.certify.statement import TableNames
from supersparse.learn.card_of_solution import card_of_solution

NAMES = (
    "haberman_reg",
    "breastcancer_reg",
    "breastcancer_max5",
    "mammo_reg",
    "mammo_max5",
    "mammo_paperfree",
    "tictactoe_max5",
    "adult_reg",
    "adult_max5",
)
OUT = ROOT / "docs" / "trust"


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viprchk", type=Path, default=None)
    parser.add_argument("--only", action="append", choices=NAMES, default=None)
    parser.add_argument("--tamper", type=int, default=1000)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", PenaltyRangeWarning)
    with tempfile.TemporaryDirectory() as folder:
        viprchk = asked.viprchk or built_viprchk(Path(folder))
        figures = {}
        for name in asked.only or NAMES:
            instance = all_instances()[name]
            if instance.missing is not None:
                print(f"{name}: left out, {instance.missing}")
                continue
            figures[name] = measured(instance, Path(folder), viprchk)
            print(name, json.dumps(figures[name]), flush=True)
        if asked.only is None:
            record("certificates", figures)
        if asked.tamper:
            counts = tampered(Path(folder), asked.tamper, viprchk)
            print("tampering", json.dumps(counts))
            if asked.only is None:
                record("tampering", counts)


def record(kind: str, figures: dict[str, Any]) -> None:
    """Write the figures of one kind to docs/trust."""
    content = {
        "command": "make certificates",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": __version__,
        "figures": figures,
    }
    OUT.mkdir(exist_ok=True)
    (OUT / f"{kind}.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def measured(instance: Instance, folder: Path, viprchk: Path | None) -> dict[str, Any]:
    """Solve, certify and check one instance."""
    table = instance.table()
    problem = instance.settings.problem(table)
    solve(problem, node_limit=1)  # loads the kernels
    began = time.process_time()
    solution = solve(problem)
    plain = time.process_time() - began
    data, card, proof = (folder / f"{instance.name}{end}" for end in (".csv", ".json", ".vipr.gz"))
    write_table(data, table)
    names = TableNames(target="y", sha256=digest_of(data))
    if not _loaded:
        certify(problem, solution.points, proof, table=names)
        _loaded.append(True)
    began = time.process_time()
    certificate = certify(problem, solution.points, proof, table=names)
    certifying = time.process_time() - began
    ScoringSystem(card_of_solution(solution, None)).save(card)
    found: dict[str, Any] = {
        "plain_seconds": round(plain, 2),
        "certified_seconds": round(plain + certifying, 2),
        "times_the_plain_run": round((plain + certifying) / plain, 2),
        "lines": certificate.lines,
        "megabytes_compressed": round(certificate.size / 1e6, 3),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    command = [sys.executable, "-I", "-S", str(checker_file()), str(data), str(card), str(proof)]
    found["supersparse_check"] = _checked(command, "PROVEN")
    if viprchk is not None:
        unpacked = folder / "proof.vipr"
        with unpacked.open("wb") as out:
            subprocess.run(["gzip", "-dc", str(proof)], stdout=out, check=True)
        found["megabytes_unpacked"] = round(unpacked.stat().st_size / 1e6, 2)
        found["viprchk"] = _checked([str(viprchk), str(unpacked)], "Successfully verified optimal value range")
        unpacked.unlink()
    return found


_loaded: list[bool] = []  # whether the compiled code of certificates was loaded


def _checked(command: list[str], words: str) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"accepted": done.returncode == 0 and words in done.stdout, "seconds": round(seconds, 1)}


def write_table(path: Path, table: Table) -> None:
    """Write a table as a CSV file with the target first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", *table.names])
        for label, row in zip(table.y.tolist(), table.X.tolist(), strict=True):
            writer.writerow([label, *(int(x) if float(x).is_integer() else x for x in row)])


if __name__ == "__main__":
    main()
