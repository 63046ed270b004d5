"""A card for a new site: another threshold or other risks, the points as they were."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from supersparse.card.card import Card
from supersparse.decimals import exact, shown
from supersparse.errors import InvalidOptionError
from supersparse.evaluate.calibrating import Method, fit_risk
from supersparse.evaluate.outcomes import read_outcomes
from supersparse.evaluate.tables import count_text
from supersparse.evaluate.thresholds import thresholds_of


def with_threshold(card: Card, threshold: Fraction, why: str | None = None) -> Card:
    """Return the card with another threshold.

    What was proven about the old one does not hold for the new one, so the provenance goes; the
    source says where the points come from.
    """
    if threshold == card.threshold:
        return card
    before, after = card.cutoff, card.cutoff.at(threshold)
    moved = f"threshold moved from {shown(before.threshold)} to {shown(after.threshold)}"
    if before.whole and before.positive != after.positive:
        moved = f"threshold moved from {before.positive} to {after.positive}"
    return replace(
        card,
        intercept=-threshold,
        provenance=None,
        source=_noted(_origin(card), moved if why is None else f"{moved}: {why}"),
    )


def choose_threshold(
    card: Card,
    X: object,
    y: object,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
    costs: tuple[float, float] | None = None,
    sample_weight: object = None,
    names: Sequence[str] | None = None,
) -> Card:
    """Return the card with the threshold that does what is wanted; see `ScoringSystem.choose_threshold`."""
    wishes = {"sensitivity": sensitivity, "specificity": specificity, "costs": costs}
    given = [name for name, value in wishes.items() if value is not None]
    if len(given) != 1:
        raise InvalidOptionError(
            f"give one of sensitivity, specificity and costs, not {' and '.join(given) or 'none'}"
        )
    tally = read_outcomes(card, X, y, sample_weight, names).tally()
    choices = thresholds_of(tally, 0.95)
    if sensitivity is not None:
        chosen, wish = choices.for_sensitivity(sensitivity), f"sensitivity {_given(sensitivity)} or more"
    elif specificity is not None:
        chosen, wish = choices.for_specificity(specificity), f"specificity {_given(specificity)} or more"
    else:
        assert costs is not None
        if len(costs) != 2:
            raise InvalidOptionError(f"costs is {costs!r}; give (of a false negative, of a false positive)")
        chosen = choices.for_cost(*costs)
        wish = (
            f"least cost, {_given(costs[0])} for a false negative and {_given(costs[1])} for a false positive"
        )
    if chosen is choices.current:
        return card
    return with_threshold(card, chosen.threshold, f"{wish}, on {count_text(tally.n)} rows")


def recalibrate(
    card: Card,
    X: object,
    y: object,
    *,
    method: Method = "logistic",
    sample_weight: object = None,
    names: Sequence[str] | None = None,
) -> Card:
    """Return the card with risks fitted to these rows; see `ScoringSystem.recalibrate`."""
    return replace(card, risk=fit_risk(read_outcomes(card, X, y, sample_weight, names).tally(), method))


def _given(number: float) -> str:
    return shown(exact(number, "a number"))


def _origin(card: Card) -> str | None:
    if card.source is not None or card.provenance is None:
        return card.source
    return f"learned by supersparse {card.provenance.version}"


def _noted(source: str | None, note: str) -> str:
    return note if source is None else f"{source}; {note}"
