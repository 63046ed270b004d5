"""What is asked: a settings file, and the options of the command line, which go before it."""

from collections.abc import Mapping
from pathlib import Path

from supersparse.cli.say import remark
from supersparse.errors import InvalidOptionError
from supersparse.settings.settings import Settings

DEFAULT_OPTIONS = {"solver": "auto", "time_limit": 60.0, "random_state": 0}


def read_asked(path: Path | None, given: Mapping[str, object]) -> Settings:
    """Read the settings file, if there is one, and let the options that are given take their places."""
    settings = Settings() if path is None else Settings.load(path)
    changes = {name: value for name, value in given.items() if value is not None}
    if "max_points" in changes and not _has_default_sets(settings):
        raise InvalidOptionError(
            f"--max-points: {path} says which points each feature may have; "
            "change them there, or leave --max-points out"
        )
    for name in changes:
        if getattr(settings, name) != getattr(Settings(), name):
            remark(f"note: {_option(name)} takes the place of {name} in {path}")
    return settings.changed(**changes)


def read_options(settings: Settings, path: Path | None, given: Mapping[str, object]) -> dict[str, object]:
    """Options of the solver: those of the command line, else those of the file, else the default."""
    changes = {name: value for name, value in given.items() if value is not None}
    for name in changes:
        if name in settings.solve:
            remark(f"note: {_option(name)} takes the place of {name} in {path}")
    return {**DEFAULT_OPTIONS, **settings.solve, **changes}


def _option(name: str) -> str:
    own = {"sample_weight": "--weights", "random_state": "--seed"}
    return own.get(name, f"--{name.replace('_', '-')}")


def _has_default_sets(settings: Settings) -> bool:
    """Whether some feature may have whole points up to a largest magnitude that is not yet said."""
    shared = [part for part in (settings.points, settings.levels) if part is not None]
    return all(isinstance(part, Mapping) for part in shared)
