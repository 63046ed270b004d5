"""Rates with intervals, the area under the ROC curve, and table layout."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from numbers import Real
from statistics import NormalDist

from supersparse.base.errors import InvalidOptionError
from supersparse.card.evaluate.outcomes import Tally
from supersparse.table.small_table import SmallTable, Tabular, facts, number


def normal_quantile(level: float) -> float:
    """Return z such that a share `level` of the normal distribution lies between -z and z."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InvalidOptionError(
            subject="level", value=level, remedy="the confidence level must be between 0 and 1, such as 0.95"
        )
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(events: Fraction, of: Fraction, level: float) -> tuple[float, float]:
    """Return Wilson's score interval: the rates p with ``|events/of - p| <= z·sqrt(p(1-p)/of)``.

    >>> tuple(round(end, 4) for end in wilson(Fraction(0), Fraction(10), 0.95))
    (0.0, 0.2775)
    """
    z2 = normal_quantile(level) ** 2
    n, rate = float(of), float(events / of)
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2) / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    # exact in theory, but rounding could miss the ends
    low = 0.0 if events == 0 else max(0.0, centre - half)
    high = 1.0 if events == of else min(1.0, centre + half)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rate(Tabular):
    """Events among rows, by weight: a row of weight k counts as k rows.

    `value` and `interval` are None if there are no rows.
    """

    events: Fraction
    of: Fraction
    level: float = 0.95

    def __post_init__(self) -> None:
        normal_quantile(self.level)
        if not 0 <= self.events <= self.of:
            raise InvalidOptionError(f"{self.events} events among {self.of} rows are not a rate")

    @property
    def value(self) -> float | None:
        """Events over rows."""
        return None if self.of == 0 else float(self.events / self.of)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval; valid if weights are numbers of rows."""
        return None if self.of == 0 else wilson(self.events, self.of, self.level)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f}-{high:.3f})"

    def _brief(self) -> str:
        return f"{self}, {number(self.events)} of {number(self.of)}"

    def _small_table(self) -> SmallTable:
        return facts(rate=str(self), events=self.events, rows=self.of)


_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Auc(Tabular):
    """The area, and Newcombe's score interval (Stat Med 2006;25:559, method 5).

    Like Wilson's, it never degenerates: an area of 1 from few rows has a wide interval. Both are None if a
    class has no rows.
    """

    value: float | None
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        return f"{self.value:.3f} ({self.interval[0]:.3f}-{self.interval[1]:.3f})"

    def _brief(self) -> str:
        return str(self)

    def _small_table(self) -> SmallTable:
        return facts(AUC=str(self))


def auc_of(tally: Tally, level: float) -> Auc:
    """Return the area under the ROC curve of a tally."""
    return auc_with_interval(tally.auc, tally.n_negative, tally.n_positive, level)


def auc_with_interval(exact: Fraction | None, negatives: Fraction, positives: Fraction, level: float) -> Auc:
    """Return an area under the ROC curve with its interval, given the weights of both classes."""
    if exact is None:
        return Auc(value=None, interval=None)
    value, z = float(exact), normal_quantile(level)
    m, n = float(negatives), float(positives)

    def too_far(area: float) -> bool:
        return abs(value - area) > z * sqrt(_variance(area, m, n))

    return Auc(value=value, interval=(_edge(value, 0.0, too_far), _edge(value, 1.0, too_far)))


def _variance(area: float, m: float, n: float) -> float:
    """Hanley and McNeil's variance, with both class sizes replaced by their mean in the correction."""
    inside = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * max(0.0, 1 + ((m + n) / 2 - 1) * inside) / (m * n)


def _edge(value: float, end: float, too_far: Callable[[float], bool]) -> float:
    """One end of the interval, by bisection."""
    near, far = value, end
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if too_far(middle):
            far = middle
        else:
            near = middle
    return near


def rate_columns(name: str, rate: Rate) -> dict[str, float | None]:
    """Return a rate and its interval as three cells."""
    low, high = rate.interval or (None, None)
    return {name: rate.value, f"{name}_low": low, f"{name}_high": high}
