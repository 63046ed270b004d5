"""`supersparse predict`: a saved scoring system applied to a CSV file."""

import csv
import sys
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer


def predict(
    model: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="Scoring system saved by `fit --out`.")
    ],
    data: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="CSV file with the columns it needs.")
    ],
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write to this CSV file instead of the screen.")
    ] = None,
) -> None:
    """Score the rows of a CSV file: prints a CSV with the columns score and prediction, row by row.

    The score includes the intercept: the positive class is predicted when it is above 0. Columns
    that the scoring system does not use may hold anything.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse predict card.json biopsies.csv
    """
    from supersparse.card.numbers import shown
    from supersparse.card.scoring import predicted_labels, score_table
    from supersparse.cli.cells import number_columns
    from supersparse.cli.csv_table import read_csv
    from supersparse.errors import InvalidOptionError
    from supersparse.scorecard import ScoringSystem

    if out is not None and out.exists() and (out.samefile(data) or out.samefile(model)):
        raise InvalidOptionError(f"--out {out} would overwrite an input; choose another name")
    card = ScoringSystem.load(model).card
    table = read_csv(data)
    for name in card.columns:
        table.column(name, "column {name}, which the scoring system needs")
    numbers = number_columns(table, card.columns, "correct them or leave those rows out")
    # the text columns beside the numbers are not read; they tell the number of rows
    scores = score_table(card, {**table.columns, **dict(zip(card.columns, numbers, strict=True))})
    exact_scores = [shown(Fraction(n, scores.denominator)) for n in scores.numerators.tolist()]
    with nullcontext(sys.stdout) if out is None else out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["score", "prediction"])
        writer.writerows(zip(exact_scores, predicted_labels(card, scores.positive).tolist(), strict=True))
