"""Making recorded fits again: anyone can hold some of them against what was stored."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from joblib import Parallel, delayed

from supersparse.experiments.fitting import Task, run_task
from supersparse.experiments.plan import Plan
from supersparse.experiments.records import Record, Skipped
from supersparse.experiments.study_data import StudyData


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A fit that was made again, beside its record."""

    record: Record
    again: Record | Skipped

    @property
    def is_equal(self) -> bool:
        """Whether errors, sizes and, of SLIM, the objective are what they were; times never are."""
        return isinstance(self.again, Record) and _outcome(self.again) == _outcome(self.record)

    def __str__(self) -> str:
        of = self.record
        fit = f"{of.dataset} {of.method} {of.split} {of.setting.in_words()}".rstrip()
        if isinstance(self.again, Skipped):
            return f"{fit}: failed: {self.again.reason}"
        if self.is_equal:
            return f"{fit}: as recorded"
        return f"{fit}: recorded {_in_words(of)}, now {_in_words(self.again)}"


def choose_tasks(
    plan: Plan, tables: Iterable[StudyData], records: Iterable[Record], each: int
) -> list[tuple[Task, list[Record]]]:
    """Choose `each` of the tasks on record of every method, table and kind of fit; list their records."""
    by_key = {record.key: record for record in records}
    groups: dict[tuple[str, str, int], list[tuple[Task, list[Record]]]] = {}
    for data in tables:
        mark = data.fingerprint
        for method in plan.methods:
            for task in plan.tasks(data, method) if method.why_not() is None else ():
                keys = [(data.name, mark, method.name, task.split, setting) for setting in task.settings]
                if all(key in by_key for key in keys):
                    group = groups.setdefault((data.name, method.name, task.stage), [])
                    group.append((task, [by_key[key] for key in keys]))
    return [chosen for group in groups.values() for chosen in _evenly(group, each)]


def why_not_repeated(
    plan: Plan, tables: Iterable[StudyData], chosen: Iterable[tuple[Task, list[Record]]]
) -> Iterator[str]:
    """Say which methods and tables of the plan have no part in what was chosen, and why."""
    there = {(task.data.name, task.method.name) for task, _ in chosen}
    for method in plan.methods:
        reason = method.why_not()
        if reason is not None:
            yield f"{method.name}: {reason}"
            continue
        without = [data.name for data in tables if (data.name, method.name) not in there]
        if without:
            yield f"{method.name} on {', '.join(without)}: not on record for these rows and settings"


def _evenly(group: list[tuple[Task, list[Record]]], count: int) -> list[tuple[Task, list[Record]]]:
    count = min(count, len(group))
    return [group[(2 * i + 1) * len(group) // (2 * count)] for i in range(count)]


def repeat(
    chosen: Iterable[tuple[Task, list[Record]]], *, n_jobs: int | None = None
) -> Iterator[list[Repeated]]:
    """Do the tasks again, through joblib, and yield the fits of each beside their records."""
    pairs = list(chosen)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(run_task)(task) for task, _ in pairs)
    for (_, records), lines in zip(pairs, found, strict=True):
        again = {line.setting: line for line in lines if isinstance(line, Record)}
        yield [Repeated(record=record, again=again.get(record.setting, lines[0])) for record in records]


def _outcome(record: Record) -> tuple[object, ...]:
    objective = None if record.proof is None else record.proof.objective
    return record.train, record.test, record.size, record.size_with_intercept, objective


def _in_words(record: Record) -> str:
    text = (
        f"{record.train.errors} and {record.test.errors} errors in training and testing rows, "
        f"size {record.size} ({record.size_with_intercept} with the intercept)"
    )
    return text if record.proof is None else f"{text}, F {record.proof.objective}"
