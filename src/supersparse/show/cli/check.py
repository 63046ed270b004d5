"""`supersparse check`: validate a settings file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from supersparse.base.errors import InvalidOptionError, InvalidProblemError
from supersparse.engine.solvers import check_goal, solver_class
from supersparse.learn.settings.settings import PREPARE, Settings, load_settings, write_settings
from supersparse.learn.settings.settings import schema as settings_schema
from supersparse.problem.penalties import check_objective
from supersparse.problem.problem import read_goal
from supersparse.show.cli.options import Output
from supersparse.show.cli.say import note, remark


def check(
    output: Output,
    settings: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="Settings file (YAML or JSON) for `fit --settings`."
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of settings files, for editors.")
    ] = False,
) -> None:
    """Check a settings file and print how it was read.

    Settings that contradict each other, such as `tie_break: log_loss` with `goal: risk`, are refused.
    Names of features and classes are checked later, by `fit`, which has the data.

    \b
    Example:
      supersparse demo --save-settings settings.yaml
      supersparse check settings.yaml
      supersparse check --schema
    """
    import json

    if schema:
        typer.echo(json.dumps(settings_schema(), indent=2))
    elif settings is None:
        raise InvalidOptionError("nothing to check", "name a settings file, or use --schema")
    else:
        understood = load_settings(settings, usual_goal="risk")
        for about_the_file in () if understood.origin is None else understood.origin.notes:
            note(f"{settings}: {about_the_file}")
        _check_agreement(understood)
        output.show(write_settings(understood).removesuffix("\n"), understood.to_dict)
        remark(f"{settings} is valid")


def _check_agreement(settings: Settings) -> None:
    """Raise for settings that no table can satisfy, in the words of `fit`."""
    from supersparse.learn.editing import check_edits
    from supersparse.learn.prepare.prepare import Prepare
    from supersparse.learn.recipe import Recipe

    try:
        goal, _ = read_goal(settings)
        threshold = None if settings.loss.gives_risks else settings.risk_threshold
        check_objective(settings.objective, threshold, settings.class_weight)
    except InvalidProblemError as error:
        raise InvalidProblemError.of(error, f"{settings.source or 'the settings'}: ") from None
    solver = settings.solve.get("solver", "auto")
    if solver != "auto":
        check_goal(solver, solver_class(solver).capabilities, goal)
    check_edits(goal, settings.edits)
    parameters: dict[str, Any] = PREPARE.write(settings.prepare)
    Recipe(settings=settings, prepare=Prepare(**parameters)).check()
