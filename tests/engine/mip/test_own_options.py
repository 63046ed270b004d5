import numpy as np
import pytest

from supersparse.engine.mip.run import check_kind, check_option_names, check_priorities
from supersparse.errors import InvalidOptionError


def test_a_known_option_passes():
    check_option_names("some", {"alpha": 1}, ["alpha", "beta"], {})


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(InvalidOptionError, match=r"solver 'some' has no option 'alpa'; did you mean 'alpha'\?"):
        check_option_names("some", {"alpa": 1}, ["alpha", "beta"], {})


def test_a_reserved_option_says_what_to_use_instead():
    with pytest.raises(InvalidOptionError, match="'alpha' of some is set by supersparse; use that"):
        check_option_names("some", {"alpha": 1}, ["alpha"], {"alpha": "use that"})


@pytest.mark.parametrize(("value", "current"), [(2.5, 1), (True, 1), (1, True), ("x", 3)])
def test_a_value_that_would_be_bent_is_refused(value, current):
    with pytest.raises(InvalidOptionError, match="it takes"):
        check_kind("some", "alpha", value, current)


@pytest.mark.parametrize(("value", "current"), [(2, 1), (False, True), (0.5, 0.1), (1, 0.1), ("a", "b")])
def test_a_value_of_the_right_kind_passes(value, current):
    check_kind("some", "alpha", value, current)


@pytest.mark.parametrize("priority", [-1, 2.5, True, "high", 10**9, None])
def test_a_priority_that_is_no_small_whole_number_is_refused(priority):
    with pytest.raises(InvalidOptionError, match="branching_priorities: 'age' has"):
        check_priorities({"age": priority})


@pytest.mark.parametrize("priority", [0, 7, np.int64(3)])
def test_a_whole_number_is_a_priority(priority):
    check_priorities({"age": priority})
