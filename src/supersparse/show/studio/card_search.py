"""A run: from a question to a card that was judged on held-out rows, within one time limit.

As on the command line (`supersparse.learn.fitting`), cross-validation chooses C0 where it is left open.
What is done is kept in the run's folder, so that a run that was stopped or killed goes on from there: the
chosen C0 with the scores of the held-out rows, and the checkpoint of the final search. Wishes that cannot hold
together are named: the smallest set of them, by search or from an error.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import (
    InfeasibleError,
    InvalidOptionError,
    InvalidProblemError,
    SolverFailedError,
    SupersparseError,
)
from supersparse.base.stop import Stop
from supersparse.base.writing import write_file
from supersparse.card import file as card_file
from supersparse.card.card import Card
from supersparse.engine.explain import explain_infeasible
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Conflict, Solution
from supersparse.engine.warm_up import warm_up
from supersparse.learn.calibrating import LeftOut
from supersparse.learn.clock import Clock
from supersparse.learn.fitting import answered_again
from supersparse.learn.judging import RISKS, judged, no_better_than_baseline, slope_at_its_limit, weighs_risks
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.settings.settings import Settings
from supersparse.learn.validating import Validation, chooses_penalty, validate
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.variants import quiet_about_penalties
from supersparse.show.studio.card_view import card_view, found_of, made_card, model_of, points_of, with_steps
from supersparse.show.studio.inquiry import Inquiry, asked_of
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import StudioError, as_problem, refused, text

_SECONDS = 40.0
_SIZES: dict[type[Constraint], str] = {MaxFeatures: "max_features", MinFeatures: "min_features"}


def conflicts(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find the smallest set of wishes that cannot hold together."""
    wishes = wishes_of(given["plan"])
    try:
        asked = asked_of(given)
    except InfeasibleError as error:
        return {"conflict": seen_conflict(error, wishes)}
    found = smallest_conflict(asked, talk)
    return {"conflict": None if found is None else conflict_data(found, wishes)}


def smallest_conflict(asked: Inquiry, talk: Talk) -> Conflict | None:
    """Return the smallest set of constraints that conflict; None if some card satisfies them all.

    What people asked for is looked at first, without what the preparation adds.
    """
    warm_up(asked.question.problem.goal)
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
    found = []
    for one in plan["settings"].get("constraints", ()):
        try:
            read = Settings.from_dict({"constraints": [one]})
        except InvalidProblemError:
            found.append("")
            continue
        found.append(read.constraints[0].in_words() if read.constraints else "")
    return found


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


def with_conflict(error: InfeasibleError, given: Mapping[str, Any], talk: Talk) -> StudioError:
    """Return an error that names the smallest set of wishes that cannot hold together."""
    wishes = wishes_of(given["plan"])
    problem = as_problem(error)
    problem.conflict = seen_conflict(error, wishes)
    try:
        talk.tell("progress", {"stage": "conflict", "t": 0.0})
        found = smallest_conflict(asked_of(given), talk)
    except (SupersparseError, KeyboardInterrupt):
        return problem
    if found is None:
        return problem
    problem.conflict = conflict_data(found, wishes)
    problem.message = found.in_words()
    return problem


_FIRST, _FOLDS = 0.1, 0.6  # shares of the time that is left


def learn_card(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Learn a card; ``folder`` is the run's, and keeps what is done."""
    try:
        return _Run(given, talk).result()
    except InfeasibleError as error:
        raise with_conflict(error, given, talk) from None


class _Run:
    """One run, from where it was left."""

    def __init__(self, given: Mapping[str, Any], talk: Talk) -> None:
        self.given, self.talk = given, talk
        self.folder = Path(given["folder"])
        self.asked = asked_of(given)
        self.progress = Progress(self.asked, talk, dict(given["ids"]))
        talk.tell("notes", list(self.asked.notes))
        self.kept = _Kept.load(self.folder / "folds.json")
        self.progress.stage("loading")  # the first use compiles it
        self.clock = Clock.of(self.asked.question.recipe)
        self.splits = self.asked.splits()
        self.notes: list[str] = []

    def result(self) -> dict[str, Any]:
        settings = self.asked.question.recipe.settings
        plan = dict(self.given["plan"])
        unjudged: str | None = None
        first: Solution | None = None
        if chooses_penalty(settings) and self.splits:
            if self.kept is None:
                self.progress.stage("first")
                with quiet_about_penalties():  # nobody asked for its C0
                    first = self._solve(self.asked.question, self.clock.part(_FIRST), checkpoint=False)
                unjudged = None if self.talk.stopped() else self._fold(self.clock.part(_FOLDS))
            if self.kept is not None and self.kept.C0 is not None:
                plan = {**plan, "settings": {**plan["settings"], "C0": self.kept.C0}}
                self.asked = asked_of({**self.given, "plan": plan})
                self.progress.about(self.asked)
        if first is not None and self.talk.stopped():
            solution = first
        else:
            self.progress.stage("final" if first is not None or self.kept is not None else "learning")
            judges_later = bool(self.splits) and self.kept is None
            share = self.clock.part(0.5) if judges_later else self.clock
            question = self.asked.question
            solution = answered_again(question, first, lambda start: self._solve(question, share, start=start))
            if judges_later and unjudged is None and not self.talk.stopped():
                unjudged = self._fold(self.clock)
        return self._saved(solution, plan, unjudged)

    def _solve(
        self, question: PreparedProblem, clock: Clock, *, checkpoint: bool = True, start: Solution | None = None
    ) -> Solution:
        recipe = clock.limited(question.recipe)
        options: SolverKeywords = {**recipe.options, "on_progress": self.progress, "cancel": self.talk.stopped}
        solver = options.get("solver", "auto")
        place = self.folder / "checkpoint"
        if checkpoint and question.problem.goal == "errors" and solver in ("auto", "exact"):
            options["checkpoint"] = place
        points = None if start is None else start.points
        if points is None and self.given.get("start") is not None:
            points = points_of(question.problem, self.given["start"])
        if points is not None:
            options["initial"] = points
        try:
            solution = _solved(question, options, place)
        finally:
            self.progress.flush()
        self.progress.ended(solution)
        return solution

    def _fold(self, clock: Clock) -> str | None:
        """Cross-validate; return why the card is not judged, if it is not."""
        recipe = self.asked.question.recipe
        try:
            with self.talk.cancel(self.folder / "stop") as cancel:
                options: SolverKeywords = {**recipe.options, "cancel": cancel, "checkpoint": None}
                found = validate(
                    replace(recipe, options=options).with_plan(0.5),  # the other half is for the card
                    self.asked.rows,
                    self.splits,
                    self.progress,
                    repeats=self.asked.repeats,
                    clock=clock,
                    problem=self.asked.question.problem,
                    n_jobs=self.given.get("processes", 1),
                )
        except SupersparseError as error:
            return str(error)
        if found is None:
            return text("notes.no_time")
        if not found.interrupted:
            self.kept = _Kept.of(found)
            self.kept.save(self.folder / "folds.json")
        if found.unseen:
            if found.cut is not None:
                self.notes.append(text("notes.cut", done=found.folds, planned=found.folds_asked))
            return None
        return text("notes.unfinished")

    def _saved(self, solution: Solution, plan: dict[str, Any], unjudged: str | None) -> dict[str, Any]:
        asked = self.asked
        card = made_card(asked, solution, remembers=True)
        if self.kept is not None and self.kept.unseen:
            card, why = self._judged(card, solution)
            unjudged = why or unjudged
        card = with_steps(card, self.given.get("edits", []))
        card_file.save(card, self.folder / "card.json")
        view = card_view(asked, solution, card, self.given["ids"])
        cross_validated = None if self.kept is None else self.kept.measures
        view["cross_validated"] = cross_validated
        self.talk.tell("card", {"card": view, "model": model_of(solution.problem, solution.points)})
        problem = asked.question.problem
        useless = no_better_than_baseline(card)
        warnings = (useless, slope_at_its_limit(solution), weighs_risks(problem))
        return {
            "plan": plan,
            "model": model_of(solution.problem, solution.points),
            "found": found_of(solution),
            "card": view,
            "cross_validated": cross_validated,
            "notes": [
                *asked.notes,
                *self.notes,
                *([] if unjudged is None else [text("notes.unjudged", why=unjudged)]),
                *(warning for warning in warnings if warning is not None),
            ],
            "proven": solution.proven_optimal,
            "stop": solution.stop.value,
            "interrupted": solution.stop is Stop.INTERRUPTED or self.talk.stopped(),
        }

    def _judged(self, card: Card, solution: Solution) -> tuple[Card, str | None]:
        assert self.kept is not None
        question, rows = self.asked.question, self.asked.rows
        positive, seen = question.problem.rows.classes[1], question.scores(solution, rows.X)
        method = RISKS if solution.slope is None else None  # a risk model has its risks
        weights, cut = question.problem.class_weights, self.kept.cut
        try:
            return judged(card, seen, rows, positive, self.kept.left_out, method, weights, cut), None
        except SupersparseError as error:
            return judged(card, seen, rows, positive, self.kept.left_out, None, weights, cut), str(error)


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


@dataclass(frozen=True, slots=True)
class _Kept:
    """The outcome of the folds, kept in a file."""

    C0: float | None
    measures: dict[str, Any]
    unseen: list[list[list[Any]]]

    @classmethod
    def of(cls, found: Validation) -> "_Kept":
        chosen = found.chosen.C0
        unseen = [_plain(one) for one in found.unseen]
        return cls(None if chosen is None else float(Fraction(chosen)), found.as_data(), unseen)

    @classmethod
    def load(cls, path: Path) -> "_Kept | None":
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, path: Path) -> None:
        write_file(path, json.dumps(asdict(self)))

    @property
    def cut(self) -> tuple[int, int] | None:
        """How many folds judge the card, of how many planned; None where all do."""
        judging, planned = len(self.unseen), self.measures["folds_asked"]
        return None if judging == planned else (judging, planned)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        return tuple(map(_left_out, self.unseen))


def _plain(one: LeftOut) -> list[list[Any]]:
    """Held-out rows as JSON keeps them; the losses of a risk model come last."""
    losses = [part for part in (one.log_losses, one.baseline_log_losses) if part is not None]
    return [one.rows.tolist(), one.scores.tolist(), *(part.tolist() for part in losses)]


def _left_out(kept: list[list[Any]]) -> LeftOut:
    rows, *floats = kept
    scores, *losses = (np.array(part, dtype=float) for part in floats)
    log_losses, baseline_log_losses = losses or (None, None)
    return LeftOut(
        rows=np.array(rows, dtype=np.intp),
        scores=scores,
        log_losses=log_losses,
        baseline_log_losses=baseline_log_losses,
    )
