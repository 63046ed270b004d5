"""The objective again, slowly and from the definition: one row at a time, in fractions."""

from fractions import Fraction

from hypothesis import strategies as st

from supersparse.problem.problem import Problem


def decimal(value):
    """The shortest decimal of a number, exactly."""
    return Fraction(str(value))


def slow_objective(
    X, y, coefficients, intercept, *, C0, C1=0, weights=None, class_weight=None, penalised=False
):
    """F of section 3.1 with the weights of appendix B; y holds booleans, `class_weight` (W-, W+)."""
    weights = [Fraction(1)] * len(y) if weights is None else [decimal(w) for w in weights]
    total = sum(weights)
    if class_weight == "balanced":
        of_positive = sum(w for w, positive in zip(weights, y, strict=True) if positive)
        class_weight = (total / (2 * (total - of_positive)), total / (2 * of_positive))
    negative_cost, positive_cost = class_weight or (1, 1)
    loss = Fraction(0)
    for row, positive, weight in zip(X, y, weights, strict=True):
        score = sum((decimal(x) * c for x, c in zip(row, coefficients, strict=True)), Fraction(intercept))
        if positive and score <= 0:
            loss += weight * positive_cost
        if not positive and score >= 0:
            loss += weight * negative_cost
    counted = [*coefficients, intercept] if penalised else coefficients
    size = sum(1 for c in counted if c != 0)
    return loss / total + decimal(C0) * size + decimal(C1) * sum(abs(c) for c in counted)


short_decimals = st.integers(-30, 30).map(lambda v: v / 10)
any_floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.one_of(st.integers(-5, 5), short_decimals, any_floats)


@st.composite
def data(draw, value=values, most_rows=6, most_features=3):
    """X as lists and y as booleans, both classes present."""
    n = draw(st.integers(2, most_rows))
    p = draw(st.integers(1, most_features))
    X = draw(st.lists(st.lists(value, min_size=p, max_size=p), min_size=n, max_size=n))
    y = draw(st.permutations([True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))]))
    return X, y


@st.composite
def small_problems(draw):
    """Problems small enough to try everything."""
    X, y = draw(data(value=st.integers(-2, 2), most_rows=5, most_features=2))
    weight = st.sampled_from([1, 2, 0.5, 0.3])
    intercept = draw(st.sampled_from(["free", "none", (-2, 3), "paper"]))
    penalties = [0, 0.01, 0.125, 0.4]
    if intercept != "paper":
        penalties.append([0.1, 0.25][: len(X[0])])
    return Problem.of(
        X,
        y,
        C0=draw(st.sampled_from(penalties)),
        C1=draw(st.sampled_from(["auto", "auto", 0.001, 0.07])),
        coef_set=draw(st.sampled_from([[-1, 0, 1], [0, 0.5, 2], [1, 2]])),
        intercept=intercept,
        class_weight=draw(st.sampled_from([None, "balanced", {False: 0, True: 3}])),
        sample_weight=draw(st.one_of(st.none(), st.lists(weight, min_size=len(y), max_size=len(y)))),
        max_features=draw(st.sampled_from([None, len(X[0]) + 1])),
    )
