"""The choices about a table (how it is read, what its columns are for), the plan, and the form of a plan."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import MISSING, Field
from functools import cache
from typing import Any

from supersparse.base.errors import InvalidInputError
from supersparse.base.schema.scalars import Form, TextForm
from supersparse.base.schema.setting import BY_COLUMN, NOWHERE, names_of, settings_of
from supersparse.base.schema.shapes import Record
from supersparse.engine.options import DEFAULT_OPTIONS, SolverOptions
from supersparse.learn.prepare.settings import OF_FEATURES, PrepareSettings
from supersparse.learn.settings.settings import Settings
from supersparse.learn.settings.settings import schema as settings_schema
from supersparse.learn.splits import ValidationSettings
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
_READING = {
    name: (_default(one), one.metadata["field"].form)
    for name, one in settings_of(ReadingSettings).items()
    if name != "default_na"
}
_CHOICES: dict[str, tuple[Any, Form[Any]]] = {
    "target": (None, TextForm()),
    "positive": (None, TextForm()),
    **{
        name: (_default(one), one.metadata["field"].form)
        for declared in (ColumnSettings, PrepareSettings, ValidationSettings)
        for name, one in settings_of(declared).items()
        if name not in ("cv", "repeats")  # which are of a plan
    },
}
_ELSEWHERE = frozenset(  # asked in Python, on the command line and in settings files; `update` would open any file here
    ("event", "time", "horizon", "censored", "update", "changes", "changes_of")
)
_OFFERED = {name: choice for name, choice in _CHOICES.items() if name not in _ELSEWHERE}


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

    >>> changed(no_choices(), {"target": "died", "reading": {"na": ["?"]}})["reading"]["na"]
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
        _check(name, value, name, _OFFERED)
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


def read_plan(content: object) -> Plan:
    """Check the outer shape of a plan; what the settings mean is checked where they are used.

    >>> read_plan({"settings": {"max_features": 3}, "validate": None})["validate"] is None
    True
    """
    if not isinstance(content, Mapping):
        raise wrong("plan", content, "plan")
    unknown = set(content) - {"settings", "validate"}
    if unknown:
        raise wrong(f"plan.{min(unknown)}", min(unknown), "plan_keys")
    settings = content.get("settings", {})
    if not isinstance(settings, Mapping):
        raise wrong("settings", settings, "settings")
    for name in SECTIONS:
        if name in settings:
            raise wrong(f"settings.{name}", settings[name], "sections")
    solve = settings.get("solve", {})
    if not isinstance(solve, Mapping):
        raise wrong("settings.solve", solve, "object")
    for name in ("checkpoint", "solver_options"):
        if name in solve:
            raise wrong(f"settings.solve.{name}", solve[name], name)
    validate = content.get("validate")
    if validate is not None:
        if not isinstance(validate, Mapping) or set(validate) - {"cv", "repeats"}:
            raise wrong("validate", validate, "validate")
        check_whole("validate.cv", validate.get("cv", 5), 2, 20)
        check_whole("validate.repeats", validate.get("repeats", 1), 1, 10)
        validate = {"cv": validate.get("cv", 5), "repeats": validate.get("repeats", 1)}
    return {"settings": dict(settings), "validate": validate}


SECTIONS = ("table", "prepare", "validate", "edits")  # of a settings file: the choices and edits say them


_GROUPS = ("size", "goal", "wishes", "points", "rows", "columns", "search")  # in the order of the page
_USUAL_GROUPS = {"prepare": "columns", "solve": "search"}  # of settings that name none; else "points"
_DEFAULTS = {f"solve.{name}": value for name, value in DEFAULT_OPTIONS.items()}  # in place of those declared
_NO_WISHES = ("close_to",)  # a constraint on points by answer, which has no field here


@cache
def form() -> dict[str, Any]:
    """Describe everything that can be asked.

    >>> form()["fields"]["max_features"]["help"]
    'Maximum number of features, where a card asks no questions; default: 10.'
    """
    whole = settings_schema()
    described: dict[str, Any] = {}
    groups: dict[str, list[str]] = {group: [] for group in _GROUPS}
    for prefix, declared in (("", Settings), ("solve.", SolverOptions), ("prepare.", PrepareSettings)):
        section = prefix.rstrip(".")
        properties = (whole["properties"][section] if section else whole)["properties"]
        for name, one in settings_of(declared).items():
            group = one.metadata["group"] or _USUAL_GROUPS.get(section, "points")
            if group not in (BY_COLUMN, NOWHERE) and (section or name not in ("solve", *SECTIONS)):
                described[prefix + name] = _field(prefix + name, one, properties[name])
                groups.get(group, []).append(prefix + name)
    return {
        "groups": [{"id": group, "title": text(f"groups.{group}"), "fields": names} for group, names in groups.items()],
        "fields": described,
        "of_features": [
            *(name for name in REFUSED if name in described and name != "goal"),
            *(f"prepare.{name}" for name in OF_FEATURES),
        ],
        "of_questions": [name for name in names_of(SizeInQuestions) if name in described],
        "constraints": [
            _wish(name, KINDS[name].record, whole["$defs"][name]) for name in KINDS if name not in _NO_WISHES
        ],
        "schema": whole,
    }


def _field(name: str, one: Field[Any], schema: dict[str, Any]) -> dict[str, Any]:
    declared, default = one.metadata["field"], _DEFAULTS.get(name, one.default)
    return {
        "label": _label(f"settings.{name.replace('.', '_')}", name),
        "help": declared.help,
        "schema": schema,
        "widget": declared.form.widget,
        "default": default if isinstance(default, str | int | float | bool | None) else None,
        "choices": _choices(schema, declared.form.widget) or None,
        "common": one.metadata["is_common"],
    }


def _label(key: str, name: str) -> str:
    """The text of a key, or the name in words where nobody has written one yet."""
    return text(key) if has_text(key) else name.rpartition(".")[2].replace("_", " ").capitalize()


def _choices(schema: dict[str, Any], widget: str) -> list[Any]:
    """The words among which one chooses, with a number that may replace them."""
    parts = schema.get("anyOf", [schema])
    numbers = [part["const"] for part in parts if "const" in part and widget == "choice"]
    return [word for part in parts for word in part.get("enum", ())] + numbers


def _wish(name: str, record: Record, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "label": _label(f"wishes.{name}", name),
        "help": record.fields[name].help if name in record.fields else "",
        "fields": [
            {
                "name": key,
                "widget": one.form.widget,
                "required": one.required,
                "help": one.help,
                "schema": schema["properties"][key],
                "choices": _choices(schema["properties"][key], one.form.widget) or None,
            }
            for key, one in record.fields.items()
        ],
    }
