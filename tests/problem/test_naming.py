"""Settings by feature name or pattern."""

import pytest

from supersparse.errors import InvalidProblemError
from supersparse.problem.naming import per_feature

NAMES = ("age", "age_of_car", "x[1]", "income")


def spread(setting, **more):
    return per_feature(setting, NAMES, what="C0", read=lambda value, name: value, **more)


def test_one_value_serves_all():
    assert spread(3) == (3, 3, 3, 3)


def test_a_sequence_gives_one_value_each():
    assert spread([1, 2, 3, 4]) == (1, 2, 3, 4)


def test_an_exact_name_goes_before_a_pattern_and_the_first_pattern_before_the_next():
    assert spread({"age*": 1, "*": 2, "age": 3}) == (3, 1, 2, 2)


def test_a_name_with_brackets_is_a_name_before_it_is_a_pattern():
    assert spread({"x[1]": 1, "*": 0}) == (0, 0, 1, 0)


def test_features_not_mentioned_take_the_default():
    assert spread({"age": 1}, default=lambda name: name) == (1, "age_of_car", "x[1]", "income")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ([1, 2], "C0 has 2 entries for 4 features; give one per feature"),
        ({"agee": 1, "*": 0}, "C0: there is no feature 'agee'; did you mean 'age'"),
        ({"zzz*": 1, "*": 0}, r"C0: there is no feature 'zzz\*'; known: .*income"),
        ({"age": 1}, "C0 has no entry for feature 'age_of_car'; add it, or a key"),
        ({1: 1}, "C0: the key 1 is not a feature name; use text"),
    ],
)
def test_a_setting_that_fits_no_feature_is_refused(setting, message):
    with pytest.raises(InvalidProblemError, match=message):
        spread(setting, extra_keys=["*"])
