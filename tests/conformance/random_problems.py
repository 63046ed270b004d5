"""Random problems off the beaten track, and their optimum by brute force from the definition.

Nothing of the package takes part in the brute force: it reads the same settings as `Problem.of`, counts in
Python's fractions, and tries every vector with every intercept that can matter. Run as a program it solves
many problems and writes down how many:

    python tests/conformance/random_problems.py --problems 100000 --processes 2 --store docs/conformance.json
"""

import argparse
import json
import platform
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from supersparse import Problem, Solution, constraints, solve
from supersparse.engine.search.incumbent import Search
from supersparse.errors import InfeasibleError, PenaltyRangeWarning

NAMES = ("a", "b", "c")


@dataclass(frozen=True)
class Drawn:
    """The settings of one problem, as plain values."""

    X: list[list[float]]
    y: list[int]
    sets: list[list[float]]
    C0: list[float]
    C1: float | None = None
    intercept: Any = "free"
    intercept_set: list[float] = field(default_factory=list)
    intercept_C0: float = 0.0  # noqa: N815
    max_features: int | None = None
    weights: list[float] | None = None
    soft: list[float] | None = None
    class_weight: tuple[float, float] = (1.0, 1.0)
    levels: dict[int, list[tuple[list[float], float]]] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: len(self.sets)]

    def problem(self) -> Problem:
        levels = {self.names[j]: given for j, given in self.levels.items()}
        points = {n: s for j, (n, s) in enumerate(zip(self.names, self.sets, strict=True)) if j not in self.levels}
        penalties: dict[str, float] = {
            n: c for j, (n, c) in enumerate(zip(self.names, self.C0, strict=True)) if j not in self.levels
        }
        if self.intercept == "paper":
            points["(intercept)"], penalties["(intercept)"] = self.intercept_set, self.intercept_C0
        return Problem.of(
            self.X,
            self.y,
            feature_names=self.names,
            points=points or None,
            C0=penalties or None,
            C1="auto" if self.C1 is None else self.C1,
            levels=levels or None,
            intercept=self.intercept,
            max_features=self.max_features,
            sample_weight=self.weights,
            soft_labels=self.soft,
            class_weight=dict(zip((0, 1), self.class_weight, strict=True)),
            constraints=[_constraint(a) for a in self.asked] or None,
            **({GROUPS: {"g": self.groups}} if self.groups else {}),
        )


GROUPS = "rate_groups"


def _constraint(asked: tuple[Any, ...]) -> Any:
    kind, *rest = asked
    if kind == "max_difference":
        return constraints.max_difference(rest[0], group="g", at_most=rest[1])
    return getattr(constraints, kind)(*rest)


def draw(seed: int) -> Drawn:
    """Draw a problem; its kind and size follow from the seed alone."""
    r = random.Random(seed)
    p, n = r.choice([1, 2, 2, 3]), r.randint(4, 11)
    columns = [_column(r, n) for _ in range(p)]
    if p > 1 and r.random() < 0.25:  # a twin, or what adds up with it to a constant
        columns[1] = list(columns[0]) if r.random() < 0.5 else [round(1.0 - v, 12) for v in columns[0]]
    y = [int(sum(c[i] * w for c, w in zip(columns, (2, -1, 1), strict=False)) + r.gauss(0, 1) > 0.5) for i in range(n)]
    y[:2] = [0, 1]
    sets = [_set(r, 5 if p == 3 else 7) for _ in range(p)]
    intercept: Any = r.choice(["free", "free", "free", "none", "paper", (0, 0), (-2, 3), (1, 4)])
    drawn = Drawn(
        X=[list(row) for row in zip(*columns, strict=True)],
        y=y,
        sets=sets,
        C0=[r.choice([0, 0.01, 0.05, 0.1])] * p if r.random() < 0.7 else [r.choice([0, 0.02, 0.1]) for _ in range(p)],
        C1=r.choice([None, None, None, 0.003, 0.0]),
        intercept=intercept,
        intercept_set=_set(r, 7),
        intercept_C0=r.choice([0, 0.05, 0.2]),
        max_features=r.choice([None, None, 1, 2]),
        weights=_weights(r, n),
        class_weight=r.choice([(1.0, 1.0), (1.0, 1.0), (0.3, 2.5)]),
    )
    if p > 1 and r.random() < 0.15:
        drawn = _with_levels(r, drawn)
    if r.random() < 0.4:
        drawn = _with_constraints(r, drawn)
    return _with_soft_labels(r, drawn) if r.random() < 0.2 else drawn


def _column(r: random.Random, n: int) -> list[float]:
    kind = r.randrange(8)
    if kind == 0:
        return [float(r.randint(0, 4)) for _ in range(n)]
    if kind == 1:
        return [r.randint(-3, 3) / 4 for _ in range(n)]
    if kind == 2:
        return [round(r.random(), 16) for _ in range(n)]
    if kind == 3:
        return [r.choice([1e-15, 1.0, 3.0]) for _ in range(n)]
    if kind == 4:
        return [float(r.randint(0, 3) * 10**12 + r.randint(0, 1)) for _ in range(n)]
    if kind == 5:
        return [r.choice([1.0, -2.5, 0.0])] * n
    return [float(r.randint(0, 1)) for _ in range(n)]


def _set(r: random.Random, most: int) -> list[float]:
    kind = r.randrange(7)
    if kind == 0:
        return [-2, -1, 0, 1, 2]
    if kind == 1:
        return [0, 1, 2, 3][: r.randint(2, 4)]
    if kind == 2:
        return sorted({r.choice([-0.5, 0.25, 1.5, -2.0, 0.75]) for _ in range(3)})
    if kind == 3:
        return sorted({r.choice([-100, -1, 1, 7, 1000, 10**6]) for _ in range(3)})
    if kind == 4:
        return [-3, -2, -1, 0, 1, 2, 3] if most >= 7 else [-1, 0, 1]
    return [-1, 0, 1]


def _weights(r: random.Random, n: int) -> list[float] | None:
    kind = r.randrange(4)
    if kind == 0:
        return [float(r.choice([1, 2, 0.5, 3.7])) for _ in range(n)]
    if kind == 1:
        large = 10 ** r.choice([6, 12, 15])
        return [float(r.choice([1, 3, large, large + 1, large - 1, 2 * large])) for _ in range(n)]
    return None


def _with_levels(r: random.Random, drawn: Drawn) -> Drawn:
    first = r.choice([0.01, 0.05])
    step = r.choice([0.01, 2.0**-52, 1e-17])
    second = first + step if first + step > first else first * (1 + 2.0**-52)
    given: list[tuple[list[float], float]] = [([-1, 1], first), ([-3, -2, 2, 3], second)]
    if r.random() < 0.3:
        given = [([-1, 1], first), ([-2, 0, 2], second)]
    return replace(drawn, levels={0: given})


def _with_constraints(r: random.Random, drawn: Drawn) -> Drawn:
    names, asked = drawn.names, []
    groups: list[str] = []
    for kind in r.sample(range(7), r.choice([1, 1, 2])):
        if kind == 0:
            asked.append(("min_sensitivity", r.choice([0.5, 0.8, 1.0])))
        elif kind == 1:
            asked.append(("min_specificity", r.choice([0.5, 0.8])))
        elif kind == 2:
            groups = [r.choice("ab") for _ in drawn.y]
            both = all(
                any(g == group and label == cls for g, label in zip(groups, drawn.y, strict=True))
                for group in "ab"
                for cls in (0, 1)
            )
            if both:
                asked.append(("max_difference", r.choice(["sensitivity", "specificity"]), r.choice([0.25, 0.999999])))
            else:
                groups = []
        elif kind == 3:
            asked.append(("max_total_score", r.choice([0, 1, 3, 12])))
        elif kind == 4:
            asked.append(("must_use", r.choice(names)))
        elif kind == 5:
            asked.append(("must_not_use", r.choice(names)))
        elif len(names) > 1:
            asked.append(("only_if", names[0], names[1]))
    return replace(drawn, asked=asked, groups=groups)


def _with_soft_labels(r: random.Random, drawn: Drawn) -> Drawn:
    soft = [r.choice([0.0, 0.5, 1.0, round(r.random(), 3), round(r.random(), 3)]) for _ in drawn.y]
    soft[:2] = [round(0.49 * r.random(), 3), round(1 - 0.49 * r.random(), 3)]  # both classes are favoured
    return replace(drawn, soft=soft)


def exact(value: float) -> Fraction:
    return Fraction(str(value))


def best(drawn: Drawn) -> tuple[Fraction, Fraction] | None:
    """The least (F, l1) of all models that obey, None where there are none."""
    found: tuple[Fraction, Fraction] | None = None
    X = [[exact(v) for v in row] for row in drawn.X]
    weights = [exact(w) for w in drawn.weights or [1.0] * len(drawn.y)]
    favoured, leans = list(drawn.y), [Fraction(1)] * len(X)
    if drawn.soft is not None:  # a row counts |2p - 1|, for the class that its label p favours; rates count the classes
        p = [Fraction(round(s * 2**20), 2**20) for s in drawn.soft]
        favoured, leans = [int(s > Fraction(1, 2)) for s in p], [abs(2 * s - 1) for s in p]
    leaning = [w * lean for w, lean in zip(weights, leans, strict=True)]
    total = sum(leaning)
    sizes = [w * exact(drawn.class_weight[label]) for w, label in zip(leaning, favoured, strict=True)]
    sets = [_penalties(drawn, j) for j in range(len(drawn.sets))]
    intercepts = {exact(v): (exact(drawn.intercept_C0) if v else Fraction(0)) for v in (*drawn.intercept_set, 0)}
    unit = 1
    for value in {v for s in sets for v in s}:
        unit = unit * value.denominator // _gcd(unit, value.denominator)
    for vector in product(*sets):
        used = sum(1 for v in vector if v)
        if not _obeys_support(drawn, vector, X):
            continue
        totals = [sum((x * v for x, v in zip(row, vector, strict=True)), Fraction(0)) for row in X]
        paid = sum((s[v] for s, v in zip(sets, vector, strict=True)), Fraction(0))
        l1 = sum((abs(v) for v in vector), Fraction(0))
        for b in _intercepts(drawn, totals, intercepts, unit):
            counted = drawn.intercept == "paper" and b != 0
            if drawn.max_features is not None and used + counted > drawn.max_features:
                continue
            of_class, wrong = (
                [(t + b <= 0) if label else (t + b >= 0) for t, label in zip(totals, labels, strict=True)]
                for labels in (drawn.y, favoured)
            )
            if not _obeys_rates(drawn, of_class, weights):
                continue
            length = l1 + (abs(b) if counted else 0)
            F = sum((s for s, w in zip(sizes, wrong, strict=True) if w), Fraction(0)) / total + paid
            F += (intercepts[b] if drawn.intercept == "paper" else 0) + exact(drawn.C1 or 0.0) * length
            if found is None or (F, length) < found:
                found = (F, length)
    return found


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def _penalties(drawn: Drawn, j: int) -> dict[Fraction, Fraction]:
    """What each value of a feature costs; 0 is always among them."""
    if j in drawn.levels:
        given = {exact(v): exact(p) for values, p in drawn.levels[j] for v in values}
        given.setdefault(Fraction(0), Fraction(0))
        return given
    return {exact(v): (exact(drawn.C0[j]) if v else Fraction(0)) for v in (*drawn.sets[j], 0)}


def _intercepts(drawn: Drawn, totals: list[Fraction], allowed: Any, unit: int) -> list[Fraction]:
    if drawn.intercept == "none":
        return [Fraction(0)]
    if drawn.intercept == "paper":
        return list(allowed)
    if drawn.intercept == "free":
        ends = sorted(set(totals))
        return [-(a + b) / 2 for a, b in pairwise(ends)] + [1 - ends[0], -1 - ends[-1]]
    low, high = drawn.intercept
    return [Fraction(b, unit) for b in range(low * unit, high * unit + 1)]


def _obeys_support(drawn: Drawn, vector: tuple[Fraction, ...], X: list[list[Fraction]]) -> bool:
    value = dict(zip(drawn.names, vector, strict=True))
    for kind, *rest in drawn.asked:
        if kind == "must_use" and value[rest[0]] == 0:
            return False
        if kind == "must_not_use" and value[rest[0]] != 0:
            return False
        if kind == "only_if" and value[rest[0]] != 0 and value[rest[1]] == 0:
            return False
        if kind == "max_total_score":
            reach = sum((max(v * x for x in c) for v, c in zip(vector, zip(*X, strict=True), strict=True)), Fraction(0))
            if reach > rest[0]:
                return False
    return True


def _obeys_rates(drawn: Drawn, wrong: list[bool], weights: list[Fraction]) -> bool:
    def rate(label: int, group: str | None = None) -> Fraction:
        rows = [i for i, own in enumerate(drawn.y) if own == label and (group is None or drawn.groups[i] == group)]
        return sum((weights[i] for i in rows if not wrong[i]), Fraction(0)) / sum(weights[i] for i in rows)

    for kind, *rest in drawn.asked:
        if kind == "min_sensitivity" and rate(1) < exact(rest[0]):
            return False
        if kind == "min_specificity" and rate(0) < exact(rest[0]):
            return False
        if kind == "max_difference":
            label = int(rest[0] == "sensitivity")
            if abs(rate(label, "a") - rate(label, "b")) > exact(rest[1]):
                return False
    return True


@contextmanager
def no_search() -> Iterator[None]:
    """Switch the incumbent search off, so that the proof alone has to find the optimum."""

    def warm_up(self: Search, work: int) -> None:
        self.is_warm = True

    with patch.object(Search, "run", lambda self, work: None), patch.object(Search, "warm_up", warm_up):
        yield


def fault(seed: int, *, search: bool) -> str | None:
    """Solve one problem; say what is wrong with the answer, None where nothing is."""
    drawn = draw(seed)
    expected = best(drawn)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenaltyRangeWarning)
            found = _solved(drawn, search)
    except InfeasibleError:
        return None if expected is None else f"infeasible, but {expected} exists"
    if expected is None:
        return f"nothing obeys, but {found!r} was found"
    if not found.proven_smallest or found.lower_bound != found.objective:
        return f"not proven: {found!r}"
    if (found.objective, found.evaluation.l1) != expected:
        return f"claimed {found.objective}, l1 {found.evaluation.l1}; the best is {expected}"
    return None


def _solved(drawn: Drawn, search: bool) -> Solution:
    if search:
        return solve(drawn.problem())
    with no_search():
        return solve(drawn.problem())


def _faults(seeds: range) -> tuple[Counter[str], list[str]]:
    """Solve a stretch of problems, each second one without the search."""
    kinds: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        search = seed % 2 == 1
        kinds["with the search" if search else "without the search"] += 1
        kinds[f"intercept {draw(seed).intercept}"] += 1
        try:
            problem = fault(seed, search=search)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is not None:
            wrong.append(f"seed {seed}, search {'on' if search else 'off'}: {problem}")
    return kinds, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Solve random problems and compare with brute force.")
    parser.add_argument("--problems", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--store", type=Path, help="where to write down how many were solved")
    given = parser.parse_args()
    last = given.first + given.problems
    parts = [range(s, min(s + 250, last)) for s in range(given.first, last, 250)]
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    with ProcessPoolExecutor(given.processes) as pool:
        for done, (some, faults) in enumerate(pool.map(_faults, parts), start=1):
            kinds += some
            wrong += faults
            for line in faults:
                print(line, flush=True)
            if done % 20 == 0:
                print(f"{sum(len(p) for p in parts[:done])} problems, {len(wrong)} wrong", flush=True)
    print(f"{given.problems} problems, {len(wrong)} wrong")
    if given.store is not None:
        import supersparse

        record = {
            "problems": given.problems,
            "wrong": len(wrong),
            "by kind": dict(sorted(kinds.items())),
            "seeds": [given.first, last - 1],
            "version": supersparse.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
        }
        given.store.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
