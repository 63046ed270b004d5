"""Making recorded fits again: anyone can hold some of them against what was stored.

SLIM computes in whole numbers, so its fits must come out the same on every machine: points, objective, bound
and units of work. Models with float coefficients need not. A last bit decides on which side of the boundary a
row lies whose score is a rounding away from it, and whether a coefficient that is about to enter is there. So
their errors may differ by as many rows as have a score within a millionth of its terms, their size by one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from joblib import Parallel, delayed

from study.fitting import Fit, Task, fits
from study.methods.contract import Linear
from study.plan import Plan
from study.records import Record, Skipped, Wrong
from study.study_data import StudyData

_NEAR = 1e-6  # of the sum of a score's terms, in absolute value


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """By how much a repeated fit may differ for the rounding of floats alone."""

    train: int = 0  # rows
    test: int = 0
    size: int = 0

    @classmethod
    def of(cls, fit: Fit) -> "Slack":
        """None for whole numbers and for what is not a linear model."""
        linear = fit.model.linear
        if linear is None:
            return cls()
        return cls(train=_near(linear, fit.train), test=_near(linear, fit.test), size=1)


def _near(linear: Linear, rows: StudyData) -> int:
    """Count the rows so close to the boundary that rounding may take them across."""
    scores = rows.X @ linear.coefficients + linear.intercept
    terms = np.abs(rows.X) @ np.abs(linear.coefficients) + abs(linear.intercept)
    return int((np.abs(scores) <= _NEAR * terms).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A fit that was made again, and how far it may be from its record."""

    record: Record
    slack: Slack


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A fit that was made again, beside its record; times are never compared."""

    record: Record
    again: Again | Skipped

    @property
    def is_same(self) -> bool:
        """Whether errors, sizes and, of SLIM, everything that is proven are what they were.

        How far a search gets within its limit on work depends on the version of the engine: fits that the
        limit stopped are the same where neither shows the other to be wrong.
        """
        if isinstance(self.again, Skipped):
            return False
        now, was = self.again.record, self.record
        if now.proof is None or was.proof is None or (now.proof.proven and was.proof.proven):
            return _outcome(now) == _outcome(was)
        proofs = (now.proof, was.proof)
        least = max(Fraction(proof.lower_bound) for proof in proofs)
        return least <= min(Fraction(proof.objective) for proof in proofs)

    @property
    def is_equal(self) -> bool:
        """Whether it is the same up to the rounding of floats."""
        if self.is_same or isinstance(self.again, Skipped):
            return self.is_same
        now, slack, was = self.again.record, self.again.slack, self.record
        return (
            slack.size > 0
            and now.proof is None
            and was.proof is None
            and _apart(now.train, was.train) <= slack.train
            and _apart(now.test, was.test) <= slack.test
            and abs(now.size - was.size) <= slack.size
            and abs(now.size_with_intercept - was.size_with_intercept) <= slack.size
        )

    def __str__(self) -> str:
        of = self.record
        fit = f"{of.dataset} {of.method} {of.split} {of.setting.in_words()}".rstrip()
        if isinstance(self.again, Skipped):
            return f"{fit}: failed: {self.again.reason}"
        if self.is_same:
            return f"{fit}: as recorded"
        both = f"recorded {_in_words(of)}, now {_in_words(self.again.record)}"
        return f"{fit}: as recorded but for rounding, {both}" if self.is_equal else f"{fit}: {both}"


def choose_tasks(
    plan: Plan, tables: Iterable[StudyData], records: Iterable[Record], each: int
) -> list[tuple[Task, list[Record]]]:
    """Choose `each` of the tasks on record of every method, table and kind of fit; list their records."""
    by_key = {record.key: record for record in records}
    groups: dict[tuple[str, str, str], list[tuple[Task, list[Record]]]] = {}
    for data in tables:
        mark = data.fingerprint
        for method in plan.methods:
            for task in plan.tasks(data, method) if method.why_not() is None else ():
                keys = [(data.name, mark, method.name, task.split, setting) for setting in task.settings]
                if all(key in by_key for key in keys):
                    group = groups.setdefault((data.name, method.name, task.kind), [])
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


def repeat(chosen: Iterable[tuple[Task, list[Record]]], *, n_jobs: int | None = None) -> Iterator[list[Repeated]]:
    """Do the tasks again, through joblib, and yield the fits of each beside their records."""
    pairs = list(chosen)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_again)(task) for task, _ in pairs)
    for (_, records), outcome in zip(pairs, found, strict=True):
        if isinstance(outcome, Skipped):
            yield [Repeated(record=record, again=outcome) for record in records]
            continue
        by_setting = {again.record.setting: again for again in outcome}
        yield [Repeated(record=record, again=by_setting[record.setting]) for record in records]


def _again(task: Task) -> list[Again] | Skipped:
    try:
        return [Again(record=fit.record, slack=Slack.of(fit)) for fit in fits(task)]
    except Exception as error:  # as when they were recorded: the others are compared all the same
        reason = f"{type(error).__name__}: {error}"
        return Skipped(dataset=task.data.name, method=task.method.name, split=task.split, reason=reason)


def _apart(one: Wrong, other: Wrong) -> int:
    return abs(one.negative - other.negative) + abs(one.positive - other.positive)


def _outcome(record: Record) -> tuple[object, ...]:
    proof = None if record.proof is None else replace(record.proof, history=(), nodes=0, stop="")
    return record.train, record.test, record.size, record.size_with_intercept, proof


def _in_words(record: Record) -> str:
    text = (
        f"{record.train.errors} and {record.test.errors} errors in training and testing rows, "
        f"size {record.size} ({record.size_with_intercept} with the intercept)"
    )
    if record.proof is None:
        return text
    proof = record.proof
    return f"{text}, F {proof.objective}, at least {proof.lower_bound}, {proof.nodes} units of work"
