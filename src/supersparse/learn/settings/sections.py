"""The sections of a settings file: options of the solver, and the way from a table to a card.

``solve``, ``table``, ``prepare`` and ``validate`` hold what `supersparse fit` otherwise takes as options,
under the same names, each declared where it has its effect; ``edits`` are changes by hand. So one file
repeats a card.
"""

from dataclasses import dataclass
from typing import Any

from supersparse.base.schema.scalars import Either, Null, NumberForm, Schema, TextForm, Whole
from supersparse.base.schema.setting import Option, fields_of, setting
from supersparse.base.schema.shapes import Field, ListOf, Record
from supersparse.base.schema.tree import ByName, FileNode
from supersparse.engine.options import SolverOptions
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.table.reading import ColumnSettings, ReadingSettings

_QUESTION = TextForm("the name of a feature, such as 'age >= 60'")
_NUMBER = NumberForm()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationSettings:
    """Cross-validation, and how rows are divided for it."""

    cv: int = setting(
        5,
        Whole(2),
        "Number of folds of a cross-validation, features included, which chooses C0 if you do not set it; default: 5.",
        option=Option(metavar="K"),
    )
    repeats: int | None = setting(
        None,
        Whole(1),
        "How many times the rows are divided into folds, each time in another way; default: 2, or 1 if "
        "cv or cv_time is given, or there are more than 300,000 values.",
        option=Option(metavar="N"),
    )
    cv_groups: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column of groups, such as patients, to keep in one fold, or none; default: an identifier that repeats.",
        option=Option(metavar="NAME"),
    )
    cv_time: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column of dates or numbers: train on earlier rows, test on later ones.",
        option=Option(metavar="NAME"),
    )


_SOLVE = fields_of(SolverOptions)
SOLVE = Record({"solver": _SOLVE["solver"], **_SOLVE})
TABLE = Record({**fields_of(ColumnSettings), **fields_of(ReadingSettings)})
PREPARE = Record(fields_of(PrepareSettings))
VALIDATE = Record(fields_of(ValidationSettings))


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
    "reason": Field(form=TextForm(), help="Why it was changed."),
    "at": Field(form=TextForm(), help="When it was changed."),
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
            node.fail(f"{what} has {len(kinds)} changes", f"give one of {', '.join(_CHANGES)}")
        return found

    def schema(self) -> Schema:
        """An object with one of the changes."""
        return {**super().schema(), "oneOf": [{"required": [name]} for name in _CHANGES]}


EDITS = ListOf(EditForm(), "a list of changes, each after a dash")
