"""`supersparse fit`: a CSV file becomes a scoring system."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.cli.say import check_writable, count, remark


def fit(
    data: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV file with a header line.")],
    target: Annotated[str, typer.Option(metavar="NAME", help="Column to predict; it must hold two values.")],
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE", help="Value of the target that scores high; default: the last in sorted order."
        ),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Column to leave out; may be repeated.")
    ] = None,
    C0: Annotated[
        float, typer.Option("--C0", help="Cost of a feature: the share of errors it must save.")
    ] = 0.01,
    max_features: Annotated[int | None, typer.Option(help="Most features to use; default: no limit.")] = None,
    max_points: Annotated[int, typer.Option(help="Largest points of a feature, plus or minus.")] = 100,
    time_limit: Annotated[float, typer.Option(help="Most seconds to search.")] = 60,
    solver: Annotated[str, typer.Option(help="See `supersparse solvers`.")] = "auto",
    seed: Annotated[int, typer.Option(help="Seed of what is random in the search.")] = 0,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the scoring system to this JSON file.")
    ] = None,
) -> None:
    """Learn a scoring system from a CSV file and print it.

    Columns other than the target must hold numbers. Ctrl-C stops the search and prints the best
    scoring system found until then.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse fit biopsies.csv --target diagnosis --max-points 10
    """
    from supersparse.cli.learn import learn, show_and_save
    from supersparse.cli.training import read_training
    from supersparse.problem.problem import Problem

    check_writable(out)
    table = read_training(data, target=target, drop=drop or [], positive=positive)
    problem = Problem.of(
        table.X,
        table.y,
        feature_names=table.names,
        positive=table.positive,
        C0=C0,
        max_coef=max_points,
        max_features=max_features,
    )
    rows = problem.rows
    cases = int(rows.positive.sum())
    remark(f"{count(rows.n_rows, 'row')}, {count(rows.n_features, 'feature')}")
    negative_class, positive_class = rows.classes
    remark(
        f"positive class {positive_class!r} ({count(cases, 'row')}), "
        f"negative class {negative_class!r} ({count(rows.n_rows - cases, 'row')})"
    )
    if problem.ignored:
        constant = ", ".join(repr(rows.names[j]) for j in problem.ignored)
        remark(f"note: constant, so of no use: {constant}")
    solution = learn(problem, solver=solver, time_limit=time_limit, seed=seed)
    show_and_save(solution, title=target, out=out)
