"""The card of a verified solution: items on the raw columns, and what was proven about them."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor, lcm

import numpy as np

import supersparse
from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import counted, exact_value, nearest_float, shown
from supersparse.base.integer_arrays import (
    IntArray,
    distinct_of,
    fits_int64,
    integer_column,
    largest_magnitude,
    quotients,
)
from supersparse.base.stop import Stop
from supersparse.card.card import Card, Item, Label
from supersparse.card.evaluate.rates import added_up
from supersparse.card.lines import enumerated, weights_in_words
from supersparse.card.provenance import MOST_VALUES, ItemSeen, Provenance
from supersparse.card.risk import LogisticRisk, SeenTotals
from supersparse.card.rules import Domain, IsOneOf, ValueOf
from supersparse.engine.proving.projection import in_time
from supersparse.engine.solution import Solution
from supersparse.learn.settings.of_problem import settings_of
from supersparse.learn.training_performance import by_classes, training_performance
from supersparse.problem.constraints.single import SameSign
from supersparse.problem.constraints.support import MaxFeatures, MaxQuestions, MinFeatures, ThresholdsPerVariable
from supersparse.problem.limits import Constraint
from supersparse.problem.log_loss import at_threshold, deviation, slope_of
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import NearTotals, integer_totals, step_of
from supersparse.problem.objective import classified
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem
from supersparse.problem.questions import asked_in_words
from supersparse.problem.rows import Rows

_MOST_TOTALS = 60  # of which a card says how many rows had them
_FARTHEST = 10**6  # standard deviations from 0: usual log odds are right to 1e-9 in doubles up to there
_FIRST_VALUES = 100  # of a column of a large table, which mostly tell that it has more decimals
_MOST_STEPS = 10_000  # totals in a point: columns of up to four decimals
_FEW_DIGITS, _MOST_DIGITS = 6, 18  # of a threshold where columns have more
_SHORT = 12  # characters of a penalty that is written exactly
_FEW_NAMED = 3  # columns that a constraint names
_FEW = 2  # a column with at most this many different values has them listed in its domain


def card_of_solution(solution: Solution, title: str | None) -> Card:
    """Make the card; features without points are left out."""
    counted = by_classes(solution)
    rows, card = counted.problem.rows, scoring_card(counted)
    return replace(
        card,
        title=title,
        risk=_risk(solution),
        provenance=_provenance(solution, counted),
        seen=tuple(_seen(rows, item) for item in card.items),
        performance=(training_performance(counted),),
    )


def scoring_card(solution: Solution) -> Card:
    """Make what a card needs to score rows, and nothing that is learned from the rows once more."""
    rows, points = solution.problem.rows, solution.points
    negative, positive = map(_label, rows.classes)
    return Card(
        title=None,
        negative=negative,
        positive=positive,
        items=tuple(_items(solution)),
        intercept=_intercept(solution),
        reached=_is_reached(solution),
        domains=tuple(_domain(solution.problem, j) for j in points.support),
        n_columns=rows.n_features,
    )


def _items(solution: Solution) -> Iterator[Item]:
    """A line for each feature; of a question, one for each answer that gives points."""
    rows, points = solution.problem.rows, solution.points
    for j in points.support:
        name = rows.names[j]
        if points.answers is None:
            yield Item(rule=ValueOf(name), points=points.values[j], position=j)
            continue
        for answer, worth in enumerate(points.answers[j]):
            if worth:
                yield Item(rule=IsOneOf(name, (Fraction(answer),)), points=Fraction(worth), position=j)


def _is_reached(solution: Solution) -> bool:
    """Whether a total equal to the threshold is positive: where it is free, no training row has it.

    With slope 1, rows may have a risk of exactly one half, and predictions begin above it.
    """
    return solution.problem.intercept.mode == "free" and solution.problem.slope == "free"


def _intercept(solution: Solution) -> Fraction:
    """The intercept; of a risk model one that gives a short threshold, and every row of the table its class.

    Where columns have few decimals the threshold is halfway between two totals that they can have, so that a
    total is above it if and only if its risk is above the problem's threshold.
    """
    problem, points = solution.problem, at_threshold(solution.problem, solution.points)
    if not loss_of(problem).gives_risks:
        return points.intercept_value
    values, threshold = points.values, -points.intercept_value
    for scale_of in (_least_scale, _scale):  # the first takes no time and mostly tells
        step = lcm(*(values[j].denominator * scale_of(problem.rows, j) for j in points.support))
        if step > _MOST_STEPS:
            break
    else:
        return -Fraction(2 * floor(threshold * step) + 1, 2 * step)
    expected = classified(problem, solution.points)
    for digits in range(_FEW_DIGITS, _MOST_DIGITS):
        short = Fraction(f"{nearest_float(threshold):.{digits}g}")
        classes = classified(problem, replace(points, intercept=-short * points.denominator, slope=None))
        if all(np.array_equal(one, other) for one, other in zip(classes, expected, strict=True)):
            return -short
    return points.intercept_value


def _least_scale(rows: Rows, j: int) -> int:
    """A divisor of the scale of a column: in large tables that of its first values."""
    return rows.scales[j] if rows.raw is None else integer_column(rows.raw[j][:_FIRST_VALUES])[1]


def _scale(rows: Rows, j: int) -> int:
    return rows.scales[j]


def _risk(solution: Solution) -> LogisticRisk | None:
    if not loss_of(solution.problem).gives_risks:
        return None
    slope = slope_of(solution.points)
    check_risks_can_be_written(solution.problem, solution.points.support)
    return LogisticRisk(
        slope=float(slope), offset=float(slope * solution.points.intercept_value), seen=_seen_totals(solution)
    )


def _seen_totals(solution: Solution) -> SeenTotals | None:
    """How many training rows had each total, and how many of them were positive; None if totals are many."""
    problem, coefficients = solution.problem, solution.points.over(solution.problem.unit).coefficients
    rows = problem.rows
    near = NearTotals.of(problem, coefficients)
    if near is not None and len(np.unique(near.floats)) > _MOST_TOTALS:
        return None
    distinct, groups = distinct_of(integer_totals(problem, coefficients, solution.points.answers))
    if len(distinct) > _MOST_TOTALS:
        return None
    unit = problem.unit * step_of(problem, coefficients)
    weights = _weights(rows)
    cases, events = (
        added_up(weights, groups, len(distinct), of).tolist()
        for of in (np.ones(rows.n_rows, dtype=bool), rows.positive)
    )
    return SeenTotals(
        totals=tuple(Fraction(int(t), unit) for t in distinct),
        cases=tuple(c * rows.weight_unit for c in cases),
        events=tuple(e * rows.weight_unit for e in events),
    )


def _weights(rows: Rows) -> IntArray:
    """The weights of rows, of a type that holds their sum."""
    return rows.weights if fits_int64(largest_magnitude(rows.weights) * rows.n_rows) else rows.weights.astype(object)


def _label(label: object) -> Label:
    plain = label.item() if isinstance(label, np.generic) else label
    return plain if isinstance(plain, str | int | float) else str(plain)


def check_risks_can_be_written(problem: Problem, columns: Sequence[int]) -> None:
    """Raise if a column is so far from 0 that the risks of a card, which are doubles, cannot tell its values.

    A search holds such a column, and the points of a solution do; slope·total + offset in doubles does not.
    """
    rows = problem.rows
    for j in columns:
        if rows.constant[j] or not _may_be_far(rows, j):
            continue
        spread, at = deviation(problem, j), Fraction(int(rows.columns[j][0]), rows.scales[j])
        if abs(at) > _FARTHEST * Fraction(spread):
            raise InvalidDataError(
                f"column {rows.names[j]!r} has values around {nearest_float(at):.6g}, whose standard "
                f"deviation is {spread:.3g}",
                (
                    f"the risks of a card are doubles, which hold values of up to {_FARTHEST:,} times "
                    "their standard deviation to 1e-9: subtract a constant from the column, such as "
                    f"{int(at)}"
                ),
            )


def _may_be_far(rows: Rows, j: int) -> bool:
    """Whether a few values leave it open that a column is far from 0."""
    if rows.raw is None or rows.raw[j].dtype != np.float64:
        return True
    some = rows.raw[j][:_FIRST_VALUES]
    return bool(np.abs(some).min() > _FARTHEST / 10 * np.ptp(some))


_AT_LIMIT = "; here the slope is at its limit, because the features separate the classes, or nearly"


def _provenance(solution: Solution, counted: Solution) -> Provenance:
    """Record what was proven of a solution, and how it does on the rows' own classes."""
    problem, evaluation = counted.problem, counted.evaluation
    asked = settings_of(problem, solver=solution.solver, seed=solution.seed)  # to ask it again of other rows
    return Provenance(
        version=supersparse.__version__,
        solver=solution.solver,
        data=rows_fingerprint(problem.rows),
        minimised=_minimised(solution.problem),
        allowed=_allowed(problem) + (_AT_LIMIT if solution.slope_at_limit else ""),
        objective=solution.objective,
        lower_bound=solution.lower_bound,
        proven_smallest=solution.proven_smallest,
        training_errors=evaluation.training_errors,
        predicted_errors=evaluation.predicted_errors,
        sensitivity=evaluation.sensitivity,
        specificity=evaluation.specificity,
        total_weight=problem.total_weight * problem.rows.weight_unit,
        n_rows=problem.rows.n_rows,
        size=evaluation.size,
        stop=solution.stop.name,
        seconds=solution.seconds,
        nodes=solution.nodes,
        features=problem.rows.names,
        settings=None if asked is None else asked.to_dict(),
        projected=_projected(solution),
    )


def _projected(solution: Solution) -> str | None:
    """When a proof was to be expected; other limits than those of time give the same card on every machine."""
    by_the_clock = solution.stop in (Stop.TIME_LIMIT, Stop.INTERRUPTED) and not solution.proven_optimal
    return in_time(solution.projection) if by_the_clock and solution.projection is not None else None


def _domain(problem: Problem, j: int) -> Domain:
    """The values that a column took in the training rows; of a question, the numbers of its answers."""
    rows = problem.rows
    if problem.questions:
        known = tuple(map(Fraction, range(problem.questions[j].answers)))
        return Domain(column=rows.names[j], values=known, outside="refuse")
    if rows.raw is not None and rows.raw[j].dtype.kind == "f":
        distinct = np.unique(rows.raw[j])
        ends = [exact_value(v, rows.names[j]) for v in (distinct if len(distinct) <= _FEW else distinct[[0, -1]])]
        whole = bool((distinct == np.rint(distinct)).all())
    else:
        integers, scale = distinct_of(rows.columns[j])[0], rows.scales[j]
        distinct, whole = integers, scale == 1
        ends = [Fraction(int(v), scale) for v in (integers if len(integers) <= _FEW else integers[[0, -1]])]
    if len(distinct) <= _FEW:
        return Domain(column=rows.names[j], values=tuple(ends), outside="near")
    return Domain(column=rows.names[j], low=ends[0], high=ends[1], whole=whole, outside="near")


def _seen(rows: Rows, item: Item) -> ItemSeen:
    """The points that a line of the card gave on the training rows."""
    assert item.position is not None, "a learned line knows its column"
    j, points, weights = item.position, item.points, _weights(rows)
    if rows.raw is not None and rows.raw[j].dtype.kind == "f":
        found, groups = np.unique(rows.raw[j], return_inverse=True)
        if len(found) > MOST_VALUES:
            sums = added_up(weights, groups.reshape(-1), len(found), np.ones(rows.n_rows, dtype=bool))
            return ItemSeen.of_floats(points, found, sums, rows.weight_unit)
    column = rows.columns[j]
    if isinstance(item.rule, IsOneOf):
        column = item.rule.mask(column).astype(np.int64)
    distinct, groups = distinct_of(column)
    sums = added_up(weights, groups, len(distinct), np.ones(rows.n_rows, dtype=bool))
    return ItemSeen.of_multiples(points / rows.scales[j], distinct, sums, rows.weight_unit)


def rows_fingerprint(rows: Rows) -> str:
    """Name the training rows: names, values, labels and weights, in their order.

    Values are written as whole numbers over a scale; in large tables of floats as the nearest doubles, which
    name decimals just as well and take seconds less. A name tells how it was made.
    """
    if rows.raw is not None:
        return _raw_fingerprint(rows)
    digest = hashlib.sha256()
    negative, positive = rows.classes
    digest.update(repr((rows.names, rows.scales, str(negative), str(positive), rows.weight_unit)).encode())
    for integers in (*rows.columns, rows.weights):
        if integers.dtype == object:
            digest.update(repr(integers.tolist()).encode())
        else:
            digest.update(integers.astype("<i8").tobytes())
    digest.update(rows.positive.tobytes())
    return f"sha256:{digest.hexdigest()}"


def _raw_fingerprint(rows: Rows) -> str:
    assert rows.raw is not None
    digest = hashlib.sha256()
    negative, positive = rows.classes
    digest.update(repr((rows.names, str(negative), str(positive), rows.weight_unit)).encode())
    for raw in rows.raw:
        doubles = raw if raw.dtype == np.float64 else quotients(*integer_column(raw))
        digest.update((doubles + 0.0).astype("<f8", copy=False).data)  # + 0.0: -0.0 is 0
    digest.update(rows.weights.astype("<i8").tobytes() if rows.weights.dtype != object else b"")
    digest.update(repr(rows.weights.tolist()).encode() if rows.weights.dtype == object else b"")
    digest.update(rows.positive.tobytes())
    return f"sha256-doubles:{digest.hexdigest()}"


def _minimised(problem: Problem) -> str:
    negative, positive = problem.class_weights
    parts = [loss_of(problem).measure]
    if problem.rows.soft_labels is not None or problem.rows.is_favoured:
        parts[0] += " of blended labels"
    unit = "question" if problem.questions else "feature"
    if negative != 1 or positive != 1:
        parts[0] += f" ({weights_in_words(negative, positive)})"
    penalties = sorted({c for c, levels in zip(problem.C0, problem.levels, strict=True) if levels is None})
    if problem.has_levels:
        parts.append("a penalty by the level of each feature's points")
    if not penalties:
        pass
    elif len(penalties) == 1:
        parts.append(f"{_short(penalties[0])} per {unit}")
    else:
        parts.append(f"{_short(penalties[0])} to {_short(penalties[-1])} per {unit}")
    if problem.intercept.is_penalised and problem.intercept_levels is None:
        parts.append(f"{shown(problem.intercept_C0)} for an intercept")
    if problem.C1:
        parts.append(f"{shown(problem.C1)} per point")
    return " + ".join(parts)


def _allowed(problem: Problem) -> str:
    """The allowed scoring systems in words; of questions, as the claim of the proof has it."""
    if problem.questions:
        return _questions_allowed(problem)
    sets = {s for s in problem.sets if len(s) > 1 or 0 not in s}
    points = _values(sets.pop()) if len(sets) == 1 else "from a set for each feature"
    limit = "".join(f", {_limit_in_words(constraint)}" for constraint in problem.asked)
    low, high = problem.intercept.low, problem.intercept.high
    ends = "" if low is None or high is None else f"from {shown(low)} to {shown(high)}"
    intercept = {
        "free": "any threshold" if loss_of(problem).counts_rows else _risks_allowed(problem),
        "range": f"intercept {ends}",
        "paper": "intercept counted as a feature",
        "none": "no intercept",
    }[problem.intercept.mode]
    return f"points {points}{limit}, {intercept}"


def _short(penalty: Fraction) -> str:
    """A penalty as it was given, or in three digits where that is long."""
    exact = shown(penalty)
    return exact if len(exact) <= _SHORT and "/" not in exact else f"{float(penalty):.3g}"


def _questions_allowed(problem: Problem) -> str:
    most = problem.n_features if problem.max_features is None else min(problem.max_features, problem.n_features)
    shapes = {question.shape for question in problem.questions}
    along = {"either": "rise or fall along them", "up": "rise along them", "down": "fall along them"}
    how = "" if "free" in shapes else f" that {along[shapes.pop()] if len(shapes) == 1 else along['either']}"
    limits = [asked_in_words(one) for one in problem.asked if not isinstance(one, MaxQuestions)]
    threshold = (
        ""
        if problem.risk_threshold == Fraction(1, 2) and not problem.rate_limits
        else (f"; predictions at a risk of {shown(problem.risk_threshold)}")
    )
    return (
        f"at most {most} of the {counted(problem.n_features, 'question')} tried, with these answers and points from 0 "
        f"to {max(max(question.points) for question in problem.questions)}{how}"
        f"{''.join(f', {limit}' for limit in limits)}{threshold}"
    )


def _limit_in_words(constraint: Constraint) -> str:
    """Say what one constraint allows."""
    if isinstance(constraint, MaxFeatures):
        return f"at most {counted(constraint.most, 'feature')}"
    if isinstance(constraint, MinFeatures):
        return f"at least {counted(constraint.least, 'feature')}"
    if isinstance(constraint, ThresholdsPerVariable) and len(constraint.variables) > _FEW_NAMED:
        cuts = counted(constraint.most, "cut point")
        return f"at most {cuts} for each of {len(constraint.variables)} columns"
    if isinstance(constraint, SameSign):
        columns = [name for name, _ in constraint.variables]
        named = enumerated(columns) if len(columns) <= _FEW_NAMED else f"each of {len(columns)} columns"
        return f"points monotone in {named}"
    return constraint.in_words()


def _risks_allowed(problem: Problem) -> str:
    """The slopes and intercepts of a risk model in words, and the threshold where it matters."""
    threshold = ""
    if problem.rate_limits or problem.risk_threshold != Fraction(1, 2):
        threshold = f"predictions at a risk of {shown(problem.risk_threshold)}, "
    if problem.slope == 1:
        return f"{threshold}slope 1 and a whole intercept"
    effects = "effects of at most e^30 in the odds per standard deviation"
    return f"{threshold}any slope and intercept with {effects}"


def _values(allowed: CoefficientSet) -> str:
    low, high = allowed.least, allowed.greatest
    ends = f"from {shown(low)} to {shown(high)}"
    if allowed.denominator == 1 and len(allowed) == high - low + 1:
        return ends
    return f"of {len(allowed)} values {ends}"
