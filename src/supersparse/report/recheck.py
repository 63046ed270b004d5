"""Recheck: what the card claims of itself, computed again from the rows in exact arithmetic."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from supersparse.card.card import Card
from supersparse.errors import VerificationError
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.report.plan import Missing
from supersparse.solution.verify import check_feasible


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """The card as an answer to its question on the rows at hand."""

    objective: Fraction
    training_errors: Fraction
    predicted_errors: Fraction
    n: Fraction  # weight of all rows
    obeys: str | None  # None: all that was asked is obeyed; else what is not

    def confirms(self, card: Card) -> bool:
        """Whether every number that the card claims of its training rows came out again."""
        made = card.provenance
        return (
            made is not None
            and self.obeys is None
            and (self.objective, self.training_errors, self.predicted_errors, self.n)
            == (made.objective, made.training_errors, made.predicted_errors, made.total_weight)
        )


def recheck(card: Card, problem: Problem) -> Recheck | Missing:
    """Evaluate the card's points on the rows of its question."""
    if not {item.name for item in card.items} <= set(problem.rows.names):
        return Missing("these rows give other features than those of the card")
    by_name = {item.name: item.points for item in card.items}
    values = [by_name.get(name, Fraction(0)) for name in problem.rows.names]
    intercept = card.intercept
    unit = lcm(problem.unit, intercept.denominator, *(v.denominator for v in values))
    points = Points(tuple(int(v * unit) for v in values), int(intercept * unit), unit)
    try:
        check_feasible(problem, points, "the card")
        obeys = None
    except VerificationError as error:
        obeys = str(error)
    found = evaluate(problem, points)
    return Recheck(
        objective=found.objective,
        training_errors=found.training_errors,
        predicted_errors=found.predicted_errors,
        n=problem.total_weight * problem.rows.weight_unit,
        obeys=obeys,
    )
