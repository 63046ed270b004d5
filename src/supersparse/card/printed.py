"""From the learned model to the card that is printed: the same scores, without negative points.

The solver gives points to features. They may be negative, and several features may look at one column. On the printed
card each column is one line with answers that exclude one another, the lowest answer gives 0 points, and the threshold
has moved along. Formally: a column j gives f_j(v) points to the value v, and the model predicts the positive class if b
+ Σ f_j(v_j) > 0. Let m_j be the least of f_j over all values that the card accepts, missing values and values never
seen included. Then the printed card gives f_j(v) - m_j >= 0 points, and its threshold is -(b + Σ m_j). So

    printed total - printed threshold  =  learned total - learned threshold

for every person whom the card accepts, whatever the values, and points without a common factor keep none.

A column that points multiply stays as it is, unless it held two neighbouring numbers, such as 0 and 1: then
it becomes a question, and other numbers are refused. A column with both ranges and categories stays as it is.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from supersparse.card.bands import bands_of, items_of_bands
from supersparse.card.card import Card, Item, Learned
from supersparse.card.provenance import ItemSeen
from supersparse.card.risk import LogisticRisk, Risk, TableRisk, total_float
from supersparse.card.rules import Domain, ValueOf


def printed(card: Card) -> Card:
    """Return the printed form of a learned card, which keeps the learned points as `learned`."""
    items: list[Item] = []
    domains: dict[str, Domain | None] = {}
    least = {}
    for column, of_column, known in card.by_column():
        domain = _question_domain(of_column, known)
        bands = bands_of(of_column, domain)
        domains[column] = known if bands is None else domain
        if bands is None:
            items += of_column
            continue
        least[column] = min(band.points for band in bands)
        moved = [replace(band, points=band.points - least[column]) for band in bands]
        items += items_of_bands(moved, of_column[0])
    shift = sum(least.values(), Fraction(0))
    used = {item.column for item in items}
    return replace(
        card,
        items=tuple(items),
        intercept=card.intercept + shift,
        domains=tuple(
            shown_domain for d in card.domains if d.column in used and (shown_domain := domains[d.column]) is not None
        ),
        risk=moved_risk(card.risk, shift),
        seen=_moved_seen(card, items, least),
        learned=Learned(items=card.items, intercept=card.intercept),
    )


def follows_from_learned(card: Card) -> bool:
    """Whether the points of a printed card are those that its learned points give."""
    if card.learned is None:
        return True
    made = printed(card.as_learned)
    mine, theirs = ([(i.rule, i.points, i.missing) for i in one.items] for one in (card, made))
    return mine == theirs and card.intercept == made.intercept


def _question_domain(items: Sequence[Item], domain: Domain | None) -> Domain | None:
    """The domain with everything but its two numbers refused, where that makes a question of the column."""
    if domain is None or domain.values is None or len(items) != 1 or not isinstance(items[0].rule, ValueOf):
        return domain
    numbers = domain.numbers
    is_question = len(domain.values) == len(numbers) == 2 and abs(numbers[0] - numbers[1]) == 1
    return replace(domain, outside="refuse") if is_question else domain


def moved_risk(risk: Risk | None, shift: Fraction) -> Risk | None:
    """Return the same risks for totals that are lower by a shift."""
    if isinstance(risk, TableRisk):
        return replace(risk, totals=tuple(total - shift for total in risk.totals))
    if isinstance(risk, LogisticRisk):
        most = sys.float_info.max
        offset = min(max(risk.offset + risk.slope * total_float(shift), -most), most)
        return replace(risk, offset=offset, seen=None if risk.seen is None else risk.seen.moved(shift))
    return None


def _moved_seen(card: Card, items: Sequence[Item], least: dict[str, Fraction]) -> tuple[ItemSeen, ...] | None:
    """The points of the items on the training rows, where each column has one item before and after."""
    if card.seen is None or [item.column for item in card.items] != [item.column for item in items]:
        return None
    moved_seen = []
    for item, seen in zip(items, card.seen, strict=True):
        if not least.get(item.column):
            moved_seen.append(seen)
        elif seen.in_ranges:
            return None
        else:
            by_points = dict(zip(seen.points, seen.weights, strict=True))
            moved = {points - least[item.column]: weight for points, weight in by_points.items()}
            moved_seen.append(ItemSeen.of(moved, seen.missing))
    return tuple(moved_seen)
