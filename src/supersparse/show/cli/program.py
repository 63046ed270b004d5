"""`supersparse program`: the paper's program as a file for any solver, and a solver's solution as a card."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.engine.options import Formulation
from supersparse.show.cli.command import Without
from supersparse.show.cli.options import DataFile, Output, TrainingOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import remark, warnings_as_remarks
from supersparse.show.document import ScoringSystem

if TYPE_CHECKING:
    from supersparse.learn.recipe import PreparedProblem
    from supersparse.learn.rows import TrainingRows


def program(
    data: DataFile,
    how: Annotated[TrainingOptions, Without("wording", "validation", "search")],
    output: Output,
    out: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            metavar="FILE",
            help="File for the program (.mps or .lp) or, with --solution, for the card (.json).",
        ),
    ] = None,
    formulation: Annotated[
        str | None,
        typer.Option(
            metavar="bigm|indicator",
            show_default="bigm",
            help="Loss constraints: bigm, or indicator, which HiGHS does not read.",
        ),
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help="Read a solver's solution of the program, verify it exactly and print the card.",
        ),
    ] = None,
) -> None:
    """Write the paper's program for any solver, or read a solution.

    The program is the integer program of the SLIM paper. Let a solver write its solution to a file, then give
    the same table and options with --solution in place of --out. The solution is checked in exact arithmetic:
    one that breaks a bound or a constraint, or claims another objective than it has, is refused, and the
    message names what is broken. A solution proves nothing of other cards.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse program biopsies.csv --target diagnosis --out slim.mps
    """
    from supersparse.show.cli.training import read_question

    if solution is None and out is None:
        raise InvalidOptionError("give --out slim.mps to write the program, or --solution FILE to read one")
    if solution is not None and formulation is not None:
        raise InvalidOptionError("--formulation is for writing", "a solution of either is read alike")
    check_outputs(("--out", out), inputs=(data, *how.inputs, solution))
    question, rows = read_question(data, how)
    with warnings_as_remarks():
        if solution is None:
            assert out is not None, "one of the two is given"
            chosen = formulation or question.recipe.options.get("formulation", "bigm")
            question.problem.write_program(out, cast("Formulation", chosen))
            remark(f"Next: solve {out}, and run the same command with --solution FILE in place of --out")
            output.show(f"Saved to {out}", lambda: {"saved": [str(out)]})
        else:
            _show_card(question, rows, solution, out, output)


def _show_card(
    question: "PreparedProblem", rows: "TrainingRows", solution: Path, out: Path | None, output: Output
) -> None:
    import json

    verified = question.problem.read_solution(solution)
    system = ScoringSystem(question.card(verified, rows.title, rows))
    if out is not None:
        system.save(out)
    remark("")
    output.show(
        str(system),
        lambda: {
            "card": json.loads(system.to_json()),
            "objective": float(verified.objective),
            "saved": [] if out is None else [str(out)],
        },
    )
    if out is not None:
        remark(f"Saved to {out}")
