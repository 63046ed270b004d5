from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from supersparse import Prepare
from supersparse.errors import InvalidDataError, InvalidProblemError

N = 200


def people(seed=0):
    """A mixed table with blanks, and classes that depend on it."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 95, N),
            "bmi": np.where(rng.random(N) < 0.1, np.nan, rng.normal(27, 5, N).round(1)),
            "smoker": rng.choice(["yes", "no"], N),
            "job": rng.choice(["a", "b", "c", "rare1", "rare2"], N, p=[0.5, 0.3, 0.18, 0.01, 0.01]),
            "ill": rng.random(N) < 0.3,
        }
    )
    y = (table.age + 20 * (table.smoker == "yes") + 3 * table.bmi.fillna(27) + rng.normal(0, 10, N)) > 150
    return table, y.to_numpy()


def names(prepare):
    return prepare.get_feature_names_out().tolist()


def by_column(prepare, column):
    return [f.name for f in prepare.features_ if f.column == column]


def note(prepare, column):
    return next(text for text in prepare.notes_ if text.startswith(f"{column}: "))


def test_frames_of_every_library_and_mappings_give_the_same():
    table, y = people()
    expected = Prepare().fit(table, y)
    matrix = expected.transform(table)
    columns = {name: table[name].to_numpy() for name in table}
    lists = {name: [None if v != v else v for v in table[name].tolist()] for name in table}
    others = [pl.from_pandas(table), pa.Table.from_pandas(table), columns, lists]
    for other in others:
        prepare = Prepare().fit(other, y)
        assert prepare.features_ == expected.features_
        assert prepare.notes_ == expected.notes_
        assert (prepare.transform(other) == matrix).all()


def test_features_are_zero_or_one_and_named_for_people():
    table, y = people()
    prepare = Prepare(cut_points={"age": [40, 65]}).fit(table, y)
    assert by_column(prepare, "age") == ["age >= 40", "age >= 65"]
    assert by_column(prepare, "smoker") == ["smoker = yes"]  # "no" is the contrary
    assert by_column(prepare, "ill") == ["ill"]
    assert "bmi missing" in by_column(prepare, "bmi")
    matrix = prepare.transform(table)
    assert matrix.dtype == np.int8
    assert (matrix[:, names(prepare).index("age >= 65")] == (table.age >= 65)).all()


def test_rare_categories_share_an_item_or_have_none():
    table, y = people()
    table["job"] = ["rare1"] * 3 + ["rare2"] * 3 + table.job.replace({"rare1": "a", "rare2": "a"}).tolist()[6:]
    together = Prepare(rare=0.02).fit(table, y)
    assert "job in (rare1, rare2)" in names(together)
    assert note(together, "job").endswith("rare1, rare2 in less than 0.02 of the rows: combined into one question")
    apart = Prepare(rare=0.04).fit(table, y)
    assert not any("rare1" in name for name in names(apart))
    assert note(apart, "job").endswith("no question of their own")


def test_columns_of_no_use_are_left_out_and_it_is_said_why():
    table, y = people()
    table["zip"] = [f"zip {i}" for i in range(N)]
    table["same"] = 7
    table["long"] = pd.Series([10**25 + i % 2 for i in range(N)], dtype=object)
    table["empty"] = None
    table["when"] = pd.date_range("2024-01-01", periods=N)
    table["share"] = [f"{i % 90}%" for i in range(N)]
    prepare = Prepare(rare=0.02).fit(table, y)
    assert note(prepare, "share") == (
        "share: left out: 90 different values in 200 rows (numbers with '%': write them without it, so that "
        "they can be cut)"
    )
    assert note(prepare, "zip") == "zip: left out: 200 different values in 200 rows"
    assert note(prepare, "same") == "same: left out: all values are the same"
    assert note(prepare, "long").startswith("long: left out: all numbers have the same first 17 digits")
    assert note(prepare, "empty") == "empty: left out: all values are missing"
    assert note(prepare, "when").startswith("when: left out: it contains values such as Timestamp(")
    assert not {"zip", "same", "empty", "when"} & {f.column for f in prepare.features_}


def test_a_number_that_counts_the_rows_is_left_out():
    table, y = people()
    table["id"] = np.random.default_rng(1).permutation(N) + 1
    assert note(Prepare().fit(table, y), "id").startswith("id: left out: it numbers the rows")
    table["id"] *= 3
    assert "drop the column if it is an identifier" in note(Prepare().fit(table, y), "id")


def test_when_no_column_is_of_use_the_message_says_what_was_wrong():
    with pytest.raises(InvalidDataError, match="no column gives a usable feature: a: left out: all values"):
        Prepare().fit({"a": [1, 1, 1, 1]}, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("missing", "value", "said"),
    [("median", 2.0, "replaced by 2, the median"), ("mode", 9.0, "replaced by 9, the mode")],
)
def test_a_missing_number_is_taken_for_a_value_that_is_said(missing, value, said):
    table = {"x": [1, 1.5, 2, 9, 9, None]}
    prepare = Prepare(cuts="none", missing=missing, rare=0).fit(table)
    assert prepare.transform(table)[5, 0] == value
    assert said in note(prepare, "x")


def test_a_missing_category_is_taken_for_the_mode_even_with_median():
    table = {"job": ["a", "b", "b", None, "c"]}
    prepare = Prepare(cuts="none", missing="median", rare=0).fit(table)
    assert prepare.transform(table)[3].tolist() == [int(n == "job = b") for n in names(prepare)]
    assert note(prepare, "job") == "job: 3 categories; 1 of 5 missing: replaced by b, the mode"


def test_what_was_never_missing_is_refused_and_what_was_never_seen_counts_as_nothing():
    prepare = Prepare(cuts="quantile", rare=0).fit({"x": [1, 2, 3, 4], "t": ["a", "b", "c", "c"]})
    assert prepare.transform({"x": [0], "t": ["new"]}).sum() == 0
    with pytest.raises(InvalidDataError, match=r"'x' has 1 missing value\(s\), the first in row 2"):
        prepare.transform({"x": [0, None], "t": ["new", "a"]})


def test_dropping_rows_is_refused_by_the_transformer_with_the_remedy():
    table, y = people()
    prepare = Prepare(missing="drop").fit(table, y)
    assert (
        prepare.notes_[0]
        == f"{table.bmi.isna().sum()} of 200 rows dropped for missing values (bmi {table.bmi.isna().sum()})"
    )
    with pytest.raises(InvalidDataError, match=r"'bmi' has \d+ missing value\(s\).*leave those rows out"):
        prepare.transform(table)
    complete = prepare.complete_rows(table)
    assert (complete == table.bmi.notna()).all()
    assert len(prepare.transform(table[complete])) == complete.sum()


def test_directions_become_bounds_and_thresholds_a_constraint():
    table, y = people()
    prepare = Prepare(direction={"age": "+", "bmi": "-"}, per_variable=1).fit(table, y)
    for feature, bounds in zip(prepare.features_, prepare.bounds_, strict=True):
        expected = {"age": (0, None), "bmi": (None, 0)}.get(feature.column)
        assert bounds == (None if feature.name == "bmi missing" else expected)
    (constraint,) = prepare.constraints_
    assert constraint.in_words() == "at most 1 cut point for each of age, bmi"
    (shape,) = Prepare(per_variable=None, shape={"bmi": "any"}).fit(table, y).constraints_
    assert shape.in_words() == "points of one sign for each of age"
    anything = {"age": "any", "bmi": "any"}
    assert Prepare(per_variable=None, shape=anything).fit(table, y).constraints_ == ()


def test_intervals_lie_between_cuts_and_count_among_the_thresholds():
    table, y = people()
    prepare = Prepare(cut_points={"age": [30, 50, 70]}, intervals=True).fit(table, y)
    assert {"30 <= age < 50", "50 <= age < 70", "30 <= age < 70"} <= set(names(prepare))
    assert set(dict(prepare.constraints_[0].variables)["age"]) == set(by_column(prepare, "age"))


def test_ordered_levels_become_this_level_or_higher():
    table = {"grade": ["low", "mid", "high", "mid", "low", "high", None, "odd"]}
    prepare = Prepare(ordered={"grade": ["low", "mid", "high"]}, rare=0, cuts="none").fit(table)
    assert names(prepare) == ["grade in (mid, high)", "grade = high", "grade missing"]
    assert note(prepare, "grade").startswith("grade: 3 levels in order; odd not among them: no points")


def test_ordered_categories_of_a_frame_bring_their_order():
    grades = pd.Categorical(["low", "mid", "high", "low"] * 5, ["low", "mid", "high"], ordered=True)
    given = Prepare(ordered={"grade": ["low", "mid", "high"]}, rare=0, cuts="none").fit({"grade": list(grades)})
    enum = pl.Series("grade", list(grades), dtype=pl.Enum(["low", "mid", "high"]))
    for table in (pd.DataFrame({"grade": grades}), {"grade": pd.Series(grades)}, pl.DataFrame([enum]), {"grade": enum}):
        found = Prepare(rare=0, cuts="none").fit(table)
        assert found.features_ == given.features_
        assert found.recorded.parameters == given.recorded.parameters
        by_level = Prepare(rare=0, cuts="none", categorical=["grade"]).fit(table)
        assert "grade = low" in by_level.get_feature_names_out()
    colours = pd.Categorical(["red", "green", "blue", "red"] * 5)
    without = pd.DataFrame({"colour": colours, "year": pd.Categorical([1, 2] * 10, ordered=True)})
    assert Prepare(rare=0, cuts="none").fit(without).recorded.parameters["ordered"] is None


def test_ordered_levels_have_directions_and_count_as_thresholds():
    table = {"grade": ["low", "mid", "high", "top"] * 5}
    order = {"grade": ["low", "mid", "high", "top"]}
    prepare = Prepare(ordered=order, direction={"grade": "+"}, per_variable=1).fit(table, [0, 0, 1, 1] * 5)
    assert prepare.bounds_ == [(0, None)] * 3
    assert prepare.constraints_[0].in_words() == "at most 1 cut point for grade"


def test_numbers_can_be_categories_or_stay_as_they_are():
    table = {"code": [1, 2, 3, 1, 2, 3], "visits": [0, 5, 2, 7, 1, 9]}
    prepare = Prepare(categorical=["code"], keep=["visits"], cuts="quantile", rare=0).fit(table)
    assert names(prepare) == ["code = 1", "code = 2", "code = 3", "visits"]
    assert prepare.transform(table)[:, 3].tolist() == table["visits"]


def test_the_number_of_features_is_limited_the_best_of_each_column_first():
    table, y = people()
    few = Prepare(candidates=4).fit(table, y)
    assert len(few.features_) == 4
    assert {"age", "smoker"} <= {f.column for f in few.features_}
    assert few.notes_[-1].startswith("4 features; candidates left out: ")
    assert few.notes_[-1].endswith("beyond the limit of 4 (candidates)")
    one = Prepare(candidates=1).fit(table, y)
    assert one.notes_[-1].startswith("1 feature; candidates left out: ")
    assert few.n_candidates_ == len(Prepare(candidates=None).fit(table, y).features_)
    given = Prepare(candidates=1, cut_points={"age": [30, 50, 70]}).fit(table, y)
    assert names(given) == ["age >= 30", "age >= 50", "age >= 70"]  # what the user asked for stays


def test_many_columns_of_which_nothing_is_kept_share_one_sentence():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    table = {"telling": y + random.normal(0, 0.3, 200)} | {f"noise {j}": random.random(200) for j in range(9)}
    notes = Prepare(candidates=3).fit(table, y).notes_
    (shared,) = (text for text in notes if " columns not used, because " in text)
    listed = shared.partition(": ")[2].split(", ")
    assert len(listed) > 5
    assert not any(text.startswith(f"{name}: ") for text in notes for name in listed)
    assert any(text.startswith("telling: cut at ") for text in notes)


def test_neither_the_order_of_rows_nor_weights_as_copies_matter():
    table, y = people()
    rng = np.random.default_rng(3)
    order, weights = rng.permutation(N), rng.integers(0, 3, N)
    expected = Prepare().fit(table, y)
    assert Prepare().fit(table.iloc[order], y[order]).features_ == expected.features_
    copies = np.repeat(np.arange(N), weights)
    weighted = Prepare().fit(table, y, sample_weight=weights)
    assert weighted.features_ == Prepare().fit(table.iloc[copies], y[copies]).features_


def test_it_is_a_transformer_of_scikit_learn():
    table, y = people()
    prepare = clone(Prepare(max_cuts=3)).set_output(transform="pandas")
    found = prepare.fit_transform(table, y)
    assert found.columns.tolist() == names(prepare)
    assert found.index.equals(table.index)
    assert prepare.notes_[-1].startswith("per_variable, direction and shape apply only inside SLIMClassifier")
    assert prepare.set_output(transform="polars").transform(table).columns == names(prepare)


@parametrize_with_checks([Prepare(cuts="quantile")])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_arrays_sparse_matrices_and_frames_with_numbers_for_names_are_read():
    rows = np.arange(12.0).reshape(6, 2) % 5
    expected = Prepare(cuts="quantile").fit_transform(rows)
    for other in (rows.tolist(), csr_matrix(rows), pd.DataFrame(rows)):
        assert (Prepare(cuts="quantile").fit_transform(other) == expected).all()


def test_values_that_stay_as_they_are_keep_every_digit():
    table = {"long": [2**62 + 1, 1, 2**62], "third": [1 / 3, 2 / 3, None], "short": [0.1, 0.2, 0.3]}
    table["short"] = np.array(table["short"], dtype=np.float32)
    found = Prepare(cuts="none", rare=0, missing="median").fit(table).transform(table)
    assert found.tolist() == [[2**62 + 1, 1 / 3, 0.1], [1, 2 / 3, 0.2], [2**62, 1 / 3, 0.3]]
    thirds = {"x": [Fraction(1, 3), Fraction(2, 3)]}
    assert Prepare(cuts="none", rare=0).fit(thirds).transform(thirds)[0, 0] == Fraction(1, 3)
    assert Prepare(cuts="none", rare=0).fit({"x": [1.5, 2.5]}).transform({"x": [1.5]}).dtype == np.float64


@pytest.mark.parametrize(
    ("values", "remark"),
    [
        ([1, "n/a", 2.5, 3], "(n/a among numbers: mark it as missing if it is a code for that)"),
        (["1", "2.5", "3", "3"], "(text that looks like numbers: convert it to numbers to cut it)"),
    ],
)
def test_text_that_may_have_been_meant_as_numbers_is_remarked_on(values, remark):
    assert remark in note(Prepare(cuts="quantile", rare=0).fit({"x": values}), "x")


def test_columns_that_no_feature_uses_may_be_absent_and_others_may_not():
    table, y = people()
    prepare = Prepare().fit(table.assign(same=1), y)
    assert prepare.transform(table).shape == (N, len(prepare.features_))
    with pytest.raises(InvalidDataError, match=r"lack 1 column.*'age'; did you mean 'Age'"):
        prepare.transform(table.rename(columns={"age": "Age"}))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cuts": "optimum"}, "cuts is 'optimum'; did you mean 'optimal'?"),
        ({"missing": "means"}, "missing is 'means'; did you mean 'median'?"),
        ({"cut_points": {"agee": [1]}}, "cut_points: there is no column 'agee'; did you mean 'age'?"),
        ({"direction": {"age": "up"}}, "direction of 'age' is 'up'; give '+' or '-'"),
        ({"direction": {"agee": "+"}}, "direction: there is no column 'agee'; did you mean 'age'?"),
        ({"shape": {"age": "risng"}}, "shape of 'age' is 'risng'; did you mean 'rising'?"),
        ({"shape": {"job": "any"}}, "column 'job' has a shape, but contains categories"),
        (
            {"direction": {"age": "+"}, "shape": {"age": "falling"}},
            "'age' has the direction '+' and the shape 'falling'; give one of them",
        ),
        ({"candidates": 0}, "candidates is 0; give a whole number of at least 1"),
        ({"direction": {"job": "+"}}, "column 'job' has a direction, but contains categories"),
        ({"cut_points": {"job": [1]}}, "column 'job' has cut points, but contains categories"),
        ({"keep": "age"}, "keep is 'age'; give a list of column names"),
        ({"keep": ["age"], "cut_points": {"age": [1]}}, "'age' is in both cut_points and keep"),
        ({"cut_points": {"age": ["old"]}}, "cut_points of 'age', entry 1 is 'old'; give a number"),
        ({"rare": 0.7}, "rare is 0.7; give a share of the rows from 0 to below 0.5"),
        ({"max_cuts": 0}, "max_cuts is 0; give a whole number of at least 1"),
        ({"max_cuts": -1}, "max_cuts is -1; give a whole number of at least 1"),
        ({"ordered": {"job": ["a"]}}, "ordered of 'job' is a list of 1; give at least two levels, lowest first"),
        ({"intervals": 1}, "intervals is 1; give true or false"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings, message):
    table, y = people()
    with pytest.raises(InvalidProblemError) as caught:
        Prepare(**settings).fit(table, y)
    assert message in str(caught.value)


def test_data_that_cannot_be_read_are_named():
    table, _ = people()
    with pytest.raises(InvalidDataError, match="needs the classes; give y"):
        Prepare().fit(table)
    with pytest.raises(InvalidDataError, match="y has 3 labels for 200 rows"):
        Prepare().fit(table, [0, 1, 0])
    with pytest.raises(InvalidDataError, match=r"column 'x' has 1 infinite value\(s\)"):
        Prepare(cuts="none").fit({"x": [1.0, np.inf, 2.0]}, [0, 1, 1])
    with pytest.raises(InvalidDataError, match="remaining rows do not have both classes"):
        Prepare(missing="drop").fit({"x": [1, 2, None]}, [0, 0, 1])
