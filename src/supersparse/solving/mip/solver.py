"""MipSolver: what a MIP back end is to the rest of the package."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from supersparse.problem.problem import Problem
from supersparse.solution.claim import Claim
from supersparse.solving.contract import RATES, SCORE, SUPPORT, Capabilities, Question
from supersparse.solving.mip.margins import LossRows
from supersparse.solving.mip.model import Model
from supersparse.solving.mip.own_options import check_priorities
from supersparse.solving.mip.precision import Precision, refuse_too_wide
from supersparse.solving.mip.run import Outcome, RunSettings, Talk
from supersparse.solving.mip.two_solves import TwoSolves
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions


def mip_capabilities(
    *, package: str, extra: str | None = None, indicators: bool = True, priorities: bool = True
) -> Capabilities:
    """What every back end can say in its program, with or without indicators and branching priorities."""
    return Capabilities(
        questions=frozenset([Question.BEST]),
        package=package,
        extra=extra,
        formulations=frozenset(["bigm", "indicator"] if indicators else ["bigm"]),
        branching_priorities=priorities,
        takes_pair_covers=True,
        levels=True,
        constraints=frozenset([SUPPORT, RATES, SCORE]),
        own_options=None,
    )


class MipSolver(ABC):
    """A back end answers `run` and `check_own_options`; everything exact happens outside of it."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    precision: ClassVar[Precision]

    @abstractmethod
    def run(self, model: Model, settings: RunSettings, talk: Talk) -> Outcome:
        """Minimise a model; called in a thread of its own."""

    @abstractmethod
    def check_own_options(self, given: Mapping[str, object]) -> None:
        """Raise for options the solver does not have and values it refuses."""

    def check(self, problem: Problem, options: SolveOptions) -> None:
        """Refuse, before any solving, what this solver cannot do honestly."""
        self._checked_rows(problem, options)

    def _checked_rows(self, problem: Problem, options: SolveOptions) -> LossRows:
        self.check_own_options(options.solver_options)
        check_priorities(options.branching_priorities)
        return refuse_too_wide(self.name, problem, options.formulation, self.precision)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Find the least F and, of the models that reach it, the least l1."""
        return TwoSolves(
            name=self.name,
            run=self.run,
            precision=self.precision,
            rows=self._checked_rows(problem, options),
            options=options,
            monitor=monitor,
        ).claim()
