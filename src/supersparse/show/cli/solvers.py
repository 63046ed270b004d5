"""`supersparse solvers`: the solvers, installed or not."""

from supersparse.show.cli.options import Output


def solvers(output: Output) -> None:
    """List the solvers and how to install the missing ones.

    \b
    Example:
      supersparse solvers
    """
    from dataclasses import asdict

    from supersparse.engine import solvers

    found = [solvers.availability(name) for name in solvers.names()]
    lines = [("solver", "installed", "version", "how to install")]
    lines += [(s.name, *(("yes", s.version or "built in") if s.installed else ("no", "-")), s.remedy) for s in found]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
    output.show("\n".join(text), lambda: [asdict(solver) for solver in found])
