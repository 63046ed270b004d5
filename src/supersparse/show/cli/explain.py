"""`supersparse explain`: explain one prediction, and what would change it."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import int_or_float, shown
from supersparse.card.card import Card, Item
from supersparse.card.cases import Cases, person_of, read_as_written, read_cases
from supersparse.card.explain.flips import Change, Flip
from supersparse.card.explain.reasons import AnswerReason, Explanation, Reason, answer_to
from supersparse.card.lines import line_of_item, lines_of
from supersparse.card.words import ColumnWording, category_text
from supersparse.show.cli.options import CardFile, Output, TableOptions, Unknown
from supersparse.show.cli.say import in_columns, note, say_outside, say_size
from supersparse.show.cli.unknown import check_person, read_choice
from supersparse.show.document import ScoringSystem
from supersparse.show.document.risk_strip import risk_percent
from supersparse.table.plain import one_line
from supersparse.table.values import is_beyond, is_missing


def explain(
    model: CardFile,
    values: Annotated[
        list[str],
        typer.Argument(metavar="VALUES", help="The case to explain: age=63 smoker=yes, or a table and --row."),
    ],
    table: TableOptions,
    output: Output,
    row: Annotated[int, typer.Option(help="Row of the table, starting at 1.")] = 1,
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Column that cannot change. Repeatable.")
    ] = None,
    most: Annotated[int, typer.Option(help="Maximum number of changes to show.")] = 3,
    unknown: Unknown = "refuse",
) -> None:
    """Explain one prediction.

    Prints the points of each item, or of the answer to each question, the risk if the card has risks, and the
    smallest changes that lead to the other class, with the risk after them.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse explain card.json biopsies.csv --row 5
      supersparse explain card.json UniformityOfCellSize=3 BareNuclei=4
    """
    system = read_choice(unknown, ScoringSystem.load(model), table.reading)
    person, written, place = _person(system, values, row, table)
    check_person(system.card, person, place)
    explanation = system.explain(person)
    if person:
        say_outside(system.outside(person))
    flips = system.flips(person, fixed=fixed or (), most=most)
    lines = [
        *_points(explanation, system.card, written),
        "",
        f"Predicted: {explanation.label} (the total is {shown(explanation.total)}; "
        f"{system.card.positive} needs {system.card.cutoff.positive})",
        *(() if explanation.risk is None else (f"Risk of {system.card.positive}: {risk_percent(explanation.risk)}",)),
        "",
        *_ways(flips, system.card, written),
    ]
    output.show("\n".join(map(one_line, lines)), lambda: _document(explanation, flips, written))


def _person(
    system: object, values: list[str], row: int, table: TableOptions
) -> tuple[dict[str, object], dict[str, str], str]:
    """Return the values of a person, how those beyond every number are written, and where they stand."""
    assert isinstance(system, ScoringSystem)
    if len(values) == 1 and (values[0] == "-" or Path(values[0]).is_file()):
        say_size(Path(values[0]))
        cases = read_cases(Path(values[0]), table.reading, system.card, note=note)
        if not 1 <= row <= cases.n_rows:
            raise InvalidOptionError(f"--row is {row}", f"{values[0]} has rows 1 to {cases.n_rows}")
        person = {name: column[row - 1 : row].tolist()[0] for name, column in cases.columns.items()}
        place = f" in {cases.place(row - 1)} of {cases.table.name}"
        limited = [name for name, value in person.items() if is_beyond(value)]
        if not limited or values[0] == "-":  # standard input is read once
            known = {name: _limits_of(cases, name, person[name]) for name in limited}
            return person, {name: text for name, text in known.items() if text}, place
        columns = read_as_written(Path(values[0]), table.reading, system.card, limited)
        return person, {name: column[row - 1] for name, column in columns.items()}, place
    words: dict[str, str] = {}
    for value in values:
        name, mark, text = value.partition("=")
        while mark and name not in system.card.columns and "=" in text:  # a name may hold the sign, too
            more, mark, text = text.partition("=")
            name = f"{name}={more}"
        if not mark:
            raise InvalidDataError(f"{value!r} is neither a file nor a value", "write values as age=63")
        if name in words:
            raise InvalidOptionError(
                f"{name!r} is given twice, as {words[name]!r} and {text!r}", "give one value", subject=name
            )
        words[name] = text
    written = {name: text.strip() for name, text in words.items()}
    return person_of(system.card, words, table.reading), written, ""


def _limits_of(cases: Cases, name: str, value: object) -> str:
    """The cells of a column that stand for a value beyond every number: one of them was written."""
    limits = cases.table.limits.get(name, ())
    return " or ".join(one.cell for one in limits if one.below == (value == float("-inf")))


def _points(explanation: Explanation, card: Card, written: Mapping[str, str]) -> list[str]:
    by_question = [reason._brief() for reason in explanation.reasons if isinstance(reason, AnswerReason)]
    if by_question:
        return [*(f"  {text}" for text in by_question), f"  total: {shown(explanation.total)}"]
    rows = [
        (
            _asked(reason.item, card),
            "missing" if reason.missing else _answer(reason.item.column, reason.value, card, written),
            shown(reason.points),
        )
        for reason in explanation.reasons
        if isinstance(reason, Reason)
    ]
    rows.append(("total", "", shown(explanation.total)))
    return [f"  {line}" for line in in_columns(rows, right=2)]


def _asked(item: Item, card: Card) -> str:
    """The question of an item, as the card prints it where it has words of its own."""
    words = card.wording.of(item.column)
    if words == ColumnWording(column=item.column):
        return item.asks
    return line_of_item(item, card.domain(item.column), words).text


def _answer(column: str, value: object, card: Card, written: Mapping[str, str]) -> str:
    if is_missing(value):
        return "missing"
    answers = card.wording.of(column).answers
    if isinstance(value, str | bool | int | float | Fraction) and value in answers:
        return answers[value]  # type: ignore[index]
    return category_text(value) if isinstance(value, Fraction) else str(_shown(column, value, written))


def _ways(flips: tuple[Flip, ...], card: Card, written: Mapping[str, str]) -> list[str]:
    if not flips:
        return ["No change of these values leads to the other class."]
    lines = [f"The smallest changes that lead to {flips[0].label}:"]
    lines += [
        f"  {', '.join(_said(change, card, written) for change in flip.changes)}"
        + ("" if flip.risk is None else f" (risk {risk_percent(flip.risk)})")
        for flip in flips
    ]
    return lines


def _said(change: Change, card: Card, written: Mapping[str, str]) -> str:
    asks = card.provenance is not None and card.provenance.asks_questions
    if asks and isinstance(change.after, str | bool | Fraction):
        line = next(line for line in lines_of(card) if line.column == change.column)
        return f"{line.text}: {answer_to(line, change.before)} -> {answer_to(line, change.after)}"
    before, after = _answer(change.column, change.before, card, written), repr(change.after)
    if isinstance(change.after, str | bool | Fraction):
        after = card.wording.of(change.column).answers.get(change.after, category_text(change.after))
    return f"{card.wording.of(change.column).label or change.column}: {before} -> {after}"


def _document(explanation: Explanation, flips: tuple[Flip, ...], written: Mapping[str, str]) -> dict[str, object]:
    return {
        "reasons": [_reason(reason, written) for reason in explanation.reasons],
        "total": int_or_float(explanation.total),
        "threshold": int_or_float(explanation.threshold),
        "prediction": explanation.label,
        "risk": explanation.risk,
        "flips": [
            {
                "changes": {change.column: _plain(change.after) for change in flip.changes},
                "total": int_or_float(flip.total),
                "prediction": flip.label,
                "risk": flip.risk,
                "proven_smallest": flip.proven_smallest,
            }
            for flip in flips
        ],
    }


def _reason(reason: Reason | AnswerReason, written: Mapping[str, str]) -> dict[str, object]:
    points: dict[str, object] = {"missing": reason.missing, "points": int_or_float(reason.points)}
    if isinstance(reason, AnswerReason):
        asked = {"column": reason.column, "question": reason.question, "answer": reason.answer}
        value = _shown(reason.column, reason.value, written)
        return {**asked, "value": value, **points, "at_most": int_or_float(reason.most)}
    asked = {"item": reason.item.name, "question": reason.item.asks}
    return {**asked, "value": _shown(reason.item.column, reason.value, written), **points}


def _shown(column: str, value: object, written: Mapping[str, str]) -> object:
    """A value; one that is beyond every number, such as <3.0, as it is written."""
    return written[column] if is_beyond(value) and column in written else _plain(value)


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return int_or_float(value)
    if is_beyond(value):
        return "too low to measure" if str(value) == "-inf" else "too high to measure"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if value is None or isinstance(value, str | bool | int | float) else repr(value)
