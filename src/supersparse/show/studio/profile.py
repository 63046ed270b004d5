"""A profile of a table: each column with its kind, histogram, missing values and suggested questions."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, SupersparseError
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import RARE_CLASS
from supersparse.learn.settings.settings import Settings
from supersparse.show.studio.columns import Classes, ColumnDescriber, asked_about, fitted, questions_of
from supersparse.show.studio.inquiry import prepare_of, reading_of, remembered, settings_of, uncut
from supersparse.show.studio.notices import Notice, notice, notice_text, notices
from supersparse.show.studio.progress import Talk
from supersparse.show.studio.texts import as_problem
from supersparse.table.files import read_with_problems
from supersparse.table.numeric import positive_of
from supersparse.table.reading import Reading
from supersparse.table.roles import read_target, rest_of, why_no_feature
from supersparse.table.table import Column, Kind, Table
from supersparse.table.tidying import same_text

_MOST_CLASSES = 12
_MOST_COLUMNS = 2000  # that are described one by one
_OUTCOMES = (
    "target", "outcome", "class", "label", "diagnosis", "y", "died", "death", "dead", "event", "status",
    "result", "default", "response", "malignant", "severity", "readmitted", "survived", "recurrence",
)  # fmt: skip


def profile(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Read a table and describe it; ``path``, ``choices`` and ``plan`` say which and how."""
    choices = job["choices"]
    table, texts = read(job)
    noticed = notices(table, texts, choices)
    classes, problem = None, None
    if choices["target"] is not None:
        try:
            classes = _classes(table, choices)
        except InvalidDataError as error:
            problem = as_problem(error, job.get("names")).as_data()
    used = _used(table, choices, job["plan"])
    prepare: Prepare | None = None
    settings: Settings | None = None
    if classes is not None:
        noticed += _about_target(classes, job["plan"])
        try:
            settings = settings_of(job["plan"], choices)
            prepare = fitted(table, classes, used, prepare_of(choices), settings)
        except SupersparseError as error:
            problem = as_problem(error, job.get("names")).as_data()
    describe = ColumnDescriber(table, choices, classes, used, prepare, settings)
    columns = [describe.column(name, k) for k, name in enumerate(table.names[:_MOST_COLUMNS]) if name in table.columns]
    columns += [describe.unread(name, table.names.index(name), column) for name, column in texts.items()]
    offered = 0 if prepare is None else len(prepare.features_) + len(prepare.questions_)
    return {
        "rows": table.n_rows,
        "columns_count": len(table.names),
        "targets": _targets(table, choices),
        "classes": None if classes is None else classes.as_data(),
        "columns": sorted(columns, key=lambda one: int(one["index"])),
        "questions_count": offered,
        "left_out_questions": 0 if prepare is None else prepare.n_candidates_ - offered,
        "noticed": noticed,
        "problem": problem,
        "reading": {"found": dict(table.reading.found)},
    }


def read(job: Mapping[str, Any]) -> tuple[Table, dict[str, Column]]:
    """Read a table; columns that are numbers only for the most part come separately, as texts.

    The file is read once whatever its target is; the target and what shall be categories are then read as texts.
    """
    choices, path = job["choices"], job["path"]
    key = json.dumps(["table", path, choices["reading"]], sort_keys=True)
    table, odd = remembered(key, lambda: _read(Path(path), reading_of(choices)))
    named = dict.fromkeys([*choices["category"], *([choices["target"]] if choices["target"] else [])])
    known = [name for name in named if name in table.names]
    if not known:
        return table, odd
    again = json.dumps(["texts", path, choices["reading"], known], sort_keys=True)
    texts = remembered(again, lambda: _as_texts(Path(path), reading_of(choices), known))
    columns = {**table.columns, **{name: texts.columns[name] for name in known}}
    ordered = {name: columns[name] for name in table.names if name in columns}
    notes = {**table.column_notes, **texts.column_notes}
    return (
        replace(table, columns=ordered, column_notes=notes),
        {name: column for name, column in odd.items() if name not in known},
    )


def _read(path: Path, reading: Reading) -> tuple[Table, dict[str, Column]]:
    table, problems = read_with_problems(path, reading)
    lacking = [name for name in table.names if name not in table.columns]
    if not problems or not lacking:
        return table, {}
    return table, dict(_as_texts(path, replace(reading, as_written=()), lacking).columns)


def _as_texts(path: Path, reading: Reading, names: Sequence[str]) -> Table:
    chosen = set(names)
    table, _ = read_with_problems(
        path,
        replace(reading, as_written=tuple(w for w in reading.as_written if w in chosen)),
        wanted=chosen.__contains__,
        expected=dict.fromkeys(names, Kind.TEXT),
    )
    return table


def _classes(table: Table, choices: Mapping[str, Any]) -> Classes:
    name, asked = choices["target"], choices["positive"]
    target = read_target(table, name, asked)
    counts = Counter(target.labels.tolist())
    first, last = sorted(counts)
    why = None
    positive: object = None
    if asked is not None:
        by_text = {str(label): label for label in counts}
        positive = by_text.get(same_text(asked, list(by_text)) or asked)
    if positive is None:
        chosen = positive_of({first: counts[first], last: counts[last]})
        positive, why = chosen.label, chosen.why
        if asked is not None:  # one class against all others, in a kept spelling
            positive = next(label for label in counts if str(label) != rest_of(asked))
    negative = last if positive == first else first
    is_positive = np.zeros(table.n_rows, dtype=bool)
    is_positive[target.rows] = target.labels == positive
    return Classes(
        positive=str(positive),
        negative=str(negative),
        known=target.rows,
        is_positive=is_positive,
        labels=target.labels,
        why=why,
        notes=target.notes,
    )


def _about_target(classes: Classes, plan: Mapping[str, Any]) -> list[Notice]:
    about = [notice("blank target", None, text, detail=text) for text in classes.notes]
    n, of_positive = int(classes.known.sum()), int(classes.is_positive.sum())
    share = min(of_positive, n - of_positive) / max(1, n)
    if share < RARE_CLASS and plan["settings"].get("goal") != "risk":
        about.append(notice("rare class", None, notice_text("rare_class", share=f"{RARE_CLASS:.0%}")))
    return about


def _used(table: Table, choices: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, str]:
    """Say of every column what it is for: a role, and why it is left out after a colon."""
    roles: dict[str, str] = {}
    settings = plan["settings"]
    groups = settings.get("rate_groups", ())
    for name, column in table.columns.items():
        why = None if name in choices["keep"] else why_no_feature(column, table.n_rows)
        if name == choices["target"]:
            roles[name] = "target"
        elif name == settings.get("sample_weight"):
            roles[name] = "weights"
        elif name == groups or name in groups:
            roles[name] = "groups"
        elif name in (choices["cv_groups"], choices["cv_time"]):
            roles[name] = "split"
        elif name in choices["drop"]:
            roles[name] = f"left out: {notice_text('by_hand')}"
        elif name in uncut(choices):
            roles[name] = f"left out: {notice_text('no_cuts')}"
        else:
            roles[name] = "feature" if why is None else f"left out: {why}"
    return roles


def _targets(table: Table, choices: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns that could be the target, those that are named like one and have two values first."""
    ranked: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    for k, (name, column) in enumerate(table.columns.items()):
        if column.kind not in (Kind.NUMBER, Kind.TEXT, Kind.TRUTH) or not len(column.values):
            continue
        if not 2 <= column.n_different <= _MOST_CLASSES:
            continue
        counts = Counter(_label(v) for v in column.values.tolist() if v is not None and v == v)
        words = "".join(c if c.isalnum() else " " for c in name.casefold()).split()
        named = any(word in words for word in _OUTCOMES)
        rank = (name != choices["target"], len(counts) > 2, not named, k not in (0, len(table.columns) - 1), -k)
        ranked.append((rank, {"name": name, "values": counts.most_common(), "suggested": False}))
    listed = [one for _, one in sorted(ranked, key=lambda pair: pair[0])]
    if listed and len(listed[0]["values"]) == 2:
        listed[0]["suggested"] = True
    return listed


def _label(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def try_cuts(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Say what questions some cuts of a column give, without keeping them."""
    choices, name = job["choices"], job["column"]
    table, _ = read(job)
    column = table.column(name)
    classes = _classes(table, choices)
    if not job["cuts"]:
        return {"column": name, "cuts": [], "questions": []}
    tried = {**choices, "cut_points": {name: job["cuts"]}, "direction": {}, "shape": {}, "units": {}}
    settings = settings_of(job["plan"], choices)
    prepare = fitted(table, classes, {name: "feature"}, prepare_of(tried), settings)
    questions = questions_of(asked_about(prepare), column, classes)
    return {"column": name, "cuts": sorted(job["cuts"]), "questions": questions}


def some_rows(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    table, texts = read(job)
    first, last = job["from"], min(table.n_rows, job["from"] + job["count"])
    columns = {**table.columns, **texts}
    names = [name for name in table.names if name in columns]
    shown = [_cells(columns[name], first, last) for name in names]
    return {
        "names": names,
        "rows": [list(row) for row in zip(*shown, strict=True)],
        "from": first,
        "total": table.n_rows,
    }


def _cells(column: Column, first: int, last: int) -> list[str | None]:
    if not len(column.values):
        return [None] * (last - first)
    cells = column.values[first:last].tolist()
    return [None if cell is None or cell != cell else _label(cell) for cell in cells]
