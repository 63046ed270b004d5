"""`supersparse frontier`: for every size the fewest errors."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.cli.options import (
    AskedOptions,
    ColumnOptions,
    Data,
    FeatureOptions,
    Output,
    SearchOptions,
    TableOptions,
)
from supersparse.cli.say import check_writable, remark


def frontier(
    data: Data,
    columns: ColumnOptions,
    asked: AskedOptions,
    features: FeatureOptions,
    search: SearchOptions,
    table: TableOptions,
    output: Output,
    plot: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Draw it: a .png, .svg or .pdf file.")
    ] = None,
) -> None:
    """Show the fewest errors of every size.

    How many features are worth it? Sizes go up to --max-features, errors are those on the training
    rows. The time limit holds for all sizes together.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse frontier biopsies.csv --target diagnosis --max-features 3
    """
    from supersparse.cli.learn import with_progress
    from supersparse.cli.read_training import read_training
    from supersparse.cli.recipe import Recipe
    from supersparse.results.frontier import frontier as find_frontier

    check_writable(plot)
    recipe = Recipe.read(asked, columns, features, search)
    training = read_training(data, table.reading, columns, recipe.settings)
    question = recipe.question(recipe.complete(training))
    question.say(positive_given=recipe.settings.positive is not None)
    most = 8 if recipe.settings.max_features is None else recipe.settings.max_features
    found = with_progress(find_frontier, question.problem, max_features=most, **recipe.options)
    remark("")
    output.show(str(found), lambda: {"rows": found.table(), "proven": found.proven})
    if plot is not None:
        from supersparse.faces.plots import plot as draw

        draw(found).figure.savefig(plot)  # type: ignore[union-attr]
        remark(f"Drawn in {plot}")
