"""`supersparse doctor`: what is installed here, and whether it works."""

import typer

from supersparse.cli.options import Output


def doctor(output: Output) -> None:
    """Show what is installed, and whether it works.

    Versions, solvers, optional packages, folders, and a small problem solved as a test. Attach its
    output to a report of a problem.

    \b
    Example:
      supersparse doctor
    """
    from supersparse.cli.diagnosis import diagnose

    found = diagnose()
    output.show(found.in_words(), found.as_data)
    if not found.is_well:
        raise typer.Exit(1)
