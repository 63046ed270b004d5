import numpy as np
import pytest

from supersparse.errors import UnsupportedProblemError
from supersparse.problem.problem import Problem
from supersparse.solving.mip.precision import FLOATS, INTEGERS, refuse_too_wide


def problem_of(X, **options):
    return Problem.of(X, [0, 1, 1], **options)


def test_full_precision_floats_are_refused_with_the_span_and_the_remedy():
    X = np.random.default_rng(0).normal(size=(3, 2))
    with pytest.raises(UnsupportedProblemError, match=r"highs: .* times the smallest step .* round the data"):
        refuse_too_wide("highs", problem_of(X), "bigm", FLOATS)


def test_integers_only_reach_farther_than_floats():
    problem = problem_of([[0], [123456.789], [2345.678]])
    with pytest.raises(UnsupportedProblemError):
        refuse_too_wide("highs", problem, "bigm", FLOATS)
    refuse_too_wide("cpsat", problem, "bigm", INTEGERS)


def test_what_does_not_fit_64_bits_is_refused_by_integers_too():
    with pytest.raises(UnsupportedProblemError, match="exact arithmetic"):
        refuse_too_wide("cpsat", problem_of([[0.0], [1e-9], [1e12]]), "indicator", INTEGERS)


def test_small_data_are_never_refused():
    refuse_too_wide("highs", problem_of([[0, 1], [10, 3], [2.5, 1]]), "bigm", FLOATS)
