"""The teacher: a strong model of all raw columns, whose risks are blended with the labels before a card is learned.

Its risks t and the classes y give soft labels p = (1 - blend) y + blend t: pseudo-data that shrink a card towards
what the other columns tell (catalytic priors, Huang, Stein, Rubin and Kou, PNAS 2020; distillation). A card of blended
labels has calibrated risks, and neither separation nor slopes without limit. The usual teacher is the mean of ridge
logistic regression and boosted stumps on standardised numbers, categories as columns of their own, and a column for
what is missing. It is fitted to the training rows of every fold anew.
"""

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from supersparse.base.errors import InvalidDataError, InvalidOptionError, SupersparseError, did_you_mean
from supersparse.learn.prepare.raw import RawColumn, kind_of_column
from supersparse.learn.prepare.sample import MOST_ROWS
from supersparse.learn.rows import TrainingRows
from supersparse.learn.splits import hold_out, most_folds, splits_of
from supersparse.problem.rows import LABEL_UNIT, read_weights
from supersparse.table.sources import CellTable, read_every_column
from supersparse.table.values import Category, Cells

Floats = NDArray[np.float64]

NAMES = ("auto", "ridge")
_PENALTIES = np.logspace(-4, 2, 10)  # 1 / the weight of the squared coefficients
_FIRM = 0.01  # of them, where the rarer class has few rows
_FEW, _TOO_FEW = 10, 4  # rows of the rarer class: for ridge alone, and for no teacher
_FOLDS = 5
_RATE, _MOST_STUMPS, _PATIENCE, _HELD_OUT = 0.05, 300, 15, 0.1
_RARE_LEVEL = 0.02  # share of the rows below which a category has no column


class Teacher(Protocol):
    """Anything that gives a risk for every row."""

    def risks(self, rows: TrainingRows) -> Floats:
        """The risk of each row, from 0 to 1."""
        ...


def fitted_teacher(asked: Any, rows: TrainingRows, positive: object, named: Collection[str] = ()) -> Teacher | None:
    """Return the teacher that a setting asks for, fitted to these rows; None where there is none, or too few rows.

    `asked` is "auto", "ridge", None, or a classifier, which is fitted to a copy unless it is fitted already. Rows that
    bring risks of their own need no model. `named` are columns whose numbers are categories.
    """
    if asked is None:
        return None
    if rows.risks is not None:
        return _RisksOfRows()
    if not isinstance(asked, str):
        return _Classifier.of(asked, rows, positive)
    check_known_teacher(asked, ())
    return AdditiveTeacher.of(rows, positive, stumps=asked == "auto", named=named)


def check_known_teacher(name: str, columns: Sequence[str]) -> None:
    """Refuse a name that neither a teacher nor a column of risks has."""
    if name not in (*NAMES, "none", *columns):
        raise InvalidOptionError(
            f"teacher is {name!r}, which is no teacher ({', '.join(NAMES)}, none) and no column of risks",
            did_you_mean(name, [*NAMES, "none", *columns]),
            subject="teacher",
            value=name,
        )


def check_predicts_risks(teacher: object) -> None:
    """Refuse what cannot be asked for risks."""
    if not hasattr(teacher, "predict_proba"):
        raise InvalidOptionError(
            f"teacher is {teacher!r}, which predicts no risks",
            "give auto, ridge, none, a classifier with predict_proba, or a risk for each row",
        )


def blended(y: NDArray[Any], positive: object, risks: Floats, blend: float) -> Floats:
    """Return the soft labels: between 0 and 1 by at least 2^-20, whatever the teacher is sure of."""
    labels = (1 - blend) * (y == positive) + blend * risks
    return cast(Floats, labels.clip(1 / LABEL_UNIT, 1 - 1 / LABEL_UNIT))


def sampled(rows: TrainingRows, most: int = MOST_ROWS, note: str | None = None) -> TrainingRows:
    """Return the rows that a teacher learns from, and answers are chosen on: a fixed sample of many."""
    if len(rows.y) <= most:
        return rows
    kept = np.sort(np.random.default_rng(0).permutation(len(rows.y))[:most])
    return rows.take(kept, note)


class _RisksOfRows:
    """Risks that the rows bring, used as they are in every fold."""

    def risks(self, rows: TrainingRows) -> Floats:
        """The risks of these rows."""
        assert rows.risks is not None, "rows keep their risks"
        return rows.risks


@dataclass(frozen=True, slots=True, eq=False)
class _Classifier:
    model: Any
    place: int  # of the positive class

    @classmethod
    def of(cls, asked: Any, rows: TrainingRows, positive: object) -> "_Classifier":
        """Ask a fitted classifier; fit a copy of another one."""
        check_predicts_risks(asked)
        try:
            check_is_fitted(asked)
            model = asked
        except (NotFittedError, TypeError):
            if not is_classifier(asked):
                raise InvalidOptionError(f"teacher is {asked!r}, which is no classifier", "give one") from None
            keywords = {} if rows.sample_weight is None else {"sample_weight": rows.sample_weight}
            try:
                model = clone(asked).fit(rows.X, rows.y, **keywords)
            except (ValueError, TypeError) as error:
                raise InvalidOptionError(
                    f"the teacher {type(asked).__name__} could not be fitted to the raw columns ({error})",
                    "give one that reads them, such as a pipeline with an encoder, or its risks as an array",
                ) from error
        classes = [label for label in model.classes_.tolist() if label == positive]
        if not classes:
            raise InvalidOptionError(
                f"the teacher knows the classes {model.classes_.tolist()}, not {positive!r}",
                "fit it to the same classes",
            )
        return cls(model, model.classes_.tolist().index(classes[0]))

    def risks(self, rows: TrainingRows) -> Floats:
        risks = np.asarray(self.model.predict_proba(rows.X), float)[:, self.place]
        return read_risks(risks, len(rows.y))


def read_risks(risks: Any, n_rows: int) -> Floats:
    """Check the risks of a teacher, one from 0 to 1 per row."""
    try:
        numbers = np.asarray(risks, float)
    except (TypeError, ValueError):
        raise InvalidDataError("the risks of the teacher are not numbers", "give one from 0 to 1 per row") from None
    if numbers.shape != (n_rows,):
        raise InvalidDataError(f"the teacher gives {numbers.size} risks for {n_rows} rows", "give one per row")
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        raise InvalidDataError(
            f"the teacher: row {int(wrong.argmax())} (counted from 0) has the risk {numbers[wrong.argmax()]:g}",
            "give a number from 0 to 1",
        )
    return numbers


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AdditiveTeacher:
    """Ridge logistic regression and, where there are enough rows, boosted stumps: the mean of their risks."""

    encoding: "_Encoding"
    ridge: LogisticRegression
    stumps: HistGradientBoostingClassifier | None

    @classmethod
    def of(
        cls, rows: TrainingRows, positive: object, *, stumps: bool = True, named: Collection[str] = ()
    ) -> "AdditiveTeacher | None":
        """Fit it to a sample of the rows; None where the rarer class has too few."""
        rows = sampled(rows)
        weights = _weights(rows)
        if weights is not None and (weights == 0).any():
            rows = rows.take(np.flatnonzero(weights))
            weights = _weights(rows)
        y = rows.y == positive
        each = np.ones(len(y)) if weights is None or not rows.is_counted else weights
        rarer = int(min(each[y].sum(), each[~y].sum()))
        if rarer < _TOO_FEW:
            return None
        with _quiet():
            table = read_every_column(rows.X, rows.names)
            encoding = _Encoding.of(table, named, weights)
            X = encoding.matrix(table)
            if rarer < _FEW:
                return cls(encoding=encoding, ridge=_ridge(_FIRM).fit(X, y, weights), stumps=None)
            by = {"groups": rows.groups, "times": rows.times}
            ridge = _best_ridge(X, y, weights, by)
            return cls(encoding=encoding, ridge=ridge, stumps=_boosted(X, y, weights, by) if stumps else None)

    def risks(self, rows: TrainingRows) -> Floats:
        """The mean of both models."""
        both = self._of_each(rows)
        return cast(Floats, sum(both) / len(both))

    def ridge_risks(self, rows: TrainingRows) -> Floats:
        """The risks of the ridge alone, which cards are compared with."""
        return self._of_each(rows)[0]

    def _of_each(self, rows: TrainingRows) -> list[Floats]:
        models = [self.ridge] if self.stumps is None else [self.ridge, self.stumps]
        with _quiet():
            X = self.encoding.matrix(read_every_column(rows.X, rows.names))
            return [np.asarray(model.predict_proba(X)[:, 1], float) for model in models]


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings about models that nobody asked for, and one thread, so that sums have one order."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        yield


def _weights(rows: TrainingRows) -> Floats | None:
    """Whole weights as copies of a row; others with the mean 1."""
    if rows.sample_weight is None:
        return None
    integers, unit = read_weights(rows.sample_weight, len(rows.y))
    weights = integers.astype(np.float64)
    return cast(Floats, weights if unit.denominator == 1 else weights * (np.count_nonzero(weights) / weights.sum()))


def _ridge(strength: float) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=300, warm_start=True)


def _best_ridge(X: Floats, y: NDArray[np.bool_], weights: Floats | None, by: Mapping[str, Any]) -> LogisticRegression:
    """Choose the penalty by the log loss of inner folds, from the firmest on, until it has risen twice.

    They are divided `by` groups or times, as the folds are in which the card is judged.
    """
    folds = min(_FOLDS, most_folds(y, by["groups"]))
    try:
        splits = splits_of(y, folds, **by)
    except SupersparseError:  # groups or times that hold one class each
        return _ridge(_FIRM).fit(X, y, weights)
    models = [_ridge(1.0) for _ in splits]
    best, chosen, risen = np.inf, _FIRM, 0
    for strength in _PENALTIES:
        loss = 0.0
        for model, (train, test) in zip(models, splits, strict=True):
            model.set_params(C=strength).fit(X[train], y[train], None if weights is None else weights[train])
            logit = model.decision_function(X[test])
            of_rows = np.logaddexp(0.0, np.where(y[test], -logit, logit))
            loss += float(of_rows.sum() if weights is None else of_rows @ weights[test])
        if loss < best:
            best, chosen, risen = loss, float(strength), 0
        else:
            risen += 1
            if risen == 2:
                break
    return _ridge(chosen).fit(X, y, weights)


def _boosted(
    X: Floats, y: NDArray[np.bool_], weights: Floats | None, by: Mapping[str, Any]
) -> HistGradientBoostingClassifier | None:
    """Boosted stumps that stop early, judged on rows of other groups, or of later times."""
    options: dict[str, Any] = {
        "max_depth": 1,
        "learning_rate": _RATE,
        "min_samples_leaf": max(5, len(y) // 50),
        "random_state": 0,
    }
    if not any(one is not None for one in by.values()):
        return HistGradientBoostingClassifier(
            max_iter=_MOST_STUMPS, early_stopping=True, n_iter_no_change=_PATIENCE, **options
        ).fit(X, y, weights)
    try:
        train, test = hold_out(y, _HELD_OUT, **by)
    except InvalidDataError:
        return None
    train_weights = None if weights is None else weights[train]
    whole = HistGradientBoostingClassifier(max_iter=_MOST_STUMPS, early_stopping=False, **options)
    losses = []
    for risks in whole.fit(X[train], y[train], train_weights).staged_predict_proba(X[test]):
        losses.append(float(-np.log(np.where(y[test], risks[:, 1], risks[:, 0])).mean()))
        if len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE:
            break
    most = int(np.argmin(losses)) + 1
    return HistGradientBoostingClassifier(max_iter=most, early_stopping=False, **options).fit(X, y, weights)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Column:
    """How a raw column becomes numbers."""

    name: str
    levels: tuple[Category, ...] | None  # those with a column of their own; None for a number
    mean: float
    spread: float
    has_missing: bool

    @property
    def width(self) -> int:
        """How many numbers it becomes."""
        return (1 if self.levels is None else len(self.levels)) + self.has_missing


@dataclass(frozen=True, slots=True, eq=False)
class _Encoding:
    """Numbers for a model of raw columns, learned from the training rows."""

    columns: tuple[_Column, ...]

    @classmethod
    def of(cls, table: CellTable, named: Collection[str], weights: Floats | None) -> "_Encoding":
        """Learn means, spreads and frequent categories."""
        columns = []
        for name, cells in table.columns.items():
            kind = kind_of_column(cells)
            if kind == "nothing" or kind.startswith("values such as"):
                continue
            column = RawColumn(name=name, position=0, cells=cells)
            w = np.ones(table.n_rows) if weights is None else weights
            w, has_missing, levels, mean, spread = w[column.present], column.n_missing > 0, None, 0.0, 1.0
            if kind == "categories" or name in named:
                known, codes = column.levels
                often = np.bincount(codes, w, len(known)) >= max(2.0, _RARE_LEVEL * table.n_rows)
                levels = tuple(level for level, enough in zip(known, often.tolist(), strict=True) if enough)
            else:
                values, codes = column.distinct
                numbers = values.astype(np.float64)[codes]
                mean = float(np.average(numbers, weights=w))
                spread = float(np.sqrt(np.average((numbers - mean) ** 2, weights=w))) or 1.0
            columns.append(_Column(name=name, levels=levels, mean=mean, spread=spread, has_missing=has_missing))
        return cls(tuple(columns))

    def matrix(self, table: CellTable) -> Floats:
        """The numbers of each row."""
        blocks: list[Floats] = [np.zeros((table.n_rows, 0))]
        for column in self.columns:
            raw = RawColumn(name=column.name, position=0, cells=table.columns[column.name])
            if column.levels is not None:
                place = {level: k for k, level in enumerate(column.levels)}
                known, codes = raw.levels
                places = np.array([place.get(level, -1) for level in known], dtype=np.intp)[codes]
                block = np.zeros((table.n_rows, len(column.levels)))
                has_one = np.flatnonzero(raw.present)[places >= 0]
                block[has_one, places[places >= 0]] = 1.0
                blocks.append(block)
            else:
                blocks.append(_standardised(raw, column)[:, None])
            if column.has_missing:
                blocks.append((~raw.present[:, None]).astype(np.float64))
        return np.column_stack(blocks)


def _standardised(raw: RawColumn, column: _Column) -> Floats:
    """A number in standard deviations from its mean, 0 where it is missing or cannot be read as one."""
    numbers = np.full(len(raw.cells), column.mean)
    if raw.present.any() and is_numeric(raw.cells):
        values, codes = raw.distinct
        numbers[raw.present] = values.astype(np.float64)[codes]
    return (numbers - column.mean) / column.spread


def is_numeric(cells: Cells) -> bool:
    """Whether all values of a column can be read as numbers."""
    return kind_of_column(cells) in ("numbers", "yes or no")
