"""What people take away: the card in every form, programs, a report, a certificate, and how to repeat it."""

import csv
import io
import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.card import file as card_file
from supersparse.data.plain import visible
from supersparse.errors import UnsupportedProblemError
from supersparse.exact import shown
from supersparse.faces import ScoringSystem
from supersparse.learning.rows import TrainingRows
from supersparse.settings.settings import write_settings
from supersparse.studio.asking import asked_of, settings_of
from supersparse.studio.keeping import kept_card
from supersparse.studio.watching import Telling
from supersparse.studio.worker import Talk
from supersparse.writing import write_file

_EXPORTS = {
    "score.py": "python",
    "score.sql": "sql",
    "score.js": "javascript",
    "score.xlsx": "xlsx",
    "score.pmml": "pmml",
    "score.onnx": "onnx",
}
_SETTINGS = "settings.yaml"


def write(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write one file of a card to ``out``; ``key`` is one of the server's own names."""
    key, out = given["key"], Path(given["out"])
    if key == _SETTINGS:
        write_file(out, settings_text(given))
        return {}
    system = ScoringSystem(kept_card(given)[2])
    if key in _EXPORTS:
        system.export(_EXPORTS[key], out)
    elif key.startswith("sheet."):
        system.sheet().save(out)
    elif key == "calculator.html":
        system.calculator(out)
    else:
        system.save(out)
    return {}


def settings_text(given: Mapping[str, Any]) -> str:
    """Return the settings file that repeats a card; its head names the command, which holds the rest."""
    kept = list(asked_of(given).rows.X) if given["choices"]["keep"] else []
    head = [
        "Learn this card again, beside its table:",
        command(given["choices"], given["plan"], _name(given), kept),
        "Check its certificate, where one was written:",
        "supersparse-check table-as-read.csv card.json certificate.vipr.gz",
    ]
    unsaid = [
        f"{name}={given['choices'][name]!r}"
        for name, usual in (("intervals", False), ("max_cuts", 6), ("per_variable", 2), ("units", {}))
        if given["choices"][name] != usual
    ]
    if unsaid:
        head.append(f"Only Python has these arguments of Prepare: {', '.join(unsaid)}")
    if given.get("edits"):
        head.append("Afterwards these changes were made by hand:")
        head += [f"- {e['text']}" + (f" ({e['reason']})" if e["reason"] else "") for e in given["edits"]]
    comments = "".join(f"# {line if line.isprintable() else visible(line)}\n" for line in head)
    return comments + write_settings(settings_of(given["plan"], given["choices"]))


def _name(given: Mapping[str, Any]) -> str:
    found: str = given["names"].get(given["path"], "table.csv")
    return found


def command(choices: Mapping[str, Any], plan: Mapping[str, Any], name: str, kept: Sequence[str] = ()) -> str:
    """Return the command that learns the same card; the settings file holds what is asked.

    `kept` names every column in use, where some are used though they look like identifiers.
    """
    words = ["supersparse", "fit", name if not name.startswith("-") else f"./{name}", "--settings", _SETTINGS]
    reading = choices["reading"]
    for option, value in (
        ("--target", choices["target"]),
        ("--na", ",".join(reading["missing"]) or None),
        ("--decimal", reading["decimal"]),
        ("--separator", reading["separator"]),
        ("--encoding", reading["encoding"]),
        ("--dates", reading["dates"]),
        ("--sheet", reading["sheet"]),
        ("--cuts", None if choices["cuts"] == "optimal" else choices["cuts"]),
        ("--missing", None if choices["missing"] == "item" else choices["missing"]),
        ("--candidates", _candidates(choices["candidates"])),
        ("--cut-points", _cut_points(choices["cut_points"])),
        ("--cv-time", choices["split_times"]),
        ("--cv-groups", _groups(choices["split_groups"])),
    ):
        if value is not None:
            words += [option, str(value)]
    dropped = [*choices["drop"], *(n for n, cuts in choices["cut_points"].items() if not cuts)]
    for option, values in (
        ("--as-written", reading["as_written"]),
        ("--drop", dropped),
        ("--keep", kept),
        ("--category", choices["category"]),
        ("--direction", [f"{n}={sign}" for n, sign in choices["direction"].items()]),
        ("--shape", [f"{n}={shape}" for n, shape in choices["shape"].items()]),
    ):
        for value in values:
            words += [option, value]
    if plan["validate"] is None:
        words.append("--no-validate")
    else:
        words += ["--cv", str(plan["validate"]["cv"]), "--repeats", str(plan["validate"]["repeats"])]
    return shlex.join([*words, "--out", "card.json"])


def _cut_points(given: Mapping[str, list[float]]) -> str | None:
    chosen = {name: cuts for name, cuts in given.items() if cuts}
    return json.dumps(chosen, ensure_ascii=False) if chosen else None


def _candidates(given: object) -> str | None:
    return None if given == "auto" else "all" if given is None else str(given)


def _groups(given: object) -> str | None:
    return None if given == "auto" else "none" if given is None else str(given)


def report(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write the report on a card, as HTML and if possible as PDF."""
    from importlib.util import find_spec

    from supersparse.report import Plan, make_report

    asked, _, card = kept_card(given)
    telling = Telling(asked, talk, dict(given["ids"]))
    rows = asked.rows
    columns = {**rows.X, **(rows.rate_groups or {})}
    groups = None
    if rows.groups is not None and given["choices"]["split_times"] is None:
        groups = "the rows that belong together"
        columns[groups] = rows.groups
    made = make_report(
        card,
        columns,
        rows.y.tolist(),
        sample_weight=rows.sample_weight,
        target=rows.title,
        cv_groups=groups,
        plan=Plan(bootstrap=given.get("bootstrap", 30), time_limit=given["time_limit"]),
        command=command(given["choices"], given["plan"], _name(given)),
        progress=lambda step: telling.stage(step.text),
    )
    out = Path(given["out"])
    telling.stage("writing")
    made.save(out / "report.html")
    if find_spec("reportlab") is not None:
        made.save(out / "report.pdf")
    return {"notes": [f"not in the report: {reason}" for reason in made.missing]}


def certificate(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write a proof that no card is better, the card that names it, and the table that it speaks of."""
    from supersparse.learning.certifying import certified

    asked, solution, card = kept_card(given)
    telling = Telling(asked, talk, dict(given["ids"]))
    telling.stage("writing the proof")
    if not solution.proven_optimal:
        raise UnsupportedProblemError(
            "the card is not proven optimal, so there is no proof to write; continue its run"
        )
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
        raise UnsupportedProblemError(
            "a column holds values beyond a limit, such as <0.01, which the checker cannot read; leave the "
            "column out, or write such values as numbers"
        )
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        return shown(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
