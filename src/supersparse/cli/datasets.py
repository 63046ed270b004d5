"""`supersparse datasets`: what data there are, fetching the rest, and writing them as CSV files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.cli.say import check_writable, count, remark
from supersparse.errors import InvalidOptionError

if TYPE_CHECKING:
    from supersparse.datasets.catalogue import Entry

datasets = typer.Typer(
    name="datasets",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
Variant = Annotated[str | None, typer.Option(help="Which form of it; see `supersparse datasets list`.")]


@datasets.callback()
def _datasets(context: typer.Context) -> None:
    """List the SLIM paper's datasets, fetch those that may not be bundled, write them as CSV files.

    \b
    Example:
      supersparse datasets export mammography masses.csv
    """
    if context.invoked_subcommand is None:
        _show(as_json=False)


@datasets.command("list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """List the datasets: their sizes and where they are.

    \b
    Example:
      supersparse datasets list
    """
    _show(as_json)


@datasets.command()
def path() -> None:
    """Show the folder of fetched data: that of SUPERSPARSE_DATA, else one in the user's cache.

    \b
    Example:
      supersparse datasets path
    """
    from supersparse.datasets.folder import data_folder

    typer.echo(str(data_folder()))


@datasets.command()
def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Datasets; all by default.")] = None,
    copy_from: Annotated[
        Path | None,
        typer.Option("--from", exists=True, file_okay=False, help="Copy from this folder, not the network."),
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Keep rows that differ from those known here.")
    ] = False,
) -> None:
    """Get the data that may not be bundled, and check that they are the known rows.

    A download that broke off goes on where it stopped when the command is run again.

    \b
    Example:
      supersparse datasets fetch
    """
    from supersparse.datasets.fetching import fetch as fetch_files

    originals = [original for entry in _wanted(names) for original in entry.originals]
    for fetched in fetch_files(originals, copy_from=copy_from, unchecked=unchecked, say=remark):
        typer.echo(f"{fetched.path}: {fetched.how}")


@datasets.command()
def export(
    name: Annotated[str, typer.Argument(help="For example breast-cancer.")],
    out: Annotated[Path, typer.Argument(dir_okay=False, help="The CSV file to write.")],
    variant: Variant = None,
    processed: Annotated[
        bool, typer.Option("--processed", help="The paper's features instead of the raw columns.")
    ] = False,
) -> None:
    """Write a dataset as a CSV file, by default its raw columns with blanks for what is missing.

    \b
    Example:
      supersparse datasets export breast-cancer biopsies.csv
    """
    from supersparse.datasets.catalogue import load

    check_writable(out)
    data = load(name, variant)
    columns = data.columns if processed else data.raw
    columns.write_csv(out)
    remark(f"{data.source}; {data.licence}")
    typer.echo(
        f"{count(columns.n_rows, 'row')} and {count(len(columns), 'column')} written to {out}; "
        f"the class is in {data.target!r}"
    )


def _wanted(names: list[str] | None) -> list["Entry"]:
    from supersparse.datasets.catalogue import ENTRIES, find

    fetched = [entry for entry in ENTRIES if entry.originals]
    for name in names or ():
        if find(name).name not in {entry.name for entry in fetched}:
            raise InvalidOptionError(f"{name!r} needs no fetching: it comes with the package")
    return [entry for entry in fetched if not names or entry.name in names]


def _show(as_json: bool) -> None:
    from supersparse.datasets.catalogue import ENTRIES

    if as_json:
        typer.echo(json.dumps([_described(entry) for entry in ENTRIES], indent=2))
        return
    lines = [("dataset", "variant", "rows", "features", "positive", "where")]
    for entry in ENTRIES:
        size, positive = entry.size, f"{entry.size.positive} {entry.about.classes[1]}"
        lines.append(
            (entry.name, entry.variant, str(size.rows), str(size.columns - 1), positive, _where(entry))
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        typer.echo("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip())


def _where(entry: "Entry") -> str:
    if not entry.originals:
        return "in the package"
    return "in the data folder" if entry.is_here() else "to be fetched: supersparse datasets fetch"


def _described(entry: "Entry") -> dict[str, object]:
    return {
        "name": entry.name,
        "variant": entry.variant,
        "rows": entry.size.rows,
        "features": entry.size.columns - 1,
        "positive_rows": entry.size.positive,
        "target": entry.about.target,
        "classes": list(entry.about.classes),
        "bundled": not entry.originals,
        "available": entry.is_here(),
        "description": entry.about.description,
        "source": entry.about.source,
        "licence": entry.about.licence,
    }
