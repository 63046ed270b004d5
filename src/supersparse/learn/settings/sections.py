"""The sections of a settings file: options of the solver, and the way from a table to a card.

``table``, ``prepare`` and ``validate`` hold what `supersparse fit` otherwise takes as options, under the same
names; ``edits`` are changes by hand. So one file repeats a card.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from supersparse.base.schema.scalars import (
    Either,
    LabelForm,
    Null,
    NumberForm,
    Schema,
    TextForm,
    Truth,
    Whole,
    Word,
)
from supersparse.base.schema.shapes import Field, ListOf, NamesForm, Record, TableOf
from supersparse.base.schema.tree import ByName, FileNode
from supersparse.engine.options import SolveOptions
from supersparse.problem.asked import fields_of

SOLVERS = ("auto", "exact", "risk", "questions", "exhaustive", "highs", "scip", "gurobi", "cplex")
SOLVE = Record({"solver": Field(form=Word(*SOLVERS), help="Solver."), **fields_of(SolveOptions)})

_COLUMN = TextForm("the name of a column")
_COLUMNS = NamesForm("a column's name, a pattern such as lab*, or a list of them")
_TEXT = TextForm()
_QUESTION = TextForm("the name of a feature, such as 'age >= 60'")
_NUMBER = NumberForm()

TABLE = Record(
    {
        "target": Field(form=_COLUMN, help="Column to predict."),
        "drop": Field(form=_COLUMNS, help="Columns to leave out."),
        "keep": Field(form=_COLUMNS, help="Columns to use, and no others."),
        "category": Field(form=_COLUMNS, help="Columns whose numbers are categories."),
        "na": Field(form=NamesForm("a word, or a list of them"), help="More words for missing values."),
        "default_na": Field(form=Truth(), help="Whether NA, NaN and null are missing values."),
        "separator": Field(form=_TEXT, help="Column separator."),
        "encoding": Field(form=_TEXT, help="Text encoding."),
        "decimal": Field(form=Word(".", ","), help="Decimal sign."),
        "dates": Field(form=Word("dmy", "mdy"), help="Whether dates have the day or the month first."),
        "sheet": Field(form=_TEXT, help="Sheet of a workbook."),
        "as_written": Field(form=_COLUMNS, help="Columns to read as they are written."),
    }
)

CUTS = Word("optimal", "quantile", "tree", "none")
MISSING = Word("item", "median", "mode", "drop")
SHAPES = Word("monotone", "rising", "falling", "any")
DIRECTIONS = Word("+", "-")
PREPARE = Record(
    {
        "cuts": Field(form=CUTS, help="How to cut numbers."),
        "cut_points": Field(
            form=TableOf(ListOf(_NUMBER, "a list of numbers", least=1), "cut points by column"),
            help="Your own cut points by column, such as {age: [45, 60]}.",
        ),
        "max_cuts": Field(form=Whole(1), help="Maximum number of cut points to try per column; default: 6."),
        "per_variable": Field(
            form=Either(Whole(1), Null()),
            help="Maximum number of cut points per column on one card; default: 2, null for no limit.",
        ),
        "intervals": Field(form=Truth(), help="Whether to offer intervals such as 45 <= age < 60, too."),
        "missing": Field(
            form=MISSING,
            help="Missing values: a question of their own, replaced, or rows dropped.",
        ),
        "direction": Field(
            form=TableOf(DIRECTIONS, "signs by column"),
            help="Columns whose points may only rise (+) or only fall (-) with their values.",
        ),
        "shape": Field(
            form=TableOf(SHAPES, "shapes by column"),
            help="How the points of a column change with its values.",
        ),
        "ordered": Field(
            form=TableOf(ListOf(LabelForm(), "a list of levels", least=2), "levels by column"),
            help="Levels of ordered categories by column, lowest first, such as {grade: [I, II, III]}.",
        ),
        "rare": Field(
            form=Either(Word("auto"), _NUMBER),
            help="Minimum share of the rows in every answer; default: auto.",
        ),
        "units": Field(form=TableOf(_TEXT, "units by column"), help="Units by column, for the card."),
        "candidates": Field(
            form=Either(Word("auto"), Whole(1), Null()),
            help="How many questions the search may choose from; default: auto, null for no limit.",
        ),
    }
)

VALIDATE = Record(
    {
        "cv": Field(form=Whole(2), help="Number of folds; default: 5."),
        "repeats": Field(form=Whole(1), help="How many times the rows are divided into folds."),
        "cv_groups": Field(form=_COLUMN, help="Column of groups to keep in one fold, or none."),
        "cv_time": Field(form=_COLUMN, help="Column of times: train on earlier rows, test on later ones."),
    }
)


def _about(**more: Field) -> Record:
    """One question of the card, and what becomes of it."""
    return Record({"question": Field(form=_QUESTION, help="A feature.", required=True), **more})


_CHANGES = {
    "points": Field(
        form=_about(to=Field(form=_NUMBER, help="Its new points.", required=True)),
        help="Change the points of a feature: {question: 'age >= 60', to: 2}.",
    ),
    "drop": Field(form=_QUESTION, help="Leave a feature out."),
    "add": Field(
        form=_about(points=Field(form=_NUMBER, help="Its points.", required=True)),
        help="Add a feature: {question: 'age >= 60', points: 1}.",
    ),
    "swap": Field(
        form=_about(**{"for": Field(form=_QUESTION, help="The new feature.", required=True)}),
        help="Replace a feature: {question: 'age >= 60', for: 'age >= 70'}.",
    ),
    "cut": Field(
        form=_about(to=Field(form=_NUMBER, help="The new cut point.", required=True)),
        help="Move the cut point of a feature: {question: 'age >= 60', to: 65}.",
    ),
    "threshold": Field(
        form=Either(_NUMBER, Null()),
        help="Smallest total that predicts the positive class; null to choose the best one again.",
    ),
}
_BESIDE = {
    "reason": Field(form=_TEXT, help="Why it was changed."),
    "at": Field(form=_TEXT, help="When it was changed."),
}


class EditForm(Record):
    """One change of a card by hand, with its reason."""

    def __init__(self) -> None:
        super().__init__({**_CHANGES, **_BESIDE})

    def read(self, node: FileNode, what: str) -> ByName[Any]:
        """Exactly one change."""
        found = super().read(node, what)
        kinds = [name for name in found if name in _CHANGES]
        if len(kinds) != 1:
            node.fail(f"{what} has {len(kinds)} changes; give one of {', '.join(_CHANGES)}")
        return found

    def schema(self) -> Schema:
        """An object with one of the changes."""
        return {**super().schema(), "oneOf": [{"required": [name]} for name in _CHANGES]}


EDITS = ListOf(EditForm(), "a list of changes, each after a dash")


def prepare_arguments(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section `prepare` as arguments of `Prepare`.

    >>> from supersparse import Settings
    >>> prepare_arguments(Settings.of(prepare={"cut_points": {"age": [45, 60.5]}, "max_cuts": 3}).prepare)
    {'cut_points': {'age': [45.0, 60.5]}, 'max_cuts': 3}
    """
    found = {name: dict(value) if isinstance(value, Mapping) else value for name, value in section.items()}
    if "cut_points" in found:
        found["cut_points"] = {name: list(map(float, cuts)) for name, cuts in found["cut_points"].items()}
    rare = found.get("rare")
    if isinstance(rare, Fraction):
        found["rare"] = float(rare)
    return found
