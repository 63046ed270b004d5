"""The columns of a table for the page: kind, role, histogram by class, cuts and questions."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidDataError, SupersparseError
from supersparse.card.rules import InRange, Rule
from supersparse.card.words import answer, condition, readable
from supersparse.card.words import question as question_in_words
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.show.studio.inquiry import prepare_of
from supersparse.show.studio.texts import text
from supersparse.table.sources import read_every_column
from supersparse.table.table import Column, Kind, Table, floats
from supersparse.table.values import Cells

Mask = NDArray[np.bool_]
_BY_COLUMN = {"units": "unit", "direction": "direction", "shape": "shape"}  # choices by column


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Classes:
    """The two classes of a target: which rows have one, and which are positive."""

    positive: str
    negative: str
    known: Mask
    is_positive: Mask
    labels: NDArray[Any]  # of the known rows
    why: str | None
    notes: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        return {
            "positive": self.positive,
            "negative": self.negative,
            "positive_rows": int((self.is_positive & self.known).sum()),
            "negative_rows": int((~self.is_positive & self.known).sum()),
            "skipped": int((~self.known).sum()),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, eq=False)
class AnswerOf:
    """An answer of a question, shown as features are."""

    question: ColumnQuestion
    number: int

    @property
    def rule(self) -> Rule:
        return self.question.rules[self.number]

    @property
    def name(self) -> str:
        return condition(self.rule)

    def in_words(self) -> str:
        """The answer as a card has it."""
        return answer(self.rule, self.question.unit)

    def of_cells(self, cells: Cells) -> Mask:
        return np.asarray(self.question.of_cells(cells) == self.number, bool)


def asked_about(prepare: Prepare) -> list[Feature | AnswerOf]:
    """The yes/no features of a preparation, or the answers of its questions."""
    answers = [AnswerOf(one, k) for one in prepare.questions_ for k in range(len(one.rules))]
    return [*prepare.features_, *answers]


def fitted(
    table: Table, classes: Classes, used: Mapping[str, str], prepare: Prepare, settings: Settings | None
) -> Prepare:
    """Prepare the columns of a table; `settings` of a card of questions choose answers as it will."""
    rows = np.flatnonzero(classes.known)
    raw = {name: table.columns[name].values[rows] for name, role in used.items() if role == "feature"}
    if not raw:
        raise InvalidDataError(text("refused.no_columns", table=table.name))
    if settings is None or not settings.asks_questions:
        return prepare.fit(raw, classes.labels)
    asked = TrainingRows(X=raw, y=classes.labels, sample_weight=None, rate_groups=None)
    made = Settings.of(
        goal="risk", questions=True, positive=classes.positive, teacher=settings.teacher, blend=settings.blend
    )
    preparation = Recipe(settings=made, prepare=prepare).question(asked).prepare
    assert preparation is not None
    return preparation


class ColumnDescriber:
    """Describes columns one by one, with the questions that a preparation asks of them."""

    def __init__(
        self,
        table: Table,
        choices: Mapping[str, Any],
        classes: Classes | None,
        used: Mapping[str, str],
        prepare: Prepare | None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings
        self.table, self.choices, self.classes, self.used = table, choices, classes, used
        self.known = np.ones(table.n_rows, dtype=bool) if classes is None else classes.known
        self.features: dict[str, list[Feature | AnswerOf]] = {}
        self.notes: dict[str, str] = {}
        if prepare is not None:
            for feature in asked_about(prepare):
                self.features.setdefault(feature.rule.column, []).append(feature)
            for note in prepare.notes_:
                name, _, rest = note.partition(": ")
                self.notes[name] = rest

    def column(self, name: str, index: int) -> dict[str, Any]:
        column = self.table.columns[name]
        role, _, why = self.used[name].partition(": ")
        classes = self.classes
        numbers = _numbers(column)
        cuts = self._cuts(name)
        return {
            **_blank(name, index),
            "kind": column.kind.value,
            "role": role,
            "why_left_out": why or None,
            "can_keep": column.kind not in (Kind.DATE, Kind.EMPTY, Kind.TOO_MANY),
            "missing": column.n_missing,
            "different": column.n_different if len(column.values) else None,
            **_range(numbers),
            "histogram": histogram(column, None if classes is None else classes.is_positive, self.known),
            "cuts": cuts,
            "suggested_cuts": self._suggested(name, cuts),
            "questions": [] if classes is None else questions_of(self.features.get(name, ()), column, classes),
            "note": self.notes.get(name),
            **{one: self.choices[key].get(name) for key, one in _BY_COLUMN.items()},
        }

    def unread(self, name: str, index: int, column: Column) -> dict[str, Any]:
        """Describe a column about which something must be decided first."""
        return {
            **_blank(name, index),
            "kind": "undecided",
            "why_left_out": text("noticed.odd_left_out"),
            "missing": column.n_missing,
            "different": column.n_different,
        }

    def _cuts(self, name: str) -> list[float]:
        cuts = self.choices["cut_points"].get(name)
        if cuts is not None:
            return sorted(cuts)
        return _cuts_of(self.features.get(name, ()))

    def _suggested(self, name: str, cuts: list[float]) -> list[float]:
        """The cuts that would be used if nobody had moved them."""
        if name not in self.choices["cut_points"] or self.classes is None:
            return cuts
        prepare = prepare_of({**self.choices, "cut_points": {}, "direction": {}, "shape": {}, "units": {}})
        try:
            preparation = fitted(self.table, self.classes, {name: "feature"}, prepare, self.settings)
        except SupersparseError:
            return []
        return _cuts_of(asked_about(preparation))


def _cuts_of(features: Any) -> list[float]:
    bounds = {
        float(bound)
        for feature in features
        if isinstance(feature.rule, InRange)
        for bound in (feature.rule.low, feature.rule.high)
        if bound is not None
    }
    return sorted(bounds)


def _blank(name: str, index: int) -> dict[str, Any]:
    unknown = (
        *("kind", "why_left_out", "different", "smallest", "largest", "whole", "histogram"),
        *("note", "unit", "direction", "shape"),
    )
    return {
        "index": index,
        "name": name,
        "label": readable(name),
        "role": "left out",
        "can_keep": False,
        "missing": 0,
        **dict.fromkeys(unknown),
        **{name: list[Any]() for name in ("cuts", "suggested_cuts", "questions")},
    }


def _numbers(column: Column) -> NDArray[np.float64] | None:
    if column.kind is not Kind.NUMBER:
        return None
    values = floats(column.values)
    return values[np.isfinite(values)]


def _range(numbers: NDArray[np.float64] | None) -> dict[str, Any]:
    if numbers is None or not len(numbers):
        return {}
    return {
        "smallest": float(numbers.min()),
        "largest": float(numbers.max()),
        "whole": bool((np.floor(numbers) == numbers).all()),
    }


def questions_of(features: Iterable[Feature | AnswerOf], column: Column, classes: Classes) -> list[dict[str, Any]]:
    cells = read_every_column({column.name: column.values}).columns[column.name]
    positive, negative = classes.is_positive & classes.known, ~classes.is_positive & classes.known
    return [_described(feature, cells, positive, negative) for feature in features]


def _described(feature: Feature | AnswerOf, cells: Cells, positive: Mask, negative: Mask) -> dict[str, Any]:
    holds = feature.of_cells(cells).astype(bool)
    counts = [int((holds & of_class).sum()) for of_class in (positive, negative)]
    low = feature.rule.low if isinstance(feature.rule, InRange) else None
    return {
        "name": feature.name,
        "text": feature.in_words() if isinstance(feature, AnswerOf) else question_in_words(feature.rule, feature.unit),
        "cut": None if low is None else float(low),
        "gain": _gain(counts, [int(positive.sum()), int(negative.sum())]),
        "positive": counts[0],
        "negative": counts[1],
    }


def _gain(yes: list[int], all_rows: list[int]) -> float:
    """The information of a question about the class, in nats."""

    def entropy(counts: list[int]) -> float:
        total = sum(counts)
        return -sum(n / total * math.log(n / total) for n in counts if n) if total else 0.0

    no = [whole - part for whole, part in zip(all_rows, yes, strict=True)]
    total = max(1, sum(all_rows))
    after = sum(sum(side) / total * entropy(side) for side in (yes, no))
    return max(0.0, entropy(all_rows) - after)


_BINS = 24
_LEVELS = 20  # categories that get a bar of their own
_OUTLYING = 4.0  # a range more than this many times as wide as that of 98 % of the values is cut off


def histogram(column: Column, positive: Mask | None, known: Mask) -> dict[str, Any] | None:
    """Count the values of a column by class.

    `known` are the rows that count, `positive` the class of all rows; without a class all rows are counted as negative.
    """
    if column.kind in (Kind.EMPTY, Kind.TOO_MANY, Kind.DATE):
        return None
    of_class = np.zeros(len(known), dtype=bool) if positive is None else positive
    if column.kind is Kind.NUMBER:
        return _of_numbers(floats(column.values), of_class, known)
    cells = column.values.tolist()
    texts = [None if v is None else str(v).lower() if isinstance(v, bool) else str(v) for v in cells]
    return _of_texts(texts, of_class, known)


def _of_numbers(values: NDArray[np.float64], positive: Mask, known: Mask) -> dict[str, Any]:
    gone = np.isnan(values)
    finite = values[np.isfinite(values) & known]
    edges = bin_edges(finite)
    clipped = np.clip(values, edges[0], np.nextafter(edges[-1], -np.inf))
    counts = []
    for of_class in (positive, ~positive):
        rows = known & of_class & ~gone
        counts.append(np.histogram(clipped[rows], bins=np.array(edges))[0].tolist())
    return {
        "edges": edges,
        "labels": None,
        "positive": counts[0],
        "negative": counts[1],
        "missing": _missing_by_class(gone, positive, known),
        "others": 0,
        "clipped": [bool(len(finite) and finite.min() < edges[0]), bool(len(finite) and finite.max() > edges[-1])],
    }


def bin_edges(values: NDArray[np.float64]) -> list[float]:
    """Return edges of bins: one for each whole number where they are few, else of equal width.

    >>> bin_edges(np.array([1.0, 2.0, 4.0]))
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    if not len(values):
        return [0.0, 1.0]
    low, high = float(values.min()), float(values.max())
    if bool((np.floor(values) == values).all()) and high - low < _BINS:
        return [low + k for k in range(int(high - low) + 2)]
    near_low, near_high = (float(q) for q in np.quantile(values, [0.01, 0.99]))
    if near_high > near_low and high - low > _OUTLYING * (near_high - near_low):
        low, high = near_low, near_high
    if low == high:
        return [low, low + 1.0]
    return [float(edge) for edge in np.linspace(low, high, _BINS + 1)]


def _of_texts(texts: Sequence[str | None], positive: Mask, known: Mask) -> dict[str, Any]:
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    gone = np.array([cell is None for cell in texts], dtype=bool)
    for cell, is_positive, counted in zip(texts, positive.tolist(), known.tolist(), strict=True):
        if cell is not None and counted:
            counts[is_positive][cell] += 1
    both = counts[0] + counts[1]
    labels = [label for label, _ in sorted(both.items(), key=lambda pair: (-pair[1], pair[0]))[:_LEVELS]]
    return {
        "edges": None,
        "labels": labels,
        "positive": [counts[1][label] for label in labels],
        "negative": [counts[0][label] for label in labels],
        "missing": _missing_by_class(gone, positive, known),
        "others": both.total() - sum(both[label] for label in labels),
        "clipped": [False, False],
    }


def _missing_by_class(gone: Mask, positive: Mask, known: Mask) -> list[int]:
    return [int((gone & known & of_class).sum()) for of_class in (positive, ~positive)]
