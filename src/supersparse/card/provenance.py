"""Provenance: how a card was made and what was proven about it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError
from supersparse.base.exact import exact_value
from supersparse.base.integer_arrays import IntArray
from supersparse.card.performance import Performance
from supersparse.card.risk import check_rising
from supersparse.table.small_table import Tabular, number

_LOG_LOSS_TOLERANCE = Fraction(1_010, 10**12)  # 1e-9, and the rounding of the evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFile:
    """The file that holds the proof: its name, without a folder, its sha256, and who checked it.

    `checked_by` are programs that accepted it, with what tells their version.
    """

    file: str
    sha256: str
    checked_by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.file or len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise InvalidCardError("the certificate of a card needs a file name and a sha256 of 64 hexadecimal digits")
        if not all(isinstance(name, str) and name for name in self.checked_by):
            raise InvalidCardError("the checkers of a certificate are not strings", "leave them out")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardEdit:
    """A change that somebody made by hand, why, and when (ISO 8601, UTC)."""

    change: str
    reason: str = ""
    at: str | None = None

    def __post_init__(self) -> None:
        if not self.change:
            raise InvalidCardError("an edit of the card says nothing", "name the change, or leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardUpdate:
    """The changes of an update to the version before, in words, and the gain of each.

    A gain is how much worse what was minimised would be without the change, the others staying; that of all together
    is against the version before, with its risks learned again from the same rows.
    """

    before: str  # the digest of the version before
    n_before: int | None  # the rows that it was learned from; None where it does not say
    n_rows: int  # the rows of the update
    gain: float
    changes: tuple[tuple[str, float], ...]

    def __post_init__(self) -> None:
        if not all(gain >= 0 for gain in (self.gain, *(gain for _, gain in self.changes))):
            raise InvalidCardError("a change of an update has a gain below 0", "write 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Horizon:
    """The time within which a risk is, and the follow-up behind it: people, not weights."""

    horizon: Fraction
    what: str  # the event
    unit: str  # of time; "" where it is not known
    people: int
    events: int  # by the horizon
    lost: int  # to follow-up, before it
    others: int  # who had another event before it, which rules this one out
    largest_weight: float  # how many people one of those who were followed stands for
    effective: float  # the number of people that the weights are worth

    def __post_init__(self) -> None:
        if min(self.events, self.lost, self.others) < 0 or self.events + self.lost + self.others > self.people:
            raise InvalidCardError("the people of a horizon do not add up", "count each once")
        if not (self.horizon > 0 and self.largest_weight >= 1 and 0 < self.effective <= self.people * (1 + 1e-9)):
            raise InvalidCardError("a horizon is above 0, with weights of 1 and more", "correct it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """People whom the counts behind a card do not show: left out, or counted with answers not their own.

    Both are upper bounds. They are mostly of the class that is rarer among people with their answers, so
    errors and rates of the people counted look better than those of everybody.
    """

    left_out: int = 0
    merged: int = 0

    def __post_init__(self) -> None:
        if min(self.left_out, self.merged) < 0:
            raise InvalidCardError("a negative number of people is left out or merged", "write 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Provenance(Tabular):
    """The verified outcome of the solve behind a card; a card written by hand has none.

    Errors are weights of training rows (counts, without sample weights). `training_errors`
    counts a score of exactly 0 against both classes: that is what was minimised and bounded.
    `predicted_errors` is what `predict` gets wrong on the same rows, never more.
    """

    version: str  # of supersparse
    solver: str
    minimised: str  # the objective in words
    allowed: str  # which points were allowed, in words
    objective: Fraction
    lower_bound: Fraction  # proven: no allowed scoring system has a smaller objective
    proven_smallest: bool  # proven besides: none with this objective has a smaller sum of |points|
    training_errors: Fraction
    predicted_errors: Fraction
    total_weight: Fraction  # N
    n_rows: int
    size: int  # as it was penalised and limited
    stop: str  # the name of the reason
    seconds: float
    nodes: int
    data: str | None = None  # fingerprint of the training rows, "sha256:..."; None: not recorded
    sensitivity: Fraction | None = None  # on the training rows, a score of 0 being wrong; None: not recorded
    specificity: Fraction | None = None
    features: tuple[str, ...] | None = None  # all that could have got points; None: not recorded
    n_candidates: int | None = None  # how many questions the table offered; None: not recorded
    settings: Mapping[str, Any] | None = field(default=None, hash=False)  # to ask again; as JSON holds them
    signed: bool = field(default=True, compare=False)  # False: read from a file without a digest
    certificate: CertificateFile | None = None  # the proof as a file that others can check
    edits: tuple[CardEdit, ...] = ()  # what was changed by hand after learning, oldest first
    horizon: Horizon | None = None  # of a risk within some time
    updates: tuple[CardUpdate, ...] = ()  # of earlier versions, oldest first
    suppressed: Suppressed | None = None  # people whom the counts it was learned from do not show
    projected: str | None = None  # when a proof was to be expected as the time ran out, in words; None: not known

    _facts = (
        "minimised allowed objective~ lower_bound~ training_errors "
        "predicted_errors rows=n_rows size solver stop seconds"
    )

    def __post_init__(self) -> None:
        if self.certificate is not None and not self.proven_optimal:
            raise InvalidCardError("the card names a certificate, but is not proven optimal")
        if not (self.settings is None or isinstance(self.settings, Mapping)):
            raise InvalidCardError("the settings are no JSON object", "leave them out, or write them as such")
        if self.lower_bound > self.objective:
            raise InvalidCardError(f"the lower bound {self.lower_bound} exceeds the objective {self.objective}")
        if self.proven_smallest and not self.proven_optimal:
            raise InvalidCardError("the card claims the smallest points of an objective that is not proven optimal")
        if not 0 <= self.predicted_errors <= self.training_errors <= self.total_weight:
            raise InvalidCardError(
                f"{self.predicted_errors} predicted and {self.training_errors} training errors of "
                f"{self.total_weight} do not fit together"
            )
        if min(self.n_rows, self.size, self.nodes) < 0 or not 0 <= self.seconds < math.inf:
            raise InvalidCardError("the number of rows, the size, the nodes and the seconds must be 0 or more")
        try:
            float(self.gap)
        except OverflowError:
            raise InvalidCardError(
                "the lower bound is too far below the objective to be a bound", "correct it"
            ) from None
        if self.n_candidates is not None and not len(self.features or ()) <= self.n_candidates:
            raise InvalidCardError(
                f"{len(self.features or ())} features were chosen from {self.n_candidates} candidates"
            )
        for name in ("sensitivity", "specificity"):
            rate = getattr(self, name)
            if rate is not None and not 0 <= rate <= 1:
                raise InvalidCardError(f"the {name} is {rate}", "it must lie between 0 and 1")

    @property
    def threshold_was_free(self) -> bool:
        """Whether the threshold could lie between any two totals, so that no training row is equal to it.

        Otherwise a row with a total equal to the threshold was wrong, whatever its class.
        """
        return self.settings is not None and self.settings.get("intercept", "free") == "free"

    @property
    def proven_optimal(self) -> bool:
        """Whether no allowed scoring system has a smaller objective; a log loss, by more than 1e-9."""
        return self.objective - self.lower_bound <= (_LOG_LOSS_TOLERANCE if self.is_risk else 0)

    @property
    def is_risk(self) -> bool:
        """Whether a log loss was minimised, which is proven up to 1e-9."""
        return self.settings is not None and self.settings.get("goal") == "risk"

    @property
    def asks_questions(self) -> bool:
        """Whether the card was learned with the question as the unit of size."""
        return self.settings is not None and self.settings.get("questions") is True

    @property
    def half_was_wrong(self) -> bool:
        """Whether a row with a risk of exactly one half was wrong, whatever its class: with slope 1."""
        asked = self.settings or {}
        return self.is_risk and asked.get("slope") == 1 and asked.get("risk_threshold") in (None, 0.5)

    @property
    def weighs_classes(self) -> bool:
        """Whether the two classes had different weights, besides those of the rows."""
        asked = (self.settings or {}).get("class_weight")
        if not isinstance(asked, Mapping):
            return asked == "balanced"
        weights = list(asked.values())
        return any(weight != weights[0] for weight in weights)

    @property
    def gap(self) -> Fraction:
        """(objective - bound) / objective, and 0 when the objective is 0."""
        return Fraction(0) if self.objective == 0 else 1 - self.lower_bound / self.objective

    def check_counts(self, seen: Performance) -> None:
        """Refuse a performance on the training rows that contradicts the errors and rates here."""
        if seen.on != "training":
            return
        wrong_negatives = self.training_errors - seen.false_negatives  # a score of 0 is wrong for both
        expected = {
            "total_weight": seen.n,
            "predicted_errors": seen.errors,
            "sensitivity": seen.sensitivity,
            "specificity": 1 - wrong_negatives / seen.negatives if seen.negatives else None,
        }
        for name, value in expected.items():
            stored = getattr(self, name)
            if stored is not None and value is not None and stored != value:
                raise InvalidCardError(f"its {name} of {stored} contradicts its performance on the training rows")

    def _brief(self) -> str:
        state = "proven optimal" if self.proven_optimal else f"gap {100 * float(self.gap):.1f} %"
        errors = f"{number(self.training_errors)} of {number(self.total_weight)}"
        return f"{state}, training errors {errors}, by {self.solver} of supersparse {self.version}"


MOST_VALUES = 10  # different points that are listed; more of them are put into this many ranges


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ItemSeen(Tabular):
    """The points that one item gave, with weights of rows; a row of weight k counts as k rows.

    Points of up to ten values stand by themselves. More of them are put into ranges of about equal weight,
    so that a card tells of no single row.
    """

    points: tuple[Fraction, ...]  # rising: the values, or the upper ends of the ranges
    weights: tuple[Fraction, ...]  # of the rows at each value, or in each range
    in_ranges: bool
    given: Fraction  # the weight of the rows that got points other than 0
    missing: Fraction  # of those whose value was missing
    mean_points: Fraction

    def __post_init__(self) -> None:
        if not self.points or any(weight <= 0 for weight in self.weights):
            raise InvalidCardError("what an item has seen has no rows, or a weight that is not above 0")
        check_rising(self.points, "what an item has seen has {} before {} points")
        for name in ("given", "missing"):
            if not 0 <= getattr(self, name) <= self.n:
                raise InvalidCardError(f"an item has seen {self.n} rows, of which {getattr(self, name)} {name}")
        if not self.in_ranges and (self.given, self.mean_points) != _given_and_mean(self._by_points()):
            raise InvalidCardError("the points that an item has given contradict their mean or their number")

    @classmethod
    def of(cls, by_points: Mapping[Fraction, Fraction], missing: Fraction) -> "ItemSeen":
        """Keep the weight of rows at each value of the points."""
        with_points, mean = _given_and_mean(by_points)
        groups = {points: by_points[points] for points in sorted(by_points)}
        if in_ranges := len(groups) > MOST_VALUES:
            groups = _ranges(groups)
        return cls(
            points=tuple(groups),
            weights=tuple(groups.values()),
            in_ranges=in_ranges,
            given=with_points,
            missing=missing,
            mean_points=mean,
        )

    @classmethod
    def of_multiples(cls, unit: Fraction, multiples: IntArray, weights: IntArray, weight_unit: Fraction) -> "ItemSeen":
        """Do the same for points that are rising multiples of a unit, none missing, however many they are."""
        seen = np.asarray(weights > 0, dtype=bool)
        multiples, weights = multiples[seen].astype(object), weights[seen].astype(object)
        if len(multiples) <= MOST_VALUES:
            pairs = zip(multiples, weights, strict=True)
            return cls.of({unit * int(v): int(w) * weight_unit for v, w in pairs}, missing=Fraction(0))
        ends, sums = _range_ends(multiples, weights, falling=unit < 0)
        return cls(
            points=tuple(unit * int(end) for end in ends),
            weights=tuple(w * weight_unit for w in sums),
            in_ranges=True,
            given=int(weights[(multiples != 0).astype(bool)].sum()) * weight_unit,
            missing=Fraction(0),
            mean_points=unit * Fraction(int((multiples * weights).sum()), int(weights.sum())),
        )

    @classmethod
    def of_floats(
        cls, points: Fraction, values: NDArray[np.float64], weights: IntArray, weight_unit: Fraction
    ) -> "ItemSeen":
        """Do the same for points times many rising values of a large table; the mean is that of doubles."""
        ends, sums = _range_ends(values, weights, falling=points < 0)
        mean = math.fsum((values * weights.astype(np.float64)).tolist()) / float(weights.sum())
        return cls(
            points=tuple(points * exact_value(end, "a value") for end in ends),
            weights=tuple(w * weight_unit for w in sums),
            in_ranges=True,
            given=int(weights[values != 0].sum()) * weight_unit,
            missing=Fraction(0),
            mean_points=points * exact_value(mean, "a mean"),
        )

    @property
    def n(self) -> Fraction:
        """The weight of all rows."""
        return sum(self.weights, Fraction(0))

    def _by_points(self) -> dict[Fraction, Fraction]:
        return dict(zip(self.points, self.weights, strict=True))

    def upper_ends(self, others: Mapping[Fraction, Fraction]) -> list[Fraction]:
        """Ranges in which to compare these points with others: the upper ends of all but the last one."""
        if self.in_ranges:
            return list(self.points[:-1])
        values = sorted({*self.points, *others})
        return values[:-1] if len(values) <= MOST_VALUES else list(_ranges(self._by_points()))[:-1]


def _given_and_mean(by_points: Mapping[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    with_points = sum((weight for points, weight in by_points.items() if points), Fraction(0))
    total = sum((points * weight for points, weight in by_points.items()), Fraction(0))
    return with_points, total / sum(by_points.values(), Fraction(0))


def _range_ends(values: NDArray[Any], weights: IntArray, *, falling: bool) -> tuple[list[Any], list[int]]:
    """Join rising values as `_ranges` does: the end and weight of each range; from the last if falling."""
    if falling:
        values, weights = values[::-1], weights[::-1]
    below = np.cumsum(weights)
    whole = int(below[-1])
    ends: list[int] = []
    while not ends or ends[-1] < len(below) - 1:
        # the first whose weight, so far, is this share of the whole
        at = int(np.searchsorted(below, -(-whole * (len(ends) + 1) // MOST_VALUES)))
        ends.append(max(at, ends[-1] + 1 if ends else 0))
    sums = [int(below[b]) - (int(below[a]) if a >= 0 else 0) for a, b in zip([-1, *ends], ends, strict=False)]
    return [values[end] for end in ends], sums


def _ranges(by_points: Mapping[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    """Join rising points into ranges of about equal weight: the upper end of each, and its weight."""
    whole = sum(by_points.values(), Fraction(0))
    ranges: dict[Fraction, Fraction] = {}
    below = within = Fraction(0)
    for points, weight in by_points.items():
        below, within = below + weight, within + weight
        if below * MOST_VALUES >= whole * (len(ranges) + 1):
            ranges[points], within = within, Fraction(0)
    return ranges
