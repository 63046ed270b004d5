from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Problem, solve
from supersparse.card.rules import InRange, ValueOf
from supersparse.learn.prepare.columns import FeatureCandidate
from supersparse.learn.prepare.cuts import ClassTarget
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.fitting import facts_of, screen
from supersparse.table.values import read_cells


def candidate(column, cut, *, gain=1.0, place=0, position=0):
    rule = ValueOf(column) if cut is None else InRange(column, low=Fraction(cut))
    feature = Feature(rule=rule, position=position, when_missing=Fraction(0))
    return FeatureCandidate(feature=feature, gain=gain, round=place)


def kept(candidates, columns, *, least=0.0, most=None, positive=None):
    cells = {name: read_cells(np.array(values)) for name, values in columns.items()}
    n_rows = len(next(iter(columns.values())))
    labels = None if positive is None else np.array(positive, dtype=bool)
    target = ClassTarget(np.ones(n_rows), labels)
    told = [facts_of(one.feature, cells, target) for one in candidates]
    found = screen(candidates, told, target, least=least, most=most)
    return [feature.name for feature in found.kept], (found.few_rows, found.repeated, found.beyond_limit)


def test_what_says_the_same_as_a_better_one_or_the_contrary_is_left_out():
    columns = {"a": [1, 2, 3, 4], "b": [9, 8, 2, 1]}
    first, second = candidate("a", 3, gain=2.0), candidate("b", 5, position=1)
    assert kept([second, first], columns) == (["a >= 3"], (0, 1, 0))


def test_features_that_part_few_rows_are_left_out_unless_they_were_asked_for():
    columns = {"a": [1, 2, 2, 2], "b": [5, 5, 5, 5]}
    few = candidate("a", 2)
    assert kept([few], columns, least=2.0) == ([], (1, 0, 0))
    assert kept([candidate("a", 2, place=-1)], columns, least=2.0) == (["a >= 2"], (0, 0, 0))
    assert kept([candidate("b", 5, place=-1)], columns) == ([], (1, 0, 0))  # constant


def test_values_are_compared_like_conditions():
    columns = {"a": [0, 0, 0, 7], "b": [3, 1, 4, 1]}
    offered = [candidate("a", None), candidate("b", None, position=1)]
    assert kept(offered, columns, least=2.0) == (["b"], (1, 0, 0))


def test_the_best_of_every_column_comes_before_the_second_of_any():
    columns = {"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]}
    offered = [
        candidate("a", 2, gain=9.0),
        candidate("a", 3, gain=8.0, place=1),
        candidate("b", 2, gain=1.0, position=1),
    ]
    assert kept(offered, columns, most=2) == (["a >= 2", "b >= 2"], (0, 0, 1))


def test_what_tells_no_more_than_chance_comes_last():
    columns = {"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]}
    offered = [
        candidate("a", 2, gain=9.0),
        candidate("a", 3, gain=8.0, place=1),
        candidate("b", 2, gain=0.1, position=1),  # below log(4) / 2
    ]
    assert kept(offered, columns, most=2, positive=[0, 1, 0, 1]) == (["a >= 2", "a >= 3"], (0, 0, 1))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), min_size=5, max_size=9),
    st.integers(0, 1),
)
@settings(max_examples=examples(40))
def test_a_feature_of_fewer_rows_than_c0_pays_for_is_never_needed(rows, rare_value):
    """What `rare` rests on: shares of at most C0 cannot lower the least objective."""
    x, other, y = (list(column) for column in zip(*rows, strict=True))
    y[0], y[1] = 0, 1
    rare = [1 - rare_value] * len(y)
    rare[-1] = rare_value  # one row has it, or all but one
    C0 = Fraction(1, len(y))
    with_it, without = (
        solve(Problem.of(np.column_stack(columns), y, C0=C0, max_points=2), "exhaustive").objective
        for columns in ([x, other, rare], [x, other])
    )
    assert with_it == without
