"""`supersparse trade-off`: sensitivity, specificity and net benefit on held-out rows."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.cli.command import Without
from supersparse.cli.options import (
    AskedOptions,
    ColumnOptions,
    DataFile,
    FeatureOptions,
    Output,
    SearchOptions,
    TableOptions,
    ValidationOptions,
)
from supersparse.cli.outputs import check_outputs
from supersparse.cli.say import remark
from supersparse.errors import InvalidOptionError


def trade_off(
    data: DataFile,
    columns: ColumnOptions,
    asked: AskedOptions,
    features: FeatureOptions,
    validation: Annotated[ValidationOptions, Without("validate")],
    search: SearchOptions,
    table: TableOptions,
    output: Output,
    ratios: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Ratios W+/W- of the class weights, separated by commas: 0.5,1,2,4."
        ),
    ] = None,
    thresholds: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Risk thresholds instead: 0.1,0.2,0.5; t stands for the ratio (1-t)/t."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Draw it to this .png, .svg or .pdf file.")
    ] = None,
) -> None:
    """Compare class weights by cross-validation.

    Shows sensitivity, specificity and net benefit on held-out rows.

    Use it to decide how much a missed case should count. For each ratio of the class weights, or each risk
    at which you would act, a card is learned without each fold and judged on it. Then ask `fit` for the
    card with --objective net_benefit --risk-threshold, or with --class-weight. The time limit covers
    everything.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse trade-off biopsies.csv --target diagnosis --thresholds 0.2,0.5 --max-features 3
    """
    import os

    from supersparse.cli.progress import progress
    from supersparse.cli.say import warnings_as_remarks
    from supersparse.cli.training import read_question, read_splits
    from supersparse.evaluate.trade_off import read_ratios
    from supersparse.learning.clock import Clock
    from supersparse.learning.trade_off import sweep

    check_outputs(("--plot", plot), inputs=(data, asked.settings, features.cut_points))
    _refuse(asked, validation)
    wanted = read_ratios(_numbers(ratios, "--ratios"), _numbers(thresholds, "--thresholds"))
    question, rows = read_question(data, table.reading, columns, asked, features, search, validation)
    splits, repeats = read_splits(rows, validation)
    if not splits:
        raise InvalidOptionError("no rows can be held out, so there is nothing to judge by; use more rows")
    processes = -1 if search.n_jobs is None else search.n_jobs
    with warnings_as_remarks(), progress(Clock.of(question.recipe).ends) as watch:
        found = sweep(
            question.recipe,
            rows,
            splits,
            wanted,
            repeats=repeats,
            watch=watch,
            n_jobs=(os.cpu_count() or 1) if processes == -1 else processes,
        )
    remark("")
    output.show(str(found), lambda: {"rows": found.table(), "folds": found.folds, "repeats": found.repeats})
    if plot is not None:
        from supersparse.faces.plots import save_plot

        save_plot(found, plot)
        remark(f"Plot saved to {plot}")


def _refuse(asked: AskedOptions, validation: ValidationOptions) -> None:
    """Refuse what says which class weights to use, and a file that asks for no folds."""
    weights = {"class_weight": asked.class_weight, **asked.declared}
    for name in ("class_weight", "objective", "risk_threshold"):
        if weights.get(name) is not None:
            option, instead = f"--{name.replace('_', '-')}", "--thresholds" if "risk" in name else "--ratios"
            raise InvalidOptionError(
                f"{option}: trade-off tries class weights itself; remove it, or use {instead}"
            )
    if not validation.judges:
        raise InvalidOptionError(f"{asked.settings}: validate is false, but trade-off needs folds; remove it")


def _numbers(text: str | None, option: str) -> list[float] | None:
    if text is None:
        return None
    found = []
    for word in text.split(","):
        try:
            found.append(float(word))
        except ValueError:
            raise InvalidOptionError(
                f"{option} is {text!r}, but {word.strip()!r} is not a number; separate numbers by commas"
            ) from None
    return found
