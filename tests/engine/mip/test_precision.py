import numpy as np
import pytest

from supersparse import constraints as c
from supersparse.engine.mip.precision import FLOATS, WRITTEN, refuse_too_wide
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.problem import Problem


def problem_of(X, **options):
    return Problem.of(X, [0, 1, 1], **options)


def test_full_precision_floats_are_refused_with_the_span_and_the_remedy():
    X = np.random.default_rng(0).normal(size=(3, 2))
    with pytest.raises(UnsupportedProblemError, match=r"highs: .* times the smallest step .* round the data"):
        refuse_too_wide("highs", problem_of(X), "bigm", FLOATS)


def test_a_file_reaches_farther_than_a_solver():
    problem = problem_of([[0], [123456.789], [2345.678]])
    with pytest.raises(UnsupportedProblemError):
        refuse_too_wide("highs", problem, "bigm", FLOATS)
    refuse_too_wide("a file", problem, "bigm", WRITTEN)


def test_what_no_double_holds_exactly_is_not_written_either():
    with pytest.raises(UnsupportedProblemError, match="exact arithmetic"):
        refuse_too_wide("a file", problem_of([[0.0], [1e-9], [1e12]]), "indicator", WRITTEN)


def test_small_data_are_never_refused():
    refuse_too_wide("highs", problem_of([[0, 1], [10, 3], [2.5, 1]]), "bigm", FLOATS)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (c.budget({"x0": 1, "x1": 0.000000001}, at_most=1), "features for at most 1"),
        (c.max_total_score(5, ranges={"x0": (0, 1), "x1": (0, 1.23456789012)}), "a total score of at most 5"),
        (c.max_error(0.5), "error of at most 0.5"),
    ],
    ids=["support", "score", "rates"],
)
def test_a_limit_with_too_fine_numbers_is_refused_by_name(asked, words):
    weights = [1, 0.00000000012345, 2] if "error" in words else None
    problem = problem_of([[0, 1], [1, 0], [2, 3]], max_points=3, constraints=asked, sample_weight=weights)
    with pytest.raises(UnsupportedProblemError, match=f"scip cannot express '{words}.*its weights"):
        refuse_too_wide("scip", problem, "bigm", FLOATS)
    refuse_too_wide("a file", problem, "bigm", WRITTEN)


def test_the_big_m_of_a_row_that_must_be_exact_counts_in_both_directions():
    # the positive rows score -1 or -2 at worst, so M is 2; at best 20,000,000 or twice that
    X, y, wide = [[1], [2], [0]], [1, 1, 0], [-1, 0, 20_000_000]
    free = Problem.of(X, y, points=wide, intercept="none")
    refuse_too_wide("scip", free, "bigm", FLOATS)
    asked = c.max_difference("sensitivity", group="g", at_most=0.5)
    fair = Problem.of(X, y, points=wide, intercept="none", constraints=asked, rate_groups={"g": ["f", "m", "m"]})
    with pytest.raises(UnsupportedProblemError, match=r"scip: big-M is 2e\+07 times"):
        refuse_too_wide("scip", fair, "bigm", FLOATS)
    refuse_too_wide("scip", fair, "indicator", FLOATS)
