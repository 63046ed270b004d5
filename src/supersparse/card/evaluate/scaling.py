"""Scaling: a card in the points of credit scoring, where a fixed number of points doubles the odds.

Siddiqi, Credit Risk Scorecards (2006): score = offset + factor·ln(odds), with factor = points to double the odds / ln 2
and offset = base score - factor·ln(base odds). The card's log-odds are a straight line in its total, so a scaled card
gives every answer its share of that line, rounded to whole points, and its total is the score.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from supersparse.base.errors import InvalidCardError, InvalidOptionError, UnsupportedCardError
from supersparse.card.bands import Band, bands_of, items_of_bands
from supersparse.card.card import Card, Label
from supersparse.card.evaluate.calibrating import fit_risk
from supersparse.card.evaluate.rates import Tally
from supersparse.card.risk import LogisticRisk
from supersparse.table.small_table import SmallTable, Tabular

_MOST_TOTALS = 500_000  # pairs of totals, before and after, that are compared


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scaling(Tabular):
    """A scaled card, and how near it is to the exact scores.

    `card` predicts the class that the odds are of from its threshold up. Its risk is that of the scale: the
    base odds at the base score, doubled by every `points_to_double_odds`.
    """

    card: Card
    factor: float  # points for each unit of log-odds
    offset: float  # the score of even odds
    rounding_error: float  # the most points by which whole numbers move anyone's score
    line_error: float | None  # the most points between a risk table and its line; None: the risk is a line
    same_classes: bool  # everyone gets the class that the card before gave

    def in_words(self) -> str:
        """Say what the scale is and how exact it is."""
        text = f"Score = {self.offset:.2f} + {self.factor:.4f} * ln(odds of {self.card.positive})."
        text += f" Whole points move a score by at most {self.rounding_error:.1f}."
        if self.line_error is not None:
            text += (
                f" The line through the log-odds of the risk table misses them by at most {self.line_error:.1f} points."
            )
        if not self.same_classes:
            text += " Rounding changes some classes: more points to double the odds help."
        return text

    __str__ = _brief = in_words
    _facts = "factor offset rounding_error line_error same_classes"

    def _small_table(self) -> SmallTable:
        return SmallTable((), [*self.card._small_table().rows, *Tabular._small_table(self).rows])


def scaled(
    card: Card, base_score: float, base_odds: float, points_to_double_odds: float, odds_of: Label | None
) -> Scaling:
    """Return a card in scaled points; see `ScoringSystem.scaled`."""
    good = card.negative if odds_of is None else odds_of
    if good not in card.classes:
        raise InvalidOptionError(
            subject="odds_of", value=odds_of, remedy=f"the classes of this card are {card.classes}"
        )
    for name, value in (("base_odds", base_odds), ("points_to_double_odds", points_to_double_odds)):
        if not (math.isfinite(value) and value > 0):
            raise InvalidOptionError(f"{name} is {value}", "it must be a number above 0")
    risk, line_error = _line(card)
    factor = points_to_double_odds / math.log(2)
    offset = base_score - factor * math.log(base_odds)
    sign = 1 if good == card.positive else -1
    columns = _columns(card)
    slope, start = (sign * factor * part for part in (risk.slope, risk.offset))
    share = (offset + start) / len(columns)
    rounded = [
        [replace(band, points=Fraction(round(share + slope * float(band.points)))) for band in bands]
        for bands in columns
    ]
    pairs = _totals(columns, rounded)
    error = max(abs(float(new) - (offset + start + slope * float(old))) for old, new in pairs)
    threshold, same = _threshold(card, pairs, sign, offset + start + slope * float(card.zero_total))
    likes = card.items_by_column()
    items = [item for bands in rounded for item in items_of_bands(bands, likes[bands[0].rule.column][0])]
    other = card.positive if good == card.negative else card.negative
    used = {item.column for item in items}
    return Scaling(
        card=replace(
            card,
            items=tuple(items),
            intercept=-threshold,
            reached=True,
            negative=other,
            positive=good,
            domains=tuple(d for d in card.domains if d.column in used),
            risk=LogisticRisk(slope=1 / factor, offset=-offset / factor),
            provenance=None,
            seen=None,
            learned=None,
            performance=(),
            source=_source(card, base_score, base_odds, points_to_double_odds, good),
            wording=replace(
                card.wording,
                negative=card.wording.positive if good == card.negative else card.wording.negative,
                positive=card.wording.negative if good == card.negative else card.wording.positive,
            ),
        ),
        factor=factor,
        offset=offset,
        rounding_error=error,
        line_error=None if line_error is None else factor * line_error,
        same_classes=same,
    )


def _line(card: Card) -> tuple[LogisticRisk, float | None]:
    """The log-odds as a line in the total, and by how much it misses a table of risks."""
    if card.risk is None:
        raise InvalidCardError(
            "this scoring system has no risks, so its odds are not known", "use `recalibrate` to learn them"
        )
    if isinstance(card.risk, LogisticRisk):
        if card.risk.slope == 0:
            raise InvalidCardError("the risk is the same for every total, so points have no scale")
        return card.risk, None
    table = card.risk
    if len(table.totals) < 2:
        raise InvalidCardError("the risk table has one total, and a scale needs two or more")
    weights = table.cases or (Fraction(10**6),) * len(table.totals)
    positives = tuple(w * Fraction(r) for w, r in zip(weights, table.risks, strict=True))
    tally = Tally(
        totals=table.totals,
        positives=positives,
        negatives=tuple(w - p for w, p in zip(weights, positives, strict=True)),
        cutoff=card.cutoff,
    )
    line = fit_risk(tally, "logistic")
    assert isinstance(line, LogisticRisk)
    if line.slope == 0:
        raise InvalidCardError("the risk is the same for every total, so points have no scale")
    misses = [
        abs(math.log(risk / (1 - risk)) - (line.slope * float(total) + line.offset))
        for total, risk in zip(table.totals, table.risks, strict=True)
        if 0 < risk < 1
    ]
    return line, max(misses, default=0.0)


def _columns(card: Card) -> list[tuple[Band, ...]]:
    columns = []
    for column, items, domain in card.by_column():
        bands = bands_of(items, domain)
        if bands is None:
            raise UnsupportedCardError(
                f"points multiply the values of column {column!r}, and scaled points need answers",
                "cut it into ranges first, such as with Prepare",
            )
        columns.append(bands)
    if not columns:
        raise UnsupportedCardError("the card has no items, so there is nothing to scale")
    return columns


def _totals(before: Sequence[Sequence[Band]], after: Sequence[Sequence[Band]]) -> set[tuple[Fraction, Fraction]]:
    """All pairs of a total and its scaled total, as if every answer could go with every other."""
    totals = {(Fraction(0), Fraction(0))}
    for old, new in zip(before, after, strict=True):
        steps = {(a.points, b.points) for a, b in zip(old, new, strict=True)}
        totals = {(x + a, y + b) for x, y in totals for a, b in steps}
        if len(totals) > _MOST_TOTALS:
            raise UnsupportedCardError("the card has too many totals to find how far rounding moves them")
    return totals


def _threshold(card: Card, pairs: set[tuple[Fraction, Fraction]], sign: int, exact: float) -> tuple[Fraction, bool]:
    """The scaled threshold, and whether it gives everyone the same class."""
    cutoff = card.cutoff
    chosen = [new for old, new in pairs if cutoff.includes(old) == (sign > 0)]
    others = [new for old, new in pairs if cutoff.includes(old) != (sign > 0)]
    if chosen and others and min(chosen) <= max(others):
        return Fraction(math.floor(exact) + 1), False
    return (min(chosen) if chosen else max(others) + 1), True


def _source(card: Card, score: float, odds: float, double: float, good: Label) -> str:
    scale = f"scaled: {score:g} points at odds of {odds:g} to 1 for {good}, doubled by every {double:g} points"
    made, parts = card.provenance, [card.source, scale]
    if made is not None and made.is_risk and made.weighs_classes:
        parts.insert(1, "learned with different class weights")
    return "; ".join(text for text in parts if text is not None)
