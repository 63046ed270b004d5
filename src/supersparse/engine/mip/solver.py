"""MipSolver: two solves, first for the smallest F, then for the smallest l1 at that F."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, inf
from typing import Any, ClassVar

from supersparse.base.errors import SolverError, SolverFailedError, SolverLimitError
from supersparse.base.exact import exact
from supersparse.base.integer_arrays import Floats
from supersparse.base.stop import Stop
from supersparse.engine.mip.build import build
from supersparse.engine.mip.model import Model
from supersparse.engine.mip.precision import LossRows, Precision, refuse_too_wide
from supersparse.engine.mip.program import Program
from supersparse.engine.mip.run import (
    MOST_NODES,
    BoundReport,
    Outcome,
    Run,
    RunSettings,
    Talk,
    attend,
    check_priorities,
)
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solution import Claim
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities
from supersparse.problem.conflicts import infeasible
from supersparse.problem.objective import PointsEvaluation
from supersparse.problem.problem import Problem
from supersparse.problem.variants import next_attainable


@dataclass(kw_only=True)
class TwoSolves:
    """The two solves of one problem; they share the budget of time and nodes."""

    name: str
    run: Run
    precision: Precision
    rows: LossRows
    options: SolveOptions
    monitor: Monitor
    tuned: dict[str, object] = field(default_factory=dict)  # own options that tuning chose
    _is_tuned: bool = False

    @property
    def _problem(self) -> Problem:
        return self.monitor.problem

    def claim(self) -> Claim:
        """Solve for F, then for l1, and return the claim."""
        stop, claimed = self._least_objective()
        smallest = False
        if stop is Stop.OPTIMAL and (claimed is None or self._best().objective <= claimed):
            stop, smallest = self._least_l1()
        claim = self.monitor.claim(stop=stop, smallest=smallest, objective=claimed)
        return replace(claim, tuned_options=self.tuned)

    def _least_objective(self) -> tuple[Stop, Fraction | None]:
        """Return why the first call stopped and, if it reports optimal, F according to its z."""
        over = self.monitor.stop_reason()
        if over is not None and self.monitor.best is not None:
            return over, None
        program = self._build(None)

        def hear_bound(bound: float) -> None:
            self._believe_bound(program, bound)

        outcome = self._call(program, hear_bound, self.options.gap, self.options.absolute_gap)
        stop = self._why_stopped(outcome)
        if stop is not Stop.OPTIMAL:
            return stop, None
        claimed = self._claimed(program, outcome.values)
        if self.monitor.best is None:
            raise SolverFailedError(
                f"the best model of {self.name} violates the constraints once its numbers are rounded",
                "its arithmetic fails on this data, so use another solver",
            )
        gap_allowed = self.options.gap > 0 or self.options.absolute_gap > 0
        if gap_allowed and self.monitor.lower_bound < self._best().objective:
            stop = Stop.GAP
        return stop, claimed

    def _least_l1(self) -> tuple[Stop, bool]:
        """Return why the second call stopped, and whether no equally good model is smaller."""
        if self._best().l1 == _least_possible_l1(self._problem):
            return Stop.OPTIMAL, True
        over = self.monitor.stop_reason()
        if over is not None and over is not Stop.GAP:  # a gap in F says nothing about l1
            return over, False
        program = self._build(self._best().objective)
        bounds: list[float] = []
        outcome = self._call(program, bounds.append, 0.0, 0.0)
        stop = self._why_stopped(outcome)
        believed = [b for b in map(program.aim.believable, bounds) if b is not None]
        step = program.aim.unit
        proven = max((ceil(b / step) * step for b in believed), default=Fraction(0))
        if proven > self._best().l1:
            raise self._contradiction("l1", proven, self._best().l1)
        return stop, proven == self._best().l1

    def _build(self, l1_within: Fraction | None) -> Program:
        return build(
            self._problem,
            self.rows,
            formulation=self.options.formulation,
            precision=self.precision,
            priorities=self.options.branching_priorities,
            pair_covers=self.options.pair_covers,
            l1_within=l1_within,
        )

    def _call(
        self, program: Program, hear_bound: Callable[[float], None], relative_gap: float, absolute_gap: float
    ) -> Outcome:
        monitor, options = self.monitor, self.options
        nodes_before = monitor.nodes
        seconds = monitor.seconds_left
        settings = RunSettings(
            seconds=seconds,
            nodes=None
            if options.node_limit is None
            else max(0, min(MOST_NODES, int(options.node_limit)) - nodes_before),
            relative_gap=min(1.0, float(relative_gap)),
            absolute_gap=program.aim.scaled(exact(absolute_gap, "absolute_gap")),
            threads=int(options.n_jobs),
            seed=int(options.random_state),
            start=None if monitor.best is None else program.start(monitor.best),
            own={**options.solver_options, **self.tuned},
            tuning_seconds=0.0 if self._is_tuned else min(float(options.tuning_time), seconds or inf),
        )
        self._is_tuned = True

        def hear(report: BoundReport) -> None:
            if report.nodes is not None:
                monitor.nodes = max(monitor.nodes, nodes_before + report.nodes)
            if report.values is not None:
                self._hear_model(program, report.values)
            if report.bound is not None:
                hear_bound(report.bound)

        def must_stop() -> bool:
            # The solver itself applies the gap and node limit, so that runs are reproducible.
            return monitor.stop_reason() in (Stop.INTERRUPTED, Stop.TIME_LIMIT)

        outcome = attend(lambda talk: self.run(program.model, settings, talk), hear, must_stop)
        self.tuned |= outcome.tuned
        hear(BoundReport(values=outcome.values, bound=outcome.bound, nodes=outcome.nodes))
        return outcome

    def _hear_model(self, program: Program, values: Floats) -> None:
        points = program.read(values)
        if points is not None:
            self.monitor.incumbent(points)

    def _believe_bound(self, program: Program, bound: float) -> None:
        believed = program.aim.believable(bound)
        if believed is None or believed <= self.monitor.lower_bound:
            return
        lower_bound = next_attainable(self._problem, believed)
        best = self.monitor.best_evaluation
        if best is not None and lower_bound > best.objective:
            raise self._contradiction("objective", lower_bound, best.objective)
        self.monitor.bound(lower_bound)

    def _contradiction(self, what: str, bound: Fraction, known: Fraction) -> SolverFailedError:
        return SolverFailedError(
            f"{self.name} claims that no model has an {what} below {float(bound):.9g}, but one of "
            f"{float(known):.9g} is known",
            "its arithmetic fails on this data, so use another solver",
        )

    def _claimed(self, program: Program, values: Floats | None) -> Fraction:
        if values is None:
            raise SolverFailedError(f"{self.name} reports success but returns no solution")
        return program.claimed(values)

    def _why_stopped(self, outcome: Outcome) -> Stop:
        if outcome.stop is None:
            if self.monitor.best is None:
                raise infeasible(self._problem, proved_by=self.name)
            raise SolverFailedError(
                f"{self.name} reports that there is no solution, but one is known", "use another solver"
            )
        if outcome.stop is Stop.INTERRUPTED:
            return self.monitor.stop_reason() or Stop.INTERRUPTED
        return outcome.stop

    def _best(self) -> PointsEvaluation:
        assert self.monitor.best_evaluation is not None, "a solver that is done has found a model"
        return self.monitor.best_evaluation


def _least_possible_l1(problem: Problem) -> Fraction:
    sets = [*problem.sets, *([problem.intercept.allowed] if problem.intercept.allowed is not None else [])]
    return sum((min(abs(v) for v in s.values) for s in sets), Fraction(0))


def mip_capabilities(
    *, package: str, indicators: bool = True, priorities: bool = True, tunes: bool = False
) -> Capabilities:
    """Capabilities of a back end, with or without indicators, branching priorities and a tuning tool."""
    return Capabilities(
        questions=frozenset([Aim.BEST]),
        package=package,
        formulations=frozenset(["bigm", "indicator"] if indicators else ["bigm"]),
        branching_priorities=priorities,
        tunes=tunes,
        takes_pair_covers=True,
        levels=True,
        constraints=frozenset([SUPPORT, SIGNS, RATES, SCORE]),
        own_options=None,
    )


def stop_of(who: str, status: str, known: Mapping[str, Stop | None]) -> Stop | None:
    """Return what a status of a solver means here; one that means nothing is a failure, never a guess."""
    if status not in known:
        raise SolverFailedError(f"{who} stopped with the status {status!r}")
    return known[status]


def failure(who: str, error: Exception, *, too_large: bool) -> SolverError:
    """Translate an error of a solver; `too_large` for the licence in its wheel."""
    if too_large:
        return SolverLimitError(
            f"{who}: the problem exceeds the size-limited licence of the wheel",
            "use a full licence, another solver, or fewer rows and features",
        )
    code = getattr(error, "errno", None)
    return SolverFailedError(f"{who} failed: {error}" + ("" if code is None else f" (code {code})"))


class MipSolver:
    """Base of the back ends, which have a `session` and `minimise`; all exact work is done here."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    precision: ClassVar[Precision]

    def session(self, options: Mapping[str, object]) -> AbstractContextManager[Any]:
        """An instance of the solver with own options set, or a refusal of them; its errors are translated."""
        raise NotImplementedError

    def minimise(self, session: Any, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Minimise a model in a session, in a separate thread; a node is one of its branch and cut."""
        raise NotImplementedError

    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Minimise a model in a session of its own."""
        with self.session(settings.own) as session:
            return self.minimise(session, model, settings, talk)

    def check_own_options(self, options: Mapping[str, object]) -> None:
        """Raise for unknown options and values that the solver refuses."""
        if options:
            with self.session(options):
                pass

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Refuse, before solving, problems that this solver cannot solve reliably."""
        self._checked_rows(problem, options)

    def _checked_rows(self, problem: Problem, options: SolveOptions) -> LossRows:
        self.check_own_options(options.solver_options)
        check_priorities(options.branching_priorities)
        return refuse_too_wide(self.name, problem, options.formulation, self.precision)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        return TwoSolves(
            name=self.name,
            run=self.run,
            precision=self.precision,
            rows=self._checked_rows(problem, options),
            options=options,
            monitor=monitor,
        ).claim()
