"""Theorems 1 and 2: bounds on the true error rate of every scoring system that a problem allows.

By Hoeffding's inequality, the true error rate of one classifier, fixed beforehand, exceeds its rate on N
independent rows by more than ε with probability at most exp(-2Nε²). By the union bound, with ε = sqrt((log M
- log δ) / 2N) this happens to none of M classifiers, except with probability δ. M must be finite and must not
depend on the rows. The loss may be either error count (a score of 0 is wrong for both classes, or what
`predict` does), as long as both sides of the inequality use the same one.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import Number, exact
from supersparse.problem.losses import loss_of
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem
from supersparse.problem.theory.optima import size_limit_of_any_rows
from supersparse.problem.theory.space import ModelSpace, declared_sets, declared_space
from supersparse.table.small_table import SmallTable, Tabular, facts


def obstacles(problem: Problem, cut_points_fitted: bool) -> tuple[str, ...]:
    """List every reason why there is no bound: infinitely many or data-dependent classifiers, or weights."""
    reasons = []
    if loss_of(problem).gives_risks:
        reasons.append(
            "goal 'risk' lets the threshold be any number, so there are infinitely many classifiers; only "
            "goal 'errors' with a range of intercepts has a bound"
        )
    elif problem.intercept.mode == "free":
        reasons.append(
            "the threshold can be any number, so there are infinitely many classifiers; "
            "set a range such as intercept=(-100, 100)"
        )
    if cut_points_fitted:
        reasons.append(
            "the cut points were fitted on the same rows, so the classifiers depend on the data; "
            "fix the cut points beforehand or fit them on other rows"
        )
    if problem.class_weights[0] != problem.class_weights[1]:
        of_class = zip(problem.class_weights, problem.rows.classes, strict=True)
        shown = ", ".join(f"{decimal(weight)} for {label!r}" for weight, label in of_class)
        reasons.append(
            f"the class weights differ ({shown}), but the theorems are about the unweighted error rate; "
            "use class_weight=None"
        )
    weights = problem.rows.weights
    least, greatest = (int(w) * problem.rows.weight_unit for w in (weights.min(), weights.max()))
    if least != greatest:
        reasons.append(
            f"the sample weights differ ({decimal(least)} to {decimal(greatest)}), but the theorems are "
            "about unweighted rows; use sample_weight=None"
        )
    return tuple(reasons)


def why_not_directions(problem: Problem, space: ModelSpace) -> str:
    """Name the first set that Theorem 2 does not cover."""
    named = list(zip(problem.rows.names, declared_sets(problem), strict=True))
    if problem.intercept.allowed is not None:
        named.append((INTERCEPT, problem.intercept.allowed))
    step = "whole numbers" if space.unit == 1 else f"multiples of 1/{space.unit}"
    for name, values in named:
        if space.is_broken(values):
            return (
                f"the set of {name!r} is not an unbroken run of {step} through 0, "
                "so dividing by a common divisor may leave it"
            )
    return "the intercept's range leaves out 0, so dividing by a common divisor may leave it"


def decimal(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"  # a float could underflow to 0


class Form(Enum):
    """The count of classifiers that a bound uses."""

    THEOREM_1 = "Theorem 1"
    THEOREM_1_SIZE = "Theorem 1 with the size limit"
    THEOREM_1_PRICE = "Theorem 1 with the size that C0 allows"
    THEOREM_2 = "Theorem 2"
    THEOREM_2_SIZE = "Theorem 2 with the size limit"
    THEOREM_2_PRICE = "Theorem 2 with the size that C0 allows"
    THEOREM_2_FAREY = "Theorem 2 with the paper's Farey points"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Bound(Tabular):
    """True error rate <= training error rate + slack, for all `count` classifiers at once.

    The forms "with the size that C0 allows" hold for those that cost no more than a card without features.
    `proven` is False if the paper's count of Farey points is below the number of classifiers, because the
    union bound then misses some of them.
    """

    form: Form
    count: int  # exact; Theorem 1 adds 1, as in the paper
    n_rows: int
    delta: Fraction
    training_error: Fraction | None
    proven: bool

    @property
    def log_count(self) -> float:
        """Natural logarithm of the number under the root: count + 1 in Theorem 1, count in Theorem 2."""
        plus_one = self.form in (Form.THEOREM_1, Form.THEOREM_1_SIZE, Form.THEOREM_1_PRICE)
        return math.log(self.count + plus_one)

    @property
    def slack(self) -> float:
        """How far the true error rate can be above the training error rate; 0.1 is ten percentage points."""
        return hoeffding_slack(self.log_count, delta=self.delta, n_rows=self.n_rows)

    @property
    def limit(self) -> float | None:
        """The bound on the true error rate; None without a training error. May exceed 1."""
        return None if self.training_error is None else float(self.training_error) + self.slack

    @property
    def says_nothing(self) -> bool:
        """Whether the bound is 100 % or more, which is true of any error rate."""
        return (self.slack if self.limit is None else self.limit) >= 1

    def in_words(self) -> str:
        """Describe the bound. Percentages are rounded up."""
        if not self.proven:
            return (
                f"{self.form.value}, for comparison only: + {_points_up(self.slack)}. There are "
                f"{_approximately(self.count)} such points but more classifiers, so nothing is proven."
            )
        words = (
            f"{self.form.value}: except with probability {decimal(self.delta)} over the draw of "
            f"{self.n_rows} rows, each of {_approximately(self.count)} classifiers{self._which} has a true "
            f"error rate of at most its training error rate + {_points_up(self.slack)}."
        )
        if self.limit is not None and self.training_error is not None:
            seen = f"{100 * float(self.training_error):.1f} %"
            words += (
                f" With a training error of {seen}: at most {_points_up(self.limit).replace('percentage points', '%')}."
            )
        if self.says_nothing:
            words += " A bound of 100 % or more says nothing: there are too many classifiers for so few rows."
        return words

    @property
    def _which(self) -> str:
        priced = self.form in (Form.THEOREM_1_PRICE, Form.THEOREM_2_PRICE)
        return " that is no more costly than one without features" if priced else ""

    def __repr__(self) -> str:  # without the count: Python refuses to print integers of more than 4300 digits
        return (
            f"Bound({self.form.value}, slack={self.slack:.4g}, log_count={self.log_count:.6g}, "
            f"n_rows={self.n_rows}, delta={decimal(self.delta)}, proven={self.proven})"
        )

    def _small_table(self) -> SmallTable:
        return facts(
            form=self.form.value,
            slack=self.slack,
            limit=self.limit,
            classifiers=_approximately(self.count),
            rows=self.n_rows,
            delta=decimal(self.delta),
            proven=self.proven,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NoBound(Tabular):
    """Why there is no bound, for one form or for all."""

    form: Form | None  # None: no form applies
    reasons: tuple[str, ...]

    def in_words(self) -> str:
        """Say why, and what to change."""
        which = "no bound" if self.form is None else f"{self.form.value}: no bound"
        return f"{which}: {'. Also: '.join(self.reasons)}"


def generalization_bound(
    problem: Problem,
    *,
    delta: Number = 0.01,
    training_error: Number | None = None,
    cut_points_fitted: bool = False,
    optimal: bool = False,
) -> Bound | NoBound:
    """Return the sharpest proven bound, which is the one to report.

    It holds for every allowed scoring system at once, and so for one that a solver selected on the rows, even
    with C0 chosen on them. `training_error` is a rate and sets `Bound.limit`. A size limit, like the sets,
    must have been declared beforehand; if it was chosen on the same rows, use the forms without it from
    `bounds`. With `optimal` the bound is for optimal cards, which C0 keeps small; see `bounds`.

    >>> problem = Problem.of([[0], [1]] * 500, [0, 1] * 500, max_points=5, intercept=(-5, 5))
    >>> generalization_bound(problem, training_error=0.02)
    Bound(Theorem 2, slack=0.06708, log_count=4.39445, n_rows=1000, delta=0.01, proven=True)
    """
    forms = bounds(
        problem, delta=delta, training_error=training_error, cut_points_fitted=cut_points_fitted, optimal=optimal
    )
    proven = [b for b in forms if isinstance(b, Bound) and b.proven and b.form is not Form.THEOREM_2_FAREY]
    if proven:
        return min(proven, key=lambda b: b.log_count)
    (refusal,) = forms
    assert isinstance(refusal, NoBound), "Theorem 1 applies wherever any form does"
    return refusal


def bounds(
    problem: Problem,
    *,
    delta: Number = 0.01,
    training_error: Number | None = None,
    cut_points_fitted: bool = False,
    optimal: bool = False,
) -> tuple[Bound | NoBound, ...]:
    """Return all forms; a form that does not apply says why. If none applies, return only the reason.

    Theorem 1 counts the vectors (λ, b) in L, plus 1, as the paper prints it. Theorem 2 counts the distinct
    classifiers among them: the directions of (λ, b), which for sets -Λ, ..., Λ are the coprime vectors, and
    the zero vector. An intercept range is one more coordinate of the box; it may differ from the others but
    must contain 0. With the size limit, only vectors with at most that many features count. The paper's Farey
    points need -Λ, ..., Λ in every coordinate; an intercept is one of P + 1 there. Other constraints are
    ignored: they only make the set smaller, and some of them depend on the rows.

    With `optimal`, the forms "with the size that C0 allows" join them where they count fewer: whatever the
    rows are, no optimum has more than 1/(2·C0) features, or 1/C0 (`theory.optima` has the proof),
    so only smaller vectors count. They hold for optimal cards, proven or not, and for all that cost no more
    than a card without features; C0 must have been chosen beforehand.
    """
    probability = _read_probability(delta)
    error = _read_error(training_error)
    reasons = obstacles(problem, cut_points_fitted)
    if reasons:
        return (NoBound(form=None, reasons=reasons),)
    space = declared_space(problem)

    def bound(form: Form, count: int, proven: bool = True) -> Bound:
        return Bound(
            form=form, count=count, n_rows=problem.rows.n_rows, delta=probability, training_error=error, proven=proven
        )

    bounds: list[Bound | NoBound] = [bound(Form.THEOREM_1, space.n_vectors())]
    if space.limits_size:
        bounds.append(bound(Form.THEOREM_1_SIZE, space.n_vectors(space.max_size)))
    priced = _size_by_price(problem, space) if optimal else None
    if priced is not None:
        bounds.append(bound(Form.THEOREM_1_PRICE, space.n_vectors(priced)))
    directions = space.n_directions()
    if directions is None:
        return (*bounds, NoBound(form=Form.THEOREM_2, reasons=(why_not_directions(problem, space),)))
    bounds.append(bound(Form.THEOREM_2, directions))
    if space.limits_size:
        of_size = space.n_directions(space.max_size)
        assert of_size is not None
        bounds.append(bound(Form.THEOREM_2_SIZE, of_size))
    if priced is not None:
        of_price = space.n_directions(priced)
        assert of_price is not None
        bounds.append(bound(Form.THEOREM_2_PRICE, of_price))
    farey = space.n_farey()
    if farey is None:
        why = "the paper's count needs points from -Λ to Λ for all features, and the intercept from -Λ to Λ too"
        return (*bounds, NoBound(form=Form.THEOREM_2_FAREY, reasons=(why,)))
    return (*bounds, bound(Form.THEOREM_2_FAREY, farey, proven=farey >= directions))


def _size_by_price(problem: Problem, space: ModelSpace) -> int | None:
    """The size that C0 allows, if it is below what the sets and the size limit allow."""
    priced = size_limit_of_any_rows(problem)
    allowed = sum(space.sets.values()) if space.max_size is None else space.max_size
    return None if priced is None or priced >= allowed else priced


def hoeffding_slack(log_count: float, *, delta: Number, n_rows: int) -> float:
    """Return sqrt((log_count - log δ) / 2N).

    >>> round(hoeffding_slack(0.0, delta=0.05, n_rows=1000), 4)  # one classifier, fixed beforehand
    0.0387
    """
    if n_rows < 1:
        raise InvalidOptionError(f"n_rows is {n_rows}", "it must be at least 1")
    return math.sqrt((log_count + negative_log(_read_probability(delta))) / (2 * n_rows))


def negative_log(probability: Fraction) -> float:
    """Return -log of a fraction, even below the smallest float."""
    return math.log(probability.denominator) - math.log(probability.numerator)


def _read_probability(delta: Number) -> Fraction:
    value = exact(delta, "delta", InvalidOptionError)
    if not 0 < value < 1:
        raise InvalidOptionError(f"delta is {delta}", "give a probability between 0 and 1, such as 0.01")
    return value


def _read_error(training_error: Number | None) -> Fraction | None:
    if training_error is None:
        return None
    value = exact(training_error, "training_error", InvalidOptionError)
    if not 0 <= value <= 1:
        raise InvalidOptionError(
            f"training_error is {training_error}", "give a rate from 0 to 1, such as errors / rows"
        )
    return value


def _points_up(rate: float) -> str:
    tenths = math.ceil(round(rate * 1000, 6))  # 0.158 * 1000 is a little above 158 in floats
    return f"{tenths / 10:.1f} percentage points"


def _approximately(count: int) -> str:
    if count < 10**6:
        return str(count)
    exponent = math.floor(math.log10(count))
    mantissa = f"{10 ** (math.log10(count) - exponent):.1f}"
    return f"about 1.0·10^{exponent + 1}" if mantissa == "10.0" else f"about {mantissa}·10^{exponent}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OneMoreDigit(Tabular):
    """The number of rows at which points with one more digit have the same slack as now."""

    n_rows: int
    n_rows_needed: int
    log_count: float  # under the root now
    log_count_finer: float  # under the root with one more digit
    delta: Fraction

    @property
    def slack(self) -> float:
        """The slack, the same for the current points and rows as for the finer points and rows needed."""
        return hoeffding_slack(self.log_count, delta=self.delta, n_rows=self.n_rows)

    def in_words(self) -> str:
        """Say how many rows are needed."""
        return (
            f"One more digit in the points needs {self.n_rows_needed} rows instead of {self.n_rows} "
            f"for the same slack of {self.slack:.3f}."
        )

    _facts = "rows=n_rows rows_needed=n_rows_needed slack delta"


def one_more_digit(
    problem: Problem, *, delta: Number = 0.01, cut_points_fitted: bool = False
) -> OneMoreDigit | NoBound:
    """Return the number of rows at which points with one more digit have the same bound.

    The paper says that with more data L can have "one more significant digit within each coefficient", but
    gives no number. Here every step between neighbouring values of a set is divided into ten: whole numbers
    become multiples of 0.1, one significant digit becomes two. An intercept range is divided in the same way.
    With M classifiers now and M' then, (log M - log δ) / 2N = (log M' - log δ) / 2N' keeps the slack, so

        N' = N·(log M' - log δ) / (log M - log δ),    about N + P·log(10) / (2·slack²)

    for P coordinates without a size limit, rounded up. Both counts use the theorem that
    `generalization_bound` reports now. This is what the bound requires; it does not promise fewer errors.

    >>> problem = Problem.of([[0], [1]] * 500, [0, 1] * 500, max_points=5, intercept=(-5, 5))
    >>> one_more_digit(problem).n_rows_needed
    1482
    """
    now = generalization_bound(problem, delta=delta, cut_points_fitted=cut_points_fitted)
    if isinstance(now, NoBound):
        return now
    finer = declared_space(problem).with_one_more_digit()
    by_directions = now.form in (Form.THEOREM_2, Form.THEOREM_2_SIZE)
    directions = finer.n_directions(finer.max_size) if by_directions else None
    log_count_finer = math.log(finer.n_vectors(finer.max_size) + 1 if directions is None else directions)
    doubt = negative_log(now.delta)
    return OneMoreDigit(
        n_rows=now.n_rows,
        n_rows_needed=math.ceil(now.n_rows * (log_count_finer + doubt) / (now.log_count + doubt)),
        log_count=now.log_count,
        log_count_finer=log_count_finer,
        delta=now.delta,
    )
