"""What people chose about a table (how it is read, what its columns are for) and what they ask of it."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from supersparse.learn.settings.sections import CUTS, DIRECTIONS, MISSING, SHAPES
from supersparse.show.studio.problems import check_whole, wrong

Choices = dict[str, Any]
Plan = dict[str, Any]

_MOST = 10_000  # entries of a list or mapping
_LONGEST = 1000  # characters of a text


def no_choices() -> Choices:
    """Return the choices for a table that was just added."""
    return {
        "target": None,
        "positive": None,
        "reading": {
            "missing": [],
            "as_written": [],
            "decimal": None,
            "separator": None,
            "encoding": None,
            "dates": None,
            "sheet": None,
        },
        "drop": [],
        "keep": [],
        "category": [],
        "cut_points": {},
        "direction": {},
        "shape": {},
        "cuts": "optimal",
        "missing": "item",
        "intervals": False,
        "candidates": "auto",
        "max_cuts": 6,
        "per_variable": 2,
        "units": {},
        "split_groups": "auto",
        "split_times": None,
        "answers": {},
    }


def first_plan() -> Plan:
    """Return what is asked unless people say otherwise: the same as on the command line."""
    return {"settings": {"solve": {"time_limit": 60}}, "validate": {"cv": 5, "repeats": 2}}


def changed(choices: Choices, changes: object) -> Choices:
    """Return the choices with some changed; what has the wrong shape is refused.

    >>> changed(no_choices(), {"target": "died", "reading": {"missing": ["?"]}})["reading"]["missing"]
    ['?']
    """
    if not isinstance(changes, Mapping):
        raise wrong("choices", changes, "object")
    made = {**choices, "reading": dict(choices["reading"])}
    for name, value in changes.items():
        if name not in _SHAPES or name == "answers":
            raise wrong("choice", name, "known", known=", ".join(sorted(_SHAPES)))
        if name == "reading":
            if not isinstance(value, Mapping):
                raise wrong("reading", value, "object")
            for key, chosen in value.items():
                if key not in _READING:
                    raise wrong(f"reading.{key}", chosen, "known", known=", ".join(sorted(_READING)))
                _READING[key](f"reading.{key}", chosen)
                made["reading"][key] = chosen
            continue
        _SHAPES[name](name, value)
        made[name] = value
    return made


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


Check = Callable[[str, object], None]


def _text(thing: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise wrong(thing, value, "text", most=_LONGEST)


def _optional(check: Check) -> Check:
    def optional(thing: str, value: object) -> None:
        if value is not None:
            check(thing, value)

    return optional


def _list(check: Check) -> Check:
    def listed(thing: str, value: object) -> None:
        if not isinstance(value, list) or len(value) > _MOST:
            raise wrong(thing, value, "list")
        for one in value:
            check(thing, one)

    return listed


def _by_column(check: Check) -> Check:
    def mapping(thing: str, value: object) -> None:
        if not isinstance(value, dict) or len(value) > _MOST:
            raise wrong(thing, value, "by_column")
        for name, one in value.items():
            check(f"{thing} of {name!r}", one)

    return mapping


def _one_of(*words: object) -> Check:
    def chosen(thing: str, value: object) -> None:
        if not any(value is word or (isinstance(value, str) and value == word) for word in words):
            raise wrong(thing, value, "one_of", known=", ".join(map(str, words)))

    return chosen


def _number(thing: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong(thing, value, "number")


def _whole(least: int, most: int) -> Check:
    def whole(thing: str, value: object) -> None:
        check_whole(thing, value, least, most)

    return whole


def _candidates(thing: str, value: object) -> None:
    if value not in ("auto", None):
        check_whole(thing, value, 1, 100_000)


_texts = _list(_text)
_READING: dict[str, Check] = {
    "missing": _texts,
    "as_written": _texts,
    "decimal": _one_of(None, ".", ","),
    "separator": _optional(_text),
    "encoding": _optional(_text),
    "dates": _one_of(None, "dmy", "mdy"),
    "sheet": _optional(_text),
}
_SHAPES: dict[str, Check] = {
    "target": _optional(_text),
    "positive": _optional(_text),
    "reading": _text,
    "drop": _texts,
    "keep": _texts,
    "category": _texts,
    "cut_points": _by_column(_list(_number)),
    "direction": _by_column(_one_of(*DIRECTIONS.known)),
    "shape": _by_column(_one_of(*SHAPES.known)),
    "cuts": _one_of(*CUTS.known),
    "missing": _one_of(*MISSING.known),
    "intervals": _one_of(True, False),
    "candidates": _candidates,
    "max_cuts": _whole(1, 50),
    "per_variable": _optional(_whole(1, 50)),
    "units": _by_column(_text),
    "split_groups": _optional(_text),
    "split_times": _optional(_text),
    "answers": _by_column(_text),
}
