"""`supersparse predict`: score the rows of a table."""

import csv
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import int_or_float, shown
from supersparse.base.writing import whole_text
from supersparse.card.card import Card
from supersparse.card.cases import read_cases
from supersparse.card.export.fhir import fhir_response
from supersparse.card.scoring import predicted_labels, score_table
from supersparse.show.cli.export import SetOption, read_options
from supersparse.show.cli.options import CardFile, DataFile, Output, TableOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note, say_outside, say_size
from supersparse.show.cli.unknown import ALLOW, check_scored, possible_columns, read_choice
from supersparse.show.document import ScoringSystem
from supersparse.table.cells import is_number


def no_formula(cell: object) -> object:
    """Put an apostrophe before text that a spreadsheet would run as a formula; numbers stay as they are.

    >>> no_formula("=1+1"), no_formula("-2.5"), no_formula("ill")
    ("'=1+1", '-2.5', 'ill')
    """
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not is_number(cell):
        return f"'{cell}"
    return cell


def predict(
    model: CardFile,
    data: DataFile,
    table: TableOptions,
    output: Output,
    copy: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="NAME", help="Column to copy to the output, such as an identifier. Repeatable."),
    ] = None,
    reasons: Annotated[
        int, typer.Option(metavar="N", min=0, help="Reason codes: add the N answers that cost each row most points.")
    ] = 0,
    unknown: Annotated[
        str,
        typer.Option(
            metavar="refuse|allow",
            help="Values that the card does not know: refuse them; or score numbers far from the training "
            "rows and new categories by the usual rules, and print the possible totals where a value is "
            "missing.",
        ),
    ] = "refuse",
    to: Annotated[
        str, typer.Option(metavar="csv|fhir", help="Format: a table, or a FHIR QuestionnaireResponse a line.")
    ] = "csv",
    option: SetOption = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Output file; default: print to the screen.")] = None,
) -> None:
    """Score the rows of a table.

    Prints a CSV with the total, as on the card, and the prediction for each row, and the risk if the scoring
    system has risks. Use --reasons to add the answers that cost each row most points. Other columns are
    ignored. A number further from the range of the training rows than that range is wide is refused, and so
    is a category that they did not have, unless --unknown allow is given. With it, a row without a value that
    the card needs gets the lowest and the highest total that it can have, and a class if both agree. Text
    that a spreadsheet would run as a formula, such as a class called =1+1, gets an apostrophe in front;
    --json leaves it as it is.

    --to fhir writes a QuestionnaireResponse for each row, to the form that `export --to fhir` writes with
    the same options: --set form=values, --set url=ADDRESS, --set version=1.0.0.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse predict card.json biopsies.csv --out scores.csv
    """
    from fractions import Fraction

    import numpy as np

    check_outputs(("--out", out), inputs=(data, model))
    responses = _checked_format(to, option or [], others=unknown == "allow" or reasons > 0 or bool(copy) or output.json)
    system = read_choice(unknown, ScoringSystem.load(model), table.reading, reasons=reasons > 0)
    say_size(data)
    cases = read_cases(data, table.reading, system.card, copy or [], note=note)
    allowed = "use --unknown allow to get the totals that are possible"
    check_scored(system.card, cases, allowed if unknown == "refuse" else None, ALLOW)
    say_outside(system.outside(cases.columns))
    # a card without items needs the number of rows from somewhere
    columns = cases.columns or {"": np.empty(cases.n_rows)}
    if responses is not None:
        values = {name: cases.columns[name].tolist() for name in system.card.columns}
        with nullcontext(sys.stdout) if out is None else whole_text(out) as file:
            for row in range(cases.n_rows):
                file.write(responses(system.card, {name: value[row] for name, value in values.items()}))
        return
    predicted: dict[str, list[object]] = {name: cases.columns[name].tolist() for name in copy or []}
    if unknown == "allow":
        predicted |= possible_columns(system.card, columns, json=output.json)
    else:
        scores, zero = score_table(system.card, columns), system.card.zero_total
        exact = [Fraction(n, scores.denominator) + zero for n in scores.numerators.tolist()]
        predicted["total"] = [int_or_float(total) if output.json else shown(total) for total in exact]
        predicted["prediction"] = predicted_labels(system.card, scores.positive).tolist()
        if system.card.risk is not None:
            predicted["risk"] = np.asarray(system.predict_risk(columns)).tolist()
    if reasons:
        listed = system.reasons(columns, most=reasons).table()
        predicted |= {name: [row[name] for row in listed] for name in (listed[0] if listed else ())}
    if output.json and out is None:
        output.show(
            "", lambda: [dict(zip(predicted, row, strict=True)) for row in zip(*predicted.values(), strict=True)]
        )
        return
    with nullcontext(sys.stdout) if out is None else whole_text(out) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(no_formula, predicted))
        writer.writerows(map(no_formula, row) for row in zip(*predicted.values(), strict=True))
    if out is not None and output.json:
        output.show("", lambda: {"rows": cases.n_rows, "saved": str(out)})


def _checked_format(to: str, option: list[str], *, others: bool) -> Callable[[Card, Mapping[str, object]], str] | None:
    """Return what writes the response of one person, None for a table."""
    if to not in ("csv", "fhir"):
        raise InvalidOptionError(f"--to: unknown format {to!r}", "give csv or fhir", subject="--to")
    if to == "csv":
        if option:
            raise InvalidOptionError("--set needs --to fhir", subject="--set")
        return None
    if others:
        raise InvalidOptionError(
            "--to fhir writes one response for each row", "leave out --with, --reasons, --unknown and --json"
        )
    options = read_options(option)
    for name in options:
        if name not in ("form", "url", "version"):
            raise InvalidOptionError(f"--set: a FHIR response has no option {name!r}", "give form, url or version")
    return partial(fhir_response, one_line=True, **cast("dict[str, Any]", options))
