"""The proof log: every pruning is checked again from what it says, in exact arithmetic."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from counts import examples
from engine.exact.hard import medium, noisy
from engine.exact.partition.one_hot import few_squares
from solvers import without_search
from strategies import cases
from supersparse.engine.answering import presolve
from supersparse.engine.exact import reference, second, tree
from supersparse.engine.exact.instance import instances
from supersparse.engine.exact.log import BoxPruned, BoxSplit, NodePruned, NodeSplit, VectorEvaluated
from supersparse.engine.integer_form import integer_form
from supersparse.engine.solve import solve

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")


class Checker:
    """Checks events against the integer form alone: no pools, kernels or ranks."""

    def __init__(self, problem):
        self.form = integer_form(presolve(problem).problem)
        assert self.form.slack == 0
        self.cases = {i.case: i for i in instances(self.form)}
        self.seen = Counter()
        self.columns = self.form.columns.T.tolist()
        self.net = (self.form.positive - self.form.negative).tolist()
        self.base = int(np.minimum(self.form.positive, self.form.negative).sum())

    def __call__(self, event):
        self.seen[type(event).__name__] += 1
        if isinstance(event, NodePruned):
            self.check_node(event)
            assert self.node_bound(event) == event.bound > event.cut
        if isinstance(event, NodeSplit):
            self.check_node(event)
            assert self.node_bound(event) <= event.bound <= event.cut
            self.check_dropped(event)
        if isinstance(event, BoxPruned):
            self.check_box(event)
            self.seen["matched"] += len(event.matched)
        if isinstance(event, BoxSplit):
            assert event.low[event.dimension] < event.high[event.dimension]

    def literal_cost(self, literal):
        values = self.form.values[literal // 2].sample * (1 if literal % 2 == 0 else -1)
        return int(self.form.used_penalty[literal // 2]) + self.form.l1_penalty * int(
            values[values > 0].min()
        )

    def literals_of(self, i, j):
        """The literals under which row i scores above row j; -1 is the origin."""
        above, below = ([0] * self.form.n_features if r < 0 else self.columns[r] for r in (i, j))
        return {2 * f + (a < b) for f, (a, b) in enumerate(zip(above, below, strict=True)) if a != b}

    def loads(self, event):
        load = Counter()
        for i, j, u in event.multipliers:
            for literal in self.literals_of(i, j) & set(event.allowed):
                if self.cases[event.case].after[literal] < 0:  # else a better one covers the pair as well
                    load[literal] += u
        return load

    def check_node(self, event):
        at = Counter()
        instance = self.cases[event.case]
        for i, j, u in event.multipliers:
            assert u > 0
            assert not self.literals_of(i, j) & set(event.literals)  # not covered yet
            assert (i, j) != (-1, -1)
            if -1 in (i, j):
                assert instance.intercepts.tolist() == [0]  # only then is the origin never wrong
            assert i == -1 or self.net[i] > 0
            assert j == -1 or self.net[j] < 0
            at[i] += u
            at[j] += u
        assert all(r == -1 or total <= abs(self.net[r]) for r, total in at.items())
        assert event.room == instance.max_features - len(event.literals)

    def paid(self, event):
        own = sum(map(self.literal_cost, event.literals))
        return self.base + self.cases[event.case].intercept_penalty + own

    def gains(self, event):
        """What each feature takes back at most, the largest first."""
        load, gain = self.loads(event), Counter()
        for literal in event.allowed:
            gain[literal // 2] = max(gain[literal // 2], load[literal] - self.literal_cost(literal))
        return gain

    def node_bound(self, event):
        total = sum(u for *_, u in event.multipliers)
        taken = sorted(self.gains(event).values(), reverse=True)[: event.room]
        return self.paid(event) + total - sum(taken)

    def check_dropped(self, event):
        instance = self.cases[event.case]
        load, gains = self.loads(event), self.gains(event)
        total = sum(u for *_, u in event.multipliers)
        for literal in event.dropped:
            others = sorted((g for f, g in gains.items() if f != literal // 2), reverse=True)
            back = load[literal] - self.literal_cost(literal) + sum(others[: event.room - 1])
            twin, first = instance.twin_of[literal // 2], instance.after[literal]
            left = (set(event.allowed) | set(event.literals)) - set(event.dropped)
            orphan = (twin >= 0 and twin not in {x // 2 for x in left}) or (first >= 0 and first not in left)
            assert self.paid(event) + total - back > event.cut or orphan

    def check_box(self, event):
        features = [x // 2 for x in event.literals]
        signs = [1 if x % 2 == 0 else -1 for x in event.literals]
        k = len(features)
        cells = [tuple(s * row[f] for f, s in zip(features, signs, strict=True)) for row in self.columns]
        net, wasted = Counter(), {}
        up, down = Counter(), Counter()
        for cell, p, n in zip(cells, self.form.positive.tolist(), self.form.negative.tolist(), strict=True):
            net[cell] += p - n
            up[cell] += p
            down[cell] += n
        wasted = sum(min(up[c], down[c]) for c in net)
        low, high = event.low[:k], event.high[:k]
        used = Counter()
        for i, j, u in event.matched:
            assert net[cells[i]] > 0 > net[cells[j]]
            most = sum(
                max(a * (x - y), b * (x - y))
                for a, b, x, y in zip(low, high, cells[i], cells[j], strict=True)
            )
            # both right needs scores of at least 1 and at most -1; between halves they differ by 1 at least
            assert most <= (0 if self.form.half else 1)
            used[cells[i]] += u
            used[cells[j]] += u
        for row, weight in event.single:
            b_low, b_high = event.low[k] * self.form.step, event.high[k] * self.form.step
            products = [(a * x, b * x) for a, b, x in zip(low, high, cells[row], strict=True)]
            if net[cells[row]] > 0:
                assert sum(map(max, products)) + b_high <= 0
            else:
                assert sum(map(min, products)) + b_low >= 0
            used[cells[row]] += weight
        assert all(amount <= abs(net[cell]) for cell, amount in used.items())
        fixed = wasted + int(self.form.used_penalty[features].sum()) + self.form.l1_penalty * sum(low)
        if self.form.problem.intercept.is_penalised:
            b = event.low[k], event.high[k]
            fixed += int(self.form.intercept_penalties.max()) if b != (0, 0) else 0
            fixed += self.form.l1_penalty * (b[0] if b[0] > 0 else -b[1] if b[1] < 0 else 0)
        assert event.fixed_cost == fixed
        assert event.bound == fixed + sum(u for *_, u in event.matched) + sum(w for _, w in event.single)
        assert event.bound > event.cut


@settings(max_examples=examples(15))
@given(cases())
def test_every_event_of_a_random_proof_can_be_checked(case):
    plain = solve(case.problem, "exact")
    with pytest.MonkeyPatch.context() as patch:
        without_search(patch)  # a longer proof: the first limits are those of the smallest model
        logged = solve(case.problem, "exact", proof_log=Checker(case.problem))
    assert (logged.objective, logged.evaluation.l1) == (plain.objective, plain.evaluation.l1)
    assert logged.proven_optimal


@pytest.mark.parametrize("intercept", ["free", "none", "paper", (-2, 3)])
@pytest.mark.parametrize("size", [None, 2])
def test_every_event_of_a_longer_proof_can_be_checked(intercept, size):
    problem = noisy(40, 4, C0=0.01, intercept=intercept, max_features=size, max_points=4)
    plain, checker = solve(problem, "exact"), Checker(problem)
    logged = solve(problem, "exact", proof_log=checker)
    assert (logged.objective, logged.evaluation.l1) == (plain.objective, plain.evaluation.l1)
    assert logged.proven_optimal
    assert checker.seen["NodeSplit"] > 0
    assert checker.seen["BoxPruned"] > 0
    assert size or checker.seen["matched"] > 0


def test_a_support_without_anything_strictly_better_says_why():
    # phase one may end at once, for the whole box: the log must hold that reason too
    problem, events = medium(seed=1, max_points=3, C0=0.02), []
    best = solve(problem, "exact").points
    solve(problem, "exact", initial=best, proof_log=events.append)
    checker = Checker(problem)
    tie = max(e.cut for e in events if isinstance(e, NodeSplit | NodePruned | BoxPruned))
    searched = {e.literals for e in events if isinstance(e, BoxPruned | BoxSplit | VectorEvaluated)}
    assert searched
    for literals in searched:
        reasons = [e for e in events if isinstance(e, BoxPruned | VectorEvaluated) and e.literals == literals]
        assert any(isinstance(e, VectorEvaluated) or e.cut < tie for e in reasons)
        for event in reasons:
            checker(event)


def test_the_checker_notices_a_false_event():
    problem, events = noisy(40, 4, C0=0.01, max_features=3, max_points=3), []
    solve(problem, "exact", proof_log=events.append)
    checker = Checker(problem)
    pruned = next(e for e in events if isinstance(e, NodePruned) and e.multipliers)
    # a match of rows of which the positive one is ahead somewhere: larger coefficients would undo it
    box = next(
        e
        for e in events
        if isinstance(e, BoxPruned)
        and any(checker.literals_of(i, j) & set(e.literals) for i, j, _ in e.matched)
    )
    i, j, u = pruned.multipliers[0]
    a, b, w = box.matched[0]
    for false in (
        replace(pruned, multipliers=((i, j, u + 10**9), *pruned.multipliers[1:])),
        replace(pruned, multipliers=((j, i, u), *pruned.multipliers[1:])),
        replace(pruned, bound=pruned.bound + 1),
        replace(box, matched=((a, b, w + 10**9), *box.matched[1:])),
        replace(box, matched=box.matched[1:]),
        replace(box, high=tuple(10**6 for _ in box.high)),
    ):
        with pytest.raises(AssertionError):
            checker(false)


def test_nothing_is_made_when_nobody_listens(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("an event was made")

    for module, names in (
        (tree, ["NodeSplit", "NodePruned", "multipliers"]),
        (reference, ["BoxPruned", "BoxSplit", "VectorEvaluated"]),
    ):
        for name in names:
            monkeypatch.setattr(module, name, refuse)
    assert solve(medium(), "exact").proven_optimal
    with pytest.raises(AssertionError, match="an event was made"):
        solve(medium(), "exact", proof_log=lambda event: None)


def test_what_is_logged_is_proven_without_the_second_bound(monkeypatch):
    monkeypatch.setattr(second, "_START_AFTER", 0)
    problem, events = few_squares([0, 2]), []
    assert second.SecondBound(integer_form(presolve(problem).problem)).is_due(0)
    monkeypatch.setattr(second.SecondBound, "step", lambda *args: pytest.fail("its reasons are not logged"))
    assert solve(problem, "exact", proof_log=events.append).proven_smallest
    assert events
