"""Names: the words of a card in a file: title, classes, and the label, unit, question, answers of columns.

::

    title: Survival after an operation
    classes: {died: died within 5 years}
    columns:
      age: {label: Age at operation, unit: years}
      smoker:
        question: Does the patient smoke?
        answers: {Y: "yes", N: "no"}
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from supersparse.base.errors import (
    InvalidCardError,
    InvalidProblemError,
    InvalidSettingsError,
    SupersparseError,
    did_you_mean,
)
from supersparse.base.schema.scalars import Form, Plain, Schema, TextForm
from supersparse.base.schema.setting import Option, setting
from supersparse.base.schema.shapes import Field, Record, TableOf
from supersparse.base.schema.tree import (
    FileMapping,
    FileNode,
    Scalar,
    file_format,
    file_text,
    find_label,
    json_tree,
    tree_of,
    yaml_tree,
)
from supersparse.card.card import Card
from supersparse.card.words import ColumnWording, Wording
from supersparse.table.values import Category

Place = tuple[str, ...]  # the keys that lead to a key


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingSettings:
    """The title of a card, and the file of its other words."""

    title: str | None = setting(
        None, TextForm(), "Title of the card; default: the target.", option=Option(metavar="TEXT"), in_files=False
    )
    names: Path | None = setting(
        None,
        TextForm(),
        "YAML or JSON file with labels, units, questions, answers and names of classes; `supersparse names` "
        "starts one.",
        option=Option(read=Path, is_read_later=True, is_file=True),
        in_files=False,
    )


class _Words(Form[str | None]):
    """Any single value as it is written; nothing, where nothing is."""

    wanted = "text"

    def fits(self, node: FileNode) -> bool:
        return isinstance(node, Scalar)

    def read(self, node: FileNode, what: str) -> str | None:
        if not isinstance(node, Scalar):
            self.refuse(node, what)
        return None if node.is_null or not node.text.strip() else node.text

    def holds(self, value: object) -> bool:
        return value is None or isinstance(value, str)

    def write(self, value: str | None) -> Plain:
        return value

    def schema(self) -> Schema:
        return {"type": ["string", "number", "boolean", "null"]}


_COLUMN = Record(
    {
        "label": Field(form=_Words(), help="Name of the column on the card."),
        "unit": Field(form=_Words(), help="Unit of its numbers."),
        "question": Field(form=_Words(), help="Question, where one answer gives points."),
        "answers": Field(form=TableOf(_Words(), "texts by value"), help="Texts of its values."),
    },
    synonyms={"name": "label", "title": "label", "values": "answers", "units": "unit", "text": "question"},
)
_NAMES = Record(
    {
        "title": Field(form=_Words(), help="Title of the card."),
        "classes": Field(form=TableOf(_Words(), "texts by class"), help="Names of the two classes."),
        "columns": Field(form=TableOf(_COLUMN, "the words of each column"), help="Words by column."),
    },
    elsewhere={
        name: f"it belongs to a column; write it under 'columns': 'age: {{{name}: ...}}'" for name in _COLUMN.fields
    },
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Names:
    """The content of a file of names; nothing in it has been compared with a card or a table yet."""

    title: str | None
    classes: Mapping[str, str]
    columns: Mapping[str, Mapping[str, Any]]
    places: Mapping[Place, str]  # where each key stands

    def fail(self, place: Place, error: SupersparseError | str, remedy: str | None = None) -> InvalidSettingsError:
        if isinstance(error, str):
            error = InvalidSettingsError(error, remedy, subject=place[-1])
        where = self.places.get(place, "")
        return InvalidSettingsError.of(error, f"{where}: " if where else "")

    def check(self, values: Mapping[str, Collection[object] | None], classes: Collection[object]) -> list[str]:
        """Refuse answers and classes that a table does not have, and return the columns that it does not.

        `values` are the different values of each column, None where these are too many to list.
        """
        self.check_spelling(values)
        for column, known in values.items():
            answers = self.columns.get(column, {}).get("answers", ())
            if known is not None:
                for answer in answers:
                    self.value_of(column, answer, known)
        for name in self.classes:
            self.class_of(name, classes)
        return [column for column in self.columns if column not in values]

    def check_distinct(self) -> None:
        """Refuse two columns with one label, and two answers of a column with one text."""
        labels: dict[str, str] = {}
        for column, words in self.columns.items():
            label = words.get("label")
            other = column if label is None else labels.setdefault(label.strip(), column)
            if other != column:
                raise self.fail(
                    ("columns", column, "label"),
                    f"the columns {other!r} and {column!r} are both labelled {label!r}",
                    "they must differ",
                )
            texts: dict[str, str] = {}
            for answer, text in words.get("answers", {}).items():
                before = texts.setdefault(text.strip(), answer)
                if before != answer:
                    raise self.fail(
                        ("columns", column, "answers", answer),
                        f"the answers {before!r} and {answer!r} of {column!r} are both worded as {text!r}",
                        "they must differ",
                    )

    def check_spelling(self, known: Collection[str]) -> None:
        """Refuse a column that is like one of these, and not one of them; others may have been left out."""
        unnamed = [name for name in known if name not in self.columns]
        for column in self.columns:
            hint = "" if column in known else did_you_mean(column, unnamed)
            if hint.startswith("did you mean"):
                raise self.fail(("columns", column), f"there is no column {column!r}", hint)

    def value_of(self, column: str, answer: str, known: Collection[object]) -> object:
        """Return the value of a column that an answer is about."""
        try:
            return find_label(answer, known, f"the answers of {column!r}")
        except InvalidProblemError:
            hint = did_you_mean(answer, map(str, known))
            raise self.fail(
                ("columns", column, "answers", answer), f"{column!r} has no value {answer!r}", hint
            ) from None

    def class_of(self, name: str, classes: Collection[object]) -> object:
        try:
            return find_label(name, classes, "classes")
        except InvalidProblemError:
            hint = did_you_mean(name, map(str, classes))
            raise self.fail(("classes", name), f"there is no class {name!r}", hint) from None


def read_names(source: "str | Path | Mapping[str, Any] | Names") -> Names:
    """Read names from a YAML or JSON file, or from a mapping of the same form."""
    if isinstance(source, Names):
        return source
    if isinstance(source, Mapping):
        return _of_tree(tree_of(source))
    tree = json_tree if file_format(source, "files of names") == "json" else yaml_tree
    return _of_tree(tree(file_text(source), str(source)))


def _of_tree(tree: FileNode) -> Names:
    read = dict(_NAMES.read(tree, "the names"))
    columns = {
        name: {key: _texts(v) if key == "answers" else v for key, v in words.items() if v is not None}
        for name, words in read.get("columns", {}).items()
    }
    names = Names(
        title=read.get("title"),
        classes=_texts(read.get("classes", {})),
        columns=columns,
        places=dict(_places(tree, ())),
    )
    names.check_distinct()
    return names


def _texts(words: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in words.items() if text is not None}


def _places(node: FileNode, before: Place) -> Iterator[tuple[Place, str]]:
    for key, value in node.entries if isinstance(node, FileMapping) else ():
        yield (*before, key.text), key.where
        yield from _places(value, (*before, key.text))


def worded(card: Card, names: Names, *, checked: bool = False) -> Card:
    """Return a card with these words. Columns that it does not use are left out.

    Unless they have been checked, a class or an answer that the card does not have is refused, and so is a
    column that looks like a misspelt one.
    """
    if not checked:
        names.check_spelling(card.columns)
    by_class = {names.class_of(name, card.classes): text for name, text in names.classes.items()}
    known = {words.column: words for words in card.wording.columns}
    for column, words in names.columns.items():
        if column in card.columns:
            try:
                known[column] = _column(card, column, names, words, checked=checked)
            except InvalidCardError as error:
                raise names.fail(("columns", column), error) from None
    try:
        wording = Wording(
            negative=by_class.get(card.negative, card.wording.negative),
            positive=by_class.get(card.positive, card.wording.positive),
            columns=tuple(known.values()),
        )
    except InvalidCardError as error:
        raise names.fail(("classes",), error) from None
    return replace(card, title=names.title or card.title, wording=wording)


def _column(card: Card, column: str, names: Names, words: Mapping[str, Any], *, checked: bool) -> ColumnWording:
    values, complete = _values(card, column)
    answers: dict[Category, str] = {}
    for answer, text in words.get("answers", {}).items():
        try:
            answers[names.value_of(column, answer, values)] = text  # type: ignore[index]
        except InvalidSettingsError:
            if complete and not checked:
                raise
            if any(isinstance(value, str) for value in values):  # an answer that gives the points of the rest
                answers[answer] = text
    return ColumnWording(
        column=column, label=words.get("label"), unit=words.get("unit"), question=words.get("question"), answers=answers
    )


def _values(card: Card, column: str) -> tuple[list[Category], bool]:
    """The values of a column that a card knows, and whether these are all."""
    listed = [d.values for d in card.domains if d.column == column and d.values is not None]
    named = [getattr(item.rule, "values", ()) for item in card.items_by_column()[column]]
    # truth values stand for 0 and 1, and are equal to them
    return list(dict.fromkeys(value for values in (*listed, *named) for value in values)), bool(listed)
