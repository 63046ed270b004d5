"""Forms of the section `edits`: changes of a card by hand, as a settings file has them."""

from typing import Any

from supersparse.base.schema.scalars import Either, Null, NumberForm, Schema, TextForm, Whole
from supersparse.base.schema.shapes import Field, ListOf, Record
from supersparse.base.schema.tree import ByName, FileNode

_QUESTION = TextForm("the name of a feature, such as 'age >= 60'")
_NUMBER = NumberForm()


def _about(**more: Field) -> Record:
    """One question of the card, and what becomes of it."""
    return Record({"question": Field(form=_QUESTION, help="A feature.", required=True), **more})


_POINTS = Either(_NUMBER, ListOf(Whole(0), "points by answer"))
_CHANGES = {
    "points": Field(
        form=_about(
            to=Field(form=_POINTS, help="Its new points; of a question those of all its answers.", required=True),
            answer=Field(
                form=Either(Whole(1), TextForm()),
                help="The one answer of a question that gets them, by number or as in 'age >= 60'.",
            ),
        ),
        help="Change the points of a feature, {question: 'age >= 60', to: 2}, or of a question, "
        "{question: age, to: [0, 1, 3]}.",
    ),
    "drop": Field(form=_QUESTION, help="Leave a feature out."),
    "add": Field(
        form=_about(
            points=Field(
                form=_POINTS, help="Its points; default: 1, or the best ones of a question while all others stay."
            )
        ),
        help="Add a feature, {question: 'age >= 60', points: 1}, or a question, {question: age}.",
    ),
    "swap": Field(
        form=_about(**{"for": Field(form=_QUESTION, help="The new feature.", required=True)}),
        help="Replace a feature: {question: 'age >= 60', for: 'age >= 70'}.",
    ),
    "cut": Field(
        form=_about(
            **{"from": Field(form=_NUMBER, help="The cut point of a question that has several.")},
            to=Field(form=_NUMBER, help="The new cut point.", required=True),
        ),
        help="Move the cut point of a feature, {question: 'age >= 60', to: 65}, or of a question, "
        "{question: age, from: 60, to: 65}.",
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
        change = super().read(node, what)
        kinds = [name for name in change if name in _CHANGES]
        if len(kinds) != 1:
            node.fail(f"{what} has {len(kinds)} changes", f"give one of {', '.join(_CHANGES)}")
        return change

    def schema(self) -> Schema:
        """An object with one of the changes."""
        return {**super().schema(), "oneOf": [{"required": [name]} for name in _CHANGES]}


EDITS = ListOf(EditForm(), "a list of changes, each after a dash")
