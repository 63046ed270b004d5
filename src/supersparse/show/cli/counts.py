"""`supersparse counts`: how many people gave each combination of answers, to learn from several sites."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersparse.base.errors import InvalidDataError, InvalidOptionError
from supersparse.base.exact import counted
from supersparse.card.card import Card
from supersparse.card.cases import LabelledCases, read_labelled, with_its_codes
from supersparse.card.checks import outside_values
from supersparse.card.raw_values import as_read, known_values, read_card_table
from supersparse.show.cli.command import Without
from supersparse.show.cli.declared import option_name
from supersparse.show.cli.options import (
    ColumnOptions,
    DataFile,
    FeatureOptions,
    Output,
    TrainingOptions,
    ValidationOptions,
)
from supersparse.show.cli.outputs import check_outputs
from supersparse.show.cli.say import note, remark, say_outside, say_size
from supersparse.table.csv_file import check_file
from supersparse.table.values import is_missing

if TYPE_CHECKING:
    from supersparse.learn.counts import CountTable
    from supersparse.learn.prepare.questions import Questions
    from supersparse.learn.recipe import PreparedProblem
    from supersparse.learn.rows import TrainingRows

_QUESTIONS = 8  # that are made unless others are asked for
_MUCH = 0.05  # share of the people left out from which on fewer questions are suggested


def counts(
    data: DataFile,
    how: Annotated[TrainingOptions, Without("wording", "asked", "validation", "search", "sample_weight", "prepare")],
    output: Output,
    out: Annotated[Path, typer.Option(dir_okay=False, help="Write the counts to this CSV file.")],
    questions: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Ask the questions of this file, as another site wrote it."),
    ] = None,
    save_questions: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the questions to this JSON file, for the other sites.")
    ] = None,
    at_least: Annotated[
        int, typer.Option(metavar="K", help="Leave out cells of fewer than K people; 1 keeps all.")
    ] = 5,
    merge: Annotated[
        bool, typer.Option("--merge", help="Merge such cells with the most similar ones of their class instead.")
    ] = False,
) -> None:
    """Count rows by answer, so that sites need not share them.

    Several sites can learn one card together: the first makes questions from its table, 8 unless
    --candidates asks for others, and writes them to a file. Every site counts its own people by them, and
    `fit` learns from the counts. Cells of few people are left out, or merged, and `fit` says what that can
    cost at most.

    \b
    Example:
      supersparse demo --save-data rows.csv
      supersparse counts rows.csv --target diagnosis --save-questions q --out a
      supersparse counts rows.csv --target diagnosis --questions q --out b
      supersparse fit a b
    """
    from supersparse.learn.counts import CountTable

    check_outputs(("--out", out), ("--save-questions", save_questions), inputs=(data, questions, *how.inputs))
    if at_least < 1:
        raise InvalidOptionError(f"--at-least is {at_least}", "give 1 to keep all cells, or more")
    target, reading = how.columns.told_target(), how.table.reading
    asked = _made(data, how) if questions is None else _read(questions, how.columns, how.features)
    say_size(data)
    cases = read_labelled(data, reading, asked.card, target, note=note)
    if questions is not None:
        cases = with_its_codes(cases, asked.card, reading, note)
        _check_known(as_read(asked.card, reading), cases)
    count_table = CountTable.of(asked, cases.columns, cases.y, at_least, merge=merge)
    count_table.save(out)
    if save_questions is not None:
        asked.save(save_questions)
    _say(count_table, len(cases.y), out, save_questions)
    output.show(
        count_table.in_words(),
        lambda: {
            "questions": list(asked.names),
            "cells": len(count_table.counts),
            "people": count_table.people,
            "left_out_at_most": count_table.left_out,
            "merged_at_most": count_table.merged,
            "saved": [str(path) for path in (out, save_questions) if path is not None],
        },
    )


def _check_known(card: Card, cases: LabelledCases) -> None:
    """Say which values the questions do not know, and refuse a column of nothing else: it is coded otherwise.

    Of a column with more than two values, questions keep those that they ask about.
    """
    outside = outside_values(card, read_card_table(card, cases.columns))
    listed = {domain.column for domain in card.domains if domain.values is not None}
    for column in card.columns:
        known = known_values(card, column)
        held = [value for value in dict.fromkeys(cases.columns[column].tolist()) if not is_missing(value)]
        if not known or not held or not set(known).isdisjoint(held):
            continue
        these, those = (", ".join(map(repr, values[:3])) for values in (held, known))
        if column in listed:
            raise InvalidDataError(
                f"{cases.table.name}: column {column!r} holds {these}, and the questions know {those} only",
                "code it as the site does that wrote them",
            )
        note(
            f"column {column!r} holds {these}, and the questions ask about {those} only; check that it is "
            "coded as at the site that wrote them"
        )
    say_outside(outside, "what the questions know", "counted")


def _say(count_table: "CountTable", n_rows: int, out: Path, saved: Path | None) -> None:
    remark(
        f"{counted(len(count_table.questions.names), 'question')}; {count_table.people} people in "
        f"{counted(len(count_table.counts), 'cell')}, saved to {out}"
    )
    if count_table.left_out > _MUCH * n_rows:
        fewer = max(1, len(count_table.questions.names) // 2)
        note(
            f"at most {count_table.left_out} people are in cells of fewer than {count_table.at_least}; "
            f"fewer questions leave out fewer: --candidates {fewer}, or --keep for the columns that matter"
        )
    if saved is not None:
        remark(f"Questions saved to {saved}; count with --questions {saved.name} at the other sites.")
    remark(f"Next: {shlex.join(['supersparse', 'fit', str(out), '...'])} with the counts of all sites")


def _made(data: Path, how: TrainingOptions) -> "Questions":
    """Make questions from the table of this site."""
    from supersparse.learn.prepare.questions import Questions
    from supersparse.show.cli.training import read_question

    columns, features = how.columns, how.features
    if features.cuts == "none" or features.missing == "drop":
        raise InvalidOptionError(
            "--cuts none and --missing drop make no yes/no questions that other sites can ask of all their people",
            "remove them",
        )
    if features.values.get("candidates", "auto") == "auto":
        how = replace(how, features=replace(features, texts={**features.texts, "candidates": str(_QUESTIONS)}))
        note(
            f"at most {_QUESTIONS} questions, because each divides the people into smaller cells; "
            "use --candidates N for others"
        )
    question, rows = read_question(data, how)
    assert question.prepare is not None
    negative, positive = question.problem.rows.classes
    assert columns.target is not None
    return Questions.of(question.prepare, columns.target, (str(negative), str(positive)), rows.reading)


def _read(path: Path, columns: ColumnOptions, features: FeatureOptions) -> "Questions":
    """Read the questions of another site; options that would make others are refused."""
    from supersparse.learn.prepare.questions import Questions

    _refuse(features, columns, f"{path} holds the questions and the classes")
    return Questions.load(path)


def _refuse(features: FeatureOptions, columns: ColumnOptions, why: str) -> None:
    for group in (features, columns):
        for name in group.values:
            if name != "target":
                raise InvalidOptionError(f"{option_name(group.SETTINGS[name])}: {why}", "remove it")


def read_counts_question(paths: list[Path], how: TrainingOptions) -> "tuple[CountTable, PreparedProblem, TrainingRows]":
    """Read the counts of all sites, and ask what the options ask; few people are written out, for folds."""
    from supersparse.learn.counts import MOST_PEOPLE, pooled
    from supersparse.show.cli.recipe import read_recipe, weighted_recipe

    why = "the counts hold the questions and the classes"
    columns, asked, validation = how.columns, how.asked, how.validation
    _refuse(how.features, columns, why)
    recipe = read_recipe(how, of_counts=True)
    if recipe.settings.prepare:
        raise InvalidOptionError(f"{asked.settings}: prepare: {why}", "remove it", subject=asked.settings)
    for option in ("cv_groups", "cv_time"):
        if getattr(validation, option) is not None:
            raise InvalidOptionError(f"--{option.replace('_', '-')}: counts have no such column", "remove it")
    seen: dict[bytes, Path] = {}
    for path in paths:
        check_file(path)
        same = seen.setdefault(path.read_bytes(), path)
        if same is not path:
            note(f"{path} holds the same counts as {same}, so the same people may count twice")
    table = pooled(paths)
    if columns.target not in (None, table.questions.target):
        raise InvalidOptionError(
            f"--target is {columns.target!r}, but the counts are of {table.questions.target!r}", "remove it"
        )
    if not table.signed:
        note("a file of counts has no digest, so changes to it cannot be detected; write it again")
    written_out = validation.judges and table.people <= MOST_PEOPLE
    if validation.judges and not written_out:
        note(f"more than {MOST_PEOPLE:,} people: the card is not judged on held-out people")
    rows = table.rows(written_out=written_out)
    recipe = weighted_recipe(recipe, asked, rows)
    question = table.question(recipe, rows)
    remark(
        f"{counted(len(paths), 'site')}, {table.people} people, "
        f"{counted(len(table.counts), 'cell')}, {counted(len(table.questions.names), 'question')}"
    )
    if table.suppressed is not None and is_divided(table, question, validation):
        note("folds divide the people counted, so these figures are optimistic")
    return table, question, rows


def is_divided(table: "CountTable", question: "PreparedProblem", validation: ValidationOptions) -> bool:
    """Whether the people counted are divided into folds; those left out or merged would be missed in these.

    Then folds do not judge the card, and only choose C0, or are printed because somebody asked for them.
    """
    if not validation.judges:
        return False
    return table.suppressed is None or question.recipe.settings.leaves_penalty or bool(validation.asks)
