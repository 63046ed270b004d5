"""What a fit warns of: a proof that is open, columns left out, and numbers that look like codes."""

import warnings
from fractions import Fraction

import numpy as np

from supersparse.base.errors import MissingCodesWarning, NotProvenWarning, UnreadableColumnsWarning, users_level
from supersparse.base.exact import nearest_float
from supersparse.base.stop import Stop
from supersparse.engine.solution import Solution
from supersparse.learn.recipe import PreparedProblem
from supersparse.problem.problem import Problem

_LIMITS = (Stop.TIME_LIMIT, Stop.NODE_LIMIT, Stop.MEMORY_LIMIT)
_SHOWN = 5  # columns that a warning names
_WIDE_WEIGHTS = 1000  # largest over smallest: from here on weights leave proofs open
_MANY_VALUES = 20  # of a column: points times such a number are no card for people


def say_if_unproven(solution: Solution, *, prepares: bool) -> None:
    """Warn if the proof is open, which would otherwise show in `proven_optimal_` only."""
    if solution.proven_optimal or solution.stop not in (*_LIMITS, Stop.ROUNDING, Stop.INTERRUPTED):
        return
    gap = 100 * solution.gap
    percent = f"{gap:.2g}" if gap < 0.05 else f"{gap:.1f}"
    warnings.warn(
        f"the card is not proven optimal ({solution.stop.value}): its objective is "
        f"{float(solution.objective):.4g}, and no card has less than {float(solution.lower_bound):.4g}, "
        f"a gap of {percent} %; {_remedy(solution, prepares)}",
        NotProvenWarning,
        stacklevel=users_level(),
    )


def _remedy(solution: Solution, prepares: bool) -> str:
    if solution.stop is Stop.INTERRUPTED:
        return (
            "fit again to continue the search; if this is one fit of many, as in a grid search, the others "
            "continue unless Ctrl-C is pressed twice"
        )
    if solution.stop is Stop.ROUNDING:
        spread = _spread_of_weights(solution.problem)
        if spread >= _WIDE_WEIGHTS:
            return f"weigh rows and classes less unevenly: one counts {spread:.3g} times as much as another"
        return f"rescale or shift columns with very large values, such as {_largest(solution.problem)}"
    remedy = "raise the limit, or ask for less: a larger C0, a smaller max_features or max_points"
    if not prepares and _many_values(solution.problem):
        remedy += ', or prepare="auto", which cuts numbers into questions'
    return remedy


def _many_values(problem: Problem) -> bool:
    rows = problem.rows
    columns = (rows.raw or rows.columns)[:1000]  # enough to tell
    return any(len(np.unique(column[:10_000])) > _MANY_VALUES for column in columns)


def _spread_of_weights(problem: Problem) -> float:
    """The largest weight of a row, its class's included, over the smallest."""
    rows = problem.rows
    weights = rows.weights * np.where(rows.positive, *map(float, reversed(problem.class_weights)))
    weights = weights[weights > 0]
    return float(weights.max() / weights.min())


def _largest(problem: Problem) -> str:
    """The column with the largest value, and that value."""
    rows = problem.rows
    if rows.raw is None:
        sizes = [nearest_float(Fraction(m, s)) for m, s in zip(rows.magnitudes, rows.scales, strict=True)]
    else:
        sizes = [max(abs(float(raw.max())), abs(float(raw.min()))) for raw in rows.raw]
    j = int(np.argmax(sizes))
    return f"{rows.names[j]!r} (up to {sizes[j]:.3g})"


def say_unreadable(question: PreparedProblem) -> None:
    """Warn about columns that the preparation left out, which would otherwise show in its notes only."""
    columns = {} if question.prepare is None else question.prepare.unreadable_
    if columns:
        listed = _listed([f"{name} ({kind.removeprefix('values ')})" for name, kind in columns.items()])
        warnings.warn(
            f"columns are left out, because they contain neither numbers nor text: {listed}; convert them, "
            "such as dates to years or days, or remove them from X",
            UnreadableColumnsWarning,
            stacklevel=users_level(),
        )


def say_codes(question: PreparedProblem) -> None:
    """Warn about numbers that look like codes for missing values: arrays and frames are taken literally."""
    codes = {} if question.prepare is None else question.prepare.codes_
    if codes:
        shown = _listed([f"{name} ({', '.join(map(str, found))})" for name, found in codes.items()])
        warnings.warn(
            f"numbers stand apart like codes for missing values, and count as numbers: {shown}; if they are "
            "codes, replace them with NaN",
            MissingCodesWarning,
            stacklevel=users_level(),
        )


def _listed(columns: list[str]) -> str:
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return ", ".join(columns[:_SHOWN]) + more
