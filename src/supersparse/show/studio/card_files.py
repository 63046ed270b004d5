"""The files of a card: every form of it, programs, a report, a certificate, and the settings that repeat it."""

import csv
import io
import math
import shlex
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.base.errors import UnsupportedProblemError
from supersparse.base.exact import exact, shown
from supersparse.base.writing import write_file
from supersparse.card import file as card_file
from supersparse.card.export import FILES
from supersparse.card.format import READING
from supersparse.learn.certifying import certified
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings, write_settings
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import with_best_intercept
from supersparse.problem.questions import asked_in_words
from supersparse.show.document import ScoringSystem
from supersparse.show.document.html import browser
from supersparse.show.report import Plan, make_report
from supersparse.show.studio.card_view import made_card, model_of, points_of, solution_of, threshold_of, wordings
from supersparse.show.studio.edited_card import kept_card
from supersparse.show.studio.inquiry import Inquiry, asked_of, prepare_section, settings_of, uncut
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import text
from supersparse.table.plain import visible


def check(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Ask without solving: say how many rows and questions there are, and how a settings file says it."""
    asked = asked_of(job)
    problem = asked.question.problem
    return {
        "rows": problem.rows.n_rows,
        "questions": problem.rows.n_features,
        "features": list(problem.rows.names),
        "texts": wordings(asked),
        "notes": list(asked.notes),
        "wishes": [asked_in_words(c) if problem.questions else c.in_words() for c in problem.asked],
        "asks_questions": bool(problem.questions),
        "yaml": write_settings(whole_settings(job)),
        "command": command(job),
    }


def command(job: Mapping[str, Any]) -> str:
    name: str = job["names"].get(job["path"], "table.csv")
    table = f"./{name}" if name.startswith("-") else name
    return shlex.join(["supersparse", "fit", table, "--settings", "settings.yaml", "--out", "card.json"])


def settings_text(job: Mapping[str, Any]) -> str:
    head = [
        text("repeat.learn"),
        command(job),
        text("repeat.check"),
        "supersparse-check table-as-read.csv card.json certificate.gz",
    ]
    if job.get("edits"):
        head.append(text("repeat.edits"))
        head += [f"- {e['text']}" + (f" ({e['reason']})" if e["reason"] else "") for e in job["edits"]]
    comments = "".join(f"# {line if line.isprintable() else visible(line)}\n" for line in head)
    return comments + write_settings(whole_settings(job))


def whole_settings(job: Mapping[str, Any]) -> Settings:
    """Return everything that was chosen of the table, asked of the card and changed by hand."""
    choices, asked = job["choices"], asked_of(job)
    content = settings_of(job["plan"], choices).to_dict()
    content["table"] = _table(choices, asked)
    content["prepare"] = prepare_section(choices)
    content["validate"] = _validate(choices, asked)
    edits = []
    if job.get("chosen"):  # one of several almost equally good cards: its points are asked for
        model = job["model"]
        fixed = model.get("answers") or {name: Fraction(points) for name, points in model["points"].items()}
        wishes = [{"fixed": name, "value": points} for name, points in fixed.items()]
        content["constraints"] = [*content.get("constraints", ()), *wishes]
        content["max_questions" if "answers" in model else "max_features"] = len(fixed)
        edits += _own_threshold(job, asked)
    steps = job.get("steps", [])
    edits += [
        _edit(change, step, adds_points=not asked.question.problem.questions)
        for change, step in zip(job.get("changes", []), steps, strict=True)
    ]
    content["edits"] = edits
    return Settings.from_dict({name: value for name, value in content.items() if value not in ({}, [])})


def _table(choices: Mapping[str, Any], asked: Inquiry) -> dict[str, Any]:
    reading = {name: value for name, value in choices["reading"].items() if value not in (None, [])}
    columns = {
        "target": choices["target"],
        "drop": [*choices["drop"], *uncut(choices)],
        "keep": list(asked.rows.X) if choices["keep"] else [],
        "category": choices["category"],
    }
    return {**{name: value for name, value in columns.items() if value != []}, **reading}


def _validate(choices: Mapping[str, Any], asked: Inquiry) -> dict[str, Any] | bool:
    folds = asked.folds
    if folds is None:
        return False
    section: dict[str, Any] = {"cv": folds, "repeats": asked.repeats}
    name = "cv_groups" if choices["cv_time"] is None else "cv_time"
    if choices[name] is not None:
        section[name] = choices[name]
    return section


def _own_threshold(job: Mapping[str, Any], asked: Inquiry) -> list[dict[str, Any]]:
    """The threshold of a card that has not the best one of its points."""
    problem = asked.question.problem
    if not loss_of(problem).counts_rows:
        return []
    points = points_of(problem, job["model"])
    best = with_best_intercept(problem, points.coefficients) if points.denominator == problem.unit else None
    if best is not None and model_of(problem, best) == job["model"]:
        return []
    card = made_card(asked, solution_of(problem, job["model"], {}))
    return [{"threshold": threshold_of(card)}]


def _edit(change: Mapping[str, Any], step: Mapping[str, Any], *, adds_points: bool) -> dict[str, Any]:
    ((kind, what),) = change.items()
    if isinstance(what, Mapping):
        what = {name: _number(value) if name in ("to", "points") else value for name, value in what.items()}
        if kind == "add" and adds_points:
            what = {"points": 1, **what}
    elif kind == "threshold" and what is not None:
        what = _number(what)
    notes = {name: step[name] for name in ("reason", "at") if step.get(name)}
    return {kind: what, **notes}


def _number(value: Any) -> Any:
    return exact(float(value), "number") if isinstance(value, str) else value


def write(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Write one file of a card to ``out``; ``key`` is one of the server's own names."""
    key, out = job["key"], Path(job["out"])
    if key == "settings.yaml":
        write_file(out, settings_text(job))
        return {}
    system = ScoringSystem(kept_card(job)[2])
    if key in FILES:
        system.export(FILES[key], out)
    elif key.startswith("sheet."):
        system.sheet().save(out)
    elif key == "calculator.html":
        system.calculator(out)
    else:
        system.save(out)
    return {}


def report(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write the report on a card, as HTML and if possible as PDF."""
    asked, _, card = kept_card(job)
    progress = Progress(asked, talk, dict(job["ids"]))
    rows = asked.rows
    columns = {**rows.X, **(rows.rate_groups or {})}
    groups = None
    if rows.groups is not None and job["choices"]["cv_time"] is None:
        groups = text("notes.together")
        columns[groups] = rows.groups
    made = make_report(
        card,
        columns,
        rows.y.tolist(),
        sample_weight=rows.sample_weight,
        target=rows.title,
        cv_groups=groups,
        plan=Plan(bootstrap=job.get("bootstrap", 30), time_limit=job["time_limit"]),
        command=command(job),
        progress=lambda step: progress.stage(step.text),
    )
    out = Path(job["out"])
    progress.stage("writing")
    made.save(out / "report.html")
    if browser() is not None:
        made.save(out / "report.pdf")
    return {"notes": [text("notes.not_in_report", why=reason) for reason in made.missing]}


def certificate(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Write a proof that no card is better, the card that names it, and the table that it speaks of."""
    asked, solution, card = kept_card(job)
    progress = Progress(asked, talk, dict(job["ids"]))
    progress.stage("proof")
    if not solution.proven_optimal:
        raise UnsupportedProblemError(text("refused.unproven"))
    out, choices = Path(job["out"]), job["choices"]
    weights = asked.question.recipe.settings.sample_weight
    table = out / "table-as-read.csv"
    write_file(table, table_as_read(Path(job["path"]), asked.rows, choices["target"], weights))
    named = certified(
        card,
        asked.question,
        solution.points,
        out / "certificate.gz",
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
    as_read = {name: reading.found.get(name) for name in usual}
    asked = set(READING.write(reading)) - {"columns", "found"}
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        lines = sum(1 for _ in file)  # with the rest of the header as the first
    every_row = lines - 1 == len(rows.y)
    return as_read == usual and not asked and not reading.columns and not packed and every_row


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
