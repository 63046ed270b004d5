"""The rules that choose a penalty, on cases small enough to check by hand."""

from fractions import Fraction
from statistics import variance

import pytest

from supersparse.learn.choice import Candidate, choose_penalty


def candidate(C0, percent, sizes):
    return Candidate(C0=C0, errors=tuple(Fraction(p, 100) for p in percent), sizes=tuple(sizes))


# mean error 10 %, sample standard deviation 4 % (the root of 4 x 12 / 3), standard error of 4 folds 2 %
BEST = candidate(0.01, [12, 12, 12, 4], [5, 5, 5, 5])
WITHIN_ERROR = candidate(0.02, [12, 12, 12, 12], [3, 3, 3, 3])
WITHIN_DEVIATION = candidate(0.03, [14, 14, 14, 14], [2, 2, 2, 2])
BEYOND = candidate(0.04, [15, 15, 15, 15], [1, 1, 1, 1])


@pytest.mark.parametrize(("rule", "index"), [("best", 0), ("one_se", 1), ("one_sd", 2)])
def test_the_sparsest_within_the_spread_is_chosen_its_end_included(rule, index):
    assert choose_penalty([BEST, WITHIN_ERROR, WITHIN_DEVIATION, BEYOND], rule) == index


def test_the_deviation_that_chooses_is_the_sample_one():
    errors = [Fraction(p, 100) for p in (7, 13, 8, 12)]
    assert candidate(0.01, [7, 13, 8, 12], [1] * 4).variance == variance(errors)  # as R's var
    assert candidate(0.01, [7], [1]).variance == 0
    # the sparser one lies between the deviation of a population, 2.55 %, and that of a sample, 2.94 %
    dense = candidate(0.01, [7, 13, 8, 12], [3] * 4)
    assert choose_penalty([dense, candidate(0.02, [12, 13, 13, 13], [1] * 4)], "one_sd") == 1


def test_of_equal_errors_the_sparsest_is_best_then_the_largest_penalty():
    dense = candidate(0.1, [10, 10], [3, 3])
    sparse = candidate(0.2, [12, 8], [1, 2])
    assert choose_penalty([dense, sparse], "best") == 1
    assert choose_penalty([candidate(0.1, [10], [2]), candidate(0.2, [10], [2])], "best") == 1


def test_of_equally_sparse_models_the_least_error_is_chosen_then_the_largest_penalty():
    near = candidate(0.1, [11, 11], [1, 1])
    nearer = candidate(0.05, [10, 11], [1, 1])
    best = candidate(0.01, [8, 12], [4, 4])
    assert choose_penalty([best, nearer, near], "one_sd") == 1
    assert choose_penalty([best, near, candidate(0.2, [11, 11], [1, 1])], "one_sd") == 2


def test_without_spread_all_rules_agree():
    exact = candidate(0.01, [10, 10], [5, 5])
    for rule in ("best", "one_sd", "one_se"):
        assert choose_penalty([exact, WITHIN_ERROR], rule) == 0


def test_means_are_compared_exactly():
    # 1/3 + 2/3 and 1/2 + 1/2 have the same mean, which floating point need not see
    thirds = Candidate(C0=0.1, errors=(Fraction(1, 3), Fraction(2, 3)), sizes=(1, 1))
    halves = Candidate(C0=0.2, errors=(Fraction(1, 2), Fraction(1, 2)), sizes=(1, 1))
    assert choose_penalty([thirds, halves], "best") == 1
