"""The one settings file that repeats a card from the command line: what was chosen, asked and edited."""

import shlex
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from supersparse.base.exact import exact
from supersparse.learn.settings.settings import Settings, write_settings
from supersparse.problem.objective import with_best_intercept
from supersparse.show.studio.card_view import made_card, model_of, points_of, solution_of, threshold_of, wordings
from supersparse.show.studio.inquiry import Inquiry, asked_of, prepare_section, settings_of, uncut
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.texts import text
from supersparse.table.plain import visible

_READING = {"missing": "na"}  # others are called like the option


def check(given: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Ask without solving: say how many rows and questions there are, and how a settings file says it."""
    asked = asked_of(given)
    problem = asked.question.problem
    return {
        "rows": problem.rows.n_rows,
        "questions": problem.rows.n_features,
        "features": list(problem.rows.names),
        "texts": wordings(asked),
        "notes": list(asked.notes),
        "wishes": [constraint.in_words() for constraint in problem.asked],
        "yaml": write_settings(whole_settings(given)),
        "command": command(given),
    }


def command(given: Mapping[str, Any]) -> str:
    name: str = given["names"].get(given["path"], "table.csv")
    table = f"./{name}" if name.startswith("-") else name
    return shlex.join(["supersparse", "fit", table, "--settings", "settings.yaml", "--out", "card.json"])


def settings_text(given: Mapping[str, Any]) -> str:
    head = [
        text("repeat.learn"),
        command(given),
        text("repeat.check"),
        "supersparse-check table-as-read.csv card.json certificate.vipr.gz",
    ]
    if given.get("edits"):
        head.append(text("repeat.edits"))
        head += [f"- {e['text']}" + (f" ({e['reason']})" if e["reason"] else "") for e in given["edits"]]
    comments = "".join(f"# {line if line.isprintable() else visible(line)}\n" for line in head)
    return comments + write_settings(whole_settings(given))


def whole_settings(given: Mapping[str, Any]) -> Settings:
    """Return everything that was chosen of the table, asked of the card and changed by hand."""
    choices, asked = given["choices"], asked_of(given)
    content = settings_of(given["plan"], choices).to_dict()
    content["table"] = _table(choices, asked)
    content["prepare"] = prepare_section(choices)
    content["validate"] = _validate(choices, asked)
    edits = []
    if given.get("chosen"):  # one of several almost equally good cards: its points are asked for
        fixed = given["model"]["points"]
        wishes = [{"fixed": name, "value": Fraction(points)} for name, points in fixed.items()]
        content["constraints"] = [*content.get("constraints", ()), *wishes]
        content["max_features"] = len(fixed)
        edits += _own_threshold(given, asked)
    steps = given.get("steps", [])
    edits += [_edit(change, step) for change, step in zip(given.get("changes", []), steps, strict=True)]
    content["edits"] = edits
    return Settings.from_dict({name: value for name, value in content.items() if value not in ({}, [])})


def _table(choices: Mapping[str, Any], asked: Inquiry) -> dict[str, Any]:
    reading = {_READING.get(name, name): value for name, value in choices["reading"].items() if value not in (None, [])}
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
    if choices["split_times"] is not None:
        section["cv_time"] = choices["split_times"]
    elif choices["split_groups"] != "auto":
        section["cv_groups"] = choices["split_groups"] or "none"
    return section


def _own_threshold(given: Mapping[str, Any], asked: Inquiry) -> list[dict[str, Any]]:
    """The threshold of a card that has not the best one of its points."""
    problem = asked.question.problem
    points = points_of(problem, given["model"])
    best = with_best_intercept(problem, points.coefficients) if points.denominator == problem.unit else None
    if problem.goal == "risk" or (best is not None and model_of(problem, best) == given["model"]):
        return []
    card = made_card(asked, solution_of(problem, given["model"], {}))
    return [{"threshold": threshold_of(card)}]


def _edit(change: Mapping[str, Any], step: Mapping[str, Any]) -> dict[str, Any]:
    ((kind, what),) = change.items()
    if isinstance(what, Mapping):
        what = {name: _number(value) if name in ("to", "points") else value for name, value in what.items()}
        if kind == "add":
            what = {"points": 1, **what}
    elif kind == "threshold" and what is not None:
        what = _number(what)
    beside = {name: step[name] for name in ("reason", "at") if step.get(name)}
    return {kind: what, **beside}


def _number(given: Any) -> Any:
    return exact(float(given), "number") if isinstance(given, str) else given
