"""A card of questions on the rows of a fold, compared with models of all columns and cards of fewer questions.

All are learned from the training rows of the fold, and all measures are of the true classes of its test rows. One
search proves the best card of every number of questions, at no price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.metrics import roc_auc_score

from supersparse.base.exact import counted
from supersparse.base.stop import Stop
from supersparse.card.performance import ALL_COLUMNS, FIDELITY, THIS_CARD, Compared
from supersparse.engine.answers.frontier import frontier
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.rows import TrainingRows
from supersparse.learn.teacher import AdditiveTeacher, Floats, Teacher, fitted_teacher
from supersparse.problem.variants import errors_only, most_features
from supersparse.table.sources import as_array

CARD, TEACHER = THIS_CARD, "the teacher"
_SURE = 1e-9  # of a risk near 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well risks tell the classes of some rows, by weight."""

    auc: float | None  # None where all rows are of one class
    log_loss: float
    error: float  # share wrong where a risk above that of the card's threshold predicts the positive class
    proven: bool | None = None  # of a card
    teacher_log_loss: float | None = None  # to the risks of a teacher that was named, and so on
    teacher_r2: float | None = None  # share of the variance of the teacher's risks
    agreement: float | None = None  # share of the decisions that are the teacher's

    @classmethod
    def of(
        cls,
        risks: Floats,
        positive: NDArray[np.bool_],
        weights: Any,
        at: float,
        proven: bool | None = None,
        taught: Floats | None = None,
    ) -> "Measures":
        """Measure risks; `at` is the risk above which the positive class is predicted, `taught` are a teacher's."""
        w = np.ones(len(risks)) if weights is None else np.asarray(as_array(weights), float)
        sure = np.clip(risks, _SURE, 1 - _SURE)
        has_both = positive[w > 0].any() and not positive[w > 0].all()
        return cls(
            auc=float(roc_auc_score(positive, risks, sample_weight=w)) if has_both else None,
            log_loss=float(np.average(-np.log(np.where(positive, sure, 1 - sure)), weights=w)),
            error=float(np.average((risks > at) != positive, weights=w)),
            proven=proven,
            **({} if taught is None else _fidelity(risks, sure, taught, w, at)),
        )


def _fidelity(risks: Floats, sure: Floats, taught: Floats, weights: Floats, at: float) -> dict[str, float | None]:
    """How near risks are to those of a teacher."""
    spread = np.average((taught - np.average(taught, weights=weights)) ** 2, weights=weights)
    apart = np.average((taught - risks) ** 2, weights=weights)
    return {
        "teacher_log_loss": float(
            -np.average(taught * np.log(sure) + (1 - taught) * np.log(1 - sure), weights=weights)
        ),
        "teacher_r2": float(1 - apart / spread) if spread > 0 else None,
        "agreement": float(np.average((risks > at) == (taught > at), weights=weights)),
    }


def compared(
    question: PreparedProblem,
    solution: Solution,
    train: TrainingRows,
    test: TrainingRows,
    **options: Unpack[SolverKeywords],
) -> dict[str, Measures]:
    """Measure a card, those of fewer questions, and the models of all columns on held-out rows.

    `options` are those of a solver for the cards of each size; without time left, these are not there.
    """
    positive = np.asarray(test.y == question.problem.rows.classes[1])
    at = float(question.problem.risk_threshold)
    of_all = _of_all_columns(question.teacher, question, train, test)
    taught = None if isinstance(question.teacher, AdditiveTeacher) else of_all.get(TEACHER)

    def measured(risks: Floats, proven: bool | None = None) -> Measures:
        return Measures.of(risks, positive, test.sample_weight, at, proven, taught)

    measures = {CARD: measured(question.risks(solution, test.X), solution.proven_optimal)}
    measures |= {name: measured(risks) for name, risks in of_all.items()}
    most = most_features(errors_only(question.problem))
    sizes = frontier(question.problem, max_features=most, **options)
    if sizes.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    for row in sizes.rows[1:]:
        if row.solution is not None:
            measures[at_most(row.size)] = measured(question.risks(row.solution, test.X), row.proven)
    return measures


def at_most(size: int) -> str:
    """The name of the best card of at most `size` questions.

    >>> at_most(1), at_most(2)
    ('at most 1 question', 'at most 2 questions')
    """
    return f"at most {counted(size, 'question')}"


def _of_all_columns(
    teacher: Teacher | None, question: PreparedProblem, train: TrainingRows, test: TrainingRows
) -> Mapping[str, Floats]:
    """The risks of ridge on all columns, and of the teacher; nothing where there are too few rows."""
    ridge = teacher
    if not isinstance(ridge, AdditiveTeacher):
        alone = replace(train, risks=None)
        named = frozenset(train.X) if train.is_counted else question.recipe.named
        ridge = fitted_teacher("ridge", alone, question.problem.rows.classes[1], named)
    risks = {}
    if isinstance(ridge, AdditiveTeacher):
        risks[ALL_COLUMNS] = ridge.ridge_risks(test)
    if teacher is not None:
        risks[TEACHER] = teacher.risks(test)
    return risks


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The measures of each fold, by what was measured."""

    by_fold: tuple[Mapping[str, Measures], ...]

    @property
    def names(self) -> list[str]:
        """The models that every fold has measured, in order."""
        first = self.by_fold[0] if self.by_fold else {}
        return [name for name in first if all(name in fold for fold in self.by_fold)]

    def means(self, name: str) -> dict[str, float | None]:
        """The mean of each measure over the folds, and the share of folds in which a card was proven."""
        each = [fold[name] for fold in self.by_fold]
        aucs = [one.auc for one in each if one.auc is not None]
        proven = [one.proven for one in each if one.proven is not None]
        means = {
            "auc": fmean(aucs) if aucs else None,
            "log_loss": fmean(one.log_loss for one in each),
            "error": fmean(one.error for one in each),
            "proven": fmean(proven) if proven else None,
        }
        for measure in FIDELITY:
            known = [value for one in each if (value := getattr(one, measure)) is not None]
            if known:
                means[measure] = fmean(known)
        return means

    def as_data(self) -> list[dict[str, Any]]:
        """The same for JSON."""
        return [{"of": name, **self.means(name)} for name in self.names]

    @property
    def kept(self) -> tuple[Compared, ...]:
        """The same as a card keeps it, with intervals over the folds."""
        sizes = {at_most(size): size for size in range(1, len(self.names) + 1)}
        by_size = {name: size for name, size in sizes.items() if name in self.names}
        best = min(by_size, key=lambda name: self.means(name)["log_loss"] or 0.0, default=None)
        return tuple(
            Compared(
                **self.means(name),  # type: ignore[arg-type]
                of=name,
                questions=by_size.get(name),
                auc_interval=_interval([one.auc for fold in self.by_fold if (one := fold[name]).auc is not None], 0, 1),
                log_loss_interval=_interval([fold[name].log_loss for fold in self.by_fold]),
                worse=None if best is None or name not in by_size else self._is_worse(name, best),
            )
            for name in self.names
        )

    def _is_worse(self, name: str, other: str) -> bool:
        """Whether the log loss of one is clearly higher than that of another, fold by fold."""
        within = _interval([fold[name].log_loss - fold[other].log_loss for fold in self.by_fold])
        return within is not None and within[0] > 0

    def in_words(self) -> str:
        """The price of fewer questions, and how far all columns would lead, for a person."""
        if not self.names:
            return ""
        wide = max(map(len, self.names))
        lines = [f"{'':{wide}}    AUC  log loss  error"]
        for name in self.names:
            m = self.means(name)
            auc = "-" if m["auc"] is None else f"{m['auc']:.3f}"
            proven = m["proven"]
            near = "" if m.get("teacher_r2") is None else f"  R2 to the teacher {m['teacher_r2']:.3f}"
            note = near if proven is None or proven == 1 else f"{near}  proven in {100 * proven:.0f} % of the folds"
            lines.append(f"{name:{wide}}  {auc:>5}  {m['log_loss']:>8.4f}  {m['error']:.3f}{note}")
        return "\n".join(lines)


_SHARE_OF_TEST = 0.25  # rows tested for each row learned from, in five folds


def _interval(values: Sequence[float], least: float = -inf, most: float = inf) -> tuple[float, float] | None:
    """The interval of 95 % of a mean over folds that share rows (Nadeau and Bengio 2003, corrected t)."""
    n = len(values)
    if n < 2:
        return None
    half = float(t.ppf(0.975, n - 1)) * stdev(values) * sqrt(1 / n + _SHARE_OF_TEST)
    return max(least, fmean(values) - half), min(most, fmean(values) + half)


def comparison_of(by_fold: Sequence[Mapping[str, Measures] | None]) -> Comparison | None:
    """Put the folds together; None where they were not of cards of questions."""
    known = [fold for fold in by_fold if fold is not None]
    return Comparison(by_fold=tuple(known)) if known and len(known) == len(by_fold) else None
