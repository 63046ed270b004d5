"""A back end that says what it is told to say."""

from supersparse.engine.mip.precision import FLOATS
from supersparse.engine.mip.solver import MipSolver
from supersparse.engine.options import SolveOptions
from supersparse.engine.proving.monitor import Monitor
from supersparse.engine.solvers import Aim, Capabilities


class FakeSolver(MipSolver):
    """Answers each call by the next of the given functions of (model, settings, talk)."""

    name = "fake"
    capabilities = Capabilities(questions=frozenset([Aim.BEST]))
    precision = FLOATS

    def __init__(self, *answers):
        self._answers = list(answers)
        self.settings = []

    def run(self, model, settings, talk):
        self.settings.append(settings)
        return self._answers.pop(0)(model, settings, talk)

    def check_own_options(self, given):
        pass


def claim_of(solver, problem, start=None, **options):
    """Have a solver claim something, from a known model on if one is given."""
    settings = SolveOptions.read(options)
    monitor = Monitor(problem, settings, lambda points: points)
    if start is not None:
        monitor.incumbent(start)
    return solver.solve(problem, settings, monitor)
