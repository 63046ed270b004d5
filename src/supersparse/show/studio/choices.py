"""The choices about a table (how it is read, what its columns are for), the plan, and the form of a plan."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any

from supersparse.base.errors import InvalidInputError
from supersparse.base.schema.scalars import Either, Form, Null, TextForm
from supersparse.base.schema.setting import names_of, settings_of
from supersparse.engine.options import SolveOptions
from supersparse.learn.prepare.settings import OF_FEATURES, PrepareSettings
from supersparse.learn.settings.settings import PREPARE, SETTINGS, SOLVE, Settings
from supersparse.learn.settings.settings import schema as settings_schema
from supersparse.problem.constraints.forms import KINDS
from supersparse.problem.questions import MAX_QUESTIONS, REFUSED, SizeInQuestions
from supersparse.show.studio.texts import as_problem, check_whole, has_text, text, wrong
from supersparse.table.reading import ColumnSettings, ReadingSettings

Choices = dict[str, Any]
Plan = dict[str, Any]


def _default(one: Field[Any]) -> Any:
    if one.default is MISSING:
        return {}
    return list(one.default) if isinstance(one.default, tuple) else one.default


_MOST = 10_000  # entries of a list or mapping
_LONGEST = 1000  # characters of a text
_PAGE = {"na": "missing"}  # what the page calls otherwise
_OPTIONAL = Either(TextForm(), Null())
_READING = {
    _PAGE.get(name, name): (_default(one), one.metadata["field"].form)
    for name, one in settings_of(ReadingSettings).items()
    if name != "default_na"
}
_CHOICES: dict[str, tuple[Any, Form[Any]]] = {
    "target": (None, TextForm()),
    "positive": (None, TextForm()),
    **{
        name: (_default(one), one.metadata["field"].form)
        for declared in (ColumnSettings, PrepareSettings)
        for name, one in settings_of(declared).items()
    },
    "split_groups": ("auto", _OPTIONAL),
    "split_times": (None, _OPTIONAL),
}


def no_choices() -> Choices:
    """Return the choices for a table that was just added."""
    reading = {name: default for name, (default, _) in _READING.items()}
    return deepcopy({**{n: d for n, (d, _) in _CHOICES.items()}, "reading": reading, "answers": {}})


def first_plan() -> Plan:
    """Return what is asked unless people say otherwise: the same as on the command line."""
    settings = {"goal": "risk", "max_questions": MAX_QUESTIONS, "solve": {"time_limit": 60}}
    return {"settings": settings, "validate": {"cv": 5, "repeats": 2}}


def changed(choices: Choices, changes: object) -> Choices:
    """Return the choices with some changed; what has the wrong shape is refused.

    >>> changed(no_choices(), {"target": "died", "reading": {"missing": ["?"]}})["reading"]["missing"]
    ['?']
    """
    if not isinstance(changes, Mapping):
        raise wrong("choices", changes, "object")
    made = {**choices, "reading": dict(choices["reading"])}
    for name, value in changes.items():
        if name == "reading":
            if not isinstance(value, Mapping):
                raise wrong("reading", value, "object")
            for key, chosen in value.items():
                _check(f"reading.{key}", chosen, key, _READING)
                made["reading"][key] = chosen
            continue
        _check(name, value, name, _CHOICES)
        made[name] = value
    return made


def _check(thing: str, value: object, name: str, known: Mapping[str, tuple[Any, Form[Any]]]) -> None:
    """Refuse a choice that a settings file could not say; an empty list or object is the absence of one."""
    if name not in known:
        raise wrong(thing, value, "known", known=", ".join(sorted(known)))
    default, form = known[name]
    if isinstance(value, str) and len(value) > _LONGEST:
        raise wrong(thing, value, "text", most=_LONGEST)
    if isinstance(default, list) and (not isinstance(value, list) or len(value) > _MOST):
        raise wrong(thing, value, "list")
    if isinstance(default, dict):
        if not isinstance(value, dict) or len(value) > _MOST:
            raise wrong(thing, value, "by_column")
        value = {column: one for column, one in value.items() if one != []}  # not cut
    if (value is None and default is None) or value in ([], {}):
        return
    try:
        form.take(value, thing)
    except InvalidInputError as error:
        raise as_problem(error) from None


def done(choices: Choices, steps: list[dict[str, Any]]) -> Choices:
    """Return the choices after the steps of an answer: set a value, or add it to or remove it from a list.

    >>> done(no_choices(), [{"key": "reading.as_written", "add": "age"}])["reading"]["as_written"]
    ['age']
    """
    made = {**choices, "reading": dict(choices["reading"])}
    for step in steps:
        place, _, last = ("choices." + step["key"]).rpartition(".")
        holder = made["reading"] if place.endswith("reading") else made
        if "set" in step:
            holder[last] = step["set"]
        elif "add" in step:
            holder[last] = [*(v for v in holder[last] if v != step["add"]), step["add"]]
        else:
            holder[last] = [v for v in holder[last] if v != step["remove"]]
    return made


def read_plan(given: object) -> Plan:
    """Check the outer shape of a plan; what the settings mean is checked where they are used.

    >>> read_plan({"settings": {"max_features": 3}, "validate": None})["validate"] is None
    True
    """
    if not isinstance(given, Mapping):
        raise wrong("plan", given, "plan")
    unknown = set(given) - {"settings", "validate"}
    if unknown:
        raise wrong(f"plan.{min(unknown)}", min(unknown), "plan_keys")
    settings = given.get("settings", {})
    if not isinstance(settings, Mapping):
        raise wrong("settings", settings, "settings")
    _check_settings(settings)
    validate = given.get("validate")
    if validate is not None:
        if not isinstance(validate, Mapping) or set(validate) - {"cv", "repeats"}:
            raise wrong("validate", validate, "validate")
        check_whole("validate.cv", validate.get("cv", 5), 2, 20)
        check_whole("validate.repeats", validate.get("repeats", 1), 1, 10)
        validate = {"cv": validate.get("cv", 5), "repeats": validate.get("repeats", 1)}
    return {"settings": dict(settings), "validate": validate}


SECTIONS = ("table", "prepare", "validate", "edits")  # of a settings file: the choices and edits say them


def _check_settings(settings: Mapping[str, Any]) -> None:
    for name in SECTIONS:
        if name in settings:
            raise wrong(f"settings.{name}", settings[name], "sections")
    solve = settings.get("solve", {})
    if not isinstance(solve, Mapping):
        raise wrong("settings.solve", solve, "object")
    for name in ("checkpoint", "solver_options"):
        if name in solve:
            raise wrong(f"settings.solve.{name}", solve[name], name)


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
_USUAL_GROUPS = {"prepare": "columns", "solve": "search"}  # of settings that stand in none by name
_GROUPS = (
    (
        "size",
        (
            *("max_questions", "max_features", "max_points", "C0", "min_questions", "min_features", "change_price"),
            *("questions", "teacher", "blend"),
        ),
    ),
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
_COMMON = {
    *("max_questions", "max_features", "max_points", "goal", "C0", "constraints", "class_weight"),
    "solve.time_limit",
}
_FIELD_WIDGETS = {
    "must_use": "questions", "must_not_use": "questions", "fixed": "questions", "of": "questions",
    "used": "questions", "only_if": "questions", "value": "number", "at_most": "whole", "at_least": "whole",
    "exactly": "whole", "thresholds_per_variable": "whole", "variables": "by column",
    "same_sign": "by column", "budget": "number", "costs": "by question", "min_sensitivity": "share",
    "min_specificity": "share", "max_false_positive_rate": "share", "max_error": "share",
    "max_difference": "share", "rate": "choice", "group": "group", "max_total_score": "number",
    "ranges": "by question",
}  # fmt: skip
_NO_WISHES = ("close_to",)  # a constraint on points by answer, which has no field here
_NOT_HERE = ("solve.checkpoint", "solve.solver_options", "prepare.ordered", "prepare.rare")
_ELSEWHERE = ("positive",)  # chosen with the target
_BY_COLUMN = ("cut_points", "direction", "shape", "units")  # chosen next to each column


@cache
def form() -> dict[str, Any]:
    """Describe everything that can be asked.

    >>> form()["fields"]["max_features"]["help"]
    'Maximum number of features, where a card asks no questions; default: 10.'
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
    usual = {name: _USUAL_GROUPS.get(name.partition(".")[0], "points") for name in described if name not in placed}
    rest = {group: [name for name, own in usual.items() if own == group] for group, _ in _GROUPS}
    return {
        "groups": [
            {"id": group, "title": text(f"groups.{group}"), "fields": [*names, *rest[group]]}
            for group, names in _GROUPS
        ],
        "fields": described,
        "of_features": [
            *(name for name in REFUSED if name in described and name != "goal"),
            *(f"prepare.{name}" for name in OF_FEATURES),
        ],
        "of_questions": [name for name in names_of(SizeInQuestions) if name in described],
        "constraints": [_wish(name, whole["$defs"][name]) for name in KINDS if name not in _NO_WISHES],
        "schema": whole,
    }


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
