"""The table of covers that hold everywhere, and the text that a derivation is written to."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from supersparse.engine.certify.derivation import POSITION, CoverTable, Text, move_covers


def table(room):
    return CoverTable(np.full(room, -1, np.int64), np.zeros(room, np.int64))


def place_of(keys, key):
    """Where a key lies, or would: the definition again, in Python's integers."""
    mixed = key * 2654435761 & (2**64 - 1)
    place = (mixed - (2**64 if mixed >= 2**63 else 0)) % len(keys)
    while keys[place] not in (-1, key):
        place = (place + 1) % len(keys)
    return place


@given(st.lists(st.integers(0, 2**40), unique=True, max_size=30))
def test_covers_are_found_again_in_a_larger_table(keys):
    small, large = table(61), table(130)
    for line, key in enumerate(keys):
        place = place_of(small.key, key)
        small.key[place], small.line[place] = key, line
    move_covers(small, large)
    assert sorted(large.key[large.key >= 0].tolist()) == sorted(keys)
    assert [int(large.line[place_of(large.key, key)]) for key in keys] == list(range(len(keys)))


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_a_text_gives_back_what_was_written_and_forgets_it(parts):
    text, at = Text(), np.zeros(3, np.int64)
    for _ in range(2):
        for part in parts:
            text.append(part, at)
        assert at[POSITION] == sum(map(len, parts))
        assert text.take(at) == b"".join(parts)
        assert at[POSITION] == 0
