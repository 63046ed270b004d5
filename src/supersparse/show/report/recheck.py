"""The recheck: a card's claims, computed again from the rows."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from supersparse.base.errors import VerificationError
from supersparse.card.card import Card
from supersparse.card.printed import follows_from_learned
from supersparse.card.provenance import Provenance
from supersparse.card.risk import LogisticRisk
from supersparse.engine.verify import check_points
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.show.report.plan import Absent

_LOG_LOSS_ROUNDING = Fraction(1, 10**11)  # a card keeps slope and offset as floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """The card's objective, errors and constraints, recomputed on these rows."""

    objective: Fraction
    training_errors: Fraction
    predicted_errors: Fraction
    n: Fraction  # weight of all rows
    obeys: str | None  # None if all constraints are satisfied, else the violation
    is_printed_as_learned: bool  # whether the printed points follow from the learned ones

    @property
    def broken(self) -> str | None:
        """What is wrong with the card apart from its numbers; None if nothing is."""
        if not self.is_printed_as_learned:
            return "the printed points are not those that follow from the learned ones"
        return self.obeys

    def has_objective_of(self, made: Provenance) -> bool:
        """Whether the objective is that of a card; a log loss is rounded, so it may differ a little."""
        return abs(self.objective - made.objective) <= (_LOG_LOSS_ROUNDING if made.is_risk else 0)

    def has_numbers_of(self, made: Provenance) -> bool:
        """Whether objective, errors and weight are those of a card."""
        return self.has_objective_of(made) and (
            (self.training_errors, self.predicted_errors, self.n)
            == (made.training_errors, made.predicted_errors, made.total_weight)
        )

    def confirms(self, card: Card) -> bool:
        """Whether every number on the card was reproduced, and all it was asked is satisfied."""
        made = card.provenance
        return made is not None and self.broken is None and self.has_numbers_of(made)


def recheck(card: Card, problem: Problem) -> Recheck | Absent:
    """Evaluate the card's points on the problem's rows."""
    points = card_points(card, problem)
    if points is None:
        return Absent("these rows give different features from those on the card")
    try:
        check_points(problem, points, "the card")
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
        is_printed_as_learned=follows_from_learned(card),
    )


def card_points(card: Card, problem: Problem) -> Points | None:
    """The learned points of a card as a model of the problem; None if the problem lacks a feature of it."""
    printed, card = card, card.as_learned
    if not {item.name for item in card.items} <= set(problem.rows.names):
        return None
    by_name = {item.name: item.points for item in card.items}
    values = [by_name.get(name, Fraction(0)) for name in problem.rows.names]
    unit = lcm(problem.unit, card.intercept.denominator, *(v.denominator for v in values))
    if problem.goal == "risk" and isinstance(printed.risk, LogisticRisk):
        slope = Fraction(printed.risk.slope)
        offset = Fraction(printed.risk.offset) - slope * (printed.intercept - card.intercept)
        return Points(tuple(int(v * unit) for v in values), offset / slope * unit, unit, slope)
    return Points(tuple(int(v * unit) for v in values), int(card.intercept * unit), unit)
