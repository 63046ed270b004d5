"""`supersparse trade-off`: sensitivity, specificity and net benefit on held-out rows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.card.cases import read_labelled
from supersparse.card.evaluate.rates import Tally, read_outcomes
from supersparse.card.evaluate.trade_off import CrossValidatedTradeOff, HeldOutTradeOff, read_ratios
from supersparse.card.raw_values import as_read
from supersparse.engine.answers.trade_off import read_limits
from supersparse.engine.solution import Solution
from supersparse.learn.progress import Clock
from supersparse.learn.splits import hold_out
from supersparse.show.cli.command import Without
from supersparse.show.cli.options import AskedOptions, DataFile, Output, TrainingOptions, ValidationOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note, remark
from supersparse.show.cli.unknown import check_scored
from supersparse.show.document.plots import save_plot
from supersparse.table.reading import Reading

if TYPE_CHECKING:
    from supersparse.learn.recipe import PreparedProblem
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.trade_off import Judge


def trade_off(
    data: DataFile,
    how: Annotated[TrainingOptions, Without("wording", "validate")],
    output: Output,
    ratios: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Ratios W+/W- of the class weights, separated by commas: 0.5,1,2,4."),
    ] = None,
    thresholds: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Risk thresholds instead: 0.1,0.2,0.5; t stands for the ratio (1-t)/t."),
    ] = None,
    max_false_positive_rates: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Limits on the false positive rate instead: 0.05,0.1,0.2; within each, the most sensitive card.",
        ),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Judge on the labelled rows of this table instead of folds.",
        ),
    ] = None,
    hold_out: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Judge on this share of the rows instead of folds, drawn at random; with --cv-time the latest ones.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(dir_okay=False, help="Draw it to this .png, .svg or .pdf file.")] = None,
) -> None:
    """Compare class weights on held-out rows.

    Shows sensitivity, specificity and net benefit on held-out rows.

    Use it to decide how much a missed case should count. For each ratio of the class weights, or each risk
    at which you would act, a card is learned without each fold and judged on it. With --test or --hold-out
    there are no folds: one card for each ratio is judged on rows that it was not learned from. Then ask `fit`
    for the card with --objective net_benefit --risk-threshold, or with --class-weight. The time limit covers
    everything.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse trade-off biopsies.csv --target diagnosis --thresholds 0.2,0.5 --max-features 3
      supersparse trade-off biopsies.csv --target diagnosis --hold-out 0.2
    """
    from supersparse.learn.trade_off import sweep, sweep_held_out
    from supersparse.show.cli.progress import progress
    from supersparse.show.cli.say import warnings_as_remarks
    from supersparse.show.cli.training import read_folds, read_question

    check_outputs(("--plot", plot), inputs=(data, *how.inputs, test))
    _refuse_weights(how.asked)
    _refuse_folds(how.asked, how.validation, test, hold_out)
    wanted = read_ratios(_numbers(ratios, "--ratios"), _numbers(thresholds, "--thresholds"))
    shares = _numbers(max_false_positive_rates, "--max-false-positive-rates")
    limits = None if shares is None else read_limits(shares)
    if wanted is not None and limits is not None:
        raise InvalidOptionError(
            "--max-false-positive-rates is another sweep than --ratios or --thresholds", "use one of them"
        )
    question, rows = read_question(data, how)
    curve: CrossValidatedTradeOff | HeldOutTradeOff
    if test is not None or hold_out is not None:
        if test is not None:
            learned, judge = (rows, _judged_by(test, how.table.reading, rows, question.recipe.settings.sample_weight))
        else:
            learned, judge = _divided(rows, hold_out or 0.0)
        with warnings_as_remarks(), progress(Clock.of(question.recipe).ends) as watch:
            curve = sweep_held_out(question.recipe, learned, judge, wanted, limits=limits, watch=watch)
    else:
        folds = read_folds(rows, how.validation, question.recipe)
        if folds is None:
            raise InvalidOptionError("no rows can be held out, so there is nothing to judge by", "use more rows")
        with warnings_as_remarks(), progress(Clock.of(question.recipe).ends) as watch:
            curve = sweep(question.recipe, rows, folds, wanted, limits=limits, watch=watch)
    remark("")
    output.show(str(curve), lambda: _as_data(curve))
    if plot is not None:
        save_plot(curve, plot)
        remark(f"Plot saved to {plot}")


def _judged_by(test: Path, reading: Reading, rows: "TrainingRows", weights: str | None) -> "Judge":
    """Judge by the labelled rows of another table, read as each card expects them."""
    shown_before: set[str] = set()

    def say_once(text: str) -> None:
        if text not in shown_before:
            shown_before.add(text)
            note(text)

    def judge(question: "PreparedProblem", solution: Solution) -> Tally:
        card = as_read(question.card(solution, rows.title, rows), reading)
        assert rows.title is not None, "a table of a file has a target"
        cases = read_labelled(test, reading, card, rows.title, weights=weights, note=say_once)
        check_scored(card, cases, "leave such rows out")
        return read_outcomes(card, cases.columns, cases.y, cases.weights).tally()

    return judge


def _divided(rows: "TrainingRows", share: float) -> "tuple[TrainingRows, Judge]":
    """Hold a share of the rows out; those of a group stay together."""
    from supersparse.learn.trade_off import judged_on

    learned, held_out = hold_out(rows.y, share, groups=rows.groups, times=rows.times)
    return rows.take(learned), judged_on(rows, held_out)


def _as_data(curve: CrossValidatedTradeOff | HeldOutTradeOff) -> dict[str, object]:
    if isinstance(curve, CrossValidatedTradeOff):
        return {"rows": curve.table(), "folds": curve.folds, "repeats": curve.repeats}
    seen = curve.points[0].performance
    return {"rows": curve.table(), "held_out": float(seen.n), "held_out_positive": float(seen.positives)}


def _refuse_folds(
    asked: AskedOptions, validation: ValidationOptions, test: Path | None, hold_out: float | None
) -> None:
    """Refuse folds where rows are held out in another way, and no folds where they are not."""
    if test is not None and hold_out is not None:
        raise InvalidOptionError("--test and --hold-out both say what to judge on", "use one of them")
    if test is None and hold_out is None:
        if not validation.judges:
            raise InvalidOptionError(f"{asked.settings}: validate is false, but trade-off needs folds", "remove it")
        return
    option = "--test" if test is not None else "--hold-out"
    fit = () if test is not None else ("--cv-groups", "--cv-time")  # they say how rows are held out
    folds = [name for name in validation.asks if name not in fit]
    if folds:
        raise InvalidOptionError(f"{folds[0]} divides rows into folds, and {option} has none", "use one of them")
    if hold_out is not None and not 0 < hold_out < 1:
        raise InvalidOptionError(f"--hold-out is {hold_out:g}", "give a share between 0 and 1, such as 0.2")


def _refuse_weights(asked: AskedOptions) -> None:
    """Refuse what says which class weights to use."""
    for name in ("class_weight", "objective", "risk_threshold"):
        if name in asked.values:
            option, instead = f"--{name.replace('_', '-')}", "--thresholds" if "risk" in name else "--ratios"
            raise InvalidOptionError(f"{option}: trade-off tries class weights itself", f"remove it, or use {instead}")


def _numbers(text: str | None, option: str) -> list[float] | None:
    if text is None:
        return None
    numbers = []
    for word in text.split(","):
        try:
            numbers.append(float(word))
        except ValueError:
            raise InvalidOptionError(
                f"{option} is {text!r}, but {word.strip()!r} is not a number", "separate numbers by commas"
            ) from None
    return numbers
