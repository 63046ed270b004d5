"""Wording: how columns, answers and classes are called on the card, where their raw names will not do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from supersparse.base.errors import InvalidCardError
from supersparse.table.small_table import Tabular
from supersparse.table.values import Category, declared_category


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ColumnWording(Tabular):
    """The words for one raw column.

    `label` replaces its name, `unit` follows its numbers, `question` replaces label and condition where the
    column has a single answer that gives points, and `answers` replace categories.
    """

    column: str
    label: str | None = None
    unit: str | None = None
    question: str | None = None
    answers: Mapping[Category, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        what = f"an answer of {self.column!r}"
        read = {declared_category(value, what): text for value, text in self.answers.items()}
        object.__setattr__(self, "answers", read)
        for text in (self.label, self.unit, self.question, *read.values()):
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise InvalidCardError(f"the wording of {self.column!r} has {text!r}; give a string")

    def __hash__(self) -> int:
        return hash((self.column, self.label, self.unit, self.question, tuple(self.answers.items())))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Wording(Tabular):
    """The words for the classes and for some of the columns."""

    negative: str | None = None
    positive: str | None = None
    columns: tuple[ColumnWording, ...] = ()

    def __post_init__(self) -> None:
        names = [words.column for words in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise InvalidCardError(f"column {name!r} has two wordings; keep one")
        for text in (self.negative, self.positive):
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise InvalidCardError(f"a class is worded as {text!r}; give a string")
        if self.positive is not None and self.positive == self.negative:
            raise InvalidCardError(f"both classes are worded as {self.positive!r}; they must differ")

    def of(self, column: str) -> ColumnWording:
        """The words for a column, none of them set where there are none."""
        return next((words for words in self.columns if words.column == column), ColumnWording(column=column))
