"""A profile of a table: each column with its kind, histogram, missing values and suggested questions."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.rules import InRange
from supersparse.card.words import question as question_in_words
from supersparse.data.files import read_with_problems
from supersparse.data.positive import positive_of
from supersparse.data.roles import read_target, rest_of, why_no_feature
from supersparse.data.table import Column, Kind, Table
from supersparse.errors import InvalidDataError, SupersparseError
from supersparse.learning.recipe import RARE_CLASS
from supersparse.prepare.feature import Feature
from supersparse.prepare.prepare import Prepare
from supersparse.studio.asking import prepare_of, reading_of, remembered, settings_of, uncut
from supersparse.studio.histograms import Mask, floats, histogram
from supersparse.studio.noticing import Notice, notice, notices
from supersparse.studio.problems import as_problem
from supersparse.studio.worker import Talk

_MOST_CLASSES = 12
_MOST_COLUMNS = 2000  # that are described one by one
_OUTCOMES = (
    "target", "outcome", "class", "label", "diagnosis", "y", "died", "death", "dead", "event", "status",
    "result", "default", "response", "malignant", "severity", "readmitted", "survived", "recurrence",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Classes:
    """The two classes of a target: which rows have one, and which are positive."""

    positive: str
    negative: str
    known: Mask
    is_positive: Mask
    labels: NDArray[Any]  # of the known rows
    why: str | None
    notes: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        return {
            "positive": self.positive,
            "negative": self.negative,
            "positive_rows": int((self.is_positive & self.known).sum()),
            "negative_rows": int((~self.is_positive & self.known).sum()),
            "skipped": int((~self.known).sum()),
            "why": self.why,
        }


def profile(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Read a table and describe it; ``path``, ``choices`` and ``plan`` say which and how."""
    choices = given["choices"]
    table, texts = read(given)
    found = notices(table, texts, choices)
    classes, problem = None, None
    if choices["target"] is not None:
        try:
            classes = _classes(table, choices)
        except InvalidDataError as error:
            problem = as_problem(error, given.get("names")).as_data()
    used = _used(table, choices, given["plan"])
    prepare: Prepare | None = None
    if classes is not None:
        found += _about_target(classes)
        try:
            prepare = _fitted(table, classes, used, prepare_of(choices))
        except SupersparseError as error:
            problem = as_problem(error, given.get("names")).as_data()
    describe = _Describing(table, choices, given["plan"], classes, used, prepare)
    columns = [
        describe.column(name, k)
        for k, name in enumerate(table.names[:_MOST_COLUMNS])
        if name in table.columns
    ]
    columns += [describe.unread(name, table.names.index(name), column) for name, column in texts.items()]
    return {
        "rows": table.n_rows,
        "columns_count": len(table.names),
        "targets": _targets(table, choices),
        "classes": None if classes is None else classes.as_data(),
        "columns": sorted(columns, key=lambda one: int(one["index"])),
        "questions_count": 0 if prepare is None else len(prepare.features_),
        "left_out_questions": 0 if prepare is None else prepare.n_candidates_ - len(prepare.features_),
        "noticed": found,
        "problem": problem,
        "reading": {"found": dict(table.reading.found)},
    }


def read(given: Mapping[str, Any]) -> tuple[Table, dict[str, Column]]:
    """Read a table; columns that are numbers for the most part only come as texts, apart."""
    choices = given["choices"]
    keys = [given["path"], choices["reading"], choices["category"], choices["target"]]
    return remembered(json.dumps(["table", *keys], sort_keys=True), lambda: _read(given))


def _read(given: Mapping[str, Any]) -> tuple[Table, dict[str, Column]]:
    choices, path = given["choices"], Path(given["path"])
    reading = reading_of(choices)
    named = [*choices["category"], *([] if choices["target"] is None else [choices["target"]])]
    table, problems = read_with_problems(path, reading)
    known = [name for name in named if name in table.names]
    lacking = set(table.names) - set(table.columns)
    if known:
        table, problems = read_with_problems(path, reading, expected=dict.fromkeys(known, Kind.TEXT))
        lacking = set(table.names) - set(table.columns)
    if not problems or not lacking:
        return table, {}
    every = dict.fromkeys([*known, *lacking], Kind.TEXT)
    again, _ = read_with_problems(path, replace(reading, as_written=()), expected=every)
    return table, {name: again.columns[name] for name in table.names if name in lacking}


def _classes(table: Table, choices: Mapping[str, Any]) -> _Classes:
    name, asked = choices["target"], choices["positive"]
    target = read_target(table, name, asked)
    counts = Counter(target.labels.tolist())
    first, last = sorted(counts)
    why = None
    positive: object = None
    if asked is not None:
        positive = next((label for label in counts if str(label) == asked), None)
    if positive is None:
        chosen = positive_of({first: counts[first], last: counts[last]})
        positive, why = chosen.label, chosen.why
        if asked is not None:  # one class against all others, in a kept spelling
            positive = next(label for label in counts if str(label) != rest_of(asked))
    negative = last if positive == first else first
    is_positive = np.zeros(table.n_rows, dtype=bool)
    is_positive[target.rows] = target.labels == positive
    return _Classes(
        positive=str(positive),
        negative=str(negative),
        known=target.rows,
        is_positive=is_positive,
        labels=target.labels,
        why=why,
        notes=target.notes,
    )


def _about_target(classes: _Classes) -> list[Notice]:
    found = [notice("blank target", None, text, detail=text) for text in classes.notes]
    n, of_positive = int(classes.known.sum()), int(classes.is_positive.sum())
    share = min(of_positive, n - of_positive) / max(1, n)
    if share < RARE_CLASS:
        found.append(
            notice(
                "rare class",
                None,
                f"one class has less than {RARE_CLASS:.0%} of the rows, so errors are weighted to give both "
                "classes the same total, unless class_weight says otherwise",
            )
        )
    return found


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
        elif name in (choices["split_groups"], choices["split_times"]):
            roles[name] = "split"
        elif name in choices["drop"]:
            roles[name] = "left out: left out by hand"
        elif name in uncut(choices):
            roles[name] = "left out: no cut points were kept"
        else:
            roles[name] = "feature" if why is None else f"left out: {why}"
    return roles


def _fitted(table: Table, classes: _Classes, used: Mapping[str, str], prepare: Prepare) -> Prepare:
    rows = np.flatnonzero(classes.known)
    raw = {name: table.columns[name].values[rows] for name, role in used.items() if role == "feature"}
    if not raw:
        raise InvalidDataError(f"{table.name} has no usable column besides the target; use some columns")
    return prepare.fit(raw, classes.labels)


class _Describing:
    """Describes columns one by one."""

    def __init__(
        self,
        table: Table,
        choices: Mapping[str, Any],
        plan: Mapping[str, Any],
        classes: _Classes | None,
        used: Mapping[str, str],
        prepare: Prepare | None,
    ) -> None:
        self.table, self.choices, self.classes, self.used = table, choices, classes, used
        self.known = np.ones(table.n_rows, dtype=bool) if classes is None else classes.known
        self.features: dict[str, list[Feature]] = {}
        self.notes: dict[str, str] = {}
        if prepare is not None:
            for feature in prepare.features_:
                self.features.setdefault(feature.column, []).append(feature)
            for text in prepare.notes_:
                name, _, rest = text.partition(": ")
                self.notes[name] = rest

    def column(self, name: str, index: int) -> dict[str, Any]:
        """Describe a column."""
        column = self.table.columns[name]
        role, _, why = self.used[name].partition(": ")
        classes = self.classes
        numbers = _numbers(column)
        cuts = self._cuts(name)
        return {
            **_blank(name, index),
            "kind": column.kind.value,
            "role": role,
            "why_left_out": why or None,
            "can_keep": column.kind not in (Kind.DATE, Kind.EMPTY, Kind.TOO_MANY),
            "missing": column.n_missing,
            "different": column.n_different if len(column.values) else None,
            **_range(numbers),
            "histogram": histogram(column, None if classes is None else classes.is_positive, self.known),
            "cuts": cuts,
            "suggested_cuts": self._suggested(name, cuts),
            "questions": [
                described(
                    feature, column, classes.is_positive & classes.known, ~classes.is_positive & classes.known
                )
                for feature in self.features.get(name, ())
                if classes is not None
            ],
            "note": self.notes.get(name),
            "unit": self.choices["units"].get(name),
            "direction": self.choices["direction"].get(name),
            "shape": self.choices["shape"].get(name),
        }

    def unread(self, name: str, index: int, column: Column) -> dict[str, Any]:
        """Describe a column about which something must be decided first."""
        return {
            **_blank(name, index),
            "kind": "undecided",
            "role": "left out",
            "why_left_out": "some cells are no numbers; say what they are",
            "missing": column.n_missing,
            "different": column.n_different,
        }

    def _cuts(self, name: str) -> list[float]:
        given = self.choices["cut_points"].get(name)
        if given is not None:
            return sorted(given)
        return _cuts_of(self.features.get(name, ()))

    def _suggested(self, name: str, cuts: list[float]) -> list[float]:
        """The cuts that would be used if nobody had moved them."""
        if name not in self.choices["cut_points"] or self.classes is None:
            return cuts
        prepare = prepare_of({**self.choices, "cut_points": {}, "direction": {}, "shape": {}, "units": {}})
        try:
            _fitted(self.table, self.classes, {name: "feature"}, prepare)
        except SupersparseError:
            return []
        return _cuts_of(prepare.features_)


def _cuts_of(features: Any) -> list[float]:
    bounds = {
        float(bound)
        for feature in features
        if isinstance(feature.rule, InRange)
        for bound in (feature.rule.low, feature.rule.high)
        if bound is not None
    }
    return sorted(bounds)


def _blank(name: str, index: int) -> dict[str, Any]:
    return {
        "index": index,
        "name": name,
        "kind": None,
        "role": "left out",
        "why_left_out": None,
        "can_keep": False,
        "missing": 0,
        "different": None,
        "smallest": None,
        "largest": None,
        "whole": None,
        "histogram": None,
        "cuts": [],
        "suggested_cuts": [],
        "questions": [],
        "note": None,
        "unit": None,
        "direction": None,
        "shape": None,
    }


def _numbers(column: Column) -> NDArray[np.float64] | None:
    if column.kind is not Kind.NUMBER:
        return None
    values = floats(column.values)
    return values[np.isfinite(values)]


def _range(numbers: NDArray[np.float64] | None) -> dict[str, Any]:
    if numbers is None or not len(numbers):
        return {}
    return {
        "smallest": float(numbers.min()),
        "largest": float(numbers.max()),
        "whole": bool((np.floor(numbers) == numbers).all()),
    }


def described(feature: Feature, column: Column, positive: Mask, negative: Mask) -> dict[str, Any]:
    """Describe a question: its words, its cut, how many rows of each class say yes, and what that tells."""
    from supersparse.data.sources import read_every_column

    cells = read_every_column({column.name: column.values}).columns[column.name]
    holds = feature.of_cells(cells).astype(bool)
    counts = [int((holds & of_class).sum()) for of_class in (positive, negative)]
    low = feature.rule.low if isinstance(feature.rule, InRange) else None
    return {
        "name": feature.name,
        "text": question_in_words(feature.rule, feature.unit),
        "cut": None if low is None else float(low),
        "gain": _gain(counts, [int(positive.sum()), int(negative.sum())]),
        "positive": counts[0],
        "negative": counts[1],
    }


def _gain(yes: list[int], all_rows: list[int]) -> float:
    """The information of a question about the class, in nats."""

    def entropy(counts: list[int]) -> float:
        total = sum(counts)
        return -sum(n / total * math.log(n / total) for n in counts if n) if total else 0.0

    no = [whole - part for whole, part in zip(all_rows, yes, strict=True)]
    total = max(1, sum(all_rows))
    after = sum(sum(side) / total * entropy(side) for side in (yes, no))
    return max(0.0, entropy(all_rows) - after)


def _targets(table: Table, choices: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns that could be the target, those that are named like one and have two values first."""
    found: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    for k, (name, column) in enumerate(table.columns.items()):
        if column.kind not in (Kind.NUMBER, Kind.TEXT, Kind.TRUTH) or not len(column.values):
            continue
        if not 2 <= column.n_different <= _MOST_CLASSES:
            continue
        counts = Counter(_label(v) for v in column.values.tolist() if v is not None and v == v)
        named = any(word in _words(name) for word in _OUTCOMES)
        rank = (
            name != choices["target"],
            len(counts) > 2,
            not named,
            k not in (0, len(table.columns) - 1),
            -k,
        )
        found.append((rank, {"name": name, "values": counts.most_common(), "suggested": False}))
    listed = [one for _, one in sorted(found, key=lambda pair: pair[0])]
    if listed and len(listed[0]["values"]) == 2:
        listed[0]["suggested"] = True
    return listed


def _label(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _words(name: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in name.casefold()).split())


def try_cuts(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Say what questions some cuts of a column give, without keeping them."""
    choices, name = given["choices"], given["column"]
    table, _ = read(given)
    column = table.column(name)
    classes = _classes(table, choices)
    if not given["cuts"]:
        return {"column": name, "cuts": [], "questions": []}
    tried = {**choices, "cut_points": {name: given["cuts"]}, "direction": {}, "shape": {}, "units": {}}
    prepare = _fitted(table, classes, {name: "feature"}, prepare_of(tried))
    positive, negative = classes.is_positive & classes.known, ~classes.is_positive & classes.known
    questions = [described(feature, column, positive, negative) for feature in prepare.features_]
    return {"column": name, "cuts": sorted(given["cuts"]), "questions": questions}


def some_rows(given: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Return some rows as text."""
    table, texts = read(given)
    first, last = given["from"], min(table.n_rows, given["from"] + given["count"])
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


def unknown_settings(plan: Mapping[str, Any], choices: Mapping[str, Any]) -> None:
    """Raise where the settings of a plan cannot be read."""
    settings_of(plan, choices)
