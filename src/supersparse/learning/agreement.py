"""Agreement: settings that contradict each other are refused without a table, in the words of `fit`."""

from supersparse.errors import InvalidProblemError
from supersparse.learning.editing import check_edits
from supersparse.learning.recipe import slack_of
from supersparse.problem.penalties import check_objective
from supersparse.problem.problem import read_goal
from supersparse.settings.settings import Settings
from supersparse.solving.answering import check_goal
from supersparse.solving.registry import solver_class


def check_agreement(settings: Settings) -> None:
    """Raise for settings that no table can satisfy."""
    try:
        goal, _ = read_goal(settings)
        threshold = None if goal == "risk" else settings.risk_threshold
        check_objective(settings.objective, threshold, settings.class_weight)
    except InvalidProblemError as error:
        raise InvalidProblemError(f"{settings.source or 'the settings'}: {error}") from None
    slack_of(settings)
    solver = settings.solve.get("solver", "auto")
    if solver != "auto":
        check_goal(solver, solver_class(solver).capabilities, goal)
    check_edits(goal, settings.edits)
