"""Solving and fitting with progress, shared by the commands that learn."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from supersparse.base.stop import Stop
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.learn.clock import Clock
from supersparse.problem.problem import Problem
from supersparse.show.cli.progress import progress
from supersparse.show.cli.say import note, remark, warnings_as_remarks

if TYPE_CHECKING:
    from supersparse.learn.fitting import Fitted
    from supersparse.learn.recipe import PreparedProblem
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.splits import Split

Answer = TypeVar("Answer")


def learn(problem: Problem, **options: Unpack[SolverKeywords]) -> Solution:
    """Solve, showing progress on standard error; Ctrl-C stops it and keeps the best found."""

    solution = with_progress(solve, problem, **options)
    if solution.stop is Stop.INTERRUPTED:
        remark("Interrupted. This is the best scoring system found so far.")
    return solution


def with_progress(run: Callable[..., Answer], problem: Problem, **options: Any) -> Answer:
    """Run a search that reports what it finds."""
    with warnings_as_remarks(), progress() as show:
        return run(problem, **options, on_progress=show)


def fit_with_progress(
    question: "PreparedProblem",
    rows: "TrainingRows",
    splits: "Sequence[Split]",
    clock: Clock,
    *,
    repeats: int,
    n_jobs: int | None,
) -> "Fitted":
    """Learn and judge a card, showing progress, and say what did not go well."""
    import os

    from supersparse.learn.fitting import fit_card
    from supersparse.learn.judging import no_better_than_baseline, slope_at_its_limit, weighs_risks

    processes = (question.recipe.options.get("n_jobs", -1) or 1) if n_jobs is None else n_jobs
    with warnings_as_remarks(), progress(clock.ends) as watch:
        fitted = fit_card(
            question,
            rows,
            splits,
            watch,
            clock,
            repeats=repeats,
            n_jobs=(os.cpu_count() or 1) if processes == -1 else processes,
        )
    if fitted.solution.stop is Stop.INTERRUPTED:
        remark("Interrupted. This is the best scoring system found so far.")
    done = 0 if fitted.validation is None else fitted.validation.folds
    if fitted.unjudged == "interrupted" or (fitted.validation and fitted.validation.interrupted):
        remark(f"Interrupted after {done} of {len(splits)} folds; the others were skipped.")
    elif fitted.unjudged is not None:
        note(f"the card could not be judged on held-out rows: {fitted.unjudged}")
    elif done < len(splits):
        note(f"the time limit left time for the first {done} of {len(splits)} folds; raise --time-limit")
    problem = fitted.question.problem
    useless = no_better_than_baseline(fitted.card)
    for warning in (useless, slope_at_its_limit(fitted.solution), weighs_risks(problem)):
        if warning is not None:
            remark(f"warning: {warning}")
    return fitted
