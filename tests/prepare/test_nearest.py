import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import examples
from supersparse import Prepare
from supersparse.card.tables import read_every_column
from supersparse.prepare.nearest import Donors


def donors(table, *, categories=()):
    read = read_every_column(table)
    return Donors.of(read.columns, {name: name in categories for name in read.columns}, read.n_rows)


def filled(table, other, **settings):
    found = donors(table, **settings).fill(read_every_column(other))
    assert all(cells.missing is None or not cells.missing.any() for cells in found.columns.values())
    return found


def test_a_gap_gets_the_value_of_the_row_that_is_most_alike():
    table = {"age": [20, 21, 70, 71], "bmi": [19.5, 20.0, 31.0, 32.0], "sex": ["f", "f", "m", "m"]}
    other = {"age": [69, None], "bmi": [None, 19.0], "sex": ["m", "f"]}
    found = filled(table, other, categories={"sex"})
    assert found.columns["bmi"].values.tolist() == [31.0, 19.0]
    assert found.columns["age"].values.tolist() == [69, 20]


def test_a_row_without_any_value_is_filled_from_the_middle():
    found = filled({"x": [0.0, 4.0, 10.0], "y": [1.0, 2.0, 3.0]}, {"x": [None], "y": [None]})
    assert found.columns["x"].values.tolist() == [4.0]


def test_categories_are_filled_too_and_unseen_ones_are_far_from_all():
    table = {"job": ["a", "a", "b"], "pay": [1.0, 2.0, 9.0]}
    found = filled(table, {"job": [None, "new"], "pay": [8.0, None]}, categories={"job"})
    assert found.columns["job"].distinct[found.columns["job"].codes[0]] == "b"


@given(
    st.lists(
        st.tuples(st.none() | st.integers(0, 5), st.none() | st.integers(0, 5)), min_size=2, max_size=12
    ).filter(lambda rows: any(a is not None for a, _ in rows) and any(b is not None for _, b in rows))
)
@settings(max_examples=examples(40))
def test_every_filled_value_is_one_that_some_training_row_has(rows):
    table = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    found = filled(table, table)
    for name, given_values in table.items():
        values = found.columns[name].values.tolist()
        assert set(values) <= {v for v in given_values if v is not None}
        assert all(v is None or v == w for v, w in zip(given_values, values, strict=True))


def test_single_precision_keeps_its_decimals():
    table = pd.DataFrame({"x": np.array([0.1, np.nan, 0.3], dtype=np.float32), "y": [1, 2, 3]})
    prepare = Prepare(missing="nearest", cuts="none", rare=0).fit(table)
    assert prepare.fill(table)["x"].dtype == np.float32
    assert prepare.transform(table)[0].tolist() == [0.1, 1.0]


def test_large_tables_use_some_of_their_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=5000)
    table = {"x": x, "y": np.where(rng.random(5000) < 0.1, np.nan, 2 * x)}
    found = donors(table)
    assert found.table.n_rows <= 1002
    values = found.fill(read_every_column(table)).columns["y"].values
    assert np.abs(values - 2 * x).mean() < 0.05
