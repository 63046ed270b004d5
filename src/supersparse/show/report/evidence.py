"""Evidence: everything computed for a report, before it is put into words."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from supersparse.base.errors import InfeasibleError, InvalidCardError, InvalidDataError, SolverError, SupersparseError
from supersparse.card.card import Card
from supersparse.card.evaluate.calibrating import Method
from supersparse.card.evaluate.drift import Drift, drift, points_given
from supersparse.card.evaluate.evaluation import Evaluation, Subgroups, by_subgroup, evaluate_card
from supersparse.card.evaluate.risk_table import RiskTable, risk_table
from supersparse.card.provenance import ItemSeen
from supersparse.engine.answers.frontier import Frontier
from supersparse.engine.answers.shared_bounds import bound_of_sizes
from supersparse.learn.card_of_solution import rows_fingerprint
from supersparse.learn.recipe import PreparedProblem
from supersparse.learn.refit import Refit
from supersparse.problem.objective import evaluate
from supersparse.problem.theory.bounds import Bound, NoBound, bounds
from supersparse.problem.variants import of_classes
from supersparse.show.report.data import LabelledRows, repeats_of
from supersparse.show.report.folds import (
    CrossValidation,
    Judged,
    Stability,
    Trades,
    bootstrap,
    cross_validation,
    judge,
    method_of,
    trades,
    trades_planned,
)
from supersparse.show.report.plan import EDITED, NOT_ASKED, STOPPED, Absent, Budget, Part, PartName, Plan, Tell
from supersparse.show.report.proofs import Recheck, card_points, recheck, sizes_around, sizes_planned


def refit_of(card: Card, data: LabelledRows, plan: Plan, executor: Executor | None = None) -> Refit | Absent:
    try:
        # a checkpoint is of the fit that made the card; the refits are other problems
        return Refit.of(
            card,
            data.columns,
            data.y,
            data.weights,
            time_limit=None,
            node_limit=plan.node_limit,
            checkpoint=None,
            executor=executor,
        )
    except InvalidCardError as error:
        return Absent(str(error))
    except SupersparseError as error:
        return Absent(f"the card cannot be learned again from these rows: {error}")


def is_edited(card: Card) -> bool:
    return card.provenance is not None and bool(card.provenance.edits)


T = TypeVar("T")
R = TypeVar("R", CrossValidation, Trades)

_MOST_TOTALS = 12  # rows of the risk table


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All results for a report; a part that is missing says why."""

    card: Card  # with what was proven of it, in its file or for the sizes
    proven_here: bool  # whether the sizes prove more than its file says
    beaten: bool  # whether one of the sizes has a card with a lower objective
    data: LabelledRows
    plan: Plan
    target: str | None
    cv_groups: str | None  # column that identifies rows to keep together
    same_rows: bool | None  # whether the fingerprint is that of the training rows; None: cannot be compared
    given: tuple[tuple[ItemSeen, ...], ...]  # points by item, on negative and on positive rows
    drift: Drift | None  # since training; None for the training rows, or if the card stores no distribution
    evaluation: Evaluation
    apparent: Judged  # the card on these rows, with risks fitted to them
    risks: RiskTable
    subgroups: tuple[Subgroups, ...]
    refit: Refit | Absent
    recheck: Recheck | Absent
    bounds: tuple[Bound | NoBound, ...] | Absent
    frontier: Frontier | Absent
    validation: CrossValidation | Absent
    trades: Trades | Absent
    stability: Stability | Absent
    seconds: float  # that all of this took

    @property
    def is_risk(self) -> bool:
        """Whether the card was learned for its risks, by least log loss."""
        return self.card.provenance is not None and self.card.provenance.is_risk

    @property
    def is_edited(self) -> bool:
        """Whether the card was changed by hand after it was learned."""
        return is_edited(self.card)


def gather(
    card: Card,
    data: LabelledRows,
    *,
    by: Sequence[str],
    plan: Plan,
    target: str | None,
    cv_groups: str | None,
    progress: Tell,
    executor: Executor | None = None,
) -> Evidence:
    """Compute everything. Ctrl-C stops the refits; finished parts are kept, and the others say why not."""
    steps: dict[PartName, int] = {"sizes": sizes_planned(card, plan)}
    if not is_edited(card):
        steps |= {
            "cross-validation": plan.folds * repeats_of(data, plan),
            "trade-off": trades_planned(plan),
            "bootstrap": plan.bootstrap,
        }
    budget = Budget(plan.time_limit, steps, progress)
    budget.tell("evaluating the card")
    y, outcomes = data.y.tolist(), data.outcomes(card)
    evaluation = evaluate_card(card, outcomes)
    totals = len(evaluation.tally.totals)
    method: Method | None = "isotonic" if totals > 1 else None
    risks = risk_table(card, outcomes, method, 5, 0.95, _MOST_TOTALS if totals > _MOST_TOTALS else None)
    refit = refit_of(card, data, plan, executor)
    claimed = refit if isinstance(refit, Absent) else refit.question_with_cuts_of(card)
    checked = claimed if isinstance(claimed, Absent) else recheck(card, claimed)
    same = _same_rows(card, claimed)
    learning = _Learning(refit, budget, edited=is_edited(card))
    bound = _bound_of(card, same, checked)
    sizes = learning.done(
        "sizes", plan.larger > 0, lambda how, part: sizes_around(card, how.question, plan, part, executor, bound)
    )
    in_file, card = card, card if bound is None else _with_bound_of(card, sizes)

    def validated(how: Refit, part: Part) -> CrossValidation | Absent:
        made = cross_validation(card, data, how, plan, part)
        return learning.kept(made, "fold", has_any=bool(made.folds))

    def traded(how: Refit, part: Part) -> Trades | Absent:
        if isinstance(validation, Absent):
            return Absent("it needs the cross-validation")
        made = trades(card, data, how, validation, plan, part)
        return learning.kept(made, "other card", has_any=len(made.points) > 1)

    validation = learning.done("cross-validation", plan.folds > 0, validated)
    traded_off = learning.done("trade-off", plan.ratios > 0 and plan.folds > 0, traded)
    stability = learning.done("bootstrap", plan.bootstrap > 0, lambda how, part: bootstrap(card, data, how, plan, part))
    return Evidence(
        card=card,
        proven_here=card != in_file,
        beaten=bound is not None and _is_beaten(card, sizes),
        data=data,
        plan=plan,
        target=target,
        cv_groups=cv_groups,
        same_rows=same,
        given=_by_class(card, data),
        drift=None if same or card.seen is None else drift(card, data.columns, weight_now=data.weights),
        evaluation=evaluation,
        apparent=judge(card, data, data, method_of(card), True),
        risks=risks,
        subgroups=tuple(by_subgroup(card, data.columns, y, name, sample_weight=data.weights) for name in by),
        refit=refit,
        recheck=checked,
        bounds=_bounds(card, refit, same, checked),
        frontier=sizes,
        validation=validation,
        trades=traded_off,
        stability=stability,
        seconds=budget.seconds,
    )


class _Learning:
    """Runs the refits, each part in its time, until the user stops them."""

    def __init__(self, refit: Refit | Absent, budget: Budget, *, edited: bool) -> None:
        self._refit, self._budget, self._edited = refit, budget, edited
        self.stopped = False

    def done(self, name: PartName, asked: bool, work: Callable[[Refit, Part], T | Absent]) -> T | Absent:
        """Do one part, unless it is switched off or impossible."""
        if isinstance(self._refit, Absent):
            return self._refit
        if self._edited and name != "sizes":  # the best cards of each size are what they are
            return EDITED
        if not asked:
            return NOT_ASKED
        if name == "sizes" and self._refit.problem.rows.is_favoured:
            return Absent("the labels were blended, and the best cards of each size count errors by the true ones")
        if self.stopped:
            return STOPPED
        part = self._budget.part(name)
        try:
            return work(self._refit, part)
        except KeyboardInterrupt:
            self.stopped = True
            return STOPPED
        except (SolverError, InfeasibleError, InvalidDataError) as error:
            return Absent(str(error))
        finally:
            part.end()

    def kept(self, found: R, what: str, *, has_any: bool) -> R | Absent:
        """What was learned for a part; or why there is none of it."""
        self.stopped = found.stopped
        return found if has_any else found.none_of(what)


def _same_rows(card: Card, claimed: PreparedProblem | Absent) -> bool | None:
    made = card.provenance
    if made is None or made.data is None or isinstance(claimed, Absent):
        return None
    return rows_fingerprint(of_classes(claimed.problem).rows) == made.data


def _bound_of(card: Card, same: bool | None, checked: Recheck | Absent) -> Fraction | None:
    """The bound that was proven of the card; None where rows or card are not those that were learned."""
    made = card.provenance
    if made is None or not same or is_edited(card) or isinstance(checked, Absent):
        return None
    return made.lower_bound if checked.confirms(card) else None


def _with_bound_of(card: Card, sizes: Frontier | Absent) -> Card:
    """The card with what the sizes prove of it, where that is more: all parts of a report say the same."""
    made = card.provenance
    if made is None or isinstance(sizes, Absent):
        return card
    bound = min(bound_of_sizes(sizes), made.objective)
    return card if bound <= made.lower_bound else replace(card, provenance=replace(made, lower_bound=bound))


def _is_beaten(card: Card, sizes: Frontier | Absent) -> bool:
    made = card.provenance
    if made is None or made.proven_optimal or isinstance(sizes, Absent):
        return False
    models = [row.solution.points for row in sizes.rows if row.solution is not None]
    return any(evaluate(sizes.problem, points).objective < made.objective for points in models)


def _by_class(card: Card, data: LabelledRows) -> tuple[tuple[ItemSeen, ...], ...]:
    """Points by item for each class; empty for a class without rows."""
    parts = [data.take(np.flatnonzero(mask)) for mask in (~data.positive, data.positive)]
    return tuple(
        tuple(points.seen for points in points_given(card, part.columns, sample_weight=part.weights))
        if len(part)
        else ()
        for part in parts
    )


def _bounds(
    card: Card, refit: Refit | Absent, same: bool | None, checked: Recheck | Absent
) -> tuple[Bound | NoBound, ...] | Absent:
    if isinstance(refit, Absent):
        return refit
    if not same:
        return Absent("the bounds refer to the training rows, and it is not known that these are")
    # a cut that somebody moved may be where no allowed card has one
    if is_edited(card) and (
        isinstance(checked, Absent) or checked.obeys is not None or card_points(card, refit.question) is None
    ):
        return Absent("the bounds hold for all allowed cards, and the edits made this card another one")
    assert card.provenance is not None, "its fingerprint was compared"
    error = card.provenance.training_errors / card.provenance.total_weight
    return bounds(of_classes(refit.problem), training_error=error, cut_points_fitted=refit.cut_points_fitted)
