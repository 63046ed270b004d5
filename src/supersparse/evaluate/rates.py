"""Rate: a share of rows, with its Wilson interval."""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from supersparse.errors import InvalidOptionError


def normal_quantile(level: float) -> float:
    """Return z with so much of the normal distribution between -z and z."""
    if not 0 < level < 1:
        raise InvalidOptionError(f"level is {level!r}; give a confidence level between 0 and 1, such as 0.95")
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
    # the ends are reached exactly in theory, and may be missed by rounding
    low = 0.0 if events == 0 else max(0.0, centre - half)
    high = 1.0 if events == of else min(1.0, centre + half)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many events among so many rows, by weight: a row of weight k counts as k rows.

    `value` and `interval` are None where there are no rows to speak of.
    """

    events: Fraction
    of: Fraction
    level: float = 0.95

    def __post_init__(self) -> None:
        normal_quantile(self.level)
        if not 0 <= self.events <= self.of:
            raise InvalidOptionError(f"{self.events} events of {self.of} are no rate")

    @property
    def value(self) -> float | None:
        """Events over rows."""
        return None if self.of == 0 else float(self.events / self.of)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval, which holds when weights are numbers of rows."""
        return None if self.of == 0 else wilson(self.events, self.of, self.level)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f}-{high:.3f})"
