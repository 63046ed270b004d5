"""A run: from a question to a card that was judged on held-out rows, within one time limit.

Learning is that of the command line (`supersparse.learn.fit`). What is done is kept in the run's folder, so that
a run that was stopped or killed goes on from there: what the folds gave, and the checkpoint of the final search.
Wishes that cannot hold together are named: the smallest set of them, by search or from an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from supersparse.base.errors import (
    InfeasibleError,
    InvalidOptionError,
    InvalidProblemError,
    SolverFailedError,
    SupersparseError,
)
from supersparse.base.stop import Stop
from supersparse.card import file as card_file
from supersparse.engine.explain import explain_infeasible
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Conflict, Solution
from supersparse.learn.calibration import no_better_than_baseline, slope_at_its_limit, weighs_risks
from supersparse.learn.fit import Fitted, Learner
from supersparse.learn.progress import Clock
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.losses import loss_of
from supersparse.show.studio.card_view import card_view, found_of, model_of, points_of, with_steps
from supersparse.show.studio.inquiry import Inquiry, asked_of
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import StudioError, as_problem, refused, text

_SECONDS = 40.0
_SIZES: dict[type[Constraint], str] = {MaxFeatures: "max_features", MinFeatures: "min_features"}


def conflicts(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the smallest set of wishes that cannot hold together."""
    wishes = wishes_of(job["plan"])
    try:
        asked = asked_of(job)
    except InfeasibleError as error:
        return {"conflict": seen_conflict(error, wishes)}
    conflict = smallest_conflict(asked, talk)
    return {"conflict": None if conflict is None else conflict_data(conflict, wishes)}


def smallest_conflict(asked: Inquiry, talk: Talk) -> Conflict | None:
    """Return the smallest set of constraints that conflict; None if some card satisfies them all.

    What people asked for is looked at first, without what the preparation adds.
    """
    problem, prepare = asked.question.problem, asked.question.prepare
    added = [] if prepare is None else [c for c in prepare.constraints_ if c in problem.asked]
    variants = [problem.without(added), problem] if added else [problem]
    for variant in variants:
        if not variant.asked:
            continue
        try:
            return explain_infeasible(variant, time_limit=_SECONDS / len(variants), cancel=talk.stopped)
        except InvalidProblemError:  # some card satisfies all of these
            continue
        except SolverFailedError:  # not decided in time
            if variant is problem:
                raise
    return None


def wishes_of(plan: Mapping[str, Any]) -> list[str]:
    """Return the constraints of a plan in words, in their order; nothing for one that cannot be read."""
    wishes = []
    for one in plan["settings"].get("constraints", ()):
        try:
            read = Settings.from_dict({"constraints": [one]})
        except InvalidProblemError:
            wishes.append("")
            continue
        wishes.append(read.constraints[0].in_words() if read.constraints else "")
    return wishes


def conflict_data(conflict: Conflict, wishes: list[str]) -> dict[str, Any]:
    """Return a conflict for JSON; each wish names its place among the constraints of the settings."""
    return {
        "wishes": [_wish(constraint, wishes) for constraint in conflict.constraints],
        "smallest": conflict.smallest,
        "irreducible": conflict.irreducible,
        "text": conflict.in_words(),
    }


def seen_conflict(error: InfeasibleError, wishes: list[str]) -> dict[str, Any]:
    """Return a conflict that shows without any search, in the words of the error."""
    return {
        "wishes": [_wish(constraint, wishes) for constraint in error.constraints],
        "smallest": False,
        "irreducible": False,
        "text": str(error),
    }


def _wish(constraint: Constraint, wishes: list[str]) -> dict[str, Any]:
    words = constraint.in_words()
    if words in wishes:
        return {"text": words, "setting": "constraints", "index": wishes.index(words)}
    return {"text": words, "setting": _SIZES.get(type(constraint)), "index": None}


def with_conflict(error: InfeasibleError, job: Mapping[str, Any], talk: Talk) -> StudioError:
    """Return an error that names the smallest set of wishes that cannot hold together."""
    wishes = wishes_of(job["plan"])
    problem = as_problem(error)
    problem.conflict = seen_conflict(error, wishes)
    try:
        talk.tell("progress", {"stage": "conflict", "t": 0.0})
        conflict = smallest_conflict(asked_of(job), talk)
    except (SupersparseError, KeyboardInterrupt):
        return problem
    if conflict is None:
        return problem
    problem.conflict = conflict_data(conflict, wishes)
    problem.message = conflict.in_words()
    return problem


def learn_card(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Learn a card; ``folder`` is the run's, and keeps what is done."""
    asked, folder = asked_of(job), Path(job["folder"])
    progress = Progress(asked, talk, dict(job["ids"]))
    talk.tell("notes", list(asked.notes))
    clock = Clock.of(asked.question.recipe)
    search = _Search(job, asked, progress, folder)
    try:
        with talk.cancel(folder / "stop") as cancel:
            recipe = asked.question.recipe
            question = replace(asked.question, recipe=replace(recipe, options={**recipe.options, "cancel": cancel}))
            folds = Folds(splits=asked.splits(), repeats=asked.repeats, n_jobs=job.get("processes", 1))
            learner = Learner(folds=folds, watch=progress, solve=search, kept=folder / "folds.json")
            fitted = learner.fit(question, asked.rows, clock)
    except InfeasibleError as error:
        raise with_conflict(error, job, talk) from None
    return _saved(job, asked, fitted, talk, folder)


@dataclass(frozen=True, slots=True)
class _Search:
    """The searches of a run: they are told of, and the last one goes on from its checkpoint."""

    given: Mapping[str, Any]
    asked: Inquiry
    progress: Progress
    folder: Path

    def __call__(self, question: PreparedProblem, options: SolverKeywords) -> Solution:
        self.progress.about(replace(self.asked, question=question))
        place, solver = self.folder / "checkpoint", options.get("solver", "auto")
        is_first = "checkpoint" in options
        if not is_first and loss_of(question.problem).counts_rows and solver in ("auto", "exact"):
            options["checkpoint"] = place
        if options.get("initial") is None and self.given.get("start") is not None:
            options["initial"] = points_of(question.problem, self.given["start"])
        try:
            solution = _solved(question, options, place)
        finally:
            self.progress.flush()
        self.progress.ended(solution)
        return solution


def _saved(job: Mapping[str, Any], asked: Inquiry, fitted: Fitted, talk: Talk, folder: Path) -> dict[str, Any]:
    plan, solution, validation = dict(job["plan"]), fitted.solution, fitted.validation
    asked = replace(asked, question=fitted.question)
    if validation is not None and validation.penalties:
        plan["settings"] = {**plan["settings"], "C0": validation.chosen.C0}
    card = with_steps(fitted.card, job.get("edits", []))
    card_file.save(card, folder / "card.json")
    view = card_view(asked, solution, card, job["ids"])
    view["cross_validated"] = None if validation is None else validation.as_data()
    model = model_of(solution.problem, solution.points)
    talk.tell("card", {"card": view, "model": model})
    warnings = (no_better_than_baseline(card), slope_at_its_limit(solution), weighs_risks(asked.question.problem))
    notes = [warning for warning in warnings if warning is not None]
    if fitted.unjudged is not None:
        notes.insert(0, text("notes.unjudged", why=fitted.unjudged))
    elif validation is not None and validation.folds < validation.folds_asked:
        notes.insert(0, text("notes.cut", done=validation.folds, planned=validation.folds_asked))
    return {
        "plan": plan,
        "model": model,
        "found": found_of(solution),
        "card": view,
        "cross_validated": view["cross_validated"],
        "notes": [*asked.notes, *notes],
        "proven": solution.proven_optimal,
        "stop": solution.stop.value,
        "interrupted": solution.stop is Stop.INTERRUPTED or talk.stopped(),
    }


def _solved(question: PreparedProblem, options: SolverKeywords, checkpoint: Path) -> Solution:
    """Solve; a checkpoint of another question, or a start that is not allowed, is left aside."""
    try:
        return question.solve(**options)
    except InvalidOptionError:
        if checkpoint.exists():
            checkpoint.unlink()
        elif options.get("initial") is None:
            raise
        options.pop("initial", None)
        return question.solve(**options)
    except SolverFailedError as error:
        if not error.interrupted:
            raise
        raise refused("busy", "stopped_early", thing="run") from None
