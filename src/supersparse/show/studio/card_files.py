"""What people take away: the card in every form, programs, a report, a certificate, and how to repeat it."""

import csv
import io
import math
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.exact import shown
from supersparse.base.writing import write_file
from supersparse.card import file as card_file
from supersparse.card.export import FILES
from supersparse.learn.certifying import certified
from supersparse.learn.rows import TrainingRows
from supersparse.show.document import ScoringSystem
from supersparse.show.report import Plan, make_report
from supersparse.show.studio.edited_card import kept_card
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.settings_file import command, settings_text
from supersparse.show.studio.texts import text


def write(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Write one file of a card to ``out``; ``key`` is one of the server's own names."""
    key, out = given["key"], Path(given["out"])
    if key == "settings.yaml":
        write_file(out, settings_text(given))
        return {}
    system = ScoringSystem(kept_card(given)[2])
    if key in FILES:
        system.export(FILES[key], out)
    elif key.startswith("sheet."):
        system.sheet().save(out)
    elif key == "calculator.html":
        system.calculator(out)
    else:
        system.save(out)
    return {}


def report(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write the report on a card, as HTML and if possible as PDF."""
    asked, _, card = kept_card(given)
    progress = Progress(asked, talk, dict(given["ids"]))
    rows = asked.rows
    columns = {**rows.X, **(rows.rate_groups or {})}
    groups = None
    if rows.groups is not None and given["choices"]["split_times"] is None:
        groups = text("notes.together")
        columns[groups] = rows.groups
    made = make_report(
        card,
        columns,
        rows.y.tolist(),
        sample_weight=rows.sample_weight,
        target=rows.title,
        cv_groups=groups,
        plan=Plan(bootstrap=given.get("bootstrap", 30), time_limit=given["time_limit"]),
        command=command(given),
        progress=lambda step: progress.stage(step.text),
    )
    out = Path(given["out"])
    progress.stage("writing")
    made.save(out / "report.html")
    if find_spec("reportlab") is not None:
        made.save(out / "report.pdf")
    return {"notes": [text("notes.not_in_report", why=reason) for reason in made.missing]}


def certificate(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write a proof that no card is better, the card that names it, and the table that it speaks of."""
    asked, solution, card = kept_card(given)
    progress = Progress(asked, talk, dict(given["ids"]))
    progress.stage("proof")
    if not solution.proven_optimal:
        raise UnsupportedProblemError(text("refused.unproven"))
    out, choices = Path(given["out"]), given["choices"]
    weights = asked.question.recipe.settings.sample_weight
    table = out / "table-as-read.csv"
    write_file(table, table_as_read(Path(given["path"]), asked.rows, choices["target"], weights))
    named = certified(
        card,
        asked.question,
        solution.points,
        out / "certificate.vipr.gz",
        replace(asked.rows, reading=None, notes=()),
        target=choices["target"],
        weights=weights,
        data=table,
    )
    card_file.save(named, out / "card.json")
    return {"notes": []}


def table_as_read(path: Path, rows: TrainingRows, target: str, weights: str | None) -> bytes:
    """Return the rows as a plain CSV file, as the checker of certificates reads it.

    A file that is plain already stays as it is. Otherwise codes for missing values become blanks, spellings
    one spelling, and decimal commas points.
    """
    if is_plain(path, rows):
        return path.read_bytes()
    columns: dict[str, Any] = {**rows.X, **(rows.rate_groups or {}), target: rows.y}
    if weights is not None:
        columns[weights] = rows.sample_weight
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(map(_cell, values.tolist()) for values in columns.values()), strict=True))
    return out.getvalue().encode()


def is_plain(path: Path, rows: TrainingRows) -> bool:
    """Whether a file is CSV with commas in UTF-8 of which every row was used as it is written."""
    reading = rows.reading
    if path.suffix != ".csv" or reading is None or rows.notes:
        return False
    usual = {"encoding": "utf-8", "separator": "commas"}
    found = {name: reading.found.get(name) for name in usual}
    asked = set(reading.as_data()) - {"columns", "found"}
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        lines = sum(1 for _ in file)  # with the rest of the header as the first
    every_row = lines - 1 == len(rows.y)
    return found == usual and not asked and not reading.columns and not packed and every_row


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float) and math.isinf(value):
        raise UnsupportedProblemError(text("refused.beyond_limit"))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        return shown(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
