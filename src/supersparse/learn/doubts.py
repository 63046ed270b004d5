"""Doubts about the rows of a question, which a good card learned from them would not show."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import counted
from supersparse.card.rules import IsMissing
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.variants import of_classes

_FEW = 20  # rows of a class: one of them is 5 % of its errors or more
_ENOUGH = 10  # rows of each class, that a feature separates hardly by chance
_GLANCE = 1000  # rows that tell of most features that they do not separate the classes


def doubts(question: PreparedProblem, rows: TrainingRows) -> tuple[str, ...]:
    """Say which single feature gives the class away, as what is known only later does, and who is few."""
    problem = of_classes(question.problem)
    n_positive = int(problem.rows.positive.sum())
    sizes = (len(problem.rows.positive) - n_positive, n_positive)
    if rows.is_counted:
        sizes = (int(problem.class_totals[0]), int(problem.class_totals[1]))
    few = min(sizes)
    found = []
    if few >= _ENOUGH and (named := list(_separating(question))):
        more = "" if len(named) == 1 else f" (as do {len(named) - 1} more)"
        found.append(f"{named[0]} alone{more} separates the classes in all rows; is it known when the card is used?")
    if few < _FEW:
        rare = problem.rows.classes[sizes.index(few)]
        found.append(
            f"the class {rare!r} has only {counted(few, 'row')}, so all figures of the card are imprecise, "
            "those on rows left out too"
        )
    return tuple(found)


def _separating(question: PreparedProblem) -> Iterator[str]:
    """Name the features of which one side of a threshold is one class, and the other side the other."""
    rows, prepare = of_classes(question.problem).rows, question.prepare
    for j, (name, column) in enumerate(zip(rows.names, rows.raw or rows.columns, strict=True)):
        glance = _separates(column[:_GLANCE], rows.positive[:_GLANCE])
        if not glance or not _separates(column, rows.positive):
            continue
        feature = None if prepare is None or prepare.questions_ else prepare.features_[j]
        if feature is not None and isinstance(feature.rule, IsMissing):
            yield f"whether {feature.column!r} is known"
        else:
            yield repr(name)


def _separates(column: NDArray[np.generic], positive: NDArray[np.bool_]) -> bool:
    cases, controls = column[positive], column[~positive]
    if not len(cases) or not len(controls):
        return True  # for all that can be seen
    return bool(cases.min() > controls.max() or cases.max() < controls.min())
