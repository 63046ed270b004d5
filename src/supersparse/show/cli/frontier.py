"""`supersparse frontier`: the lowest error for each number of features."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.engine.answers.frontier import frontier as find_frontier
from supersparse.show.cli.command import Without
from supersparse.show.cli.options import DataFile, Output, TrainingOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note, remark
from supersparse.show.document.plots import save_plot


def frontier(
    data: DataFile,
    how: Annotated[TrainingOptions, Without("wording", "validation")],
    output: Output,
    plot: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Draw the frontier to this .png, .svg or .pdf file.")
    ] = None,
) -> None:
    """Show the lowest error for each number of features.

    Use it to decide how many features are worth having. Goes up to --max-features. The error is that on
    the training data; where classes are weighted, it is the weighted error, followed by the number of
    errors. The time limit covers all sizes together.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse frontier biopsies.csv --target diagnosis --max-features 3
    """
    from supersparse.show.cli.training import read_question, with_progress

    check_outputs(("--plot", plot), inputs=(data, *how.inputs))
    question, rows = read_question(data, how, counts_errors="a frontier")
    asked_size = question.recipe.settings_for(rows.y).max_features
    most = asked_size if isinstance(asked_size, int) else 8
    options = question.recipe.options
    if options.get("checkpoint") is not None:
        note("the checkpoint of the settings is for `fit`; a frontier is not saved")
        options = {**options, "checkpoint": None}
    sizes = with_progress(find_frontier, question.problem, max_features=most, **options)
    remark("")
    output.show(str(sizes), lambda: {"rows": sizes.table(), "proven": sizes.proven})
    if plot is not None:
        save_plot(sizes, plot)
        remark(f"Plot saved to {plot}")
