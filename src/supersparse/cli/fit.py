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
    settings: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="YAML or JSON file of what is asked, constraints among it; options given here go before it.",
        ),
    ] = None,
    C0: Annotated[
        float | None,
        typer.Option(
            "--C0", show_default="0.01", help="Cost of a feature: the share of errors it must save."
        ),
    ] = None,
    max_features: Annotated[int | None, typer.Option(help="Most features to use; default: no limit.")] = None,
    max_points: Annotated[
        int | None, typer.Option(show_default="100", help="Largest points of a feature, plus or minus.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(show_default="60", help="Most seconds to search.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option(show_default="auto", help="See `supersparse solvers`.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(show_default="0", help="Seed of what is random in the search.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the scoring system to this JSON file.")
    ] = None,
) -> None:
    """Learn a scoring system from a CSV file and print it.

    Columns other than the target, and those that the settings take for groups, must hold
    numbers. Ctrl-C stops the search and prints the best
    scoring system found until then.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --save-settings wishes.yaml
      supersparse fit biopsies.csv --target diagnosis --max-points 10
      supersparse fit biopsies.csv --target diagnosis --settings wishes.yaml
    """
    from supersparse.cli.asked import read_asked, read_options
    from supersparse.cli.learn import learn, show_and_save
    from supersparse.cli.training import read_training

    check_writable(out)
    asked = read_asked(
        settings, {"positive": positive, "C0": C0, "max_features": max_features, "max_coef": max_points}
    )
    options = read_options(asked, settings, {"time_limit": time_limit, "solver": solver, "seed": seed})
    table = read_training(data, target=target, drop=drop or [], positive=positive, settings=asked)
    problem = asked.problem(
        table.X, table.y, feature_names=table.names, groups=table.groups, sample_weight=table.weights
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
    solution = learn(problem, **options)
    show_and_save(solution, title=target, out=out)
