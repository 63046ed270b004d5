"""Where C1 only breaks ties, and the values of C0 and C1 that the contours are drawn from (section 3.2)."""

from collections.abc import Collection
from fractions import Fraction
from math import gcd

from study.methods.rounding import LARGEST

CONTOUR_C0 = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
CONTOUR_C1 = (1e-05, 0.0001, 0.001, 0.01)  # where C1 takes over from C0, the same on all tables


def paper_end(rows: int, columns: int, C0: float) -> Fraction:
    """The end of the paper's range of C1: min(1/N, C0) over the largest ‖λ‖1 of the set.

    `columns` is P of the paper, which counts the intercept's.

    >>> float(paper_end(546, 10, 0.006))
    1.8315018315018316e-06
    """
    return min(Fraction(1, rows), Fraction(str(C0))) / (LARGEST * columns)


def safe_end(rows: int, columns: int, C0: float) -> Fraction:
    """Below it C1 changes neither errors nor size: the least step of F over the largest ‖λ‖1.

    Values of F are multiples of the greatest common divisor of 1/N and C0, so a ‖λ‖1 term that stays
    below it decides between models of equal F only. The paper's range goes further.

    >>> float(safe_end(546, 10, 0.006))
    7.326007326007326e-09
    """
    price = Fraction(str(C0))
    step = Fraction(gcd(price.denominator, price.numerator * rows), rows * price.denominator)
    return step / (LARGEST * columns)


def values_of_C1(  # noqa: N802  # the paper's name
    rows: Collection[int], columns: int, prices: Collection[float], past: tuple[float, ...]
) -> tuple[float, ...]:
    """Return one value below the safe end and one in the paper's range, and those past it.

    Each of the two lies there for every C0 of `prices` and all these numbers of rows.
    """
    pairs = [(count, C0) for count in rows for C0 in prices]
    safe = min(safe_end(count, columns, C0) for count, C0 in pairs)
    paper = min(paper_end(count, columns, C0) for count, C0 in pairs)
    return tuple(dict.fromkeys((_power_of_ten_below(safe), _power_of_ten_below(paper), *past)))


def _power_of_ten_below(end: Fraction) -> float:
    power = 0
    while Fraction(1, 10**power) >= end:
        power += 1
    return float(f"1e-{power}")
