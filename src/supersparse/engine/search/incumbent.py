"""The incumbent search: good models before, and while, anything is proven.

Rounded logistic and lasso paths give starting points; descent (exact line searches and swaps), restarts from
perturbed models and annealing improve them: by steps of single values, and where the threshold is free by
heat bath over all features. The search works in slices, to share the time with a proof, and counts its work
in touched rows, so that the same budget gives the same model everywhere.
"""

from collections.abc import Generator, Iterator
from copy import copy

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Floats, Ints
from supersparse.base.stop import OutOfTime
from supersparse.engine.core import struct
from supersparse.engine.integer_form import IntegerForm, integer_form
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.search.kernels import SearchData, anneal, descend, heat_bath, price_of, rescore, search_data
from supersparse.engine.search.paths import Surrogate, backward_path, roundings
from supersparse.problem.objective import completed
from supersparse.problem.problem import Problem

PoolEntry = tuple[int, tuple[int, ...], int]  # (cost in search units, value of each coefficient, b)

_WORST = 2**61  # the cost of a model that must not be kept

DEFAULT_WORK = 400_000_000  # about one second
PATIENCE = 40_000_000  # touched rows without a better model after which little more is hoped for, at least
_SLICE = 10_000_000  # about 50 ms: how long a kernel may run before limits are checked
_LEAST_STEP = 100_000  # minimum cost of a step, in touched rows: its Python overhead
_MOST_SLICES = 20  # of one descent
_MOVES = 30_000  # of one annealing
_STARTS = 30  # number of path roundings that descent improves
_PERTURB_EVERY = 8  # turns: the others anneal
_EVEN_EVERY = 3  # turns, of which all but the first are among even points, where b is whole
_FRESH_EVERY = 16  # turns: the others start from a good model
_BEST_FIRST = 0.8  # how often that is the best one; lower or higher finds mammo_paper's optimum later
_NARROW = 8  # wide sets are searched among |v| <= 8 first
_BATH_STARTS = 4  # number of path roundings that are improved before the first annealing by heat bath
_BATH_STEPS = 3000  # of one annealing by heat bath
_HEAT = (0.7, 2.8, 1.4, 10.0, 0.7, 5.6)  # of one after the other, in rows
_COLD = 0.1
_LEAST_SLICE = 500_000  # of heat baths; an eighth of what has been spent, up to `_SLICE`
_FEW = 12  # features, of which the backward path alone tries supports enough; on small tables of any number
_HOTTEST = 2**55  # so that noise times heat has room
_SMALL = 50_000  # values in the table, distinct rows only: there single values are annealed every other turn


def search(problem: Problem, monitor: Monitor, work: int | None = None) -> None:
    """Report better and better models to the monitor until the work budget is spent.

    With a node limit the default budget is smaller, so that a small limit means little work in total.
    """
    if work is None:
        nodes = monitor.options.node_limit
        work = DEFAULT_WORK if nodes is None else min(DEFAULT_WORK, 100_000 * (nodes + 1))
    monitor.incumbent(completed(problem, smallest_coefficients(problem)))
    Search(integer_form(problem), monitor).run(work)


def smallest_coefficients(problem: Problem) -> list[int]:
    """Return the coefficients nearest 0 that the sets allow: all zeros, unless a set excludes 0."""
    known = {s: int(s.nearest_zero * problem.unit) for s in set(problem.sets)}
    return [known[s] for s in problem.sets]


class Search:
    """A search that can be resumed: each `run` spends a budget of touched rows."""

    def __init__(self, form: IntegerForm, monitor: Monitor) -> None:
        self.form = form
        self.monitor = monitor
        self.full = search_data(form)
        self._full_struct = struct(self.full)
        self._is_limited = len(self.full.limit_most) > 0 or len(self.full.group_feature) > 0
        # where rates are limited, models settled by baths made bad prices: proofs took up to 40 times as long
        self._takes_baths = form.half == 1 and not self._is_limited and len(form.rates.most) == 0
        # evenly spread draws of the Gumbel distribution, in 1/256, to the nearest: the same on every machine
        chance = (np.arange(1024) + 0.5) / 1024
        noise: Ints = np.rint(-np.log(-np.log(chance)) * 256).astype(np.int64)
        self._noise = noise
        wide = any(len(values.sample) > 60 for values in form.values) and not self._takes_baths
        self._search_in(search_data(form, largest=_NARROW) if wide else self.full)
        smallest = tuple(smallest_coefficients(form.problem))
        self.pool: list[PoolEntry] = [(_WORST, smallest, 0)]
        self._seed(monitor.options.random_state)
        self.spent = np.zeros(1, np.int64)
        farthest = int(np.abs(form.intercept_values).max(initial=0))
        self.window = int(max(min(4096, max(256, form.n_rows)), min(2 * farthest, 2**16)))
        self.best_cost = _WORST
        self.improved_at = 0  # work spent when the least F was found, whatever its l1
        self.is_warm = False  # the paths are followed and the best rounding is improved
        self._steps = self._schedule()

    def _search_in(self, data: SearchData) -> None:
        self.data, self._struct = data, struct(data)

    def _seed(self, *seeds: int) -> None:
        mixed = 0x9E3779B97F4A7C15
        for seed in seeds:
            mixed ^= seed * 0xBF58476D1CE4E5B9 & (2**64 - 1)
        self.state = np.array([mixed], np.uint64)
        self.random = np.random.default_rng(seeds[0] if len(seeds) == 1 else seeds)

    def sibling(self, number: int) -> "Search":
        """Another search, for another thread, which goes on from the models known here by other chances."""
        other = copy(self)
        other.pool, other.spent, other.improved_at = list(self.pool), np.zeros(1, np.int64), 0
        other._seed(self.monitor.options.random_state, number)
        other._steps = other._turns()
        return other

    def hear_of_better(self) -> None:
        """Another thread has found a better model: go on for as long as if this search had."""
        self.improved_at = int(self.spent[0])

    @property
    def is_improving(self) -> bool:
        """Whether the search has not yet looked three times as long as its best model took."""
        return bool(self.spent[0] < 3 * self.improved_at + PATIENCE)

    @property
    def _is_small(self) -> bool:
        return self.form.n_rows * self.form.n_features < _SMALL

    @property
    def _bath_slice(self) -> int:
        """How long to bathe at a time: short at first, for proofs that take little longer."""
        return max(_LEAST_SLICE, min(_SLICE, int(self.spent[0]) // 8))

    def run(self, work: int) -> None:
        """Continue for this much work, or until the monitor says stop."""
        limit = self.spent[0] + work
        while self.spent[0] < limit and self.monitor.stop_reason() is None:
            if not self.step():
                return

    def step(self) -> bool:
        """Do one step; return whether there is another."""
        before = self.spent[0]
        try:
            next(self._steps)
        except OutOfTime:  # the monitor knows it as well
            return False
        except StopIteration:  # after that
            self.is_warm = True
            return False
        self.spent[0] = max(self.spent[0], before + _LEAST_STEP)
        return True

    def warm_up(self, work: int) -> None:
        """Follow the paths and improve the best rounding, or stop after this much work."""
        limit = self.spent[0] + work
        while not self.is_warm and self.spent[0] < limit and self.monitor.stop_reason() is None:
            self.run(1)

    def _schedule(self) -> Iterator[None]:
        yield from self._paths()
        if self.data is not self.full:
            narrow_pool = list(self.pool)
            self._search_in(self.full)
            for _, values, b in narrow_pool[:5]:
                yield from self._descend(self.data_index(values), b)
        yield from self._turns()

    def _turns(self) -> Iterator[None]:
        """Restarts and annealing, without end."""
        even = self._even_data()
        is_small = self._is_small
        turn = 0
        while True:
            self._search_in(even if even is not None and turn % _EVEN_EVERY else self.full)
            if self._takes_baths and not (is_small and turn % 2):
                yield from self._bathe(_HEAT[turn // (1 + is_small) % len(_HEAT)])
            elif self._is_limited or turn % _PERTURB_EVERY:
                yield from self._anneal(fresh=turn % _FRESH_EVERY == 1)
            else:
                yield from self._perturb()
            turn += 1

    def _even_data(self) -> SearchData | None:
        """Return the search data for even points; None if that is useless.

        With a whole intercept, a score of 0 is wrong for both classes. Even points with an odd intercept never have
        that score, so good models are as easy to find as with a free threshold and half the points.
        """
        if self.form.problem.intercept.mode != "range":
            return None
        even = search_data(self.form, even=True)
        return even if (even.n_values > 2).any() else None

    def _paths(self) -> Iterator[None]:
        """Round the paths at all scales, then descend from the best rounding of each fit."""
        largest = min(self.data.max_size, self.form.n_features)
        surrogate = Surrogate(self.form)
        starts: list[PoolEntry] = []
        known: dict[tuple[int, ...], PoolEntry] = {}  # half of the roundings are equal
        for features, w in self._fits(surrogate, largest):
            best: PoolEntry | None = None
            for index in roundings(self.form, surrogate, features, w):
                values = tuple(int(allowed.sample[i]) for allowed, i in zip(self.form.values, index, strict=True))
                if values not in known:
                    known[values] = self._evaluate(values)
                best = known[values] if best is None else min(best, known[values])
            if best is not None and best[0] < _WORST:
                starts.append(best)
                self._keep(*best)
            yield
        for _, values, b in sorted(starts)[: _BATH_STARTS if self._takes_baths else _STARTS]:
            yield from self._descend(self.data_index(values), b)
            self.is_warm = True
        self.is_warm = True

    def _fits(self, surrogate: Surrogate, largest: int) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        yield from backward_path(surrogate, largest)
        if self._takes_baths and (self._is_small or self.form.n_features <= _FEW):
            return
        for support in surrogate.lasso_supports(count=8, largest=largest):
            yield support, surrogate.fit(support, np.zeros(len(support) + 1), 8)[:-1]

    def _evaluate(self, values: tuple[int, ...]) -> PoolEntry:
        cost, b = price_of(self._full_struct, _index_of(self.full, values), self.window)
        self.spent[0] += 4 * self.form.n_rows
        return (cost, values, b)

    def data_index(self, values: tuple[int, ...]) -> Ints:
        """Find values in the current sets; the nearest if one is missing."""
        return _index_of(self.data, values)

    def _descend(self, index: Ints, b: int) -> Iterator[None]:
        """Descend to a local optimum, in slices; skipped if limits block single steps."""
        if self._is_limited:
            self._keep(*self._evaluate(_values_of(self.data, index)))
            return
        if self._takes_baths:
            yield from self._walk(index, b, 0, 0)
            return
        scores, intercept = np.empty(self.form.n_rows, np.int64), np.array([b], np.int64)
        rescore(self._struct, index, scores)
        for _ in range(_MOST_SLICES):
            before = self.spent[0]
            cost = descend(self._struct, index, intercept, scores, self.window, _SLICE, self.state, self.spent)
            self._keep(cost, _values_of(self.data, index), int(intercept[0]))
            yield
            if self.spent[0] - before < _SLICE:
                break

    def _bathe(self, heat: float) -> Iterator[None]:
        """Anneal a good model by heat bath, from `heat` rows down, and settle at the best model met."""
        row = max(1, int(np.median(self.full.positive + self.full.negative)))
        _, values, b = self._pick()
        index = self.data_index(values)
        if self.random.integers(2):
            index, b = self._scaled_up(values, b)
        best, b = yield from self._walk(index, b, min(_HOTTEST, int(heat * row)), min(_HOTTEST, int(_COLD * row)))
        yield from self._walk(best, b, 0, 0)

    def _walk(self, index: Ints, b: int, hot: int, cold: int) -> Generator[None, None, tuple[Ints, int]]:
        """Walk by heat bath while cooling, or descend where there is no heat; return the best model met."""
        scores, intercept = np.empty(self.form.n_rows, np.int64), np.array([b, b], np.int64)
        best, best_cost, best_b = index.copy(), _WORST, b
        slice_best, progress = np.empty_like(index), np.zeros(2, np.int64)
        while progress[0] < _BATH_STEPS:
            cost = heat_bath(
                self._struct, index, intercept, scores, slice_best, hot, cold, _BATH_STEPS, progress,
                self._noise, self.window, self._bath_slice, self.state, self.spent,
            )  # fmt: skip
            if cost < best_cost:
                best, best_cost, best_b = slice_best.copy(), cost, int(intercept[1])
                self._keep(best_cost, _values_of(self.data, best), best_b)
            yield
        return best, best_b

    def _perturb(self) -> Iterator[None]:
        """Change one to three coefficients of a good model at random and descend from there."""
        _, values, b = self._pick()
        index = self.data_index(values)
        for _ in range(1 + self.random.integers(3)):
            used = np.flatnonzero(index != self.data.zero)
            kind = self.random.integers(3)
            if kind == 0 and len(used):
                j = self.random.choice(used)
                index[j] = max(0, self.data.zero[j])
            else:
                room = len(used) < self.data.max_size
                choices = np.arange(len(index)) if room and kind == 2 else used
                if len(choices):
                    j = self.random.choice(choices)
                    index[j] = self.random.integers(self.data.n_values[j])
        yield from self._descend(index, b)

    def _anneal(self, *, fresh: bool) -> Iterator[None]:
        """Anneal slowly from a hot start at the smallest model, or from a mild start at a good model."""
        row = max(1, int(np.median(self.full.positive + self.full.negative)))
        if fresh:
            index, b = self.data_index(tuple(smallest_coefficients(self.form.problem))), 0
            hot = float(max(int(self.full.value_penalty.max()), 4 * row))
        else:
            _, values, b = self._pick()
            index, b = self._scaled_up(values, b)
            hot = float(row) * (0.4, 0.7, 1.0, 1.5, 3.0)[self.random.integers(5)]
        moves = int(min(_MOVES, 100 * self.data.n_values.sum()))
        slices = max(1, moves * (self.form.n_rows + self.window) // _SLICE)
        ratio = (0.15 * row / hot) ** (1 / slices)
        scores, intercept = np.empty(self.form.n_rows, np.int64), np.array([b, b], np.int64)
        best, best_cost, best_b = index.copy(), _WORST, b
        slice_best = np.empty_like(index)
        for s in range(slices):
            settled = 4 * s >= slices
            top = hot * ratio**s
            cost = anneal(
                self._struct, index, intercept, scores, slice_best, top, top * ratio, moves // slices, settled,
                self.window, self.state, self.spent,
            )  # fmt: skip
            if cost < best_cost:
                best, best_cost, best_b = slice_best.copy(), cost, int(intercept[1])
            yield
        yield from self._descend(best, best_b)

    def _scaled_up(self, values: tuple[int, ...], b: int) -> tuple[Ints, int]:
        """Scale a model up to the limit of its sets: finer steps from the same predictions."""
        used = [j for j, v in enumerate(values) if v]
        if not used:
            return self.data_index(values), b
        factor = min(int(np.abs(self.full.values[j]).max()) // abs(values[j]) for j in used)
        larger = tuple(v * factor for v in values)
        index = self.data_index(larger)
        if factor < 2 or _values_of(self.data, index) != larger:
            return self.data_index(values), b
        return index, b * factor

    def _pick(self) -> PoolEntry:
        """Pick a model to continue from: usually the best, otherwise better ones more often."""
        if self.random.random() < _BEST_FIRST:
            return self.pool[0]
        at = min(self.random.integers(len(self.pool)), self.random.integers(len(self.pool)))
        return self.pool[at]

    def _keep(self, cost: int, values: tuple[int, ...], b: int) -> None:
        entry = (cost, values, b)
        if cost >= _WORST or any(values == known[1] for known in self.pool):
            return
        self.pool.append(entry)
        self.pool.sort()
        del self.pool[20:]
        # a cost may be too low here (rounded rows, a size limit that b shares): the evaluator decides
        before = self.monitor.best_evaluation
        # and a cost with prices on rates says little about what a model that obeys them costs
        promising = cost < self.best_cost or len(self.form.rates.most) > 0
        if promising and self.monitor.incumbent(completed(self.form.problem, values)):
            self.best_cost = cost
            now = self.monitor.best_evaluation
            if before is None or (now is not None and now.objective < before.objective):
                self.improved_at = int(self.spent[0])


def _index_of(data: SearchData, values: tuple[int, ...]) -> Ints:
    distance = np.abs(data.values - np.array(values, np.int64)[:, None])
    return np.asarray(distance.argmin(axis=1), np.int64)


def _values_of(data: SearchData, index: Ints) -> tuple[int, ...]:
    return tuple(data.values[np.arange(len(index)), index].tolist())
