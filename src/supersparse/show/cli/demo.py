"""`supersparse demo`: learn a first scoring system from bundled data."""

from math import prod
from pathlib import Path
from typing import Annotated

import typer

from supersparse.learn.settings.settings import Settings
from supersparse.show.cli.options import Output, SearchOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import remark
from supersparse.show.document import ScoringSystem
from supersparse.table.datasets import load_breast_cancer


def demo(
    search: SearchOptions,
    output: Output,
    save_data: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Also write the data to this CSV file.")
    ] = None,
    save_settings: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Also write the settings to this YAML file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Save the scoring system to this JSON file.")] = None,
) -> None:
    """Learn a first scoring system from bundled data.

    The card tells malignant from benign breast tumours. The output says whether it is proven optimal.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
    """
    import json

    from supersparse.show.cli.recipe import solver_options
    from supersparse.show.cli.training import learn

    check_outputs(("--out", out), ("--save-data", save_data), ("--save-settings", save_settings))
    data = load_breast_cancer()
    if save_data is not None:
        data.columns.write_csv(save_data)
        remark(f"Data saved to {save_data}")
    settings = Settings.of(C0=0.01, max_points=10)
    if save_settings is not None:
        settings.save(save_settings)
        remark(f"Settings saved to {save_settings}")
    remark(f"Data: {data.source}, {data.licence}")
    remark(f"{len(data.y)} biopsies, {len(data.feature_names)} features graded 1 to 10, {data.y.sum()} malignant")
    problem = settings.problem(data.X, data.labels, feature_names=data.feature_names)
    solution = learn(problem, **solver_options(settings, None, search.options))
    system = ScoringSystem.from_solution(solution, title=data.target)
    meaning = _meaning(prod(len(s) for s in problem.sets), solution.proven_optimal)
    if out is not None:
        system.save(out)
    remark("")
    output.show(f"{system}\n{meaning}", lambda: {"card": json.loads(system.to_json())})
    if out is not None:
        remark(f"Saved to {out}")


def _meaning(vectors: int, proven: bool) -> str:
    claim = "The proof covers them all." if proven else "A better one could exist; the gap says by how much at most."
    return f"""
There are {vectors:,} ways to assign points to these features.
{claim}
Every number on the card was recomputed from the data in exact arithmetic.

Next: supersparse fit your.csv --target COLUMN"""
