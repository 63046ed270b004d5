"""A question asked of rows, and answered: what every way to learn again shares."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.errors import InvalidDataError, PenaltyRangeWarning
from supersparse.faces.from_solution import card_of_solution
from supersparse.problem.problem import Problem
from supersparse.report.data import Data
from supersparse.report.plan import Plan
from supersparse.settings.settings import Settings
from supersparse.solving.solve import solve
from supersparse.stop import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Refitted:
    """A card learned again, and whether it is proven to be the best for its rows."""

    card: Card
    proven: bool


def asked_of(settings: Settings, data: Data, X: NDArray[Any], names: Sequence[str]) -> Problem:
    """Ask settings of rows whose features are the columns of X."""
    for name in settings.rate_groups:
        if name not in data.columns:
            raise InvalidDataError(f"the table lacks the column {name!r}, which divides the rows into groups")
    return settings.problem(
        X,
        np.array(data.y.tolist()),
        feature_names=names,
        rate_groups={name: data.columns[name] for name in settings.rate_groups} or None,
        sample_weight=data.weights,
    )


def solved(problem: Problem, settings: Settings, plan: Plan) -> Refitted:
    """Solve within the limits of the plan; Ctrl-C is passed on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)  # the range differs from sample to sample
        solution = solve(problem, **{**settings.solve, **plan.limits})
    if solution.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return Refitted(card=card_of_solution(solution, None), proven=solution.proven_optimal)
