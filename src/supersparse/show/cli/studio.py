"""`supersparse studio`: the whole way in a browser, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.show.cli.say import remark
from supersparse.show.studio.folder import default_folder


def studio(
    table: Annotated[
        Path | None, typer.Argument(metavar="TABLE", help="CSV, Excel, Parquet, SAS, SPSS or Stata file to begin with.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, show_default="any free port", help="Port to listen on.")] = 0,
    folder: Annotated[
        Path | None,
        typer.Option(file_okay=False, show_default="~/.supersparse/studio", help="Folder that keeps tables and runs."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Open the studio in a browser.

    It is a page on this machine that leads from a table to a printed card. Drop a table, say what to
    predict, watch the search prove its card, compare cards, edit them and take them away. Nothing leaves this
    machine: the server listens on 127.0.0.1, and the address that it prints holds a token. Runs are kept in a
    folder and resume when the studio is opened again.

    \b
    Example:
      supersparse demo --save-data biopsies.csv
      supersparse studio biopsies.csv --no-browser
    """
    if table is not None and not table.is_file():
        raise InvalidOptionError(f"there is no file {str(table)!r}", "name a table, or leave it out")
    try:
        from supersparse.show.studio.server import serve
    except ImportError as error:
        raise PackageNotInstalledError(f"the studio needs {error.name}: pip install starlette uvicorn") from None
    serve(folder or default_folder(), port=port, table=table, browser=browser, say=remark)
