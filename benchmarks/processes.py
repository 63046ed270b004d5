"""Running a measurement in a process of its own; a crash or a hang becomes a record with an error."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from benchmarks.data import ROOT
from benchmarks.record import Record, from_line
from benchmarks.suites import PATIENCE, Job

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_LOADING = 120.0  # seconds a process may need before and after its solves


class FailedError(Exception):
    """A process did not do its work; the message says how."""


def output_of(command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None) -> str:
    """Run a command with one thread in the checkout; return what it printed, or raise `FailedError`."""
    try:
        done = subprocess.run(
            list(command),
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD, **(environment or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FailedError(f"killed after {seconds:.0f} s") from None
    except OSError as error:
        raise FailedError(str(error)) from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise FailedError(said[-1] if said else f"ended with code {done.returncode}")
    return done.stdout


def run_job(job: Job) -> Record:
    """Measure one job."""
    command = [sys.executable, "-m", "benchmarks.worker", job.instance, job.solver]
    command += [str(job.limit), str(job.repeats)]
    try:
        lines = output_of(command, job.limit * job.repeats * (PATIENCE + 1) + _LOADING).splitlines()
        record = from_line(lines[-1])
        assert isinstance(record, Record)
        return record
    except FailedError as error:
        return _failed(job, str(error))


def _failed(job: Job, error: str) -> Record:
    return Record(
        instance=job.instance, solver=job.solver, version="-", limit=job.limit, repeats=0,
        cpu_seconds=None, proof_seconds=None, wall_seconds=None, build_seconds=None, warm_seconds=None,
        peak_megabytes=None, model=None, error=error,
    )  # fmt: skip
