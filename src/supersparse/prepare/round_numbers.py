"""Round numbers: the roundest one of an interval, and how far a cut point is from being round."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice, takewhile
from math import floor, log10

_HALF = Fraction(1, 2)


def roundest(above: Fraction, up_to: Fraction) -> Fraction:
    """Return the roundest number t with ``above < t <= up_to``, so that ``x >= t`` separates the two.

    A multiple of 10 is rounder than a multiple of 5, which is rounder than a whole number, and so on for
    every power of ten. Ties go to the number nearest to the middle, then to the smaller one.

    >>> [str(roundest(Fraction(a), Fraction(b))) for a, b in [("58.2", "61"), ("7", "8"), ("0.41", "0.57")]]
    ['60', '8', '1/2']
    """
    if above < 0 <= up_to:
        return Fraction(0)
    middle = (above + up_to) / 2
    power = floor(log10(max(abs(float(above)), abs(float(up_to))))) + 1
    while True:
        for step in (Fraction(10) ** power, Fraction(10) ** power * _HALF):
            found = _nearest_multiple(step, above, up_to, middle)
            if found is not None:
                return found
        power -= 1


def _nearest_multiple(step: Fraction, above: Fraction, up_to: Fraction, middle: Fraction) -> Fraction | None:
    least, most = above // step + 1, up_to // step  # multiples k·step with above < k·step <= up_to
    if least > most:
        return None
    lower = min(max(middle // step, least), most)
    upper = min(lower + 1, most)
    return min(lower * step, upper * step, key=lambda t: (abs(t - middle), t))


_ENOUGH = 8  # multiples of a column's step within most of its values
_MOST_STEPS = 20  # further down, all numbers count as equally unround


def _steps(power: int, *, whole: bool) -> Iterator[Fraction]:
    """The steps 5, 2.5, 2 and 1 times a power of ten, and so on downwards; whole ones for whole columns."""
    while True:
        for factor in (Fraction(5), Fraction(5, 2), Fraction(2), Fraction(1)):
            step = factor * Fraction(10) ** power
            if not whole or step.denominator == 1:
                yield step
        power -= 1
        if whole and power < 0:
            return


@dataclass(frozen=True, slots=True)
class Roundness:
    """How round the cut points of one column are, given its step.

    The step of a column is the largest of 5, 2.5, 2 and 1 times a power of ten of which at least eight
    multiples lie among its values, the outer twentieths left out: 5 for ages, 0.1 for creatinine.
    """

    step: Fraction
    whole: bool

    @classmethod
    def of(cls, low: Fraction, high: Fraction, *, whole: bool) -> "Roundness":
        """Find the step of a column with most values from `low` to `high`.

        >>> ages = Roundness.of(Fraction(28), Fraction(84), whole=True)
        >>> creatinine = Roundness.of(Fraction("0.6"), Fraction("2.1"), whole=False)
        >>> str(ages.step), str(creatinine.step)
        ('5', '1/10')
        """
        if low >= high:
            return cls(Fraction(1), whole)
        power = floor(log10(float(high - low))) + 1
        step = Fraction(1)
        for step in _steps(max(power, 0) if whole else power, whole=whole):
            if high // step - low // step >= _ENOUGH:
                break
        return cls(step, whole)

    def steps_off(self, cut: Fraction) -> int:
        """How many steps finer than the column's a step must be for the cut to be a multiple of it.

        The cut's own leading digit counts as round, whatever the step: 3 or 20,000 in a column of large
        numbers. A person's age has a step of 5:

        >>> ages = Roundness(Fraction(5), whole=True)
        >>> [ages.steps_off(Fraction(cut)) for cut in (60, 65, 64, 63, 3)]
        [0, 0, 1, 2, 0]
        """
        if cut == 0:
            return 0
        leading = Fraction(10) ** floor(log10(abs(float(cut))))
        return min(self._steps_below(self.step, cut), self._steps_below(leading, cut))

    def _steps_below(self, step: Fraction, cut: Fraction) -> int:
        top, bottom = cut.numerator, cut.denominator
        finer = _finer_steps(step, self.whole)
        # cut / step is whole if and only if bottom * numerator divides top * denominator
        return sum(1 for _ in takewhile(lambda s: (top * s[1]) % (bottom * s[0]), finer))


@lru_cache(maxsize=256)
def _finer_steps(step: Fraction, whole: bool) -> tuple[tuple[int, int], ...]:
    """The step and those below it, as pairs of numerator and denominator."""
    steps = _steps(floor(log10(float(step))), whole=whole)
    finer = islice((s for s in steps if s <= step), _MOST_STEPS)
    return tuple((s.numerator, s.denominator) for s in finer)
