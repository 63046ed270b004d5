"""The exact solver: searches and proves in turns, in slices, until nothing is open."""

import time
from fractions import Fraction
from typing import ClassVar

from supersparse.problem.attainable import next_attainable
from supersparse.problem.objective import with_best_intercept
from supersparse.problem.problem import Problem
from supersparse.solution.claim import Claim
from supersparse.solution.stop import Stop
from supersparse.solving.contract import Capabilities, Question, SolveOptions
from supersparse.solving.exact.cuts import Cuts
from supersparse.solving.exact.instance import instances
from supersparse.solving.exact.supports import SupportSearch
from supersparse.solving.exact.tree import OpenTasks, Support, Task, expand, fixed_cost, root
from supersparse.solving.integer_form import integer_form
from supersparse.solving.monitor import Monitor
from supersparse.solving.search.incumbent import Search, smallest_coefficients

_WORK_PER_NODE = 100_000  # touched rows that count as one unit of the node limit
_SEARCH_SHARE = 0.5  # how much the incumbent search may work for each unit of the proof's work
_SLICE_SECONDS = 0.05


class ExactSolver:
    """Our own branch and bound; proves optima in F and in l1."""

    name: ClassVar[str] = "exact"
    capabilities: ClassVar[Capabilities] = Capabilities(questions=frozenset({Question.BEST}), wants_start=False)

    def solve(self, problem: Problem, options: SolveOptions, monitor: Monitor) -> Claim:
        """Prove the best model, or report the best found and how far from proven it is."""
        monitor.incumbent(with_best_intercept(problem, smallest_coefficients(problem)))
        form = integer_form(problem)
        search = Search(form, monitor)
        search.run_paths(_WORK_PER_NODE * (10**6 if options.node_limit is None else options.node_limit + 1))
        cuts = Cuts(form, monitor)
        tasks = OpenTasks()
        for instance in instances(form):
            tasks.push(fixed_cost(instance, ()), root(instance))
        work = 0
        searched = search.spent[0]
        while tasks:
            self._report(problem, form.scale, tasks.bound, monitor)
            stop = monitor.stop_reason()
            if stop is not None:
                return monitor.claim(stop=stop, smallest=False)
            work += self._work(tasks, cuts)
            monitor.nodes = work // _WORK_PER_NODE
            if search.spent[0] - searched < _SEARCH_SHARE * work:
                search.run(1)
                cuts.refresh()
        assert monitor.best_evaluation is not None
        monitor.bound(monitor.best_evaluation.objective)
        return monitor.claim(stop=Stop.OPTIMAL, smallest=True)

    @staticmethod
    def _report(problem: Problem, scale: Fraction, bound: int | None, monitor: Monitor) -> None:
        if bound is not None and Fraction(bound) / scale > monitor.lower_bound:
            monitor.bound(next_attainable(problem, Fraction(bound) / scale))

    @staticmethod
    def _work(tasks: OpenTasks, cuts: Cuts) -> int:
        """Do one slice of work on the task with the least bound; return it in touched rows."""
        task = tasks.pop()
        if task.bound > cuts.tie:
            return 0
        if isinstance(task.work, Support):
            return _search_support(task, task.work, tasks, cuts)
        for bound, part in expand(task.work, task.bound, cuts):
            tasks.push(bound, part)
        return _WORK_PER_NODE + 4 * len(task.work.pairs)


def _search_support(task: Task, support: Support, tasks: OpenTasks, cuts: Cuts) -> int:
    search = support.search or SupportSearch(support.instance, support.literals, cuts)
    before = search.boxes
    if not search.run(time.perf_counter() + _SLICE_SECONDS):
        again = Support(instance=support.instance, literals=support.literals, search=search)
        tasks.push(max(task.bound, search.bound), again)
    cells, k = search.data.cell_x.shape
    return _WORK_PER_NODE // 2 + (search.boxes - before) * (cells * (k + 8) + 200)
