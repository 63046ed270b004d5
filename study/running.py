"""Running a plan: what is not on record yet is fitted, through joblib, and recorded at once."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from joblib import Parallel, delayed

from study.applications import APPLICATIONS
from study.fitting import KINDS, Task, run_task
from study.plan import Plan
from study.progress import Progress
from study.record_file import append_records, read_records
from study.records import Line, Loaded, Machine, Record, Shown, Skipped
from study.study_data import StudyData
from supersparse.base.errors import MissingDataError

logger = logging.getLogger("study")

Load = Callable[[str], StudyData]

_TELL_EVERY = 5.0  # seconds


def run(
    plan: Plan,
    load: Load,
    path: Path,
    *,
    n_jobs: int | None = None,
    elsewhere: Iterable[Path] = (),
    times: Path | None = None,
) -> None:
    """Make every record of the plan that the file does not hold; it can be killed and run again.

    What files `elsewhere` hold is not made again either: so a part can be made on another machine, and be
    merged later. Records in `times` only tell how long fits take.

    Tasks go through joblib, so ``with joblib.parallel_config(backend="dask"):`` around the
    call spreads them over a cluster; only this process writes the file.
    """
    known = read_records(path) if path.exists() else []
    machine = Machine.here(plan.name)
    if machine not in known:
        append_records(path, [machine])
    tables, left_out = load_tables(plan, load)
    tasks, more_left_out = _tasks(plan, tables)
    for skipped in (*left_out, *more_left_out):
        logger.info("left out: %s %s: %s", skipped.dataset, skipped.method, skipped.reason)
        if skipped not in known:
            append_records(path, [skipped])
    loaded = [_loaded(data) for data in tables]
    append_records(path, [line for line in loaded if line not in known])
    known += [line for other in elsewhere for line in read_records(other)]
    open_tasks = list(_open(tasks, known))
    taken = [] if times is None or not times.exists() else read_records(times)
    progress = Progress(open_tasks, known, time.monotonic, elsewhere=taken, jobs=n_jobs or 1)
    logger.info("%d records are there; %s", sum(isinstance(line, Record) for line in known), progress.plan())
    told = -_TELL_EVERY
    for found in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(run_task)(task) for task in open_tasks
    ):
        append_records(path, found)
        said = progress.done(found)
        failed = isinstance(found[0], Skipped)
        if failed or progress.left == 0 or time.monotonic() - told > _TELL_EVERY:
            logger.info("%s", said)
            told = time.monotonic()


def load_tables(plan: Plan, load: Load) -> tuple[list[StudyData], list[Skipped]]:
    """Load the plan's tables; those whose files are missing are said and left out."""
    tables, left_out = [], []
    for name in plan.datasets:
        try:
            tables.append(load(name))
        except MissingDataError as error:
            logger.info("%s: %s", name, error)  # its folder is of this machine; records are not
            reason = "its file is not in the data folder; 'supersparse datasets fetch' gets it"
            left_out.append(Skipped(dataset=name, reason=reason))
    return tables, left_out


def _loaded(data: StudyData) -> Loaded:
    return Loaded(
        dataset=data.name,
        fingerprint=data.fingerprint,
        rows=len(data.y),
        columns=data.paper_columns,
        positives=int(data.y.sum()),
    )


def _tasks(plan: Plan, tables: Iterable[StudyData]) -> tuple[list[Task], list[Skipped]]:
    tasks: list[Task] = []
    left_out: list[Skipped] = []
    reasons = {method.name: method.why_not() for method in plan.methods}
    for data in tables:
        for method in plan.methods:
            reason = reasons[method.name]
            if reason is not None:
                left_out.append(Skipped(dataset=data.name, method=method.name, reason=reason))
            else:
                tasks += plan.tasks(data, method)
    return sorted(tasks, key=lambda task: KINDS.index(task.kind)), left_out


def _open(tasks: Iterable[Task], known: Iterable[Line]) -> Iterator[Task]:
    """Leave out what is on record; a path with one record missing is fitted again."""
    there = {line.key for line in known if isinstance(line, Record)}
    fingerprints: dict[str, str] = {}
    for task in tasks:
        name = task.data.name
        mark = fingerprints.setdefault(name, task.data.fingerprint)
        if any((name, mark, task.method.name, task.split, s) not in there for s in task.settings):
            yield task


def run_applications(load: Load, path: Path, seed: int, *, elsewhere: Iterable[Path] = ()) -> None:
    """Make the models of section 5 that no file holds; data that are missing are said."""
    known = [line for file in (path, *elsewhere) for line in read_records(file)]
    there = {line.application for line in known if isinstance(line, Shown)}
    for name, (dataset, make) in APPLICATIONS.items():
        if name in there:
            continue
        try:
            data = load(dataset)
        except MissingDataError as error:
            logger.info("left out: %s: %s", name, error)
            continue
        logger.info("application: %s", name)
        append_records(path, list(make(data, seed)))
