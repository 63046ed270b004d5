"""Settings in files: YAML or JSON, by the suffix."""

import json
from pathlib import Path
from typing import Literal

from supersparse.errors import InvalidSettingsError
from supersparse.problem.file.json_tree import json_tree
from supersparse.problem.file.settings import Settings
from supersparse.problem.file.yaml_text import yaml_text
from supersparse.problem.file.yaml_tree import yaml_tree

Format = Literal["yaml", "json"]
_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def load_settings(path: str | Path) -> Settings:
    """Read a file; what is wrong with it is said by line and column."""
    form = _format(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSettingsError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    return read_settings(text, form, source=str(path))


def save_settings(settings: Settings, path: str | Path) -> None:
    """Write a file that reads back as the same settings."""
    Path(path).write_text(write_settings(settings, _format(path)), encoding="utf-8", newline="\n")


def read_settings(text: str, form: Format = "yaml", *, source: str = "the text") -> Settings:
    """Read settings from text; `source` names it in messages.

    >>> read_settings("C0: 0.02").to_dict()
    {'C0': 0.02}
    """
    tree = (json_tree if form == "json" else yaml_tree)(text, source)
    return Settings.from_tree(tree, source)


def write_settings(settings: Settings, form: Format = "yaml") -> str:
    r"""Write settings as text, in a fixed order.

    >>> write_settings(Settings.of(max_features=5, C0=0.02))
    'C0: 0.02\nmax_features: 5\n'
    """
    content = settings.to_dict()
    return json.dumps(content, indent=2) + "\n" if form == "json" else yaml_text(content)


def _format(path: str | Path) -> Format:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidSettingsError(
            f"{path}: settings are YAML or JSON; let the name of the file end in .yaml or .json"
        )
    return _FORMATS[suffix]
