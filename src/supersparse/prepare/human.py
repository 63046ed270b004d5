"""Human cut points: of all numbers that separate the rows in the same way, the roundest one."""

from fractions import Fraction
from math import floor, log10

_HALF = Fraction(1, 2)


def roundest(above: Fraction, up_to: Fraction) -> Fraction:
    """Return the roundest number t with ``above < t <= up_to``, so that t parts the two as ``x >= t``.

    A multiple of 10 is rounder than one of 5, that is rounder than a whole number, and so on for every
    power of ten. Of equally round numbers it is the one nearest to the middle, then the smaller.

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
