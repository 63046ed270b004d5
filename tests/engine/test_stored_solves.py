"""The engine under a node limit gives on this processor what it gave where it was stored."""

import json

import pytest

from engine.stored_solves import FILE, SOLVES, outcome

STORED = json.loads(FILE.read_text(encoding="utf-8"))

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


def test_every_solve_is_stored():
    assert list(STORED) == list(SOLVES)


@pytest.mark.parametrize("name", SOLVES)
def test_a_node_limit_gives_the_stored_model_bound_and_work(name):
    assert outcome(name) == STORED[name]


def test_stopped_and_proven_solves_are_stored():
    assert {"NODE_LIMIT", "OPTIMAL"} <= {stored["stop"] for stored in STORED.values()}
