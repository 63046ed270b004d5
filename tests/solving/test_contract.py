"""Options: what every solver takes, and what is refused."""

import numpy as np
import pytest

from supersparse.errors import InvalidOptionError
from supersparse.solving.options import SolveOptions


def test_options_have_open_limits_and_one_thread_by_default():
    options = SolveOptions()
    assert (options.time_limit, options.node_limit, options.relative_gap, options.threads) == (
        None,
        None,
        0.0,
        1,
    )


def test_numpys_numbers_are_numbers():
    options = SolveOptions.read({"node_limit": np.int64(5), "time_limit": np.float64(1.5)})
    assert (options.node_limit, options.time_limit) == (5, 1.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timelimit": 3}, "unknown option 'timelimit'; did you mean 'time_limit'"),
        ({"colour": 3}, "unknown option 'colour'; known: .*threads"),
        ({"time_limit": -1}, "time_limit is -1; give a finite number of at least 0"),
        ({"time_limit": float("nan")}, "time_limit is nan; give a finite number"),
        ({"time_limit": "60"}, "time_limit is '60'; give a number of at least 0"),
        ({"time_limit": True}, "time_limit is True; give a number"),
        ({"node_limit": 1.5}, "node_limit is 1.5; give a whole number of at least 0"),
        ({"relative_gap": -0.1}, "relative_gap is -0.1"),
        ({"absolute_gap": None}, "absolute_gap is None; give a number"),
        ({"threads": 0}, "threads is 0; give a finite number of at least 1"),
        ({"seed": -1}, "seed is -1"),
        ({"formulation": "bigM"}, "formulation is 'bigM'; did you mean 'bigm'"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        SolveOptions.read(options)
