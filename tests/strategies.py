"""Hypothesis strategies: random tiny problems that exhaustive search can solve."""

from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from supersparse import constraints
from supersparse.errors import InfeasibleError
from supersparse.problem.points import CoefficientSet, integers, non_negative, non_positive
from supersparse.problem.problem import Problem

NAMES = ("a", "b", "c")
INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class Case:
    """What `Problem.of` is given, hashable and readable in a failure report."""

    X: tuple[tuple[float, ...], ...]
    y: tuple[int, ...]
    sets: tuple[tuple[float, ...], ...]  # a feature whose set leaves out 0 must be used
    intercept: object
    intercept_set: tuple[float, ...]
    C0: float | tuple[float, ...]
    C1: object
    max_features: int | None
    class_weight: object
    sample_weight: tuple[float, ...] | None

    @property
    def problem(self) -> Problem:
        names = NAMES[: len(self.sets)]
        C0: object = self.C0
        if isinstance(C0, tuple):
            C0 = dict(zip((*names, INTERCEPT), C0, strict=True))
        weight = self.class_weight
        return Problem.of(
            [list(row) for row in self.X],
            list(self.y),
            feature_names=names,
            points={
                **{n: CoefficientSet.of(s) for n, s in zip(names, self.sets, strict=True)},
                INTERCEPT: CoefficientSet.of(self.intercept_set),
            },
            intercept=self.intercept,
            C0=C0,
            C1=self.C1,
            max_features=self.max_features,
            class_weight=dict(zip((0, 1), weight, strict=True)) if isinstance(weight, tuple) else weight,
            sample_weight=None if self.sample_weight is None else list(self.sample_weight),
            constraints=[constraints.must_use(n) for n, s in zip(names, self.sets, strict=True) if 0.0 not in s],
        )


def numbers(s: CoefficientSet) -> tuple[float, ...]:
    return tuple(float(v) for v in s.values)


# Kinds of columns: 0/1, small counts, signed, and decimals.
COLUMNS = [st.integers(0, 1), st.integers(0, 4), st.integers(-3, 3), st.sampled_from([0.0, 0.5, 1.25, -0.75, 2.1, 3.3])]

# Kinds of coefficient sets of section 3.4, cut down to a size that can be enumerated.
SETS = [
    st.sampled_from([integers(1), integers(2), integers(3)]).map(numbers),
    st.sampled_from([non_negative(3), non_positive(3), non_negative(1), non_positive(1)]).map(numbers),
    st.sampled_from([(-1.5, -0.5, 0.0, 0.5, 1.5), (0.0, 0.25, 0.5), (-0.5, 0.0, 0.5, 1.0)]),
    st.sets(st.sampled_from([-0.3, -0.04, 0.01, 0.2, 2.0, 5.0, 30.0]), min_size=1, max_size=5).map(  # one digit
        lambda s: tuple(sorted(s | {0.0}))
    ),
    st.sets(st.sampled_from([-99.0, -15.0, 12.0, 110.0, 350.0]), min_size=1, max_size=4).map(  # two digits
        lambda s: tuple(sorted(s | {0.0}))
    ),
    st.sets(st.integers(-7, 7), min_size=1, max_size=5).map(lambda s: tuple(float(v) for v in sorted(s))),
    st.sampled_from(
        [(1.0, 2.0, 3.0), (-1.0, 1.0), (-3.0, -1.0, 1.0, 3.0), (-2.0, -1.0, 1.0, 2.0), (2.0,), (-5.0, -2.0)]
    ),
]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Problems of up to three features and fourteen rows, often with repeated and contradicting rows.

    Labels follow a hidden rule, up to a few flips, so that features are worth their penalty.
    """
    n_features = draw(st.integers(1, 3))
    columns = [draw(st.sampled_from(COLUMNS)) for _ in range(n_features)]
    pool = draw(st.lists(st.tuples(*columns), min_size=3, max_size=8, unique=True))
    picks = draw(st.lists(st.integers(0, len(pool) - 1), min_size=4, max_size=14))
    hidden = draw(st.tuples(*[st.integers(-3, 3)] * (n_features + 1)))
    flips = draw(st.lists(st.booleans(), min_size=len(picks), max_size=len(picks)))
    rule = [sum(w * v for w, v in zip(hidden, (*pool[i], 1), strict=True)) > 0 for i in picks]
    y = [int(right != (flip and k % 3 == 0)) for k, (right, flip) in enumerate(zip(rule, flips, strict=True))]
    assume(len(set(y)) == 2)
    sets = tuple(draw(st.one_of(SETS)) for _ in range(n_features))
    intercept = draw(st.sampled_from(["free", "free", "paper", "none", (-2, 3), (-1.5, 0.5), (1, 1)]))
    intercept_set = draw(st.one_of(SETS))
    penalty = st.sampled_from([0.0, 0.01, 0.03, 0.1])
    needed = sum(0.0 not in s for s in sets)
    weights = st.lists(st.sampled_from([1.0, 2.0, 0.5, 3.7]), min_size=len(y), max_size=len(y)).map(tuple)
    return Case(
        X=tuple(tuple(float(v) for v in pool[i]) for i in picks),
        y=tuple(y),
        sets=sets,
        intercept=intercept,
        intercept_set=intercept_set,
        C0=draw(st.one_of(penalty, st.tuples(*[penalty] * (n_features + 1)))),
        C1=draw(st.sampled_from(["auto", "auto", 0.0, 0.003, 0.01])),
        max_features=draw(st.none() | st.integers(needed, n_features + 1)),
        class_weight=draw(st.sampled_from([None, None, None, "balanced", (1.0, 2.5), (0.3, 0.0)])),
        sample_weight=draw(st.none() | weights),
    )


# A constraint as plain words and numbers, which a test can interpret without the package's own reading.
Asked = tuple[object, ...]
Levels = tuple[tuple[tuple[float, ...], float], ...]


def constraint_of(asked: Asked) -> object:
    kind, *rest = asked
    if kind == "thresholds":
        return constraints.thresholds_per_variable(rest[0], dict(rest[1]))
    if kind == "same_sign":
        return constraints.same_sign(dict(rest[0]))
    if kind == "budget":
        return constraints.budget(dict(rest[0]), at_most=rest[1])
    if kind == "max_total_score":
        return constraints.max_total_score(rest[0], ranges=dict(rest[1]))
    if kind == "max_difference":
        return constraints.max_difference(rest[0], group="g", at_most=rest[1])
    if kind in ("at_most", "at_least", "exactly"):
        return getattr(constraints, kind)(rest[0], of=rest[1])
    if kind in ("must_use", "must_not_use", "only_if", "fixed"):
        return getattr(constraints, kind)(*rest)
    return getattr(constraints, kind)(rest[0], group=rest[1])  # a rate


@dataclass(frozen=True)
class ConstrainedCase:
    """What `Problem.of` is given, with levels and constraints; hashable and readable in a failure report."""

    X: tuple[tuple[float, ...], ...]
    y: tuple[int, ...]
    sets: tuple[tuple[float, ...], ...]  # with the intercept's at the end; unused where there are levels
    levels: tuple[Levels | None, ...]  # likewise
    intercept: object
    C0: float
    C1: object
    class_weight: object
    sample_weight: tuple[float, ...] | None
    max_features: int | None
    min_features: int | None
    groups: tuple[str, ...]
    asked: tuple[Asked, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: len(self.X[0])]

    @property
    def problem(self) -> Problem:
        names = (*self.names, INTERCEPT)
        plain = {n: s for n, s, own in zip(names, self.sets, self.levels, strict=True) if own is None}
        levels = {n: list(own) for n, own in zip(names, self.levels, strict=True) if own is not None}
        all_levelled = not set(self.names) & set(plain)
        is_paper = self.intercept == "paper"
        weight = self.class_weight
        return Problem.of(
            [list(row) for row in self.X],
            list(self.y),
            feature_names=self.names,
            points=None if all_levelled else {n: CoefficientSet.of(s) for n, s in plain.items()},
            levels=levels or None,
            C0=None if all_levelled and (not is_paper or INTERCEPT in levels) else self.C0,
            C1=self.C1,
            max_points=2,  # for an intercept beside features that all have levels
            intercept=self.intercept,
            class_weight=dict(zip((0, 1), weight, strict=True)) if isinstance(weight, tuple) else weight,
            sample_weight=None if self.sample_weight is None else list(self.sample_weight),
            max_features=self.max_features,
            min_features=self.min_features,
            rate_groups={"g": list(self.groups)},
            constraints=[constraint_of(a) for a in self.asked],
        )


SMALL_SETS = st.sampled_from(
    [(-1.0, 0.0, 1.0), (-2.0, -1.0, 0.0, 1.0, 2.0), (0.0, 1.0, 3.0), (-1.5, 0.0, 0.5, 1.0), (-2.0, 0.0)]
)
LEVELS = st.sampled_from(
    [
        (((-1.0, 1.0), 0.01), ((-2.0, 2.0), 0.03)),
        (((0.0, 1.0), 0.0), ((-1.0, 3.0), 0.05)),
        (((0.0,), 0.02), ((-0.5, 1.0), 0.07), ((2.0,), 0.2)),
        (((-1.0,), 0.0), ((0.0,), 0.04), ((1.0,), 0.1)),  # 0 is not the cheapest value
        (((1.0, 2.0), 0.1),),
    ]
)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0])
RATES = ("sensitivity", "specificity", "false positive rate", "error")


@st.composite
def one_asked(draw: st.DrawFn, names: tuple[str, ...], has_groups: bool) -> Asked:
    """One constraint of any kind."""
    some = st.lists(st.sampled_from(names), min_size=1, unique=True).map(tuple)
    kinds = ["at_most", "at_least", "exactly", "thresholds", "only_if", "must_use", "must_not_use", "fixed"]
    kinds += ["budget", "max_total_score", "same_sign", "same_sign"]
    rates = ["min_sensitivity", "min_specificity", "max_false_positive_rate", "max_error"]
    kind = draw(st.sampled_from([*kinds, *rates, *rates, *(["max_difference"] * 3 if has_groups else [])]))
    if kind in rates:
        groups = [None, None, "g", ("g", "f"), ("g", "m")] if has_groups else [None]
        return kind, draw(SHARES), draw(st.sampled_from(groups))
    if kind == "max_difference":
        return kind, draw(st.sampled_from(RATES)), draw(st.sampled_from([0.0, 0.2, 1 / 3, 0.5]))
    if kind in ("at_most", "at_least", "exactly"):
        return kind, draw(st.integers(0, 2)), draw(some)
    if kind == "thresholds":
        return kind, draw(st.integers(0, 1)), (("v", draw(some)), ("w", names[-1:]))
    if kind == "same_sign":
        return kind, (("v", draw(some)), ("w", names[-2:]))
    if kind == "only_if":
        return kind, draw(st.sampled_from(names)), draw(some)
    if kind == "fixed":
        return kind, draw(st.sampled_from(names)), draw(st.sampled_from([0.0, 1.0, -1.0, 0.5]))
    if kind == "budget":
        costs = tuple((n, draw(st.sampled_from([0.0, 0.1, 1.5, 30.0]))) for n in draw(some))
        return kind, costs, draw(st.sampled_from([0.0, 0.15, 1.6, 40.0]))
    if kind == "max_total_score":
        ranges = tuple((n, draw(st.sampled_from([(0, 1), (-1, 5), (2, 2.5)]))) for n in draw(some))
        return kind, draw(st.sampled_from([-1.0, 0.0, 1.5, 3.0, 8.0])), draw(st.sampled_from([(), ranges]))
    return kind, draw(some)


@st.composite
def constrained_cases(draw: st.DrawFn) -> ConstrainedCase:
    """Problems of up to three features with levels or constraints; some cannot be obeyed, seen at once."""
    n_features = draw(st.integers(1, 3))
    columns = [draw(st.sampled_from([st.integers(0, 1), st.integers(-1, 2)])) for _ in range(n_features)]
    picks = draw(st.lists(st.tuples(*columns), min_size=4, max_size=9))
    hidden = draw(st.tuples(*[st.integers(-2, 2)] * (n_features + 1)))
    y = tuple(int(sum(w * v for w, v in zip(hidden, (*x, 1), strict=True)) > 0) for x in picks)
    flipped = draw(st.integers(0, len(y) - 1))
    y = tuple(label if i != flipped else 1 - label for i, label in enumerate(y))
    assume(len(set(y)) == 2 and all(len(set(column)) > 1 for column in zip(*picks, strict=True)))
    # both groups have rows of both classes wherever there are two of each
    seen = {0: draw(st.integers(0, 1)), 1: 0}
    groups = []
    for label in y:
        groups.append("fm"[seen[label] % 2])
        seen[label] += 1
    has_groups = 2 <= sum(y) <= len(y) - 2
    names = NAMES[:n_features]
    size = n_features + 1
    weights = st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=len(y), max_size=len(y)).map(tuple)
    with_levels = draw(st.sampled_from([False, False, True]))
    return ConstrainedCase(
        X=tuple(tuple(float(v) for v in x) for x in picks),
        y=y,
        sets=tuple(draw(SMALL_SETS) for _ in range(size)),
        levels=tuple(draw(st.none() | LEVELS) if with_levels else None for _ in range(size)),
        intercept=draw(st.sampled_from(["free", "free", "paper", "none", (-2, 1)])),
        C0=draw(st.sampled_from([0.0, 0.01, 0.03, 0.1])),
        C1=draw(st.sampled_from(["auto", "auto", 0.003])),
        class_weight=draw(st.sampled_from([None, None, "balanced", (1.0, 2.5)])),
        sample_weight=draw(st.none() | weights),
        max_features=draw(st.none() | st.integers(0, n_features)),
        min_features=draw(st.sampled_from([None, None, 0, 1, 2])),
        groups=tuple(groups),
        asked=tuple(draw(st.lists(one_asked(names, has_groups), max_size=3))),
    )


def constrained_problems() -> st.SearchStrategy[ConstrainedCase]:
    """Those constrained cases that are not seen to be infeasible at once; search may still find that."""

    def is_open(case: ConstrainedCase) -> bool:
        try:
            return case.problem is not None
        except InfeasibleError:
            return False

    return constrained_cases().filter(is_open)
