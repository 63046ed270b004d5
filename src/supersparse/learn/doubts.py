"""Doubts about a table before a card is learned from it: leaks, and classes with few rows.

A leak is a column that may have been known only after the outcome.

An answer is suspect if all of its rows, 20 or more, are of one class, and chance does not explain it; a column, if
it separates the classes well and alone does at least as well as all others together.
"""

import math
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from supersparse.base.exact import counted
from supersparse.card.words import category_text, readable
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.problem.variants import of_classes
from supersparse.table.sources import read_every_column
from supersparse.table.values import Cells, Numbers, declared_category, is_missing

_ROWS = 20  # of one answer
_CHANCE = 1e-4  # of an answer with rows of one class only, where the column tells nothing
_SUSPECT = 0.8  # the AUC of a column that is compared with all others
_MOST_ROWS, _MOST_COLUMNS, _MOST_LEVELS = 20_000, 60, 12
_FOLDS = 5

Floats = NDArray[np.float64]


def leaks_among(X: Any, positive: NDArray[np.bool_]) -> list[str]:
    """Name what may have been known only after the outcome; X is a frame or a mapping of raw columns.

    >>> sick = np.arange(200) % 2 == 0
    >>> leaks_among({"discharge": np.where(sick, "ward", "home"), "age": np.arange(200) % 7}, sick)[0]
    "'discharge': all 100 rows with ward are positive; was this known before the outcome? If not: --drop discharge"
    """
    columns = read_every_column(X).columns
    if len(positive) > _MOST_ROWS:
        chosen = np.linspace(0, len(positive) - 1, _MOST_ROWS).astype(np.intp)
        columns, positive = {name: cells.take(chosen) for name, cells in columns.items()}, positive[chosen]
    share = float(positive.mean())
    if not 0 < share < 1:
        return []
    suspects = {
        name: text for name, cells in columns.items() if (text := _one_class(cells, positive, share)) is not None
    }
    for name, text in _outdoing(columns, positive):
        suspects.setdefault(name, text)
    ask = "was this known before the outcome? If not: --drop"
    return [f"{name!r}: {text}; {ask} {shlex.quote(name)}" for name, text in suspects.items()]


def _levels(cells: Cells) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The values of a column of few values, a missing one too, and the rows that hold each."""
    if isinstance(cells, Numbers):
        distinct = np.unique(cells.values)
        few = distinct if len(distinct) <= _MOST_LEVELS else distinct[:0]
        known = [(_in_words(value.item()), cells.values == value) for value in few]
    else:
        listed = [(k, v) for k, v in enumerate(cells.distinct) if not is_missing(v)]
        known = [(str(v), cells.codes == k) for k, v in listed] if len(listed) <= 2 * _MOST_LEVELS else []
    gone = cells.missing
    if gone is None or not gone.any():
        yield from known
        return
    yield from ((text, rows & ~gone) for text, rows in known)
    yield "no value", gone


def _in_words(value: float) -> str:
    if not math.isfinite(value):  # beyond a limit
        return "a value above every number" if value > 0 else "a value below every number"
    return category_text(declared_category(value, "a value"))


def _one_class(cells: Cells, positive: NDArray[np.bool_], share: float) -> str | None:
    for text, rows in sorted(_levels(cells), key=lambda one: -int(one[1].sum())):
        n, events = int(rows.sum()), int(positive[rows].sum())
        if n < _ROWS or n == len(positive) or 0 < events < n:
            continue
        if (share if events else 1 - share) ** n < _CHANCE:
            return f"all {counted(n, 'row')} with {text} are {'positive' if events else 'negative'}"
    return None


def _features(cells: Cells) -> Floats:
    """A column as numbers for a linear model: itself and whether it is missing, or a column for each category."""
    missing = np.zeros(len(cells), dtype=bool) if cells.missing is None else cells.missing
    if isinstance(cells, Numbers):
        values = np.where(missing, 0.0, np.nan_to_num(cells.values.astype(np.float64), posinf=0.0, neginf=0.0))
        middle = float(np.median(values[~missing])) if (~missing).any() else 0.0
        return np.column_stack([np.where(missing, middle, values), missing])
    common = np.argsort(-np.bincount(cells.codes, minlength=len(cells.distinct)))[:_MOST_LEVELS]
    return np.column_stack([*(cells.codes == k for k in common), missing]).astype(np.float64)


def _auc(features: list[Floats], positive: NDArray[np.bool_]) -> float:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    held_out = cross_val_predict(model, np.column_stack(features), positive, cv=_FOLDS, method="predict_proba")
    return float(roc_auc_score(positive, held_out[:, 1]))


def _outdoing(columns: Mapping[str, Cells], positive: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
    """Columns that alone do at least as well on held-out rows as all the others together."""
    if not 2 <= len(columns) <= _MOST_COLUMNS or min(positive.sum(), (~positive).sum()) < _FOLDS * 2:
        return
    features = {name: _features(cells) for name, cells in columns.items() if len(cells)}
    alone = {name: _quick_auc(one, positive) for name, one in features.items()}
    for name in sorted(features, key=lambda n: -alone[n])[:2]:
        if alone[name] < _SUSPECT:
            return
        auc = _auc([features[name]], positive)
        others = _auc([one for other, one in features.items() if other != name], positive)
        if auc >= max(others, _SUSPECT):
            yield (
                name,
                (
                    f"{readable(name)} alone separates the classes as well as all other columns together "
                    f"(AUC {auc:.2f} and {others:.2f})"
                ),
            )


def _quick_auc(features: Floats, positive: NDArray[np.bool_]) -> float:
    """The best AUC of a single feature, in either direction."""
    aucs = (float(roc_auc_score(positive, column)) for column in features.T if np.ptp(column) > 0)
    return max((max(auc, 1 - auc) for auc in aucs), default=0.5)


_FEW = 20  # rows of a class: one of them is 5 % of its errors or more
_ENOUGH = 10  # rows of each class, that a feature separates hardly by chance
_GLANCE = 1000  # rows that tell of most features that they do not separate the classes


def doubts(question: PreparedProblem, rows: TrainingRows) -> tuple[str, ...]:
    """Say what gives the class away, as what is known only later does, and who is few."""
    problem = of_classes(question.problem)
    n_positive = int(problem.rows.positive.sum())
    sizes = (len(problem.rows.positive) - n_positive, n_positive)
    if rows.is_counted:
        sizes = (int(problem.class_totals[0]), int(problem.class_totals[1]))
    few = min(sizes)
    notes = []
    if question.prepare is not None and not rows.is_counted:
        notes += leaks_among(rows.X, np.asarray(rows.y == problem.rows.classes[1]))
    elif few >= _ENOUGH and (named := list(_separating(question))):
        more = "" if len(named) == 1 else f" (as do {len(named) - 1} more)"
        notes.append(f"{named[0]} alone{more} separates the classes in all rows; is it known when the card is used?")
    if few < _FEW:
        rare = problem.rows.classes[sizes.index(few)]
        notes.append(
            f"the class {rare!r} has only {counted(few, 'row')}, so all figures of the card are imprecise, "
            "those on rows left out too"
        )
    return tuple(notes)


def _separating(question: PreparedProblem) -> Iterator[str]:
    """Name the features of which one side of a threshold is one class, and the other side the other."""
    rows = of_classes(question.problem).rows
    for name, column in zip(rows.names, rows.raw or rows.columns, strict=True):
        glance = _separates(column[:_GLANCE], rows.positive[:_GLANCE])
        if not glance or not _separates(column, rows.positive):
            continue
        yield repr(name)


def _separates(column: NDArray[np.generic], positive: NDArray[np.bool_]) -> bool:
    cases, controls = column[positive], column[~positive]
    if not len(cases) or not len(controls):
        return True  # for all that can be seen
    return bool(cases.min() > controls.max() or cases.max() < controls.min())
