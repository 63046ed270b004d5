"""`supersparse fit`: learn a scoring system from a table."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.base.errors import InvalidOptionError, SupersparseError
from supersparse.engine.answers.frontier import frontier as find_frontier
from supersparse.engine.answers.shared_bounds import reconciled
from supersparse.engine.certify.statement import check_certifiable
from supersparse.learn.progress import Clock
from supersparse.learn.splits import Folds
from supersparse.show.cli.options import DataFiles, Output, TrainingOptions
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import complain, note, remark
from supersparse.show.cli.training import EngineOptions, read_rows_question
from supersparse.show.document import ScoringSystem
from supersparse.show.document.sizes import sizes_text

if TYPE_CHECKING:
    from supersparse.learn.counts import CountTable

_GOAL = "risk"  # where neither an option nor the settings file says one


def fit(
    data: DataFiles,
    how: TrainingOptions,
    engine: EngineOptions,
    output: Output,
    frontier: Annotated[
        int | None, typer.Option(metavar="K", help="Also show the lowest error for each number of features up to K.")
    ] = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="Save the scoring system to this JSON file.")] = None,
    out_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Save it to this folder in every format.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            metavar="FILE",
            help="Write a proof that no card is better to this file, for `supersparse-check`.",
        ),
    ] = None,
) -> None:
    """Learn a scoring system from a table and print it.

    The card asks at most six questions, each with points for its answers: bands of a number, groups of
    categories, or that the value is missing. Every total has a risk. Dates and identifiers are left out.
    Notes say what happened to each column. It is judged by 5-fold cross-validation, repeated twice,
    and compared with ridge regression on all columns and with cards of fewer questions.

    With --goal errors the card makes the fewest errors instead: it has yes/no questions and one threshold,
    cross-validation calibrates its risks, and chooses C0 if you do not set it. Ctrl-C stops the search and
    keeps the best scoring system so far. During the folds, Ctrl-C skips the rest of them. The time limit
    covers everything.

    Several files are count tables that `supersparse counts` wrote, one from each site. `fit` learns from
    them together, as if the rows were in one place. With --engine duckdb they are Parquet or CSV files of
    rows, or a folder of them, which are counted there and need not fit into memory.

    \b
    Example:
      supersparse demo --save-data biopsies.csv --save-settings settings.yaml
      supersparse fit biopsies.csv --target diagnosis --out card.json
      supersparse fit biopsies.csv --target diagnosis --cut-points Mitoses=3
      supersparse fit biopsies.csv --target diagnosis --settings settings.yaml
    """
    import json

    from supersparse.learn.certifying import check_text_file
    from supersparse.learn.counts import NO_RISKS, is_count_table
    from supersparse.learn.editing import check_possible, with_changes
    from supersparse.show.cli.certify import with_certificate
    from supersparse.show.cli.counts import is_divided, read_counts_question
    from supersparse.show.cli.names import read_words, with_words
    from supersparse.show.cli.outputs import check_folder, files_there, write_folder
    from supersparse.show.cli.training import fit_with_progress, read_folds, read_question, with_progress

    check_folder(out_dir)
    check_outputs(
        ("--out", out),
        ("--certificate", certificate),
        *(("--out-dir", file) for file in files_there(out_dir)),
        inputs=(*data, *how.inputs),
    )
    if certificate is not None:
        check_text_file(data[0])
    validation, settings = how.validation, how.asked.settings
    if validation.asks and not validation.judges:
        raise InvalidOptionError(
            f"{validation.asks[0]} judges the card on held-out rows", "remove it, or remove --no-validate"
        )
    counts: CountTable | None = None
    folds: Folds | None = None
    of_counts = any(map(is_count_table, data))
    if of_counts and engine.counts_rows:
        raise InvalidOptionError("--engine duckdb counts rows, and count tables have none", "remove it")
    if engine.counts_rows:
        question, rows, folds = read_rows_question(data, how, engine.memory, usual_goal=_GOAL)
    elif of_counts:
        counts, question, rows = read_counts_question(data, how)
    elif len(data) == 1:
        question, rows = read_question(data[0], how, usual_goal=_GOAL)
    else:
        raise InvalidOptionError(
            f"{data[1]}: only count tables can be combined",
            (
                "put the rows into one file, write counts with `supersparse counts`, or count the rows "
                "of all files with --engine duckdb"
            ),
        )
    if certificate is not None:
        if counts is not None or rows.is_counted:
            raise InvalidOptionError("--certificate needs rows, and there are only counts", "remove it")
        check_certifiable(question.problem)
    edits = question.recipe.settings.edits
    check_possible(question, edits)
    words = read_words(how.wording, None if counts is not None or rows.is_counted else rows)
    clock = Clock.of(question.recipe, question.seconds)
    if not engine.counts_rows and (counts is None or is_divided(counts, question, validation)):
        folds = read_folds(rows, validation, question.recipe, asks_questions=bool(question.problem.questions))
    fitted = fit_with_progress(question, rows, folds, clock if frontier is None else clock.part(0.7))
    unedited: SupersparseError | None = None  # told at the end, like a full disk
    if edits:
        try:
            fitted, prices = with_changes(fitted, rows, edits)
            before = "" if fitted.validation is None else "; the folds judged the card before that"
            note(f"changed by hand, as {settings} says{before}")
            for price in prices:
                note(f"{'; '.join(price.asked)}: {price.price_in_words()}")
        except SupersparseError as error:
            unedited = error
            remark(f"warning: an edit of {settings} does not fit the card, which stays as it was learned")
    question, judged = fitted.question, fitted.validation
    tells = judged is not None and (len(judged.tried) > 1 or bool(validation.asks) or judged.comparison is not None)
    tells = tells and not any(seen.compared for seen in fitted.card.performance)  # the card shows it
    card = fitted.card if counts is None else counts.raw_card(fitted.card)
    card = with_words(card, how.wording, words)
    uncertified: str | None = None  # told at the end, like a disk that is full
    if certificate is not None:
        card, uncertified = with_certificate(card, fitted, certificate, rows, target=how.columns.target, data=data[0])
    system = ScoringSystem(card)
    saved: list[Path] = []
    failure: OSError | None = None  # told at the end: a full disk must not lose the card

    def save() -> None:
        nonlocal failure
        failure = None
        saved.clear()
        try:
            if out is not None:
                system.save(out)
                saved.append(out)
            if out_dir is not None:
                saved.extend(write_folder(system, out_dir))
        except OSError as error:
            failure = error

    save()  # before the frontier, which may take long
    sizes = None
    if frontier is not None:
        sizes = with_progress(
            find_frontier, question.problem, max_features=frontier, **clock.limited(question.recipe).options
        )
        made = card.provenance
        if not edits and made is not None:
            proven, sizes = reconciled(fitted.solution, sizes)
            bound = min(proven.lower_bound, made.objective)
            if bound > made.lower_bound:
                system = ScoringSystem(replace(card, provenance=replace(made, lower_bound=bound)))
                save()
    cost = None if counts is None else counts.cost_in_words(fitted.solution)
    by_size = sizes_text(system.card)
    tried = [judged.in_words()] if judged is not None and tells else []
    if tried and cost is not None:
        tried = [f"Of the people counted, so these figures are optimistic: {tried[0]}"]
    remark("")
    output.show(
        "\n\n".join(
            [
                str(system),
                *([] if by_size is None else [by_size]),
                *tried,
                *([] if sizes is None else [str(sizes)]),
                *([] if cost is None else [cost, NO_RISKS]),
            ]
        ),
        lambda: {
            "card": json.loads(system.to_json()),
            "columns": [] if question.prepare is None else list(question.prepare.notes_),
            "cross_validation": None
            if judged is None
            else {**judged.as_data(), **({} if cost is None else {"of_people_counted_only": True})},
            "unjudged": fitted.unjudged,
            "frontier": None if sizes is None else sizes.table(),
            **(
                {}
                if counts is None
                else {
                    "left_out_at_most": counts.left_out,
                    "merged_at_most": counts.merged,
                    "cost_of_suppression": cost,
                    "no_risks": None if cost is None else NO_RISKS,
                }
            ),
            "saved": [str(path) for path in saved],
        },
    )
    if failure is not None:
        raise OSError(f"the card above could not be saved: {failure}") from failure
    if out is not None:
        remark(f"Saved to {out}")
    if out_dir is not None:
        remark(f"Saved in {out_dir}: {', '.join(path.name for path in saved if path.parent == out_dir)}")
    if saved and counts is None and not rows.is_counted and rows.follow_up is None and str(data[0]) != "-":
        weights = question.recipe.settings.sample_weight
        named = (("--target", None if card.title == rows.title else rows.title), ("--weights", weights))
        more = [word for option, name in named if name is not None for word in (option, name)]
        remark(f"Next: {shlex.join(['supersparse', 'report', str(saved[0]), str(data[0]), *more])}")
    if not saved:
        remark("Not saved. Use --out card.json to save it, or --out-dir FOLDER to save it in every format.")
    if uncertified is not None:
        complain(uncertified)
    if unedited is not None:
        raise InvalidOptionError(f"the card above is as it was learned, without edits: {unedited}")
    if uncertified is not None:
        raise typer.Exit(1)
