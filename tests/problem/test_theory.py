"""The generalisation bounds, against enumeration of every classifier."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse import Problem, constraints, integers, non_negative, one_digit
from supersparse.errors import InvalidOptionError
from supersparse.problem.theory.space import (
    count_directions,
    count_farey,
    count_vectors,
    jordan_totients,
    mobius_function,
)
from supersparse.theory import Form, NoBound, bounds, generalization_bound, hoeffding_slack, one_more_digit

SMALL_SETS = [(-1, 0, 1), (0, 1, 2), (-2, 0), (-1, 1), (3,), (0,), (-0.5, 0, 0.5), (-1, 0, 2)]
INTERVALS = [(-1, 1), (-2, 2), (0, 3), (-3, 0), (-1, 4), (0, 0), (-6, 6)]


def count_coprime(n, largest):
    """The vectors of n whole numbers from -largest to largest whose gcd is 1; that of the zero vector is 0."""
    return count_directions({(-largest, largest): n}) - 1


def problem(n_features=2, n_rows=20, **settings):
    """Rows that differ in every column; what is in them does not enter a bound."""
    X = [[(i + j) % (j + 2) for j in range(n_features)] for i in range(n_rows)]
    return Problem.of(X, [i % 2 for i in range(n_rows)], **settings)


def direction(vector):
    """The same for two vectors exactly if one is a positive multiple of the other."""
    length = sum(abs(v) for v in vector)
    return tuple(Fraction(v, 1) / length for v in vector) if length else vector


def form(found, wanted):
    (one,) = [b for b in found if b.form is wanted]
    return one


def all_vectors(problem):
    """Every allowed (λ, b), read off the problem itself."""
    sets = [s.values for s in problem.sets]
    b = problem.intercept
    if b.mode == "paper":
        intercepts = b.allowed.values
    elif b.mode == "none":
        intercepts = [Fraction(0)]
    else:
        q = problem.unit
        intercepts = [Fraction(v, q) for v in range(math.ceil(b.low * q), math.floor(b.high * q) + 1)]
    for *coefficients, intercept in itertools.product(*sets, intercepts):
        size = sum(v != 0 for v in coefficients) + (b.mode == "paper" and intercept != 0)
        if problem.max_features is None or size <= problem.max_features:
            yield (*coefficients, intercept)


# Counting


@given(st.lists(st.sampled_from(SMALL_SETS), min_size=1, max_size=4), st.none() | st.integers(0, 4))
def test_vectors_are_counted_as_enumeration_counts_them(sets, max_size):
    optional, forced = {}, {}
    for s in sets:
        sizes = optional if 0 in s else forced
        nonzero = sum(v != 0 for v in s)
        sizes[nonzero] = sizes.get(nonzero, 0) + 1
    expected = sum(max_size is None or sum(v != 0 for v in vector) <= max_size for vector in itertools.product(*sets))
    assert count_vectors(optional, forced, max_size) == expected


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("largest", [1, 2, 3, 4, 6])
def test_coprime_vectors_and_zero_are_the_different_classifiers(n, largest):
    box = list(itertools.product(range(-largest, largest + 1), repeat=n))
    coprime = sum(math.gcd(*vector) == 1 for vector in box)
    assert count_coprime(n, largest) == coprime
    assert count_directions({(-largest, largest): n}) == coprime + 1 == len({direction(v) for v in box})


def test_different_directions_are_different_classifiers_and_zero_is_one_of_them():
    # the signs of the scores on a grid fine enough to tell all directions of {-2, ..., 2}^2 apart
    grid = list(itertools.product(range(-5, 6), repeat=2))

    def signs(vector):
        scores = [vector[0] * x + vector[1] * z for x, z in grid]
        return tuple((s > 0) - (s < 0) for s in scores)

    box = itertools.product(range(-2, 3), repeat=2)
    assert len({signs(v) for v in box}) == count_directions({(-2, 2): 2}) == count_coprime(2, 2) + 1 == 17


@given(
    st.lists(st.sampled_from(INTERVALS), min_size=1, max_size=3),
    st.sampled_from([(0, 0), (-1, 1), (-7, 7), (0, 9), (-12, 2)]),
    st.none() | st.integers(0, 3),
)
def test_directions_in_any_box_around_zero_are_counted_as_enumeration_counts_them(sets, b, max_size):
    vectors = itertools.product(*(range(low, high + 1) for low, high in [*sets, b]))
    found = {direction(v) for v in vectors if max_size is None or sum(x != 0 for x in v[:-1]) <= max_size}
    counted = count_directions({s: sets.count(s) for s in sets}, b, max_size)
    assert counted == len(found)


@pytest.mark.parametrize(("n", "largest"), [(1, 1), (1, 7), (2, 1), (2, 5), (2, 6), (3, 4), (4, 3)])
def test_farey_points_are_counted_by_their_definition(n, largest):
    points = {
        tuple(Fraction(v, q) for v in vector)
        for q in range(1, largest + 1)
        for vector in itertools.product(range(q), repeat=n)
        if math.gcd(*vector, q) == 1
    }
    assert count_farey(n, largest) == len(points)


@given(st.integers(1, 5), st.integers(1, 60))
def test_jordan_totients_and_mobius_obey_their_product_formulas(n, q):
    primes = [p for p in range(2, q + 1) if q % p == 0 and all(p % d for d in range(2, p))]
    totient = Fraction(q) ** n
    for p in primes:
        totient *= 1 - Fraction(1, p**n)
    assert jordan_totients(n, q)[q] == totient
    square_free = all(q % (p * p) for p in primes)
    assert mobius_function(q)[q] == ((-1) ** len(primes) if square_free else 0)


def test_a_wide_intercept_range_costs_no_time():
    # λ ≠ 0 allows few common divisors, whatever b is
    assert count_directions({(-1, 1): 1}, (-(10**30), 10**30)) == 3 + 2 * (2 * 10**30 + 1)


# From problems to counts


@given(
    st.lists(st.sampled_from(SMALL_SETS), min_size=1, max_size=3),
    st.sampled_from([(-2, 2), (1, 2), (-0.5, 1), "none", "paper"]),
    st.none() | st.integers(2, 4),
)
def test_bounds_count_what_a_problem_allows(sets, intercept, max_features):
    names = [f"x{j}" for j in range(len(sets))]
    points = {**dict(zip(names, map(list, sets), strict=True)), "(intercept)": [-1, 0, 1]}
    needed = sum(0 not in s for s in sets)
    limit = None if max_features is None else max(max_features, needed)
    asked = problem(len(sets), points=points, feature_names=names, intercept=intercept, max_features=limit)
    vectors = list(all_vectors(asked))
    reported = generalization_bound(asked)
    if reported.form in (Form.THEOREM_1, Form.THEOREM_1_SIZE):
        assert reported.count == len(vectors)
        assert reported.log_count == math.log(len(vectors) + 1)
    else:
        assert reported.count == len({direction(v) for v in vectors})
        assert reported.log_count == math.log(reported.count)


def test_theorem_1_is_the_formula_of_the_paper():
    found = form(bounds(problem(2, 50, max_points=3, intercept=(-5, 5)), delta=0.05), Form.THEOREM_1)
    assert found.count == 7 * 7 * 11
    assert found.slack == pytest.approx(math.sqrt((math.log(7 * 7 * 11 + 1) - math.log(0.05)) / (2 * 50)))


def test_the_reported_bound_is_theorem_2_with_the_exact_count():
    reported = generalization_bound(problem(2, 50, max_points=3, intercept=(-3, 3)), training_error=0.1)
    assert reported.form is Form.THEOREM_2
    assert reported.count == count_coprime(3, 3) + 1
    assert reported.limit == pytest.approx(0.1 + math.sqrt((math.log(reported.count) - math.log(0.01)) / 100))


def test_the_reported_bound_uses_a_declared_size_limit():
    found = bounds(problem(4, max_points=3, intercept=(-3, 3), max_features=2))
    assert generalization_bound(problem(4, max_points=3, intercept=(-3, 3), max_features=2)) == form(
        found, Form.THEOREM_2_SIZE
    )
    slacks = [form(found, f).slack for f in (Form.THEOREM_1, Form.THEOREM_1_SIZE, Form.THEOREM_2_SIZE)]
    assert slacks == sorted(slacks, reverse=True)


def test_the_intercept_of_the_paper_counts_in_the_size_and_a_range_does_not():
    # one feature in {-1, 0, 1}, b in {-1, 0, 1}, size 1
    in_size = form(bounds(problem(1, max_points=1, intercept="paper", max_features=1)), Form.THEOREM_1_SIZE)
    assert in_size.count == 5
    (whole, *_) = bounds(problem(1, max_points=1, intercept=(-1, 1), max_features=1))
    assert whole.count == 9


def test_a_constant_column_counts_as_it_was_declared():
    # that it is constant was seen in the rows, so it may not make the set smaller
    y = [0, 1] * 10
    X = [[i % 3, 7] for i in range(20)]
    one = Problem.of([[i % 3, 0] for i in range(20)], y, max_points=2, intercept=(-2, 2))
    assert one.ignored == (1,)
    assert generalization_bound(one).count == count_coprime(3, 2) + 1
    other = Problem.of(X, y, points=[[0, 1], [-0.5, 0, 0.5]], intercept=(0, 1))
    # b in steps of 1/2, as with a second column that varies
    assert form(bounds(other), Form.THEOREM_1).count == 2 * 3 * 3


def test_the_farey_count_proves_nothing_where_it_is_below_the_number_of_classifiers():
    few = form(bounds(problem(2, max_points=3, intercept="none")), Form.THEOREM_2_FAREY)
    assert not few.proven
    assert few.count == count_farey(2, 3) < count_coprime(2, 3)
    assert "nothing is proven" in few.in_words()
    many = form(bounds(problem(2, max_points=100, intercept="none")), Form.THEOREM_2_FAREY)
    assert many.proven
    assert many.count > generalization_bound(problem(2, max_points=100, intercept="none")).count


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"points": one_digit()}, "not an unbroken run of multiples of 1/1000 through 0"),
        ({"points": [[-2, 2], [0, 1]]}, "not an unbroken run of whole numbers through 0"),
        ({"intercept": (1, 5)}, "the intercept's range leaves out 0"),
    ],
)
def test_theorem_2_says_why_it_does_not_apply(settings, reason):
    asked = problem(**{"intercept": (-3, 3), **settings})
    refusal = form(bounds(asked), Form.THEOREM_2)
    assert isinstance(refusal, NoBound)
    assert reason in refusal.in_words()
    assert generalization_bound(asked).form is Form.THEOREM_1


def test_sets_with_a_sign_have_a_theorem_2_but_no_farey_count():
    found = bounds(problem(points=non_negative(4), intercept=(-9, 9)))
    assert form(found, Form.THEOREM_2).count == count_directions({(0, 4): 2}, (-9, 9))
    assert isinstance(form(found, Form.THEOREM_2_FAREY), NoBound)


# No bound


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"intercept": "free"}, "the threshold can be any number, so there are infinitely many"),
        ({"class_weight": {0: 1, 1: 2.5}}, "the class weights differ (1 for 0, 2.5 for 1)"),
        ({"sample_weight": [1] * 19 + [3]}, "the sample weights differ (1 to 3)"),
    ],
)
def test_no_bound_says_the_reason_and_what_to_do(settings, reason):
    asked = problem(**{"intercept": (-3, 3), **settings})
    refusal = generalization_bound(asked)
    assert isinstance(refusal, NoBound)
    assert refusal.in_words().startswith(f"no bound: {reason}")
    assert ("such as intercept=(-100, 100)" in refusal.in_words()) == ("intercept" in settings)
    assert bounds(asked) == (refusal,)
    assert one_more_digit(asked) == refusal


def test_fitted_cut_points_give_no_bound():
    refusal = generalization_bound(problem(intercept=(-3, 3)), cut_points_fitted=True)
    assert refusal.in_words().startswith("no bound: the cut points were fitted on the same rows")


def test_all_reasons_are_given_at_once():
    refusal = generalization_bound(problem(intercept="free", class_weight={1: 2}), cut_points_fitted=True)
    assert len(refusal.reasons) == 3


def test_equal_weights_other_than_1_are_no_obstacle():
    plain = generalization_bound(problem(intercept=(-3, 3)))
    weighted = problem(intercept=(-3, 3), sample_weight=[2.5] * 20, class_weight={0: 3, 1: 3})
    assert generalization_bound(weighted) == plain


# One more digit


def test_rows_for_one_more_digit_keep_the_slack_of_the_finer_problem():
    settings = {"intercept": (-3, 3), "max_features": 1}
    coarse = problem(2, 100, max_points=3, **settings)
    finer_set = [Fraction(v, 10) for v in range(-30, 31)]
    answer = one_more_digit(coarse)
    now = generalization_bound(coarse)
    needed = answer.n_rows_needed
    finer = generalization_bound(problem(2, needed, points=finer_set, **settings))
    just_too_few = generalization_bound(problem(2, needed - 1, points=finer_set, **settings))
    assert finer.log_count == answer.log_count_finer
    assert finer.slack <= now.slack == answer.slack < just_too_few.slack
    assert str(needed) in answer.in_words()


def test_one_more_digit_turns_one_significant_digit_into_two():
    # 0 and ±d·10^E with 9·6 magnitudes; with two digits, 90·6
    answer = one_more_digit(problem(1, points=one_digit(), intercept="none"))
    assert answer.log_count_finer == math.log(2 * 90 * 6 + 1 + 1)


def test_a_required_feature_stays_without_0_when_it_gets_a_digit():
    required = [constraints.must_use("x0")]
    answer = one_more_digit(problem(1, points=[[-1, 1]], intercept="none", constraints=required))
    # -1 to 1 in steps of 0.2, which leave out 0
    assert answer.log_count_finer == math.log(10 + 1)


# Size, wording, input


def test_large_problems_are_finite():
    X = [[(i >> (j % 8)) & 1 ^ (j == i) for j in range(1431)] for i in range(16)]
    asked = Problem.of(X, [0, 1] * 8, points=integers(500), intercept=(-500, 500), max_features=20)
    found = bounds(asked)
    digit = one_more_digit(asked)
    assert len(found) == 5
    for b in found:
        assert math.isfinite(b.slack)
        assert repr(b)
        assert b.in_words()
    assert digit.n_rows_needed > 16
    whole = form(found, Form.THEOREM_1)
    assert whole.count == 1001**1432
    assert whole.log_count == pytest.approx(1432 * math.log(1001))
    assert whole.says_nothing
    assert "says nothing" in whole.in_words()


def test_in_words_rounds_upwards():
    reported = generalization_bound(problem(2, 5000, max_points=1, intercept="none"), training_error=0.1)
    assert reported.count == 9
    slack = math.sqrt((math.log(9) - math.log(0.01)) / 10000)  # 0.0260...
    assert reported.slack == pytest.approx(slack)
    assert reported.in_words() == (
        "Theorem 2: except with probability 0.01 over the draw of 5000 rows, each of 9 classifiers has a "
        "true error rate of at most its training error rate + 2.7 percentage points. "
        "With a training error of 10.0 %: at most 12.7 %."
    )


@pytest.mark.parametrize("delta", [0, 1, -0.5, 2, float("nan"), "0.01", None])
def test_a_delta_that_is_no_probability_is_named_with_its_value_and_the_remedy(delta):
    asked = problem(intercept=(-3, 3))
    for ask in (generalization_bound, bounds, one_more_digit):
        with pytest.raises(InvalidOptionError, match=rf"^delta is '?{delta}.*; give a ") as caught:
            ask(asked, delta=delta)
        assert "number" in str(caught.value) or "such as 0.01" in str(caught.value)


@pytest.mark.parametrize("error", [22, -0.1])
def test_a_training_error_that_is_no_rate_is_refused(error):
    with pytest.raises(InvalidOptionError, match=rf"training_error is {error}; give a rate from 0 to 1"):
        generalization_bound(problem(intercept=(-3, 3)), training_error=error)


def test_the_slack_needs_rows():
    with pytest.raises(InvalidOptionError, match="n_rows is 0"):
        hoeffding_slack(1.0, delta=0.1, n_rows=0)


def test_a_tiny_delta_does_not_underflow():
    reported = generalization_bound(problem(intercept=(-3, 3)), delta=Fraction(1, 10**400))
    assert "except with probability 1e-400 " in reported.in_words()
    assert reported.slack > hoeffding_slack(400 * math.log(10) - 1, delta=0.5, n_rows=20)


def test_the_bound_holds_on_simulated_draws():
    # two fair coins as features and label: the true error of each classifier is known exactly
    source = random.Random(0)
    asked = problem(2, 40, max_points=1, intercept=(-1, 1))
    slack = generalization_bound(asked, delta=0.2).slack
    cells = list(itertools.product([0, 1], repeat=3))
    classifiers = [tuple(map(int, v)) for v in all_vectors(asked)]

    def wrong(vector, cell):
        x, z, label = cell
        return (2 * label - 1) * (vector[0] * x + vector[1] * z + vector[2]) <= 0

    true = {v: sum(wrong(v, c) for c in cells) / 8 for v in classifiers}
    failures = 0
    for _ in range(200):
        rows = [source.choice(cells) for _ in range(40)]
        failures += any(true[v] > sum(wrong(v, c) for c in rows) / 40 + slack for v in classifiers)
    assert failures <= 0.2 * 200
