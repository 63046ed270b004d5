"""The `supersparse` command: its subcommands, and how failures become exit codes.

0: success. 1: failure (a solver failed, a file could not be written). 2: invalid input or options. 3: a required
package is not installed. 4: no scoring system satisfies all constraints. 130: interrupted before there was a result.
Library errors print one line, never a traceback. Heavy imports live inside the commands, so that ``--help`` is fast.
"""

import signal
import sys
from typing import Annotated

import typer

from supersparse._version import __version__
from supersparse.base.errors import (
    InfeasibleError,
    InvalidInputError,
    PackageNotInstalledError,
    SolverNotInstalledError,
    SupersparseError,
)
from supersparse.show.cli.certify import certify
from supersparse.show.cli.check import check
from supersparse.show.cli.command import command
from supersparse.show.cli.counts import counts
from supersparse.show.cli.datasets import datasets
from supersparse.show.cli.demo import demo
from supersparse.show.cli.doctor import doctor, solvers
from supersparse.show.cli.evaluate import evaluate
from supersparse.show.cli.explain import explain
from supersparse.show.cli.export import export
from supersparse.show.cli.fit import fit
from supersparse.show.cli.frontier import frontier
from supersparse.show.cli.names import names
from supersparse.show.cli.pool import pool
from supersparse.show.cli.predict import predict
from supersparse.show.cli.program import program
from supersparse.show.cli.report import report
from supersparse.show.cli.say import Streams, complain
from supersparse.show.cli.studio import studio
from supersparse.show.cli.trade_off import trade_off

app = typer.Typer(
    name="supersparse",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    fit, counts, predict, evaluate, explain, report, certify, export, names, frontier, trade_off, pool,
    program, check, solvers, studio, demo, doctor,
)  # fmt: skip
for run in COMMANDS:
    app.command()(command(run))
app.add_typer(datasets)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"supersparse {__version__}")
        raise typer.Exit


@app.callback()
def supersparse(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn scoring systems: classifiers that add up a few small whole numbers.

    \b
    Example:
      supersparse demo
    """


def main() -> None:
    """Run the command line and exit."""
    streams = Streams.guard()
    for name in ("SIGTERM", "SIGHUP"):  # like Ctrl-C: what is finished is kept
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    status: int | str | None = 0
    try:
        app(prog_name="supersparse")
    except SystemExit as ending:
        status = ending.code
    except (SupersparseError, OSError) as error:
        complain(str(error))
        status = _exit_code(error)
    unprinted = streams.failure(files_are_written=not status)
    if unprinted:
        complain(unprinted)
    sys.exit(status or (0 if unprinted is None else 1))


def _exit_code(error: Exception) -> int:
    if isinstance(error, InvalidInputError):
        return 2
    if isinstance(error, PackageNotInstalledError | SolverNotInstalledError):
        return 3
    return 4 if isinstance(error, InfeasibleError) else 1
