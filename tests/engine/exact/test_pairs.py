"""Nearest opposite pairs and their literals, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse.engine.exact.pairs import _to_words, nearest_pairs, pair_literals


def literals_of(above, below):
    """Literals under which the positive point scores above the negative one."""
    return {2 * f if a > b else 2 * f + 1 for f, (a, b) in enumerate(zip(above, below, strict=True)) if a != b}


@st.composite
def points(draw, most_rank):
    p = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, most_rank), min_size=p, max_size=p)
    up, down = (np.array(draw(st.lists(row, min_size=1, max_size=9)), np.int32).reshape(-1, p) for _ in range(2))
    flags = st.lists(st.booleans(), min_size=2 * p, max_size=2 * p).map(lambda v: np.array(v, bool))
    allowed = draw(flags)
    covering = draw(flags) & draw(flags) & draw(flags)
    return up, down, allowed, covering


def run(up, down, is_positive, allowed, covering, most, candidates, *, packed):
    mine, theirs = (up, down) if is_positive else (down, up)
    if packed:
        bits = _to_words(mine == 1), _to_words(theirs == 1)[candidates]
        flags = (allowed[0::2], allowed[1::2], covering[0::2], covering[1::2])
        masks = np.stack([_to_words(f[None, :])[0] for f in flags])
    else:
        bits = np.zeros((len(mine), 0), np.uint64), np.zeros((len(candidates), 0), np.uint64)
        masks = np.zeros((0, 0), np.uint64)
    return nearest_pairs(mine, theirs, is_positive, *bits, masks, allowed, covering, most, candidates)


@settings(max_examples=examples(80))
@given(points(most_rank=3), st.booleans(), st.integers(1, 6), st.data())
def test_each_point_gets_its_nearest_uncovered_opposites(case, is_positive, most, draws):
    up, down, allowed, covering = case
    mine, theirs = (up, down) if is_positive else (down, up)
    candidates = np.flatnonzero(draws.draw(st.lists(st.booleans(), min_size=len(theirs), max_size=len(theirs))))
    point, opposite = run(up, down, is_positive, allowed, covering, most, candidates, packed=False)
    assert set(opposite.tolist()) <= set(candidates.tolist())
    for i in range(len(mine)):
        distances = {}
        for j in candidates.tolist():
            pair = (mine[i], theirs[j]) if is_positive else (theirs[j], mine[i])
            names = literals_of(*pair)
            if not any(covering[name] for name in names):
                distances[j] = sum(1 for name in names if allowed[name])
        got = opposite[point == i].tolist()
        assert len(set(got)) == len(got) == min(most, len(distances))
        assert sorted(distances[j] for j in got) == sorted(distances.values())[:most]


@settings(max_examples=examples(80))
@given(points(most_rank=1), st.booleans(), st.integers(1, 6))
def test_packed_bits_give_the_same_pairs(case, is_positive, most):
    up, down, allowed, covering = case
    candidates = np.arange(len(down if is_positive else up))
    plain = run(up, down, is_positive, allowed, covering, most, candidates, packed=False)
    packed = run(up, down, is_positive, allowed, covering, most, candidates, packed=True)
    assert plain[0].tolist() == packed[0].tolist()
    assert plain[1].tolist() == packed[1].tolist()


def test_packed_bits_agree_beyond_one_word():
    random = np.random.default_rng(1)
    up, down = (random.integers(0, 2, (40, 150)).astype(np.int32), random.integers(0, 2, (30, 150)).astype(np.int32))
    down[:10] = up[:10]
    allowed, covering = random.random(300) < 0.7, random.random(300) < 0.01
    candidates = np.arange(len(down))
    plain = run(up, down, True, allowed, covering, 5, candidates, packed=False)
    packed = run(up, down, True, allowed, covering, 5, candidates, packed=True)
    assert len(plain[0]) > 0
    assert plain[0].tolist() == packed[0].tolist()
    assert plain[1].tolist() == packed[1].tolist()


@settings(max_examples=examples(80))
@given(points(most_rank=3), st.data())
def test_pair_literals_lists_the_allowed_literals_of_each_pair(case, draws):
    up, down, allowed, _ = case
    pairs = draws.draw(st.lists(st.tuples(st.integers(0, len(up) - 1), st.integers(0, len(down) - 1)), max_size=12))
    positive = np.array([i for i, _ in pairs], np.int32)
    negative = np.array([j for _, j in pairs], np.int32)
    start, literal = pair_literals(up, down, positive, negative, allowed)
    assert start[0] == 0
    for q, (i, j) in enumerate(pairs):
        listed = literal[start[q] : start[q + 1]].tolist()
        assert listed == sorted(name for name in literals_of(up[i], down[j]) if allowed[name])


@pytest.mark.parametrize("most", [1, 3])
def test_equally_near_points_are_shared_out(most):
    # ten equal negatives: the positives must not all pick the same one
    up, down = np.ones((10, 1), np.int32), np.zeros((10, 1), np.int32)
    allowed, covering = np.ones(2, bool), np.zeros(2, bool)
    _, opposite = run(up, down, True, allowed, covering, most, np.arange(10), packed=False)
    assert len(set(opposite.tolist())) > most
