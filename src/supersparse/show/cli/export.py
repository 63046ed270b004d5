"""`supersparse export`: write a scoring system for people or for other programs."""

import re
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.writing import write_file
from supersparse.card.export import TARGETS
from supersparse.show.cli.options import CardFile, Output
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import remark
from supersparse.show.document import ScoringSystem
from supersparse.show.document.content import Style
from supersparse.show.document.drawing import pictures
from supersparse.show.document.pictures import sheet_drawing
from supersparse.show.document.system import card_faces

_ENDINGS = {
    **TARGETS,
    "text": "txt", "markdown": "md", "html": "html", "latex": "tex", "svg": "svg", "png": "png", "pdf": "pdf",
    "sheet": "html", "sheet-pdf": "pdf", "calculator": "html", "tree": "txt", "json": "json",
}  # fmt: skip
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Option of the format, such as dialect=duckdb, form=values or style=paper. Repeatable.",
    ),
]


def export(
    model: CardFile,
    to: Annotated[str, typer.Option(metavar="TARGET", help=f"Format: {', '.join(_ENDINGS)}.")],
    output: Output,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Output file; default: print to the screen.")] = None,
    option: SetOption = None,
) -> None:
    """Write a scoring system for people or for other programs.

    For people: text, Markdown, HTML, LaTeX, pictures, a printable sheet, a web calculator. For
    programs: Python, JavaScript, SQL, R, a spreadsheet with formulas, PMML, ONNX, a FHIR form, an MLflow model.

    \b
    Example:
      supersparse demo --out card.json
      supersparse export card.json --to sql --set dialect=duckdb
      supersparse export card.json --to calculator --out calculator.html
    """
    if to not in _ENDINGS:
        raise InvalidOptionError(f"--to: unknown format {to!r}", did_you_mean(to, _ENDINGS), subject="--to")
    _check_ending(out, to)
    check_outputs(("--out", out), inputs=[model])
    system = ScoringSystem.load(model)
    made = _made(system, to, read_options(option or []))
    if out is None:
        _print(made, to, output)
        return
    write_file(out, made)
    if output.json:
        output.show("", lambda: {"target": to, "saved": str(out)})
    remark(f"Saved to {out}")


def _check_ending(out: Path | None, to: str) -> None:
    """Refuse a file whose ending says another format."""
    ending = "" if out is None else out.suffix.removeprefix(".").casefold()
    if out is not None and ending in _ENDINGS.values() and ending not in ("txt", _ENDINGS[to]):
        formats = " or ".join(f"--to {name}" for name, own_ending in _ENDINGS.items() if own_ending == ending)
        raise InvalidOptionError(
            f"--out {out}: {to} makes a .{_ENDINGS[to]} file",
            f"name it {out.with_suffix('.' + _ENDINGS[to])}, or use {formats}",
        )


def _made(system: ScoringSystem, to: str, options: dict[str, object]) -> str | bytes:
    if to in TARGETS:
        return system.export(to, None, **options)

    style = cast("Style", options.pop("style", "card"))
    paper = str(options.pop("paper", "a4")) if to.startswith("sheet") else None
    if options:
        raise InvalidOptionError(f"--set: {to!r} has no option {next(iter(options))!r}")
    if to == "json":
        return system.to_json()
    if to == "calculator":
        return system.calculator()
    if to == "tree":
        return f"{system.tree()}\n"
    if to == "sheet":
        return system.sheet(paper=str(paper), style=style).to_html()
    if to == "sheet-pdf":
        return pictures(lambda show: sheet_drawing(system.card, str(paper), show, style=style))[".pdf"]()
    return card_faces(system.card, style)[f".{_ENDINGS[to]}"]()


def read_options(texts: list[str]) -> dict[str, object]:
    options: dict[str, object] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark:
            raise InvalidOptionError(f"--set {text!r}: write it as NAME=VALUE, such as dialect=duckdb")
        options[name] = _value(name, value)
    return options


def _value(name: str, text: str) -> object:
    """Read the value of an option: text, unless the option has another type."""
    if name in ("rows", "decimals"):
        if not re.fullmatch(r"-?[0-9]{1,15}", text):
            raise InvalidOptionError(f"--set {name} is {text!r}", "give a whole number")
        return int(text)
    if name == "quoted":
        if text.casefold() not in _TRUTHS:
            raise InvalidOptionError(f"--set {name} is {text!r}", "give true or false")
        return _TRUTHS[text.casefold()]
    if name == "people":
        raise InvalidOptionError(
            "--set people: people are rows of a table, which only Python can give",
            "remove it, and fill in the sheet 'Table'",
        )
    return text


def _print(made: str | bytes, to: str, output: Output) -> None:
    if isinstance(made, str):
        output.show(made.removesuffix("\n"), lambda: {"target": to, "content": made})
    elif sys.stdout.isatty() or output.json:
        raise InvalidOptionError(f"{to} is a binary format", f"name a file: --out card.{_ENDINGS[to]}")
    else:
        sys.stdout.buffer.write(made)
