from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.learn.prepare.round_numbers import roundest

decimals = st.decimals(-(10**6), 10**6, places=3).map(Fraction)
tiny = st.decimals(-1, 1, places=9).map(Fraction)


@pytest.mark.parametrize(
    ("above", "up_to", "expected"),
    [
        ("58.2", "61", "60"),
        ("59", "60", "60"),  # whole numbers: the upper one parts them
        ("60", "61", "61"),
        ("61.2", "64.9", "63"),  # none ends in 0 or 5, so the whole number nearest to the middle
        ("0.41", "0.57", "0.5"),
        ("0.0312", "0.0319", "0.0315"),
        ("-3", "2", "0"),
        ("-70", "-58", "-60"),
        ("120", "480", "300"),
        ("180", "2200", "1000"),
        ("-1", "0", "0"),
    ],
)
def test_cut_points_are_those_a_person_would_choose(above, up_to, expected):
    assert roundest(Fraction(above), Fraction(up_to)) == Fraction(expected)


@given(st.one_of(st.tuples(decimals, decimals), st.tuples(tiny, tiny)).filter(lambda pair: pair[0] != pair[1]))
def test_the_cut_lies_in_the_gap_and_no_rounder_one_does(pair):
    above, up_to = sorted(pair)
    cut = roundest(above, up_to)
    assert above < cut <= up_to
    steps = [Fraction(10) ** k * half for k in range(7, -11, -1) for half in (Fraction(1), Fraction(1, 2))]
    own = next(step for step in steps if cut % step == 0)
    for coarser in steps[: steps.index(own)]:
        assert up_to // coarser == above // coarser, f"a multiple of {coarser} lies in the gap"
