"""From settings and rows to a problem: directions of columns, and how blended labels count as errors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.schema.tree import ByName, label_text
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.settings.with_data import AnswersOf
from supersparse.problem.problem import Problem
from supersparse.problem.rows import read_weights
from supersparse.problem.sets import read_bounds

Bounds = tuple[Any, Any] | None  # smallest and largest points, None where open


def n_copies(rows: TrainingRows) -> int:
    """How many rows there are: whole weights count as copies, others only where they are above 0."""
    weights, unit = read_weights(rows.sample_weight, len(rows.y))
    whole = int(weights.sum(dtype=object)) * int(unit)
    return whole if unit.denominator == 1 else int(np.count_nonzero(weights))


def problem_of_rows(
    settings: Settings,
    rows: TrainingRows,
    X: Any,
    names: Sequence[str] | None,
    *,
    labels: NDArray[np.float64] | None = None,
    answers: AnswersOf | None = None,
) -> Problem:
    """Ask settings about rows; with labels, whose errors count by how far these lean to a class.

    Whichever class a row is given, an error costs what the class weighs, times the chance p or 1 - p that it is one.
    So a row counts |w1 p - w0 (1 - p)| times, for the class that costs more; with equal weights |2p - 1| times, for
    the class that p favours.
    """
    about = {"feature_names": names, "sample_weight": rows.sample_weight, "rate_groups": rows.rate_groups}
    asks = answers is not None
    problem = settings.problem(X, rows.y, soft_labels=labels if asks else None, answers=answers, **about)
    if labels is None or asks:
        return problem
    costs = problem.class_weights
    negative, positive = map(float, costs)
    lean = positive * labels - negative * (1 - labels)
    used = lean if rows.sample_weight is None else lean[read_weights(rows.sample_weight, len(lean))[0] > 0]
    if (used >= 0).all() or (used <= 0).all():
        favoured = problem.rows.classes[bool((used >= 0).all())]
        raise InvalidDataError(
            f"the blended labels favour class {favoured!r} in every row: no card errs less than it for everyone",
            "use teacher none, class_weight balanced, or goal risk",
        )
    by_class = ByName(tuple(zip(map(label_text, problem.rows.classes), costs, strict=True)))
    equal = replace(settings, class_weight=by_class, objective="errors", risk_threshold=None)
    soft = (1 + lean / np.where(lean > 0, positive, negative)) / 2
    return equal.problem(X, rows.y, soft_labels=soft, **about)


def with_directions(settings: Settings, prepare: Prepare, names: Sequence[str]) -> Settings:
    """Add what the preparation demands of its features: constraints, and the sign that a column must have."""
    bounds: Any = settings.bounds
    if any(prepare.bounds_):
        mine = [None] * len(names) if bounds is None else read_bounds(bounds, names)
        both = [_both(one, column) for one, column in zip(mine, prepare.bounds_, strict=True)]
        bounds = ByName(tuple(zip(names, both, strict=True)))
    return replace(settings, constraints=(*settings.constraints, *prepare.constraints_), bounds=bounds)


def _both(mine: Bounds, column: Bounds) -> Bounds:
    """Return the bounds that obey two others."""
    if mine is None or column is None:
        return column if mine is None else mine
    low = [end for end in (mine[0], column[0]) if end is not None]
    high = [end for end in (mine[1], column[1]) if end is not None]
    return max(low, default=None), min(high, default=None)
