"""Refit for a report: the way to learn its card again, or why there is none."""

from supersparse.card.card import Card
from supersparse.errors import InvalidCardError, SupersparseError
from supersparse.learning.refit import Refit
from supersparse.report.data import Data
from supersparse.report.plan import Missing, Plan


def refit_of(card: Card, data: Data, plan: Plan) -> Refit | Missing:
    """Return the way to learn the card again, or why there is none."""
    try:
        return Refit.of(card, data.columns, data.y, data.weights, **plan.limits)
    except InvalidCardError as error:
        return Missing(str(error))
    except SupersparseError as error:
        return Missing(f"the question of the card cannot be asked of these rows: {error}")
