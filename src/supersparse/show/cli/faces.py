"""Write a scoring system to a folder in every format."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError, UnsupportedCardError
from supersparse.card.export import FILES
from supersparse.show.cli.say import note
from supersparse.show.cli.streams import files_are_asked

if TYPE_CHECKING:
    from supersparse.show.document import ScoringSystem

_CARDS = tuple(f"card.{ending}" for ending in ("json", "txt", "md", "html", "tex", "svg", "png", "pdf"))
_SHEETS = ("sheet.html", "sheet.pdf")
_CALCULATOR = "calculator.html"


def files_there(folder: Path | None) -> list[Path]:
    """What writing to a folder that exists may overwrite there."""
    if folder is None or not folder.is_dir():
        return []
    return [folder / name for name in (*_CARDS, *_SHEETS, _CALCULATOR, *FILES)]


def write_folder(system: "ScoringSystem", folder: Path) -> list[Path]:
    """Write every format that this machine and this card support; note which are skipped, and why."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, write in _writers(system).items():
        path = folder / name
        try:
            write(path)
            written.append(path)
        except (PackageNotInstalledError, UnsupportedCardError) as error:
            note(f"{name} skipped: {error}")
    return written


def _writers(system: "ScoringSystem") -> dict[str, Callable[[Path], object]]:
    return {
        **dict.fromkeys(_CARDS, system.save),
        **dict.fromkeys(_SHEETS, system.sheet().save),
        _CALCULATOR: system.calculator,
        **{name: _exporter(system, target) for name, target in FILES.items()},
    }


def _exporter(system: "ScoringSystem", target: str) -> Callable[[Path], object]:
    return lambda path: system.export(target, path)


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that cannot be created, before any work is done."""
    files_are_asked([folder])
    for place in () if folder is None else (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise InvalidOptionError(f"--out-dir {str(folder)!r}: {str(place)!r} is a file", "name a folder")
            return
