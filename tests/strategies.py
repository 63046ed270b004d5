"""Hypothesis strategies: random tiny problems that exhaustive search can solve."""

from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from supersparse.problem.coefficients import CoefficientSet, integers, non_negative, non_positive
from supersparse.problem.problem import Problem

NAMES = ("a", "b", "c")
INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class Case:
    """What `Problem.of` is given, hashable and readable in a failure report."""

    X: tuple[tuple[float, ...], ...]
    y: tuple[int, ...]
    sets: tuple[tuple[float, ...], ...]
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
            coef_set={
                **{n: CoefficientSet.of(s) for n, s in zip(names, self.sets, strict=True)},
                INTERCEPT: CoefficientSet.of(self.intercept_set),
            },
            intercept=self.intercept,
            C0=C0,
            C1=self.C1,
            max_features=self.max_features,
            class_weight=dict(zip((0, 1), weight, strict=True)) if isinstance(weight, tuple) else weight,
            sample_weight=None if self.sample_weight is None else list(self.sample_weight),
        )


def numbers(s: CoefficientSet) -> tuple[float, ...]:
    return tuple(float(v) for v in s.values)


# Kinds of columns: 0/1, small counts, signed, and decimals.
COLUMNS = [
    st.integers(0, 1),
    st.integers(0, 4),
    st.integers(-3, 3),
    st.sampled_from([0.0, 0.5, 1.25, -0.75, 2.1, 3.3]),
]

# Kinds of coefficient sets of section 3.4, cut down to a size that can be enumerated.
SETS = [
    st.sampled_from([integers(1), integers(2), integers(3)]).map(numbers),
    st.sampled_from([non_negative(3), non_positive(3), non_negative(1), non_positive(1)]).map(numbers),
    st.sampled_from([(-1.5, -0.5, 0.0, 0.5, 1.5), (0.0, 0.25, 0.5), (-0.5, 0.0, 0.5, 1.0)]),
    st.sets(
        st.sampled_from([-0.3, -0.04, 0.01, 0.2, 2.0, 5.0, 30.0]), min_size=1, max_size=5
    ).map(  # one digit
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
    needed = sum(0.0 not in s for s in sets) + (intercept == "paper" and 0.0 not in intercept_set)
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
