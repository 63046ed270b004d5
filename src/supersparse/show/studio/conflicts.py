"""Wishes that cannot hold together: the smallest set of them, found by search or seen in an error."""

from collections.abc import Mapping
from typing import Any

from supersparse.base.errors import InfeasibleError, InvalidProblemError, SolverFailedError, SupersparseError
from supersparse.engine.explain import explain_infeasible
from supersparse.engine.solution import Conflict
from supersparse.engine.warm_up import warm_up
from supersparse.learn.settings.settings import Settings
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.show.studio.inquiry import Inquiry, asked_of
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.texts import StudioError, as_problem

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
