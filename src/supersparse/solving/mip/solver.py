"""MipSolver: two solves, first for the smallest F, then for the smallest l1 at that F."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

from supersparse.errors import SolverFailedError
from supersparse.exact import exact
from supersparse.problem.conflicts import infeasible
from supersparse.problem.objective import PointsEvaluation
from supersparse.problem.problem import Problem
from supersparse.problem.variants import next_attainable
from supersparse.solving.contract import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities
from supersparse.solving.mip.build import build
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.precision import LossRows, Precision, refuse_too_wide
from supersparse.solving.mip.program import FloatArray, Program
from supersparse.solving.mip.run import (
    MOST_NODES,
    BoundReport,
    Outcome,
    Run,
    RunSettings,
    Talk,
    attend,
    check_priorities,
)
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.solution import Claim
from supersparse.stop import Stop


@dataclass(kw_only=True)
class TwoSolves:
    """The two solves of one problem; they share the budget of time and nodes."""

    name: str
    run: Run
    precision: Precision
    rows: LossRows
    options: SolveOptions
    monitor: Monitor

    @property
    def _problem(self) -> Problem:
        return self.monitor.problem

    def claim(self) -> Claim:
        """Solve for F, then for l1, and return the claim."""
        stop, claimed = self._least_objective()
        if stop is not Stop.OPTIMAL or (claimed is not None and self._best().objective > claimed):
            return self.monitor.claim(stop=stop, smallest=False, objective=claimed)
        stop, smallest = self._least_l1()
        return self.monitor.claim(stop=stop, smallest=smallest, objective=claimed)

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
                f"the best model of {self.name} violates the constraints once its numbers are rounded; "
                "its arithmetic fails on this data, so use another solver"
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
        settings = RunSettings(
            seconds=monitor.seconds_left,
            nodes=None
            if options.node_limit is None
            else max(0, min(MOST_NODES, int(options.node_limit)) - nodes_before),
            relative_gap=float(relative_gap),
            absolute_gap=program.aim.scaled(exact(absolute_gap, "absolute_gap")),
            threads=int(options.n_jobs),
            seed=int(options.random_state),
            start=None if monitor.best is None else program.start(monitor.best),
            own=dict(options.solver_options),
        )

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
        hear(BoundReport(values=outcome.values, bound=outcome.bound, nodes=outcome.nodes))
        return outcome

    def _hear_model(self, program: Program, values: FloatArray) -> None:
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
            f"{float(known):.9g} is known; its arithmetic fails on this data, so use another solver"
        )

    def _claimed(self, program: Program, values: FloatArray | None) -> Fraction:
        if values is None:
            raise SolverFailedError(f"{self.name} reports success but returns no solution")
        return program.claimed(values)

    def _why_stopped(self, outcome: Outcome) -> Stop:
        if outcome.stop is None:
            if self.monitor.best is None:
                raise infeasible(self._problem, proved_by=self.name)
            raise SolverFailedError(
                f"{self.name} reports that there is no solution, but one is known; use another solver"
            )
        if outcome.stop is Stop.INTERRUPTED:
            return self.monitor.stop_reason() or Stop.INTERRUPTED
        return outcome.stop

    def _best(self) -> PointsEvaluation:
        assert self.monitor.best_evaluation is not None, "a solver that is done has found a model"
        return self.monitor.best_evaluation


def _least_possible_l1(problem: Problem) -> Fraction:
    """The smallest l1 that the sets allow."""
    sets = [*problem.sets, *([problem.intercept.allowed] if problem.intercept.allowed is not None else [])]
    return sum((min(abs(v) for v in s.values) for s in sets), Fraction(0))


def mip_capabilities(*, package: str, indicators: bool = True, priorities: bool = True) -> Capabilities:
    """Capabilities of a back end, with or without indicators and branching priorities."""
    return Capabilities(
        questions=frozenset([Aim.BEST]),
        package=package,
        formulations=frozenset(["bigm", "indicator"] if indicators else ["bigm"]),
        branching_priorities=priorities,
        takes_pair_covers=True,
        levels=True,
        constraints=frozenset([SUPPORT, SIGNS, RATES, SCORE]),
        own_options=None,
    )


class MipSolver(ABC):
    """Base of the back ends, which implement `run` and `check_own_options`; all exact work is done here."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    precision: ClassVar[Precision]

    @abstractmethod
    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Minimise a model; called in a separate thread."""

    @abstractmethod
    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Raise for unknown options and values that the solver refuses."""

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Refuse, before solving, problems that this solver cannot solve reliably."""
        self._checked_rows(problem, options)

    def _checked_rows(self, problem: Problem, options: SolveOptions) -> LossRows:
        self.check_own_options(options.solver_options)
        check_priorities(options.branching_priorities)
        return refuse_too_wide(self.name, problem, options.formulation, self.precision)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Find the smallest F; ties go to the smallest l1."""
        return TwoSolves(
            name=self.name,
            run=self.run,
            precision=self.precision,
            rows=self._checked_rows(problem, options),
            options=options,
            monitor=monitor,
        ).claim()
