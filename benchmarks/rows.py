"""From Parquet files of 10^6 to 10^8 rows to a card, in one command: ``python -m benchmarks.rows``.

Writes rows with 12 raw columns chunk by chunk into a temporary folder, runs ``supersparse fit FOLDER --engine
duckdb`` on it, and removes it. Wall and CPU seconds, peak memory of the process and its children, cells,
errors and bound go to `results/rows.jsonl`, a line for each size; then the table in docs/rows.md and its
picture are written from that file.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "rows.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "rows.md"
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "rows.svg"
BEGIN, END = "<!-- begin: make bench-rows -->", "<!-- end: make bench-rows -->"
CHUNK = 2_000_000
FIT = "from supersparse.show.cli.app import main; main()"
OPTIONS = ("--C0", "0.001", "--time-limit", "120")
BYTES_A_ROW = 40  # at most, on disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of the command, from the start of its process to the end."""

    rows: int
    file_megabytes: float
    wall_seconds: float
    cpu_seconds: float
    counting_seconds: float  # wall, until all cells were counted
    peak_megabytes: float  # the process and its children together
    cells: int
    questions: int
    features: int
    errors: float  # share of the rows
    objective: float
    lower_bound: float
    proven: bool
    load: float  # average over the last minute of the run
    cores: int


def chunk(n: int, seed: int) -> dict[str, Any]:
    """Rows of twelve columns: whole numbers, decimals, texts and gaps; in two nearly all values differ."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 96, n, dtype=np.int8)
    pressure = np.clip(draw.normal(125, 20, n), 60, 240).astype(np.int16)
    rate = np.clip(draw.normal(80, 15, n), 30, 200).astype(np.int16)
    temperature = np.round(draw.normal(37, 0.7, n), 1).astype(np.float32)
    bmi = np.round(draw.normal(27, 5, n), 1).astype(np.float32)
    lactate = draw.lognormal(0.3, 0.6, n).astype(np.float32)
    creatinine = np.round(draw.lognormal(0, 0.4, n), 2).astype(np.float32)
    leucocytes = draw.gamma(4, 2.5, n).astype(np.float32)
    visits = np.minimum(draw.poisson(1.2, n), 20).astype(np.int8)
    smoker = draw.choice(np.array(["no", "former", "yes"]), n, p=[0.5, 0.3, 0.2])
    ward = draw.choice(np.array(["A", "B", "C", "D", "E", "F"]), n)
    urgent = draw.random(n) < 0.4
    score = (
        1.2 * (age >= 65) + 0.8 * (age >= 80) + (pressure < 100) + 0.7 * (rate >= 100)
        + 0.6 * (temperature >= 38.5) + 1.1 * (lactate >= 2)
        + 1.0 * (lactate >= 4) + 0.8 * (creatinine >= 1.5) + 0.4 * (leucocytes >= 15)
        + 0.5 * (smoker == "yes") + 0.5 * urgent + 0.2 * visits
    )  # fmt: skip
    died = draw.random(n) < 1 / (1 + np.exp(3.2 - score))
    return {
        "age": age,
        "pressure": pressure,
        "heart rate": rate,
        "temperature": temperature,
        "bmi": np.where(draw.random(n) < 0.05, np.float32("nan"), bmi),
        "lactate": lactate,
        "creatinine": creatinine,
        "leucocytes": leucocytes,
        "visits": visits,
        "smoker": smoker,
        "ward": ward,
        "urgent": urgent,
        "died": died,
    }


def write_rows(folder: Path, rows: int) -> None:
    """Write the rows as Parquet files."""
    import pyarrow as pa
    from pyarrow import parquet

    for k, start in enumerate(range(0, rows, CHUNK)):
        columns = chunk(min(CHUNK, rows - start), k)
        arrays = {name: pa.array(column, from_pandas=True) for name, column in columns.items()}
        parquet.write_table(pa.table(arrays), folder / f"part{k:03}.parquet", compression="snappy")


class Peak(threading.Thread):
    """Watches the resident size of a process and its children, four times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.megabytes, self.done = pid, 0.0, threading.Event()

    def run(self) -> None:
        """Look until told that it is done."""
        while not self.done.wait(0.25):
            self.megabytes = max(self.megabytes, sum(map(_resident, _family(self.pid))))


def _family(pid: int) -> list[int]:
    found = [pid]
    for own in found:
        for listed in Path(f"/proc/{own}/task").glob("*/children"):
            try:
                found += map(int, listed.read_text(encoding="ascii").split())
            except OSError:
                continue
    return found


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(rows: int, *options: str) -> Measured:
    """Write rows, run the command on them, and remove them."""
    with tempfile.TemporaryDirectory(prefix="supersparse-rows-") as name:
        folder = Path(name)
        needed = rows * BYTES_A_ROW * 2
        if shutil.disk_usage(folder).free < needed:
            raise SystemExit(f"{rows} rows need {needed / 1e9:.0f} GB of disk in {folder.parent}")
        write_rows(folder, rows)
        return measure_folder(folder, rows, *options)


def measure_folder(folder: Path, rows: int, *options: str) -> Measured:
    """Run the command on Parquet files of so many rows."""
    megabytes = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    arguments = [sys.executable, "-c", FIT, "fit", str(folder), "--engine", "duckdb", "--target", "died"]
    said_at: list[tuple[float, str]] = []
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([*arguments, "--json", *options], stdout=output, stderr=subprocess.PIPE, text=True)
        peak = Peak(process.pid)
        peak.start()
        assert process.stderr is not None
        for line in process.stderr:
            said_at.append((time.monotonic() - began, line))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak.done.set()
        wall = time.monotonic() - began
        said = "".join(line for _, line in said_at)
        if process.returncode:
            raise RuntimeError(said)
        output.seek(0)
        card = json.load(output)["card"]
    made = card["provenance"]
    cells = re.search(r"(\d+) cells of rows", said)
    assert cells is not None
    training = next(one for one in card["performance"] if one["on"] == "training")
    wrong = float(training["false_positives"]) + float(training["false_negatives"])
    return Measured(
        rows=rows,
        file_megabytes=megabytes,
        wall_seconds=wall,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        counting_seconds=next(at for at, line in said_at if "cells of rows" in line),
        peak_megabytes=peak.megabytes,
        cells=int(cells[1]),
        questions=int(made["n_candidates"]),
        features=len(card["items"]),
        errors=wrong / rows,
        objective=_number(made["objective"]),
        lower_bound=_number(made["lower_bound"]),
        proven=_number(made["objective"]) == _number(made["lower_bound"]),
        load=os.getloadavg()[0],
        cores=os.cpu_count() or 1,
    )


def _number(value: Any) -> float:
    from fractions import Fraction

    return float(Fraction(str(value)))


def table(found: list[Measured]) -> str:
    """Write the measurements as a table."""
    lines = [
        "| rows | files, MB | wall, s | of it counting, s | CPU, s | peak memory, GB | cells | features "
        "| errors | objective | bound |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in sorted(found, key=lambda m: m.rows):
        lines.append(
            f"| {one.rows:,} | {one.file_megabytes:,.0f} | {one.wall_seconds:.0f} "
            f"| {one.counting_seconds:.0f} | {one.cpu_seconds:.0f} | {one.peak_megabytes / 1000:.2f} "
            f"| {one.cells:,} | {one.features} "
            f"| {100 * one.errors:.2f} % | {one.objective:.6f} | {one.lower_bound:.6f} |"
        )
    loads = ", ".join(f"{one.load:.1f}" for one in sorted(found, key=lambda m: m.rows))
    cores = found[0].cores
    lines += [
        "",
        f"Measured on {cores} cores that other work used too: {loads} processes were running or waiting at the end.",
    ]
    return "\n".join(lines)


def picture(found: list[Measured], path: Path) -> None:
    """Plot seconds and memory against the number of rows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = sorted(found, key=lambda m: m.rows)
    rows = [one.rows for one in found]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    left.plot(rows, [one.wall_seconds for one in found], "o-", color="#1b5e8c", label="wall")
    left.plot(rows, [one.cpu_seconds for one in found], "s--", color="#b3541e", label="CPU")
    left.plot(rows, [one.counting_seconds for one in found], "^:", color="#4b7f52", label="wall, counting alone")
    left.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds", title="Time of the whole command")
    left.legend(frameon=False)
    right.plot(rows, [one.peak_megabytes / 1000 for one in found], "o-", color="#1b5e8c")
    right.set(xscale="log", xlabel="rows", ylabel="GB", title="Peak memory", ylim=(0, None))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def load() -> dict[int, Measured]:
    """The measurements so far, the last of each size."""
    if not RESULTS.exists():
        return {}
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    return {one.rows: one for one in (Measured(**json.loads(line)) for line in lines)}


def main() -> None:
    """Measure, store, and write the page."""
    parser = argparse.ArgumentParser(prog="benchmarks.rows", description=__doc__)
    parser.add_argument("--rows", default="6,7,8", help="powers of ten, separated by commas; empty for the page only")
    asked = parser.parse_args()
    found = load()
    for power in filter(None, asked.rows.split(",")):
        one = measure(10 ** int(power), *OPTIONS)
        found[one.rows] = one
        print(json.dumps(asdict(one)))
        kept = [json.dumps(asdict(found[n])) for n in sorted(found)]
        RESULTS.write_text("\n".join(kept) + "\n", encoding="utf-8")
    picture(list(found.values()), PICTURE)
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table(list(found.values()))}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
