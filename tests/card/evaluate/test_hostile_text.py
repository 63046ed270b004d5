"""Names in results: whatever they hold, they stay in their line and steer no terminal."""

import pytest

from cards import HOSTILE
from supersparse import ScoringSystem, item

NAMES = [name for name in HOSTILE if name]


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_result_keeps_names_in_their_lines(name):
    system = ScoringSystem.of(
        [item(name, equals=name, points=2, missing=0), item("b", points=1)],
        above=2,
        classes=("other", name),
        domains={name: [name, "known"]},
    )
    X = {name: [name, "known", "new"] * 4, "b": list(range(12))}
    y, groups = [name, "other"] * 6, [name, "r", "s"] * 4
    found, drift = system.evaluate(X, y), system.drift(X, X)
    risk, groups = system.risk(X, y), system.by_subgroup(X, y, groups)
    tables = {
        "drift": (str(drift), 3),
        "risk": (str(risk), len(risk.rows) + 1),
        "groups": (str(groups), 5),
        "columns": (str(system.by_subgroup(X, y, name)), 5),
    }
    for what, (text, lines) in tables.items():
        assert len(text.split("\n")) == lines, what
    words = [str(found), found.confusion.in_words(name), drift.in_words(), risk.in_words(), groups.in_words()]
    for text in (*words, *(text for text, _ in tables.values())):
        assert all(c.isprintable() for line in text.split("\n") for c in line)
    for text in words[1:]:
        assert len(text.splitlines()) == 1
