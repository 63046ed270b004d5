"""`supersparse evaluate`: evaluate a scoring system on labelled data."""

from typing import Annotated

import typer

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.card.cases import read_labelled
from supersparse.card.evaluate.calibrating import Method
from supersparse.show.cli.options import CardFile, DataFile, Output, Subgroups, TableOptions, Unknown, Weights
from supersparse.show.cli.say import note, say_outside, say_size
from supersparse.show.cli.unknown import ALLOW, check_scored, read_choice
from supersparse.show.document import ScoringSystem
from supersparse.table.plain import one_line


def evaluate(
    model: CardFile,
    data: DataFile,
    target: Annotated[str, typer.Option(metavar="NAME", help="Column with the true classes.")],
    table: TableOptions,
    output: Output,
    by: Subgroups = None,
    weights: Weights = None,
    calibrate: Annotated[
        str, typer.Option(metavar="isotonic|logistic|none", help="How to calibrate risks on this data (cross-fitted).")
    ] = "isotonic",
    unknown: Unknown = "refuse",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
) -> None:
    """Evaluate a scoring system on labelled data.

    Prints sensitivity, specificity, predictive values and the AUC with confidence intervals, and the risk
    at each total. A card with risks of its own is also judged by them: log loss and calibration. Use --by to
    compare subgroups. Results on the training data are optimistic.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse evaluate card.json biopsies.csv --target diagnosis --by Mitoses
    """
    system = read_choice(unknown, ScoringSystem.load(model), table.reading)
    others = [name for name in by or [] if name not in system.card.columns]
    say_size(data)
    cases = read_labelled(data, table.reading, system.card, target, others, weights, note=note)
    check_scored(system.card, cases, "leave such rows out", ALLOW)
    say_outside(system.outside(cases.columns))
    evaluation = system.evaluate(cases.columns, cases.y, sample_weight=cases.weights, level=level)
    risk = system.risk(cases.columns, cases.y, sample_weight=cases.weights, level=level, method=_method(calibrate))
    groups = [
        system.by_subgroup(cases.columns, cases.y, name, sample_weight=cases.weights, level=level) for name in by or []
    ]
    parts = [evaluation.in_words(), f"Risk by total:\n{risk}\n{risk.in_words()}"]
    parts += [f"By {one_line(group.by)}:\n{group}" for group in groups]
    output.show(
        "\n\n".join(parts),
        lambda: {
            "evaluation": evaluation.cells(),
            "risk": risk.table(),
            "brier": None if risk.forecasts is None else risk.forecasts.brier,
            "thresholds": evaluation.thresholds.table(),
            "by": {group.by: group.table() for group in groups},
        },
    )


def _method(word: str) -> Method | None:
    known: dict[str, Method | None] = {"isotonic": "isotonic", "logistic": "logistic", "none": None}
    if word not in known:
        raise InvalidOptionError(subject="--calibrate", value=word, remedy=did_you_mean(word, known))
    return known[word]
