"""Files that a command writes: each can be written, and none is an input or written twice."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError, UnsupportedCardError
from supersparse.card.export import FILES
from supersparse.show.cli.say import files_are_asked, note
from supersparse.table.duckdb_files import files_of

if TYPE_CHECKING:
    from supersparse.show.document import ScoringSystem


def check_outputs(*outputs: tuple[str, Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Refuse outputs that cannot be written, or that cost an input or each other, before any work is done.

    Each output comes with its option, None if it was not asked for. An input may also be a folder or a
    pattern, which stand for the tables that they hold, or a text that is not a file.
    """
    files_are_asked(out for _, out in outputs)
    read = [file for source in inputs if source is not None for file in _files(source)]
    seen: list[tuple[str, Path]] = []
    for option, out in outputs:
        if out is None:
            continue
        if not out.absolute().parent.is_dir():
            raise InvalidOptionError(f"cannot write {str(out)!r}: the folder {str(out.parent)!r} does not exist")
        if out.exists() and not out.is_file():
            continue  # /dev/stdout takes whatever comes
        if any(_are_one(out, file) for file in read):
            raise InvalidOptionError(f"{option}: {out} would overwrite an input", "choose another name")
        for other, path in seen:
            if _are_one(out, path):
                twice = f"{option} names" if other == option else f"{other} and {option} both name"
                raise InvalidOptionError(f"{twice} {out}, and only one file could be kept", "choose two names")
        seen.append((option, out))


def _files(source: Path | str) -> Iterator[str]:
    """The files that an input stands for."""
    if os.path.isfile(source):
        yield os.fspath(source)
        return

    yield from files_of(Path(source))


def _are_one(one: Path, other: Path | str) -> bool:
    """Whether two paths lead to one file, by links or by another spelling too."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


_CARDS = tuple(f"card.{ending}" for ending in ("json", "txt", "md", "html", "tex", "svg", "png", "pdf"))
_SHEETS = ("sheet.html", "sheet.pdf")
_CALCULATOR = "calculator.html"


def files_there(folder: Path | None) -> list[Path]:
    """The files that writing to a folder may overwrite there."""
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
        **{name: partial(system.export, target) for name, target in FILES.items()},
    }


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that cannot be created, before any work is done."""
    files_are_asked([folder])
    for place in () if folder is None else (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise InvalidOptionError(f"--out-dir {str(folder)!r}: {str(place)!r} is a file", "name a folder")
            return
