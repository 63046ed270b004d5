"""`supersparse pool`: all scoring systems almost as good as the best."""

from typing import Annotated

import typer

from supersparse.base.exact import shown as exactly
from supersparse.card.card import Cutoff
from supersparse.engine.answers.pool import Pool
from supersparse.engine.answers.pool import pool as find_pool
from supersparse.engine.answers.words import named_points
from supersparse.problem.losses import loss_of
from supersparse.show.cli.command import Without
from supersparse.show.cli.options import DataFile, Output, TrainingOptions
from supersparse.show.cli.say import remark
from supersparse.table.plain import one_line


def pool(
    data: DataFile,
    how: Annotated[TrainingOptions, Without("wording", "validation")],
    output: Output,
    within: Annotated[float, typer.Option(help="How much worse the objective may be; 0.01 is one per cent.")] = 0.01,
    max_models: Annotated[int, typer.Option(help="Maximum number of models to keep.")] = 1000,
    shown: Annotated[int, typer.Option(help="Maximum number of models to print.")] = 10,
) -> None:
    """List the scoring systems almost as good as the best.

    Use it to see whether the best one has rivals, and which features they all use. Models that predict
    every row alike are shown once; with --goal risk, models whose points differ by a common factor.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse pool biopsies.csv --target diagnosis --max-features 2
    """
    from supersparse.show.cli.training import read_question, with_progress

    question, _ = read_question(data, how, counts_errors="a pool")
    options = question.recipe.options
    good_models = with_progress(find_pool, question.problem, within=within, max_models=max_models, **options)
    remark("")
    output.show(
        _text(good_models, shown),
        lambda: {
            "models": good_models.table(),
            "left_out": good_models.left_out,
            "complete": good_models.complete,
            "least_objective": float(good_models.best),
            "always": list(good_models.always()),
            "never": list(good_models.never()),
        },
    )


def _text(good_models: Pool, shown: int) -> str:
    loss = loss_of(good_models.problem).name(good_models.problem)
    is_weighted = loss == "weighted error"
    columns = [loss, *(["errors"] if is_weighted else []), "size", "points"]
    lines = [str(good_models), "", "  ".join(columns)]
    for model in good_models.models[:shown]:
        size = model.evaluation.size
        points = ", ".join(f"{p} {name}" for name, p in named_points(good_models.names, model.points).items())
        if not loss_of(good_models.problem).counts_rows:
            lines.append(f"{float(model.evaluation.loss):8.6f}  {size:>4}  {points or 'none'}")
            continue
        errors, intercept = exactly(model.evaluation.training_errors), good_models.problem.intercept
        scales = good_models.problem.rows.scales
        whole = all(model.points.values[j].denominator == scales[j] == 1 for j in model.points.support)
        cutoff = Cutoff(threshold=-model.points.intercept_value, reached=intercept.mode == "free", whole=whole)
        weighted = f"{float(model.evaluation.loss):{len(loss)}.4f}  " if is_weighted else ""
        lines.append(f"{weighted}{errors:>6}  {size:>4}  {points or 'none'}; {cutoff.positive}")
    if len(good_models.models) > shown:
        lines.append(f"and {len(good_models.models) - shown} more; print them with --shown")
    lines += ["", f"features in every model: {', '.join(good_models.always()) or 'none'}"]
    return "\n".join(map(one_line, lines))
