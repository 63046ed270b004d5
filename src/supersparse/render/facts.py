"""What was proven about a card, and how it was made: labelled sentences that every face shows.

Only percentages, times and the objective are rounded, the gap upwards, so that no claim is stronger
than what was proven. All text is visible text, see `supersparse.render.plain`.
"""

from fractions import Fraction
from math import ceil

from supersparse.card.card import Card
from supersparse.card.provenance import Provenance
from supersparse.card.risk import TableRisk
from supersparse.decimals import shown
from supersparse.render.plain import quoted, visible
from supersparse.solution.stop import Stop


def facts(card: Card) -> tuple[tuple[str, str], ...]:
    """Labels and what they say; none for a card written by hand."""
    made = card.provenance
    if made is None:
        return ()
    return (
        ("Proof", _proof(made)),
        ("Errors", _errors(card, made)),
        ("Size", _size(card)),
        ("Asked", f"the least {visible(made.minimised)}; {visible(made.allowed)}"),
        ("Made by", _maker(made)),
    )


def class_names(card: Card) -> tuple[str, str]:
    """How (negative, positive) are written; the text "1" beside the number 1 gets quotes."""
    negative, positive = (quoted(c) if isinstance(c, str) else str(c) for c in card.classes)
    if negative == positive:
        negative, positive = (f'"{c}"' if isinstance(c, str) else str(c) for c in card.classes)
    return negative, positive


def heading(card: Card) -> str:
    """What the card is for, and its classes."""
    subject = "Scoring system" if card.title is None else f"Scoring system for {visible(card.title)}"
    negative, positive = class_names(card)
    return f"{subject}: {positive} or {negative}"


def risk_note(card: Card, total: str) -> str | None:
    """The risks that the card holds, in a sentence; `total` names the number that they go by."""
    risk, positive = card.risk, class_names(card)[1]
    if risk is None:
        return None
    if isinstance(risk, TableRisk):
        known = ", ".join(
            f"{shown(points)}: {100 * one:.1f} %" for points, one in zip(risk.totals, risk.risks, strict=True)
        )
        return f"Risk of {positive} by {total} (between these on a straight line): {known}."
    sign = "+" if risk.offset >= 0 else "-"
    power = f"{risk.slope:.6g} * total {sign} {abs(risk.offset):.6g}"
    return f"Risk of {positive} by {total}: 1 / (1 + exp(-({power})))."


def _proof(made: Provenance) -> str:
    value = f"({float(made.objective):.6f})"
    if made.proven_optimal:
        smallest = ", and none that costs the same has smaller points" if made.proven_smallest else ""
        return f"proven optimal: no allowed scoring system costs less than this one {value}{smallest}"
    if made.lower_bound <= 0:
        return f"not proven: how much less than this one {value} a scoring system can cost is not known"
    percent = f"{ceil(made.gap * 1000) / 10:.1f} %"
    return f"not proven: the best possible costs at most {percent} less than this one {value}"


def _errors(card: Card, made: Provenance) -> str:
    training = f"training errors {_share(made.training_errors, made.total_weight)}"
    if made.predicted_errors == made.training_errors:
        return training
    total = shown(card.threshold)
    return (
        f"{training}, where a total of exactly {total} is wrong for both classes; "
        f"predicted errors {_share(made.predicted_errors, made.total_weight)}, "
        f"as the rule gives {class_names(card)[0]} at exactly {total}"
    )


def _size(card: Card) -> str:
    features = "1 feature" if len(card.items) == 1 else f"{len(card.items)} features"
    return f"{features}, {card.size_with_intercept} with the intercept"


def _maker(made: Provenance) -> str:
    known = Stop.__members__.get(made.stop)
    reason = visible(made.stop) if known is None else known.value
    return f"supersparse {visible(made.version)}, {visible(made.solver)}, in {made.seconds:.1f} s; {reason}"


def _share(part: Fraction, whole: Fraction) -> str:
    percent = f" ({float(100 * part / whole):.2f} %)" if whole else ""
    return f"{shown(part)} of {shown(whole)}{percent}"
