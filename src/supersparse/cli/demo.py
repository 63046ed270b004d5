"""`supersparse demo`: a first scoring system, from the data that come with the package."""

import csv
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.cli.say import check_writable, remark

if TYPE_CHECKING:
    from supersparse.datasets.dataset import Dataset


def demo(
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60,
    solver: Annotated[str, typer.Option(help="See `supersparse solvers`.")] = "auto",
    save_data: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the data to this CSV file, too.")
    ] = None,
    save_settings: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what is asked to this YAML file, too.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the scoring system to this JSON file.")
    ] = None,
) -> None:
    """Learn to tell malignant from benign breast tumours, and say what was proven.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
    """
    from supersparse.cli.learn import learn, show_and_save
    from supersparse.datasets import load_breast_cancer
    from supersparse.problem.file.settings import Settings

    check_writable(out)
    check_writable(save_data)
    check_writable(save_settings)
    data = load_breast_cancer()
    if save_data is not None:
        _write(data, save_data)
        remark(f"Data saved to {save_data}")
    settings = Settings.of(C0=0.01, max_coef=10)
    if save_settings is not None:
        settings.save(save_settings)
        remark(f"Settings saved to {save_settings}")
    remark(f"Data: {data.source}, {data.licence}")
    remark(
        f"{len(data.y)} biopsies, {len(data.feature_names)} features graded 1 to 10, {data.y.sum()} malignant"
    )
    remark("The first run compiles the solver; the next ones take seconds.")
    problem = settings.problem(data.X, data.labels, feature_names=data.feature_names)
    solution = learn(problem, solver=solver, time_limit=time_limit, seed=0)
    show_and_save(solution, title=data.target, out=out)
    typer.echo(_meaning(prod(len(s.values) for s in problem.sets), solution.proven_optimal))


def _meaning(vectors: int, proven: bool) -> str:
    if proven:
        claim = "The proof covers them all."
    else:
        claim = "Better ones are not all ruled out; the gap says how much better they could be."
    return f"""
There are {vectors:,} ways to give these features points.
{claim}
Every number on the card was recomputed from the rows in exact arithmetic.

Next: supersparse fit your.csv --target COLUMN"""


def _write(data: "Dataset", path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*data.feature_names, data.target])
        writer.writerows(
            [*row, label] for row, label in zip(data.X.tolist(), data.labels.tolist(), strict=True)
        )
