"""Write a scoring system to a folder in every format."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.cli.say import remark
from supersparse.errors import InvalidOptionError, PackageNotInstalledError, UnsupportedCardError

if TYPE_CHECKING:
    from supersparse.faces import ScoringSystem


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
            remark(f"note: {name} skipped: {error}")
    return written


def _writers(system: "ScoringSystem") -> dict[str, Callable[[Path], object]]:
    faces = ("json", "txt", "md", "html", "tex", "svg", "png", "pdf")
    exports = {
        "py": "python",
        "sql": "sql",
        "js": "javascript",
        "xlsx": "xlsx",
        "pmml": "pmml",
        "onnx": "onnx",
    }
    writers: dict[str, Callable[[Path], object]] = {f"card.{ending}": system.save for ending in faces}
    writers["sheet.html"] = system.sheet().save
    writers["sheet.pdf"] = system.sheet().save
    writers["calculator.html"] = system.calculator
    for ending, target in exports.items():
        writers[f"score.{ending}"] = _exporter(system, target)
    return writers


def _exporter(system: "ScoringSystem", target: str) -> Callable[[Path], object]:
    return lambda path: system.export(target, path)


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that cannot be created, before any work is done."""
    for place in () if folder is None else (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise InvalidOptionError(
                    f"--out-dir {str(folder)!r}: {str(place)!r} is a file; name a folder"
                )
            return
