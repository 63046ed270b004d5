"""`supersparse report`: a document about a scoring system, from its file and labelled data."""

import os
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.card.card import Card
from supersparse.card.cases import read_labelled
from supersparse.show.cli.options import CardFile, CardTarget, DataFile, Output, Subgroups, TableOptions, Weights
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.progress import steps
from supersparse.show.cli.say import note, remark, say_size
from supersparse.show.cli.unknown import check_grouped, check_scored, read_choice
from supersparse.show.document import ScoringSystem
from supersparse.show.document.html import REMEDY, browser
from supersparse.show.document.pictures import paper_size

_DEFAULTS = {"cv": 5, "n_ratios": 6, "bootstrap": 100, "larger": 3, "time_limit": 90.0, "seed": 0}


def report(
    model: CardFile,
    data: DataFile,
    table: TableOptions,
    output: Output,
    target: CardTarget = None,
    by: Subgroups = None,
    weights: Weights = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            dir_okay=False,
            metavar="FILE",
            show_default="CARD-report.html, next to CARD",
            help="Output file, .html or .pdf. Repeatable.",
        ),
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Write CARD-report.pdf, too: the page as Chromium, Chrome or Edge prints it.")
    ] = False,
    cv: Annotated[int, typer.Option(metavar="K", help="Cross-validate on K folds; 0 to skip.")] = 5,
    n_ratios: Annotated[
        int, typer.Option(metavar="N", help="Learn with N other ratios of class weights, for trade-offs; 0 to skip.")
    ] = 6,
    bootstrap: Annotated[
        int, typer.Option(metavar="N", help="Bootstrap samples for optimism and stability; 0 to skip.")
    ] = 100,
    larger: Annotated[
        int, typer.Option(metavar="N", help="Show the frontier up to N more features than the card; 0 to skip.")
    ] = 3,
    cv_groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of groups, such as patients, to keep together in folds and samples, or none; "
            "default: as when the card was learned.",
        ),
    ] = None,
    refits: Annotated[
        bool, typer.Option("--refits/--no-refits", help="Learn the card again for validation and stability.")
    ] = True,
    time_limit: Annotated[
        float, typer.Option(help="Time limit of the whole report in seconds; its parts share it. inf for none.")
    ] = 90,
    node_limit: Annotated[
        int | None, typer.Option(help="Work limit of each solve, whatever the speed of the machine; default: none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    paper: Annotated[str, typer.Option(metavar="a4|letter", help="Paper size.")] = "a4",
    date: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Date to print; default: none, so reports are reproducible.")
    ] = None,
) -> None:
    """Write a report on a scoring system that follows TRIPOD+AI.

    Writes a page of HTML next to the card. Covers the card, the data, the proof, the best card of each size,
    performance corrected for optimism, calibration, trade-offs, stability, subgroups, bounds and limits of
    use, with the TRIPOD+AI checklist and a PROBAST+AI appendix. Most of it learns the card again; each part
    does what it can in its share of the time limit and says how much. Ctrl-C stops that and writes what is
    ready.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse report card.json biopsies.csv --by Mitoses --bootstrap 5
      supersparse report card.json biopsies.csv --no-refits --out quick.html
    """
    from supersparse.learn.refit import learned_from
    from supersparse.show.report import Plan, make_report
    from supersparse.show.report.plan import Step

    paper_size(paper)
    if cv == 1:
        raise InvalidOptionError("--cv is 1", "give 2 or more folds, or 0 for no cross-validation")
    files = _files(model, out, pdf=pdf)
    check_outputs(*(("--out", file) for file in files), inputs=(model, data))
    plan = Plan(
        folds=cv,
        ratios=n_ratios,
        bootstrap=bootstrap,
        larger=larger,
        time_limit=time_limit,
        node_limit=node_limit,
        seed=seed,
    )
    system = read_choice("refuse", ScoringSystem.load(model), table.reading)
    origin = system.card.provenance
    if origin is not None and origin.horizon is not None:
        raise InvalidOptionError(
            "the card is of a risk within a horizon, and a report cannot weigh people who were lost",
            "see the card for its figures on held-out rows",
        )
    name, lack = target_of(system.card, target)
    sources = learned_from(system.card)
    others = [*(by or []), *([] if cv_groups in (None, "none") else [cv_groups])]
    usual_groups = None if system.card.reading is None else system.card.reading.found.get("groups")
    say_size(data)
    rows = read_labelled(
        data,
        table.reading,
        system.card,
        name,
        [one for one in others if one not in system.card.columns],
        weights,
        perhaps=[*sources.columns, *([] if usual_groups is None else [usual_groups])],
        texts=sources.texts,
        lack=lack,
        note=note,
    )
    if cv_groups is None and usual_groups in rows.columns:
        cv_groups = usual_groups
        note(f"all rows of one {cv_groups!r} are kept together, as when the card was learned")
    check_scored(system.card, rows, None)  # rows that lack a value are skipped, and counted
    if cv_groups not in (None, "none"):
        check_grouped(rows, cv_groups)
    began = monotonic()
    with steps() as progress:
        made = make_report(
            system,
            rows.columns,
            rows.y,
            sample_weight=rows.weights,
            by=by or [],
            target=name,
            cv_groups=None if cv_groups == "none" else cv_groups,
            plan=plan if refits else plan.without_refits(),
            date=date,
            command=_command(
                (model, data),
                table,
                refits=refits,
                target=target,
                by=by,
                weights=weights,
                cv_groups=cv_groups,
                cv=cv,
                n_ratios=n_ratios,
                bootstrap=bootstrap,
                larger=larger,
                time_limit=time_limit,
                node_limit=node_limit,
                seed=seed,
            ),
            progress=progress,
        )
        for path in files:
            progress(Step(text=f"writing {path}", seconds=monotonic() - began, left=None))
            made.save(path, paper)
    for reason in made.missing:
        remark(f"not in the report: {reason}")
    output.show(
        "\n".join(f"Saved to {path}" for path in files),
        lambda: {"saved": list(map(str, files)), "missing": list(made.missing)},
    )


def _command(files: Sequence[Path], table: TableOptions, *, refits: bool, **options: object) -> str:
    """The command that makes this report again; options that are not the default are named."""
    words = ["supersparse", "report", *map(str, files)]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and one != _DEFAULTS.get(name):
                words += [f"--{name.replace('_', '-')}", f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join([*words, *table.words(), *([] if refits else ["--no-refits"])])


def target_of(card: Card, target: str | None) -> tuple[str, str]:
    """Return the name of the target, and how to say that the table does not have it."""
    if target is not None:
        return target, "target column {name}"
    if card.title is None:
        raise InvalidOptionError("the card has no title, so the target is unknown", "name it with --target")
    return card.title, "column {name} (the title of the card); name the target with --target"


def _files(model: Path, out: list[Path] | None, *, pdf: bool) -> list[Path]:
    """Where to write, checked before any work is done."""
    if not out:
        _check_browser("--pdf", asked=pdf)
        endings = [".html", *([".pdf"] if pdf else [])]
        if find_spec("matplotlib") is None:
            note("figures need matplotlib: pip install matplotlib; text replaces them")
        if not os.access(model.absolute().parent, os.W_OK):
            raise InvalidOptionError(
                f"cannot write beside {str(model)!r}: its folder is read-only", "choose files with --out"
            )
        return [model.with_name(f"{model.stem}-report{ending}") for ending in endings]
    for path in out:
        if path.suffix.lower() not in (".html", ".pdf"):
            raise InvalidOptionError(f"--out {path}: reports are .html or .pdf", "choose one of these endings")
        _check_browser(f"--out {path}", asked=path.suffix.lower() == ".pdf")
    return [*out, *([] if not pdf else [model.with_name(f"{model.stem}-report.pdf")])]


def _check_browser(option: str, *, asked: bool) -> None:
    if asked and browser() is None:
        raise PackageNotInstalledError(f"{option}: a PDF is printed by a browser, and none was found", REMEDY)
