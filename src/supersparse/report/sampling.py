"""Which rows are folds and bootstrap samples: at random by the seed; rows that belong together stay so."""

from collections.abc import Iterator

import numpy as np

from supersparse.errors import InvalidDataError
from supersparse.report.data import Data, Rows
from supersparse.report.plan import Plan


def folds_of(data: Data, plan: Plan) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows to learn from and those to judge by, fold by fold.

    The rows of each class are divided evenly. Rows that belong together are in one fold: each such group
    goes, in random order, to the fold that is smallest so far.
    """
    random = np.random.default_rng(plan.seed)
    fold = np.empty(len(data), dtype=np.intp)
    if data.together is None:
        start = 0
        for of_class in (data.positive, ~data.positive):
            rows = random.permutation(np.flatnonzero(of_class))
            fold[rows] = (np.arange(len(rows)) + start) % plan.folds
            start += len(rows)  # so that the folds differ by one row at most
    else:
        groups = _groups(data.together)
        if len(groups) < plan.folds:
            raise InvalidDataError(
                f"there are {len(groups)} groups of rows that belong together, too few for {plan.folds} folds"
            )
        sizes = np.zeros(plan.folds, dtype=np.intp)
        for k in random.permutation(len(groups)):
            smallest = int(sizes.argmin())
            fold[groups[k]] = smallest
            sizes[smallest] += len(groups[k])
    for k in range(plan.folds):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def bootstrap_samples(data: Data, plan: Plan) -> Iterator[Rows]:
    """Yield samples drawn with replacement: of rows, or of groups of rows that belong together."""
    random = np.random.default_rng([plan.seed, 1])
    groups = None if data.together is None else _groups(data.together)
    for _ in range(plan.bootstrap):
        if groups is None:
            yield random.integers(0, len(data), len(data))
        else:
            yield np.concatenate([groups[k] for k in random.integers(0, len(groups), len(groups))])


def _groups(codes: Rows) -> list[Rows]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
