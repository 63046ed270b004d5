"""From a CSV file of 10^6 rows and 30 columns to a card: ``python -m benchmarks.large_table``.

Writes such a file (numbers, categories, blanks, an identifier, a date), runs ``supersparse fit`` on it with
nothing but the target said, and stores CPU seconds and peak memory of that process in
`results/large-table.md`.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
ROWS = 10**6
FIT = "from supersparse.show.cli.app import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of the command: the whole process, from its start on."""

    cpu_seconds: float
    seconds: float
    peak_bytes: int
    card: dict[str, Any]


def write_table(path: Path, rows: int, *, digits: int = 3) -> None:
    """Write 30 columns; numbers have so many decimals, and with 17 all the digits that doubles have."""
    random = np.random.default_rng(0)
    age, bmi = random.integers(18, 95, rows), random.normal(27, 5, rows).round(min(digits, 16))
    smoker = random.choice(["yes", "no", "former"], rows)
    numbers = {f"number {k}": random.normal(k, k + 1, rows).round(min(digits, 16)) for k in range(11)}
    score = 1.5 * (age > 60) + (bmi > 30) + (smoker == "yes") + 0.8 * (numbers["number 3"] > 5)
    columns = {
        "id": np.arange(1, rows + 1),
        "age": age,
        "bmi": _with_blanks(bmi, random),
        "smoker": _with_blanks(smoker, random),
        "visit": np.char.add("2024-01-", np.char.zfill(random.integers(1, 31, rows).astype(str), 2)),
        **numbers,
        **{f"whole {k}": random.integers(0, 10 + 30 * k, rows) for k in range(6)},
        **{f"category {k}": random.choice([f"level {i}" for i in range(3 + 2 * k)], rows) for k in range(7)},
        "outcome": np.where(score - 2 + random.logistic(0, 0.6, rows) > 0, "yes", "no"),
    }
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for start in range(0, rows, 10_000):
            part = [column[start : start + 10_000].tolist() for column in columns.values()]
            writer.writerows(zip(*part, strict=True))


def _with_blanks(column: np.ndarray, random: np.random.Generator) -> np.ndarray:
    cells = column.astype(object)
    cells[random.random(len(cells)) < 0.03] = ""
    return cells


def measure(path: Path, *options: str) -> Measured:
    """Run ``supersparse fit`` on a table; it must succeed."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as said:
        arguments = [
            sys.executable,
            "-c",
            FIT,
            "fit",
            str(path),
            "--goal",
            "errors",
            "--target",
            "outcome",
            "--json",
            *options,
        ]
        process = subprocess.Popen(arguments, stdout=output, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode:
            raise RuntimeError(said.read())
        output.seek(0)
        card = json.load(output)["card"]
    return Measured(
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        seconds=time.monotonic() - began,
        peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        card=card,
    )


def main() -> None:
    """Measure, print and store."""
    lines = [
        f"`supersparse fit table.csv --target outcome --goal errors` on {ROWS:,} rows and 30 columns, the whole "
        "process; `make bench-table`.",
        "",
        "| numbers | file, MB | CPU, s | peak memory, GB | proven optimal |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for what, digits in (("3 decimals", 3), ("all digits of doubles", 17)):
            path = Path(folder) / "table.csv"
            write_table(path, ROWS, digits=digits)
            found = measure(path)
            proven = "yes" if found.card["provenance"]["proven_optimal"] else "no"
            lines.append(
                f"| {what} | {path.stat().st_size / 1e6:.0f} | {found.cpu_seconds:.0f} | "
                f"{found.peak_bytes / 1e9:.2f} | {proven} |"
            )
            print(f"{lines[-1]}  in {found.seconds:.0f} s", flush=True)
    (RESULTS / "large-table.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
