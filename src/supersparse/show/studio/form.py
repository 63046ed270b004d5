"""The form of a plan: every setting with its help, as the settings file and its JSON Schema have them."""

from dataclasses import fields
from functools import cache
from typing import Any

from supersparse.base.schema.setting import names_of
from supersparse.engine.options import SolveOptions
from supersparse.learn.settings.sections import PREPARE, SOLVE
from supersparse.learn.settings.settings import SETTINGS, Settings
from supersparse.learn.settings.settings import schema as settings_schema
from supersparse.problem.constraints.forms import KINDS
from supersparse.show.studio.choices import SECTIONS, no_choices
from supersparse.show.studio.texts import has_text, text

_WIDGETS = {
    "C0": "by question",
    "points": "set",
    "bounds": "range",
    "levels": "levels",
    "intercept": "range",
    "class_weight": "labels",
    "constraints": "constraints",
    "sample_weight": "column",
    "rate_groups": "columns",
    "positive": "text",
    "slope": "choice",
    "solve.branching_priorities": "by question",
    "solve.pair_covers": "truth",
}
_GROUPS = (
    ("size", ("max_features", "min_features", "max_points", "C0")),
    ("goal", ("goal", "objective", "risk_threshold", "class_weight", "tie_break", "slack")),
    ("wishes", ("constraints", "rate_groups")),
    ("points", ("points", "bounds", "levels", "C1", "intercept", "slope")),
    ("rows", ("sample_weight",)),
    (
        "columns",
        (
            *("prepare.cuts", "prepare.max_cuts", "prepare.per_variable", "prepare.intervals"),
            *("prepare.missing", "prepare.candidates"),
        ),
    ),
    (
        "search",
        (
            *("solve.time_limit", "solve.solver", "solve.gap", "solve.absolute_gap", "solve.node_limit"),
            *("solve.memory_limit", "solve.n_jobs", "solve.random_state", "solve.formulation"),
            *("solve.branching_priorities", "solve.tuning_time", "solve.pair_covers"),
        ),
    ),
)
_COMMON = {"max_features", "max_points", "goal", "C0", "constraints", "class_weight", "solve.time_limit"}
_FIELD_WIDGETS = {
    "must_use": "questions", "must_not_use": "questions", "fixed": "questions", "of": "questions",
    "used": "questions", "only_if": "questions", "value": "number", "at_most": "whole", "at_least": "whole",
    "exactly": "whole", "thresholds_per_variable": "whole", "variables": "by column",
    "same_sign": "by column", "budget": "number", "costs": "by question", "min_sensitivity": "share",
    "min_specificity": "share", "max_false_positive_rate": "share", "max_error": "share",
    "max_difference": "share", "rate": "choice", "group": "group", "max_total_score": "number",
    "ranges": "by question",
}  # fmt: skip
_OF_QUESTIONS = ("close_to",)  # constraints on points by answer, which no card of the studio has
_NOT_HERE = ("solve.checkpoint", "solve.solver_options", "prepare.ordered", "prepare.rare")
_ELSEWHERE = ("positive",)  # chosen with the target
_BY_COLUMN = ("cut_points", "direction", "shape", "units")  # chosen beside each column


@cache
def form() -> dict[str, Any]:
    """Describe everything that can be asked.

    >>> form()["fields"]["max_features"]["help"]
    'Maximum number of features; default: 10.'
    """
    whole = settings_schema()
    described: dict[str, Any] = {}
    defaults = {f.name: f.default for f in fields(Settings)}
    for name in names_of(Settings):
        if name not in ("solve", *SECTIONS):
            described[name] = _field(name, SETTINGS.fields[name].help, whole["properties"][name], defaults[name])
    solve = whole["properties"]["solve"]["properties"]
    usual = {f.name: f.default for f in fields(SolveOptions)}
    for name, declared in SOLVE.fields.items():
        key = f"solve.{name}"
        if key not in _NOT_HERE:
            default = {"solver": "auto", "time_limit": 60}.get(name, usual.get(name))
            described[key] = _field(key, declared.help, solve[name], default)
    section, chosen = whole["properties"]["prepare"]["properties"], no_choices()
    for name, declared in PREPARE.fields.items():
        key = f"prepare.{name}"
        if name not in _BY_COLUMN and key not in _NOT_HERE:
            described[key] = _field(key, declared.help, section[name], chosen[name])
    placed = {name for _, names in _GROUPS for name in names} | set(_ELSEWHERE)
    rest = {group: [n for n in described if n not in placed and _group_of(n) == group] for group, _ in _GROUPS}
    return {
        "groups": [
            {"id": group, "title": text(f"groups.{group}"), "fields": [*names, *rest[group]]}
            for group, names in _GROUPS
        ],
        "fields": described,
        "constraints": [_wish(name, whole["$defs"][name]) for name in KINDS if name not in _OF_QUESTIONS],
        "schema": whole,
    }


def _group_of(name: str) -> str:
    """The group of a setting that stands in none by name."""
    return {"prepare": "columns", "solve": "search"}.get(name.partition(".")[0], "points")


def _field(name: str, help: str, schema: dict[str, Any], default: object) -> dict[str, Any]:
    choices = ["free", 1] if name == "slope" else _choices(schema)
    return {
        "label": _label(f"settings.{name.replace('.', '_')}", name),
        "help": help,
        "schema": schema,
        "widget": _WIDGETS.get(name) or _widget(schema),
        "default": default if isinstance(default, str | int | float | bool | None) else None,
        "choices": choices or None,
        "common": name in _COMMON,
    }


def _label(key: str, name: str) -> str:
    """The text of a key, or the name in words where nobody has written one yet."""
    return text(key) if has_text(key) else name.rpartition(".")[2].replace("_", " ").capitalize()


def _choices(schema: dict[str, Any]) -> list[Any]:
    parts = schema.get("anyOf", [schema])
    return [word for part in parts for word in part.get("enum", ())]


def _widget(schema: dict[str, Any]) -> str:
    parts = schema.get("anyOf", [schema])
    types = {part.get("type") for part in parts}
    if "integer" in types:
        return "whole"
    if "number" in types or any("anyOf" in part for part in parts):
        return "number"
    if "boolean" in types:
        return "truth"
    return "choice" if _choices(schema) else "text"


def _wish(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    return {
        "id": name,
        "label": _label(f"wishes.{name}", name),
        "help": schema["properties"].get(name, {}).get("description", ""),
        "fields": [
            {
                "name": field,
                "widget": _FIELD_WIDGETS.get(field, "text"),
                "required": field in required,
                "help": one.get("description", ""),
                "schema": one,
                "choices": _choices(one) or None,
            }
            for field, one in schema["properties"].items()
        ],
    }
