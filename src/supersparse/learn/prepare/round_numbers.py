"""Round numbers: the roundest one of an interval, and how far a cut point is from being round."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import floor, log10


def roundest(above: Fraction, up_to: Fraction) -> Fraction:
    """Return the roundest number t with ``above < t <= up_to``, so that ``x >= t`` separates the two.

    A multiple of 10 is rounder than a multiple of 5, which is rounder than a whole number, and so on for
    every power of ten. Ties go to the number nearest to the middle, then to the smaller one.

    >>> [str(roundest(Fraction(a), Fraction(b))) for a, b in [("58.2", "61"), ("7", "8"), ("0.41", "0.57")]]
    ['60', '8', '1/2']
    """
    if above < 0 <= up_to:
        return Fraction(0)
    low, high = above.numerator * up_to.denominator, up_to.numerator * above.denominator
    unit = above.denominator * up_to.denominator  # of low and high: whole numbers are 20 times as fast
    power = floor(log10(max(abs(float(above)), abs(float(up_to))))) + 1
    while True:
        top, bottom = (10**power, 1) if power >= 0 else (1, 10**-power)
        for factor in (1, 2):  # a step of top / (factor * bottom)
            multiple = _nearest_multiple(top * unit, low * bottom * factor, high * bottom * factor)
            if multiple is not None:
                return Fraction(multiple * top, bottom * factor)
        power -= 1


def _nearest_multiple(step: int, above: int, up_to: int) -> int | None:
    """Return the k with ``above < k * step <= up_to`` for which that is nearest to the middle."""
    least, most = above // step + 1, up_to // step
    if least > most:
        return None
    twice = above + up_to  # the middle
    lower = min(max(twice // (2 * step), least), most)
    upper = min(lower + 1, most)
    return lower if abs(2 * lower * step - twice) <= abs(2 * upper * step - twice) else upper


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
        leading = floor(log10(abs(float(cut))))
        finer = _finer_steps(self.step, self.whole), _from_power(leading, self.whole)
        return min(_steps_above(steps, cut.numerator, cut.denominator) for steps in finer)


def _steps_above(steps: tuple[tuple[int, int], ...], top: int, bottom: int) -> int:
    """How many of these steps come before the first of which the cut is a multiple."""
    for count, (numerator, denominator) in enumerate(steps):
        # cut / step is whole if and only if bottom * numerator divides top * denominator
        if not (top * denominator) % (bottom * numerator):
            return count
    return len(steps)


@lru_cache(maxsize=256)
def _from_power(power: int, whole: bool) -> tuple[tuple[int, int], ...]:
    return _finer_steps(Fraction(10) ** power, whole)


@lru_cache(maxsize=256)
def _finer_steps(step: Fraction, whole: bool) -> tuple[tuple[int, int], ...]:
    """The step and those below it, as pairs of numerator and denominator."""
    steps = _steps(floor(log10(float(step))), whole=whole)
    finer = islice((s for s in steps if s <= step), _MOST_STEPS)
    return tuple((s.numerator, s.denominator) for s in finer)


def shortest(above: Fraction, up_to: Fraction, near: Fraction) -> Fraction:
    """Return the number t with ``above < t <= up_to`` of the fewest significant digits, of these the nearest.

    >>> [str(shortest(*map(Fraction, ends))) for ends in [("58.2", "61", "59"), ("7", "12", "8.5"), ("-3", "2", "1")]]
    ['60', '8', '0']
    """
    if above < 0 <= up_to:
        return Fraction(0)
    leading = floor(log10(abs(float(near)))) if near else floor(log10(float(max(abs(above), abs(up_to)))))
    for digits in range(1, 40):
        candidates = [
            cut
            for power in (leading - digits + 1, leading - digits + 2)  # 99 is near to 100
            for cut in _multiples_beside(near, Fraction(10) ** power)
            if above < cut <= up_to
        ]
        if candidates:
            return min(candidates, key=lambda cut: (abs(cut - near), cut))
    return up_to


def _multiples_beside(number: Fraction, step: Fraction) -> tuple[Fraction, Fraction]:
    lower = floor(number / step) * step
    return lower, lower + step
