"""`supersparse certify`: write a proof that no card is better, for others to check."""

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.base.errors import InvalidCardError, SupersparseError, UnsupportedProblemError
from supersparse.card.card import Card
from supersparse.card.cases import read_labelled
from supersparse.show.cli.options import CardFile, CardTarget, DataFile, Output, TableOptions, Weights
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note, remark, say_size
from supersparse.show.document import ScoringSystem

if TYPE_CHECKING:
    from supersparse.learn.fit import Fitted
    from supersparse.learn.rows import TrainingRows


def certify(
    model: CardFile,
    data: DataFile,
    table: TableOptions,
    output: Output,
    target: CardTarget = None,
    weights: Weights = None,
    out: Annotated[
        Path | None,
        typer.Option(dir_okay=False, metavar="FILE", show_default="CARD.vipr.gz", help="File for the certificate."),
    ] = None,
    viprchk: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, metavar="PROGRAM", help="Let viprchk check the certificate as well."),
    ] = None,
) -> None:
    """Write a proof of a card that others can check.

    It proves that no scoring system is better. The format is VIPR. `supersparse-check`, a short program that
    needs only Python, checks it against the table and the card in a process of its own, and the card then
    names the file and who checked it. If it is refused, the card stays as it is. The card must be proven
    optimal, and the table must be the one that it was learned from.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --out card.json
      supersparse certify card.json biopsies.csv
    """
    from supersparse.engine.certify.checking import check, check_by_viprchk
    from supersparse.learn.certifying import certified, checked, points_of
    from supersparse.learn.refit import Refit, learned_from
    from supersparse.show.cli.report import target_of

    system = ScoringSystem.load(model)
    made = system.card.provenance
    if made is not None and made.is_risk:
        raise UnsupportedProblemError(
            "the proof of a risk card is written when the card is learned",
            "use `supersparse fit ... --certificate proof.json.gz`",
        )
    if made is None or not made.proven_optimal:
        raise InvalidCardError(f"{model} is not proven optimal", "learn it with a longer time limit first")
    place = out if out is not None else model.with_name(f"{model.stem}.vipr.gz")
    check_outputs(("--out", place), inputs=(model, data, viprchk))
    name, lack = target_of(system.card, target)
    sources = learned_from(system.card)
    say_size(data)
    rows = read_labelled(
        data,
        table.reading,
        system.card,
        name,
        [],
        weights,
        perhaps=sources.columns,
        texts=sources.texts,
        lack=lack,
        note=note,
    )
    import numpy as np

    refit = Refit.of(system.card, rows.columns, np.array(rows.y), rows.weights, time_limit=None)
    part = refit.recipe.complete(refit.rows)
    question = refit.recipe.question(part)
    try:
        drafts = TemporaryDirectory(prefix=".certify-", dir=place.absolute().parent)
    except OSError as error:  # which names the drafts
        raise OSError(error.errno, error.strerror, str(place)) from None
    with drafts as folder:
        # a refused certificate leaves the card, and an older certificate, as they are
        written, draft = Path(folder) / place.name, Path(folder) / f"{place.name}.json"
        card = certified(
            system.card,
            question,
            points_of(system.card, question),
            written,
            part,
            target=name,
            weights=weights,
            data=data,
            reading=rows.table.reading,
        )
        ScoringSystem(card).save(draft)
        checkers = [check(data, draft, written)]
        if viprchk is not None:
            checkers.append(check_by_viprchk(viprchk, data, draft, written))
        written.replace(place)
    card = checked(card, checkers)
    ScoringSystem(card).save(model)
    assert card.provenance is not None
    assert card.provenance.certificate is not None
    sha256, size = card.provenance.certificate.sha256, place.stat().st_size
    output.show(
        f"Certificate: {place}, {size} bytes, sha256 {sha256}\nChecked by {' and '.join(checkers)}",
        lambda: {"certificate": str(place), "sha256": sha256, "bytes": size, "checked_by": checkers},
    )
    remark(f"Check it: {shlex.join(['supersparse-check', str(data), str(model), str(place)])}")


def with_certificate(
    card: Card, fitted: "Fitted", place: Path, rows: "TrainingRows", *, target: str | None, data: Path
) -> tuple[Card, str | None]:
    """Return a learned card that names its certificate; the card as it is, and why, if none is written."""
    from supersparse.learn.certifying import certified

    if not fitted.solution.proven_optimal:
        return card, "the card is not proven optimal, so there is no certificate; raise the time limit"
    try:
        named = certified(
            card,
            fitted.question,
            fitted.solution.points,
            place,
            rows,
            target=target,
            weights=fitted.question.recipe.settings.sample_weight,
            data=data,
        )
    except (SupersparseError, OSError) as error:  # the card is kept, whatever becomes of its certificate
        return card, f"no certificate was written: {error}"
    return named, None
