"""`supersparse datasets`: list, fetch and export the datasets of the SLIM paper."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import counted
from supersparse.show.cli.command import command
from supersparse.show.cli.options import Output
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import in_columns, remark
from supersparse.table.datasets.dataset import positive_in_words
from supersparse.table.datasets.loaders import ENTRIES, Entry, find, load
from supersparse.table.datasets.originals import data_folder
from supersparse.table.datasets.originals import fetch as fetch_files

datasets = typer.Typer(
    name="datasets",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)


@datasets.callback()
def _datasets(context: typer.Context) -> None:
    """List, fetch and export the datasets of the SLIM paper.

    \b
    Example:
      supersparse datasets export mammography masses.csv
    """
    if context.invoked_subcommand is None:
        _show(Output())


def list_(output: Output) -> None:
    """List the datasets with their sizes and locations.

    \b
    Example:
      supersparse datasets list
    """
    _show(output)


def path(output: Output) -> None:
    """Show the folder of fetched data: SUPERSPARSE_DATA if set, otherwise the user cache.

    \b
    Example:
      supersparse datasets path
    """
    folder = str(data_folder())
    output.show(folder, lambda: {"path": folder})


def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Datasets to fetch; default: all.")] = None,
    *,
    copy_from: Annotated[
        Path | None,
        typer.Option("--from", exists=True, file_okay=False, help="Copy from this folder instead of downloading."),
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Accept files that differ from the expected data.")
    ] = False,
    output: Output,
) -> None:
    """Download the datasets that cannot be bundled, and check them.

    Run the command again to resume an interrupted download.

    \b
    Example:
      supersparse datasets fetch
    """
    originals = [original for entry in _wanted(names) for original in entry.originals]
    done = fetch_files(originals, copy_from=copy_from, unchecked=unchecked, say=remark)
    output.show(
        "\n".join(f"{fetched.path}: {fetched.how}" for fetched in done),
        lambda: [{"path": str(f.path), "how": f.how, "origin": f.origin} for f in done],
    )


def export(
    name: Annotated[str, typer.Argument(help="Name of the dataset, such as breast-cancer.")],
    out: Annotated[Path, typer.Argument(dir_okay=False, help="CSV file to write.")],
    *,
    variant: Annotated[
        str | None, typer.Option(help="Variant of the dataset; see `supersparse datasets list`.")
    ] = None,
    processed: Annotated[
        bool, typer.Option("--processed", help="Write the paper's features instead of the raw columns.")
    ] = False,
    output: Output,
) -> None:
    """Write a dataset to a CSV file. Missing values are blank.

    \b
    Example:
      supersparse datasets export breast-cancer biopsies.csv
    """
    check_outputs(("OUT", out))
    data = load(name, variant)
    columns = data.columns if processed else data.raw
    columns.write_csv(out)
    remark(f"{data.source}; {data.licence}")
    output.show(
        f"Wrote {counted(columns.n_rows, 'row')} and {counted(len(columns), 'column')} to {out}. "
        f"The class is in column {data.target!r}.",
        lambda: {"path": str(out), "rows": columns.n_rows, "columns": list(columns), "target": data.target},
    )


for _name, _run in (("list", list_), ("path", path), ("fetch", fetch), ("export", export)):
    datasets.command(_name)(command(_run))


def _wanted(names: list[str] | None) -> list[Entry]:
    fetched = [entry for entry in ENTRIES if entry.originals]
    for name in names or ():
        if find(name).name not in {entry.name for entry in fetched}:
            raise InvalidOptionError(f"{name!r} comes with the package", "there is nothing to fetch")
    return [entry for entry in fetched if not names or entry.name in names]


def _show(output: Output) -> None:
    lines = [("dataset", "variant", "rows", "features", "positive", "where")]
    for entry in ENTRIES:
        size = entry.size
        positive = f"{size.positive} {positive_in_words(entry.about.target, entry.about.classes)}"
        lines.append((entry.name, entry.variant, str(size.rows), str(size.columns - 1), positive, _where(entry)))
    output.show("\n".join(in_columns(lines)), lambda: [_described(entry) for entry in ENTRIES])


def _where(entry: Entry) -> str:
    if not entry.originals:
        return "bundled"
    return "fetched" if entry.is_here() else "not fetched; run supersparse datasets fetch"


def _described(entry: Entry) -> dict[str, object]:
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
