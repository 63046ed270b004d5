"""`supersparse solvers`: what can solve here, and how to get the rest."""

import typer


def solvers() -> None:
    """List the solvers: which are installed, in which version, and how to install the others.

    \b
    Example:
      supersparse solvers
    """
    from supersparse.solving import registry

    found = [registry.availability(name) for name in registry.names()]
    lines = [("solver", "installed", "version", "how to get it")]
    lines += [(s.name, "yes" if s.installed else "no", s.version or "built in", s.remedy) for s in found]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        typer.echo("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip())
