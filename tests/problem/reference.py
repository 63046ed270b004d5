"""The objective again, slowly and from the definition: one row at a time, in fractions."""

from fractions import Fraction
from itertools import pairwise, product

from hypothesis import strategies as st

from supersparse.problem.problem import Problem


def decimal(value):
    """The shortest decimal of a number, exactly."""
    return Fraction(str(value))


def slow_objective(X, y, coefficients, intercept, *, C0, C1=0, weights=None, class_weight=None, penalised=False):
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
        points=draw(st.sampled_from([[-1, 0, 1], [0, 0.5, 2], [1, 2]])),
        intercept=intercept,
        class_weight=draw(st.sampled_from([None, "balanced", {False: 0, True: 3}])),
        sample_weight=draw(st.one_of(st.none(), st.lists(weight, min_size=len(y), max_size=len(y)))),
        max_features=draw(st.sampled_from([None, len(X[0]) + 1])),
    )


def slow_best(case, unit):
    """The least (F, l1) of a constrained case, by trying everything; None when nothing is allowed.

    Beyond the largest score the intercept changes nothing; it is tried in steps of 1/unit.
    """
    *sets, intercept_set = [slow_values(case, j) for j in range(len(case.X[0]) + 1)]
    best = None
    for coefficients in product(*sets):
        far = 1 + max(int(abs(sum(decimal(x) * c for x, c in zip(row, coefficients, strict=True)))) for row in case.X)
        low, high = {"none": (0, 0), "free": (-far, far), "paper": (0, 0)}.get(case.intercept, case.intercept)
        grid = [Fraction(k, unit) for k in range(low * unit, high * unit + 1)]
        if case.intercept == "free":  # between any two neighbouring totals, and beyond them
            totals = {sum(decimal(x) * c for x, c in zip(row, coefficients, strict=True)) for row in case.X}
            ends = [min(totals) - 2, *sorted(totals), max(totals) + 2]
            grid = [-(a + b) / 2 for a, b in pairwise(ends)]
        for b in intercept_set if case.intercept == "paper" else grid:
            if not slow_broken(case, coefficients, b):
                cost = slow_cost(case, coefficients, b)
                best = cost if best is None else min(best, cost)
    return best


def slow_values(case, j):
    """The values of feature j, or of the intercept, before any constraint."""
    if case.levels[j] is None:
        if j == len(case.X[0]) and all(own is not None for own in case.levels[:j]):
            return [Fraction(v) for v in range(-2, 3)]  # max_points of the strategy
        return sorted({decimal(v) for v in case.sets[j]} | {Fraction(0)})
    values = {decimal(v) for level, _ in case.levels[j] for v in level}
    return sorted(values | {Fraction(0)})


def slow_penalty(case, j, value):
    """C0 for a value that is not 0, or the penalty of its level."""
    if case.levels[j] is None:
        return decimal(case.C0) if value else Fraction(0)
    for level, penalty in case.levels[j]:
        if value in [decimal(v) for v in level]:
            return decimal(penalty)
    assert value == 0  # in no level: a level of its own, which costs nothing
    return Fraction(0)


def slow_wrong(case, coefficients, intercept):
    """Which rows are wrong, a score of 0 being wrong for both classes."""
    scores = [sum(decimal(x) * c for x, c in zip(row, coefficients, strict=True)) + intercept for row in case.X]
    return [s <= 0 if label else s >= 0 for s, label in zip(scores, case.y, strict=True)]


def slow_cost(case, coefficients, intercept):
    """(F, l1) of a constrained case."""
    penalised = case.intercept == "paper"
    loss = slow_objective(
        case.X,
        [bool(label) for label in case.y],
        coefficients,
        intercept,
        C0=0,
        C1=0 if case.C1 == "auto" else case.C1,
        weights=case.sample_weight,
        class_weight=tuple(map(decimal, case.class_weight))
        if isinstance(case.class_weight, tuple)
        else case.class_weight,
        penalised=penalised,
    )
    counted = [*coefficients, intercept] if penalised else coefficients
    penalty = sum(slow_penalty(case, j, value) for j, value in enumerate(counted))
    return loss + penalty, sum(abs(v) for v in counted)


def slow_broken(case, coefficients, intercept):
    """Which of the constraints asked a model breaks, the limits on the size among them."""
    used = {name for name, c in zip(case.names, coefficients, strict=True) if c}
    size = len(used) + (case.intercept == "paper" and intercept != 0)
    broken = []
    if case.max_features is not None and size > case.max_features:
        broken.append("max_features")
    if case.min_features is not None and size < case.min_features:
        broken.append("min_features")
    wrong = slow_wrong(case, coefficients, intercept)
    return broken + [a for a in case.asked if not slow_obeys(case, a, used, coefficients, wrong)]


def slow_obeys(case, asked, used, coefficients, wrong):
    """One constraint, from its words."""
    kind, *rest = asked
    value = dict(zip(case.names, coefficients, strict=True))
    column = dict(zip(case.names, zip(*case.X, strict=True), strict=True))
    if kind == "at_most":
        return len(used & set(rest[1])) <= rest[0]
    if kind == "at_least":
        return len(used & set(rest[1])) >= rest[0]
    if kind == "exactly":
        return len(used & set(rest[1])) == rest[0]
    if kind == "thresholds":
        return all(len(used & set(of)) <= rest[0] for _, of in rest[1])
    if kind == "same_sign":
        return all(value[a] * value[b] >= 0 for _, of in rest[0] for a in of for b in of)
    if kind == "only_if":
        return rest[0] not in used or bool(used & set(rest[1]))
    if kind == "must_use":
        return set(rest[0]) <= used
    if kind == "must_not_use":
        return not used & set(rest[0])
    if kind == "fixed":
        return value[rest[0]] == decimal(rest[1])
    if kind == "budget":
        return sum(decimal(cost) for name, cost in rest[0] if name in used) <= decimal(rest[1])
    if kind == "max_total_score":
        ranges = {name: (min(xs), max(xs)) for name, xs in column.items()} | dict(rest[1])
        total = sum(max(value[n] * decimal(low), value[n] * decimal(high)) for n, (low, high) in ranges.items())
        return total <= decimal(rest[0])
    if kind == "max_difference":
        shares = [slow_wrong_share(case, rest[0], wrong, g) for g in ("f", "m")]
        return abs(shares[0] - shares[1]) <= decimal(rest[1])
    rate = kind.removeprefix("min_").removeprefix("max_").replace("_", " ")
    groups = {None: [None], "g": ["f", "m"]}.get(rest[1]) or [rest[1][1]]
    shares = [slow_wrong_share(case, rate, wrong, g) for g in groups]
    bound = decimal(rest[0])
    return all(1 - s >= bound if kind.startswith("min_") else s <= bound for s in shares)


def slow_wrong_share(case, rate, wrong, group):
    """The share of wrong rows among those that a rate speaks of, by sample weight."""
    label = {"sensitivity": 1, "specificity": 0, "false positive rate": 0, "error": None}[rate]
    weights = case.sample_weight or [1] * len(case.y)
    part = [
        (decimal(w), bad)
        for w, bad, own, g in zip(weights, wrong, case.y, case.groups, strict=True)
        if (label is None or own == label) and (group is None or g == group)
    ]
    return sum(w for w, bad in part if bad) / sum(w for w, _ in part)
