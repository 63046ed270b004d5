"""The area under the ROC curve with an interval that stays inside 0 and 1."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from supersparse.evaluate.rates import normal_quantile
from supersparse.evaluate.tally import Tally

_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Auc:
    """The area, and Newcombe's score interval (Stat Med 2006;25:559, method 5).

    Like Wilson's it never degenerates: an area of 1 from few rows has a wide interval. Both are None when a
    class has no rows.
    """

    value: float | None
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        return f"{self.value:.3f} ({self.interval[0]:.3f}-{self.interval[1]:.3f})"


def auc_of(tally: Tally, level: float) -> Auc:
    """Return the area of a tally."""
    exact = tally.auc
    if exact is None:
        return Auc(value=None, interval=None)
    value, z = float(exact), normal_quantile(level)
    m, n = float(tally.n_negative), float(tally.n_positive)

    def too_far(area: float) -> bool:
        return abs(value - area) > z * sqrt(_variance(area, m, n))

    return Auc(value=value, interval=(_edge(value, 0.0, too_far), _edge(value, 1.0, too_far)))


def _variance(area: float, m: float, n: float) -> float:
    """Hanley and McNeil's, with both class sizes replaced by their mean in the correction."""
    inside = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * max(0.0, 1 + ((m + n) / 2 - 1) * inside) / (m * n)


def _edge(value: float, end: float, too_far: Callable[[float], bool]) -> float:
    """The farthest area towards one end that is not too far, by halving."""
    near, far = value, end
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if too_far(middle):
            far = middle
        else:
            near = middle
    return near
