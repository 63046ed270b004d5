"""Risk within a horizon, where some people are lost to follow-up before it: who counts as a case, and how much.

Whoever is followed to the event or to the horizon stands for those who were lost before, by the inverse of the
Kaplan-Meier estimate G of not being lost: 1 / G(t-) for an event at t, 1 / G(h) for who is followed beyond h. Events
come before losses at the same time. The weights then add up to the number of people, and the weighted share of cases
is the Kaplan-Meier risk 1 - S(h), exactly; where other events rule the event out, they are no loss but a negative class
of weight 1 / G(t-), and the share is the Aalen-Johansen estimate.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted, exact, shown
from supersparse.base.schema.tree import find_label, label_text
from supersparse.card.card import Card
from supersparse.card.evaluate.rates import auc_with_interval
from supersparse.card.evaluate.thresholds import LEVEL
from supersparse.card.performance import Performance
from supersparse.card.provenance import Horizon
from supersparse.card.risk import LogisticRisk
from supersparse.card.scoring import score_table
from supersparse.problem.rows import read_labels
from supersparse.table.sources import as_table

LOST, EVENT, OTHER = 0, 1, 2
_LARGE_WEIGHT, _FEW_EVENTS = 5, 20


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FollowUp:
    """How long people were followed, and what ended it: the event, another that rules it out, or a loss."""

    times: NDArray[Any]
    ends: NDArray[np.int8]
    horizon: Fraction
    what: str  # the event, and the unit of time, in words
    unit: str

    def take(self, rows: NDArray[np.intp]) -> "FollowUp":
        """The same of some people."""
        return FollowUp(
            times=self.times[rows], ends=self.ends[rows], horizon=self.horizon, what=self.what, unit=self.unit
        )

    @property
    def cases(self) -> NDArray[np.bool_]:
        """Who had the event by the horizon."""
        return np.asarray((self.ends == EVENT) & self._by_then, bool)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Who was lost by the horizon, and is neither case nor control."""
        return np.asarray((self.ends == LOST) & self._by_then, bool)

    @property
    def _by_then(self) -> NDArray[np.bool_]:
        return np.asarray(self.times <= float(self.horizon), bool)

    def weights(self) -> list[Fraction]:
        """How many people each stands for, exactly; 0 of who was lost."""
        times = self.times
        distinct = np.unique(times)
        ended = {
            kind: np.bincount(np.searchsorted(distinct, times[mask]), minlength=len(distinct))
            for kind, mask in (("lost", self.ends == LOST), ("other", self.ends != LOST))
        }
        at_risk = len(times) - np.concatenate([[0], np.cumsum(ended["lost"] + ended["other"])[:-1]])
        before, staying = Fraction(1), []  # G just before each time
        until = Fraction(1)  # G at the horizon
        for time, lost, other, risk in zip(distinct, ended["lost"], ended["other"], at_risk, strict=True):
            staying.append(before)
            if lost:
                before *= 1 - Fraction(int(lost), int(risk - other))
            if time <= float(self.horizon):
                until = before
        if until == 0:
            raise InvalidDataError(
                f"nobody is followed beyond {shown(self.horizon)} {self.unit}".rstrip(), "give a shorter horizon"
            )
        of_time = dict(zip(distinct.tolist(), staying, strict=True))
        gone = self.lost
        return [
            Fraction(0) if left else 1 / (of_time[time] if ended_by else until)
            for time, ended_by, left in zip(times.tolist(), self._by_then.tolist(), gone.tolist(), strict=True)
        ]

    def row_weights(self) -> NDArray[np.float64]:
        """The same weights as doubles."""
        return np.array(list(map(float, self.weights())))

    def check(self) -> None:
        """Refuse a horizon that the times say nothing about."""
        if not len(self.times) or float(self.horizon) > self.times.max():
            longest = f"; the longest time is {self.times.max():g}" if len(self.times) else ""
            raise InvalidDataError(f"nobody is followed to {shown(self.horizon)}{longest}", "give a shorter horizon")
        if not self.cases.any():
            raise InvalidDataError(f"nobody has the event by {shown(self.horizon)}", "give a longer horizon")

    def facts(self) -> Horizon:
        """What the card says of it."""
        weights = self.weights()
        squares = sum((weight * weight for weight in weights), Fraction(0))
        return Horizon(
            horizon=self.horizon,
            what=self.what,
            unit=self.unit,
            people=len(weights),
            events=int(self.cases.sum()),
            lost=int(self.lost.sum()),
            others=int(((self.ends == OTHER) & self._by_then).sum()),
            largest_weight=float(max(weights)),
            effective=float(Fraction(len(weights)) ** 2 / squares),
        )

    def doubts(self) -> list[str]:
        """What makes the figures uncertain."""
        facts, found = self.facts(), []
        if facts.largest_weight > _LARGE_WEIGHT:
            found.append(
                f"{facts.lost} of {facts.people} people were lost before the horizon, and one of "
                f"the others stands for {facts.largest_weight:.1f}: a shorter horizon is surer"
            )
        if facts.events < _FEW_EVENTS:
            found.append(f"only {counted(facts.events, 'event')} by the horizon, so all figures are imprecise")
        return found


_UNITS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
_UNIT = re.compile(r"(d|days?|w|weeks?|m|mo|months?|y|years?)", re.IGNORECASE)


def unit_of(column: str) -> str:
    """The unit of a column of times, where its name ends in one.

    >>> unit_of("days"), unit_of("follow_up_months"), unit_of("time")
    ('days', 'months', '')
    """
    unit = _UNIT.fullmatch(re.split(r"[^A-Za-z]+", column.strip(" )]"))[-1])
    return "" if unit is None else _UNITS[unit[1][0].lower()]


def horizon_of(value: object) -> Fraction:
    """Read a horizon."""
    horizon = exact(value, "horizon", InvalidDataError)
    if horizon <= 0:
        raise InvalidDataError(subject="horizon", value=value, remedy="give a number above 0")
    return horizon


def followed(
    y: NDArray[Any], times: Any, horizon: object, event: str | None, censored: object, unit: str = "", what: str = ""
) -> tuple[FollowUp, object, object]:
    """Read what ended each follow-up; return it with the labels of the event and of a loss.

    Of two values, one is the event and the other a loss. Of more, both must be named: what ends a follow-up without a
    loss is never guessed.
    """
    values = np.unique(y)
    if len(values) != 2 and (event is None or censored is None):
        named = ", ".join(map(str, values[:5].tolist()))
        raise InvalidDataError(
            f"the column of events has {len(values)} values ({named})",
            "name the event with positive, and with censored that of who was lost to follow-up; others rule it out",
        )
    labels = read_labels(y, None)[1] if len(values) == 2 else tuple(values.tolist())
    of_event = labels[1] if event is None else find_label(event, labels, "positive")
    if censored is None:
        (lost,) = (label for label in labels if label != of_event)
    else:
        lost = find_label(label_text(censored), labels, "censored")
    if lost == of_event:
        raise InvalidDataError(f"{lost!r} is both the event and a loss to follow-up", "name two values")
    ends = np.where(y == of_event, EVENT, np.where(y == lost, LOST, OTHER)).astype(np.int8)
    found = FollowUp(times=read_times(times, len(y)), ends=ends, horizon=horizon_of(horizon), what=what, unit=unit)
    found.check()
    return found, of_event, lost


def read_times(given: Any, n_rows: int) -> NDArray[np.float64]:
    """Check the follow-up times, one a row."""
    try:
        times = np.asarray(given, float)
    except (TypeError, ValueError):
        raise InvalidDataError("the times of follow-up are not numbers", "give one of 0 or more per row") from None
    if times.shape != (n_rows,):
        raise InvalidDataError(f"there are {times.size} times for {n_rows} rows", "give one per row")
    wrong = ~(np.isfinite(times) & (times >= 0))
    if wrong.any():
        raise InvalidDataError(
            f"the time of row {int(wrong.argmax())} (counted from 0) is {times[wrong.argmax()]:g}",
            "give a number of 0 or more, or leave the row out",
        )
    return times


def with_follow_up(card: Card, X: Any, follow_up: FollowUp) -> Card:
    """Keep with a card the follow-up behind it; its counts by total become those of people whose outcome is known."""
    made, risk, facts = card.provenance, card.risk, follow_up.facts()
    if made is not None:
        within = f"{facts.what} within {shown(facts.horizon)} {facts.unit}".rstrip()
        card = replace(card, provenance=replace(made, horizon=facts), title=within if card.title else None)
    if isinstance(risk, LogisticRisk) and risk.seen is not None:
        scores = score_table(card, as_table(X)).floats + float(card.zero_total)
        totals = np.array(list(map(float, risk.seen.totals)))
        nearest = np.abs(scores[:, None] - totals).argmin(axis=1)
        counts = [
            tuple(Fraction(int(n)) for n in np.bincount(nearest[mask], minlength=len(totals)))
            for mask in (~follow_up.lost, follow_up.cases)
        ]
        card = replace(card, risk=replace(risk, seen=replace(risk.seen, cases=counts[0], events=counts[1])))
    worth = tuple(worth_people(one, facts) for one in card.performance)
    return replace(card, performance=worth)


def worth_people(seen: Performance, facts: Horizon) -> Performance:
    """The same performance, with the interval that so many people are worth."""
    if seen.auc is None:
        return seen
    share = Fraction(facts.effective / facts.people)
    interval = auc_with_interval(Fraction(seen.auc), seen.negatives * share, seen.positives * share, LEVEL).interval
    return replace(seen, auc_interval=interval)
