"""Writing the limits of a problem: on the support, on the wrong rows, on the largest score."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InfeasibleError
from supersparse.problem.limits import Constraint
from supersparse.solving.mip.draft import Draft, Linear
from supersparse.solving.mip.limit_rows import LimitRows
from supersparse.solving.mip.write_term import WrittenTerm


def write_limits(
    draft: Draft,
    limits: LimitRows,
    written: Sequence[WrittenTerm],
    z: Mapping[int, int],
    is_always_wrong: NDArray[np.bool_],
) -> None:
    """Add one row for each limit; `z` names the binary of each row that can be right and wrong."""
    for support in limits.support:
        sizes = ((weight, w.size) for weight, w in zip(support.weights, written, strict=True))
        _write(draft, sizes, support.at_most, support.source)
    for score in limits.score:
        points = [
            pair
            for low, high, w in zip(score.low, score.high, written, strict=True)
            for pair in ((low, w.value), (high - low, w.positive_part))
        ]
        _write(draft, points, score.at_most, score.source)
    for rate in limits.rates:
        wrong = [(int(rate.weights[i]), Linear(0, ((binary, 1),))) for i, binary in z.items()]
        _write(draft, wrong, rate.at_most - rate.total(is_always_wrong), rate.source)


def _write(draft: Draft, sums: Iterable[tuple[int, Linear]], at_most: int, source: Constraint) -> None:
    """Add ``Σ factor·expression <= at_most``, unless it holds anyway."""
    total: dict[int, int] = {}
    for factor, expression in sums:
        at_most -= factor * expression.constant
        for variable, weight in expression.parts:
            total[variable] = total.get(variable, 0) + factor * weight
    parts = [(variable, weight) for variable, weight in total.items() if weight]
    ends = [(w * draft.lower[v], w * draft.upper[v]) for v, w in parts]
    if sum(min(pair) for pair in ends) > at_most:
        raise InfeasibleError(
            f"no scoring system obeys {source.in_words()!r} with these rows and coefficient sets; relax it"
        )
    if sum(max(pair) for pair in ends) > at_most:
        draft.row(parts, upper=at_most)
