"""The exported Python module scores exactly as the card, for every card and every value."""

import ast
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from card.export.people import NEW_ROWS, STRANGERS, check, drawn, label, reference
from cards import HOSTILE, any_cards
from counts import examples
from supersparse.card.export.python import to_python
from supersparse.card.scoring import item_points

VALUES = [
    None, "", float("nan"), float("inf"), 0, 1, True, False, -2, 2**70, 0.1, 0.3, 1e-7, 1e22, -0.0, "1", "a",
    "true", Decimal("1.00"), Decimal("0.1"), Fraction(1, 3), np.float32(0.1), np.int64(3), np.bool_(True),
    *HOSTILE,
]  # fmt: skip


def run(source):
    module = {}
    exec(compile(source, "<exported>", "exec"), module)
    return module


def total(module, person):
    try:
        return module["total"](person)
    except ValueError:
        return None


@settings(max_examples=examples(80))
@given(any_cards(most=4), st.data())
def test_every_card_scores_the_same_on_any_values(card, data):
    module = run(to_python(card))
    for _ in range(6):
        person = {name: data.draw(st.sampled_from(VALUES)) for name in card.columns}
        expected = reference(card, person)
        assert total(module, person) == expected
        if expected is not None:
            assert module["predict"](person) == label(card, expected)
            given = [item_points(item, person[item.column]) for item in card.items]
            assert module["points"](person) == given
        assert ("risk" in module) == (card.risk is not None)


def test_edges_and_ties_are_exact():
    for card, _, group in drawn():
        module = run(to_python(card))
        for person in group:
            exact = total(module, person)
            assert exact == reference(card, person)
            if exact is not None:
                risk = module["risk"](person) if card.risk is not None else None
                check(card, person, exact, module["predict"](person), risk)


@settings(max_examples=examples(20))
@given(any_cards(most=4))
def test_the_module_imports_the_standard_library_alone_and_is_ascii(card):
    source = to_python(card)
    assert source.isascii()
    tree = ast.parse(source)
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert imported == {"math", "numbers", "decimal", "fractions"}


def test_a_column_that_is_not_there_is_named():
    from cards import chads2

    with pytest.raises(ValueError, match="lacks 'hypertension'"):
        run(to_python(chads2()))["total"]({"congestive_heart_failure": 1})


def test_what_pandas_and_numpy_hold_for_a_missing_value_is_missing():
    from supersparse import ScoringSystem, item

    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    system = ScoringSystem.of(
        [item("x", at_least=0, points=1, missing=2), item("y", equals="a", points=3, missing=5)], above=1
    )
    module = run(system.export("python"))
    for value in (pandas.NA, pandas.NaT, np.ma.masked, np.float32("nan"), Decimal("NaN")):
        person = {"x": value, "y": value}
        assert module["total"](person) == system.total(person) == 7


def test_new_rows_are_refused_as_the_card_refuses_them():
    module: dict = {}
    exec(to_python(NEW_ROWS), module)
    scored = []
    for person in STRANGERS:
        if reference(NEW_ROWS, person) is None:
            with pytest.raises(ValueError):
                module["total"](person)
        else:
            scored.append(next(((k, v) for k, v in person.items() if v != STRANGERS[0][k]), None))
            assert module["total"](person) == reference(NEW_ROWS, person)
    assert scored == [
        None, ("age", -40), ("age", 140), ("age", None), ("beds", 5), ("grade", None),
        ("stage", "none at all"), ("stage", "T11"),
    ]  # fmt: skip
