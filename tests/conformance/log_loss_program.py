"""An oracle for goal "risk": the log loss as a mixed-integer program, RiskSLIM's outer approximation.

    minimise   Σ_g t_g + penalties
    subject to t_g >= f_g(p) + f_g'(p)·((e, c) - p)    for each group g of rows and each point p so far
               e_j = slope·points_j·deviation_j, c = intercept on centred columns

The loss is convex in the effects e and in c, so the rows hold for every card. Effects are linear in what is
chosen: with u_jv = [feature j has v points], e_j = Σ_v v·d_j·u_jv for slope 1. For a free slope a, the effect
s_jv of v points is a variable of its own, 0 where another value is chosen and a·|v|·d_j where it is:

    s_jv <= 30·u_jv,   Σ_v s_jv / |v| <= a·d_j,   Σ_v s_jv / |v| >= a·d_j - (largest a)·d_j·(1 - Σ_v u_jv)

which is exact for whole u; 30 is the cap on effects. Cards that were evaluated are cut off one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, log

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack

from supersparse.engine.mip.model import Draft, LinearRows
from supersparse.engine.mip.precision import limit_rows
from supersparse.engine.mip.program import RELATIVE
from supersparse.engine.mip.terms import Term, read_features
from supersparse.engine.mip.write import WrittenTerm, write_limits, write_same_signs, write_term
from supersparse.errors import UnsupportedProblemError
from supersparse.problem.log_loss import EFFECT_CAP, centred_column
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem

Floats = NDArray[np.float64]
LARGEST_RANGE = 1e6  # of slopes: columns whose scales differ by more are refused
LARGEST_EFFECT = 1e5  # with slope 1
MOST_VALUES = 201  # of one coefficient set, each a binary
_GROUPS = 16  # of rows, each with its own t
_LOSS_UNIT = 1e3  # of t: rows hold to the solver's tolerance in these units
_SLACK = 1e-3  # of a bound, 1e-10 of the loss: SCIP was off by 2.5e-5 where the least loss is 0
_COST_UNIT = 1e4  # of the cost of t, so that the tolerance for dual values is far below that of proofs
_ROOM = 1e-4  # cards worse than the best by more need not be found
_ROUNDING = 2.0**-53


@dataclass(frozen=True, kw_only=True)
class MixedModel:
    """Minimise ``cost·x + cost_offset``; all variables are whole but the last `n_real`."""

    lower: Floats
    upper: Floats
    cost: Floats
    cost_offset: float
    rows: LinearRows
    n_real: int


@dataclass(frozen=True)
class Point:
    """Effects and centred intercept."""

    effects: Floats
    intercept: float


@dataclass
class RiskProgram:
    """The program of one problem; it grows by points and by cards that are cut off."""

    problem: Problem
    tolerance: float  # of the solver
    _rows: list[tuple[list[int], list[float], float, float]] = field(default_factory=list)
    _cuts: list[tuple[Floats, Floats, Floats]] = field(default_factory=list)  # effects, c, what t is at least
    _excluded: list[tuple[list[int], list[float], float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._read_rows()
        self._write_whole()
        self._write_real()

    def _read_rows(self) -> None:
        problem, weights = self.problem, np.array(self.problem.rows.weights, dtype=float)
        share = weights / weights.sum()
        negative, positive = (float(w) for w in problem.class_weights)
        self.weight = share * np.where(problem.rows.positive, positive, negative)
        self.sign = np.where(problem.rows.positive, 1.0, -1.0)
        used = [j for j, own in enumerate(problem.sets) if any(own.values)]
        self.used, columns, deviations, shifts = used, [], [], []
        for j in used:
            x, shift, deviation = centred_column(problem.rows.columns[j], weights)
            columns.append(x / (deviation or 1.0))  # a constant column is 0, and so are its effects
            deviations.append(deviation / problem.rows.scales[j])
            shifts.append(Fraction(shift, problem.rows.scales[j]))
        self.x = np.array(columns).reshape(len(used), problem.rows.n_rows).T
        self.deviation, self.shift = np.array(deviations), shifts
        n_groups = min(_GROUPS, len(self.weight))
        self.group = np.arange(len(self.weight)) % n_groups
        self.n_groups = n_groups
        of_positive, of_negative = self.weight[self.sign > 0].sum(), self.weight[self.sign < 0].sum()
        self.odds = log(of_positive / of_negative)

    def _write_whole(self) -> None:
        """The points, limits and penalties, in whole numbers."""
        problem = self.problem
        terms = [_one_by_one(term) for term in read_features(problem)]
        limits = limit_rows(problem, terms)
        self.draft = draft = Draft()
        limit = problem.max_features
        self.written: list[WrittenTerm] = [
            write_term(
                draft, term, str(t + 1), replace(limits.wants(t), size=True, magnitude=bool(problem.C1)), priority=0
            )
            for t, term in enumerate(terms)
        ]
        if limit is not None and limit < len(terms):
            draft.row(
                "size",
                [part for w in self.written for part in w.size.parts],
                upper=limit - sum(w.size.constant for w in self.written),
            )
        none = np.zeros(problem.rows.n_rows, dtype=bool)
        write_limits(draft, limits, self.written, {}, none)
        write_same_signs(draft, problem.sign_limits, self.written)

    def _write_real(self) -> None:
        """Effects, slope and intercept."""
        problem, unit = self.problem, self.problem.unit
        choices = [
            [(float(Fraction(v, unit)), binary) for v, binary in self.written[j].variables.choice if v]
            for j in self.used
        ]
        fixed = [float(Fraction(self.written[j].value.constant, unit)) for j in self.used]
        points = [[abs(v) for v, _ in own] or [abs(f)] for own, f in zip(choices, fixed, strict=True)]
        is_free = problem.slope == "free"
        if is_free:
            reach = np.where(self.deviation > 0, EFFECT_CAP, 0.0)
        else:
            reach = np.array([max(own) * d for own, d in zip(points, self.deviation, strict=True)])
        room = len(self.used) if problem.max_features is None else problem.max_features
        furthest = np.sort(np.abs(self.x) * reach, axis=1)[:, ::-1][:, :room].sum(axis=1).max(initial=0.0)
        self.reach, self.furthest = reach, float(furthest) + abs(self.odds) + 1
        self.whole_intercept = None
        if not is_free:
            _refuse(reach.max(initial=0.0), LARGEST_EFFECT, "effects reach")
            moved = sum(max(own) * abs(float(s)) for own, s in zip(points, self.shift, strict=True))
            self.whole_intercept = self.draft.variable(
                "lambda_0", -int(self.furthest + moved) - 1, int(self.furthest + moved) + 1
            )
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.effects = [self._real(-r, r) for r in reach]
        self.intercept = self._real(-self.furthest, self.furthest)
        self.losses = [self._real(0.0, _LOSS_UNIT * (self.furthest + 1)) for _ in range(self.n_groups)]
        if is_free:
            self._write_slope(choices, fixed, points)
        else:
            centre: list[tuple[int, float]] = [(self.intercept, -1.0)]
            assert self.whole_intercept is not None
            centre.append((self.whole_intercept, 1.0))
            moved_by = 0.0
            for e, own, f, d, shift in zip(self.effects, choices, fixed, self.deviation, self.shift, strict=True):
                self._row([(e, -1.0), *((u, v * d) for v, u in own)], -f * d, -f * d)
                centre += [(u, v * float(shift)) for v, u in own]
                moved_by += f * float(shift)
            self._row(centre, -moved_by, -moved_by)

    def _write_slope(
        self, choices: list[list[tuple[float, int]]], fixed: list[float], points: list[list[float]]
    ) -> None:
        """The slope as a share of the largest one, and the effect of every value."""
        least = [min(own) * d for own, d in zip(points, self.deviation, strict=True) if d]
        if not least:
            return
        largest_slope = EFFECT_CAP / min(least)
        slope = self._real(0.0, 1.0)
        for e, own, f, d, values in zip(self.effects, choices, fixed, self.deviation, points, strict=True):
            if not d:
                continue
            most = max(values)
            full = largest_slope * most * d  # the effect of the largest points at the largest slope
            _refuse(full / EFFECT_CAP, LARGEST_RANGE, "slopes times points differ by")
            if f:
                self._row([(e, -1.0), (slope, full * f / most)], 0.0, 0.0)
                continue
            effects = [(self._real(0.0, EFFECT_CAP), v, u) for v, u in own]
            self._row([(e, -1.0), *((s, 1.0 if v > 0 else -1.0) for s, v, _ in effects)], 0.0, 0.0)
            for s, _, u in effects:
                self._row([(s, 1.0), (u, -EFFECT_CAP)], -inf, 0.0)
            shares = [(s, most / abs(v)) for s, v, _ in effects]
            self._row([*shares, (slope, -full)], -inf, 0.0)
            self._row([*shares, (slope, -full), *((u, -full) for _, _, u in effects)], -full, inf)

    def _real(self, lower: float, upper: float) -> int:
        self.lower.append(lower)
        self.upper.append(upper)
        return len(self.draft.lower) + len(self.lower) - 1

    def _row(self, parts: Sequence[tuple[int, float]], lower: float, upper: float) -> None:
        self._rows.append(([v for v, _ in parts], [f for _, f in parts], lower, upper))

    def add_point(self, point: Point) -> None:
        """Bound the loss of each group from below by its tangent at a point.

        The constant is lowered by more than the rounding errors of the tangent, anywhere within the bounds.
        """
        z = self.x @ point.effects + point.intercept
        margin = self.sign * z
        tail = np.exp(-np.abs(margin))
        loss = self.weight * (np.maximum(-margin, 0.0) + np.log1p(tail))
        risk = np.where(margin > 0, tail, 1.0) / (1.0 + tail)  # of the other class
        slope = -self.weight * self.sign * risk
        into = np.eye(self.n_groups)[self.group]
        g = into.T @ (slope[:, None] * self.x)
        gb = into.T @ slope
        value = into.T @ loss - g @ point.effects - gb * point.intercept
        size = into.T @ (loss + self.weight * (1 + np.abs(z) + np.abs(self.x) @ (self.reach + np.abs(point.effects))))
        size += self.furthest * (into.T @ self.weight)
        error = (len(self.weight) + 8 * len(self.used) + 64) * _ROUNDING * size
        self._cuts.append((g, gb, value - error))

    def exclude(self, coefficients: Sequence[int]) -> None:
        """Cut off one card, in the problem's unit; it has been evaluated."""
        variables: list[int] = []
        factors: list[float] = []
        needed = -1.0
        size = sum(1 for c in coefficients if c)
        is_full = self.problem.max_features is not None and size >= self.problem.max_features
        for c, w in zip(coefficients, self.written, strict=True):
            choice = dict(w.variables.choice)
            if not choice:
                continue
            if c in choice:
                variables.append(choice[c])
                factors.append(1.0)
                needed += 1
            elif not is_full:
                variables += [u for v, u in choice.items() if v]
                factors += [-1.0 for v in choice if v]
        self._excluded.append((variables, factors, needed))

    @property
    def loss_unit(self) -> float:
        """The cost of a loss of 1."""
        return _LOSS_UNIT * _COST_UNIT

    def believable(self, bound: float, model: MixedModel) -> Fraction | None:
        """Lower a solver's bound until it holds despite its tolerances; None if it says nothing."""
        if not np.isfinite(bound):
            return None
        slack = _SLACK + self.tolerance * float((model.upper - model.lower).sum())
        return Fraction((bound - slack - RELATIVE * abs(bound)) / self.loss_unit)

    def model(self, best: Fraction | None) -> MixedModel:
        """The program for the solver, without cards much worse than the best one."""
        penalty = np.zeros(len(self.draft.lower))
        constant = Fraction(0)
        C1 = Fraction(self.problem.C1 or 0, self.problem.unit)
        for w in self.written:
            for factor, expression in (*w.penalty, (C1, w.magnitude)):
                constant += factor * expression.constant
                for variable, weight in expression.parts:
                    penalty[variable] += float(factor * weight)
        cost = np.zeros(len(self.draft.lower) + len(self.lower))
        cost[: len(penalty)] = penalty * self.loss_unit
        cost[self.losses] = _COST_UNIT
        upper = np.array(self.upper)
        rows = self._linear_rows(None if best is None else float(best - constant) + _ROOM, penalty)
        if best is not None:
            first = self.losses[0] - len(penalty)
            upper[first : first + self.n_groups] = _LOSS_UNIT * (float(best - constant) + _ROOM)
        return MixedModel(
            lower=np.concatenate([np.array(self.draft.lower, dtype=float), self.lower]),
            upper=np.concatenate([np.array(self.draft.upper, dtype=float), upper]),
            cost=cost,
            cost_offset=float(constant) * self.loss_unit,
            rows=rows,
            n_real=len(self.lower),
        )

    def _linear_rows(self, most: float | None, penalty: Floats) -> LinearRows:
        width = len(penalty) + len(self.lower)
        whole = self.draft.linear_rows()
        at = coo_array(whole.matrix)
        parts = [coo_array((at.data, (at.row, at.col)), shape=(len(whole), width))]
        lower, upper = [whole.lower], [whole.upper]
        rows = [*self._rows, *((v, f, -inf, n) for v, f, n in self._excluded)]
        if most is not None:
            costly = np.flatnonzero(penalty)
            factors = [*(_LOSS_UNIT * penalty[costly]).tolist(), *[1.0] * self.n_groups]
            rows.append(([*costly.tolist(), *self.losses], factors, -inf, _LOSS_UNIT * most))
        places = [(i, v, f) for i, (own, fs, _, _) in enumerate(rows) for v, f in zip(own, fs, strict=True)]
        i, v, f = (np.array(one) for one in zip(*places, strict=True)) if places else (none := np.zeros(0), none, none)
        parts.append(coo_array((f, (i.astype(int), v.astype(int))), shape=(len(rows), width)))
        lower.append(np.array([low for _, _, low, _ in rows]))
        upper.append(np.array([high for _, _, _, high in rows]))
        for g, gb, value in self._cuts:
            block = np.zeros((self.n_groups, width))
            block[:, self.effects] = -_LOSS_UNIT * g
            block[:, self.intercept] = -_LOSS_UNIT * gb
            block[np.arange(self.n_groups), self.losses] = 1.0
            parts.append(coo_array(block))
            lower.append(_LOSS_UNIT * value)
            upper.append(np.full(self.n_groups, inf))
        return LinearRows(
            matrix=csr_array(vstack(parts)), lower=np.concatenate(lower), upper=np.concatenate(upper), names=()
        )

    def read(self, values: Floats) -> tuple[tuple[int, ...], Point]:
        """The coefficients in a solution vector, in the problem's unit, and its effects and intercept."""
        found = []
        for w in self.written:
            choice = w.variables.choice
            weights = [float(values[u]) for _, u in choice]
            if not choice:
                found.append(w.value.constant)
            elif max(weights) > 0.5 or w.term.is_forced:
                found.append(choice[int(np.argmax(weights))][0])
            else:
                found.append(0)
        return tuple(found), Point(values[self.effects], float(values[self.intercept]))

    def point_of(self, points: Points) -> Point:
        """The effects and the centred intercept of a risk model."""
        slope = points.slope or Fraction(1)
        values = [points.values[j] for j in self.used]
        effects = np.array([float(slope * v) for v in values]) * self.deviation
        moved = sum((v * s for v, s in zip(values, self.shift, strict=True)), Fraction(0))
        return Point(effects, float(slope * (points.intercept_value + moved)))

    def regression(self, columns: Sequence[int], ridge: float) -> Point:
        """About the logistic regression on some of the used columns; a tangent holds at any point."""
        x = np.column_stack([self.x[:, list(columns)], np.ones(len(self.x))])
        beta = np.zeros(x.shape[1])
        beta[-1] = self.odds
        held = np.full(x.shape[1], ridge)
        held[-1] = 0.0
        for _ in range(12):
            p = 0.5 * (1 + np.tanh(x @ beta / 2))
            g = x.T @ (self.weight * (p - (self.sign > 0))) + held * beta
            h = (x * (self.weight * p * (1 - p))[:, None]).T @ x + np.diag(held + 1e-9)
            step = np.linalg.solve(h, g)
            beta -= step * min(1.0, 4.0 / max(np.abs(step).max(), 1e-300))
        effects = np.zeros(len(self.used))
        effects[list(columns)] = np.clip(beta[:-1], -self.reach[list(columns)], self.reach[list(columns)])
        return Point(effects, float(np.clip(beta[-1], -self.furthest, self.furthest)))


def _one_by_one(term: Term) -> Term:
    """Write a set as a list, so that each value has a binary of its own."""
    if term.is_fixed:
        return term
    if isinstance(term.values, range) and len(term.values) > MOST_VALUES:
        raise UnsupportedProblemError(
            f"feature {term.name!r} has {len(term.values)} possible values, and the log loss needs a binary "
            f"for each; give at most {MOST_VALUES}, or use solver='risk'"
        )
    return replace(term, values=tuple(term.values))


def _refuse(size: float, limit: float, what: str) -> None:
    if size > limit:
        raise UnsupportedProblemError(
            f"the log loss cannot be written for a MIP solver: {what} {size:.3g}, and its arithmetic is sure "
            f"only up to {limit:.3g}; bring the columns to one scale, allow smaller points, or use "
            "solver='risk'"
        )
