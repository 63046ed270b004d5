"""The proofs of a report: a card's claims computed again from the rows, and the best card of each size."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from supersparse.base.errors import InfeasibleError, SolverFailedError, VerificationError
from supersparse.base.stop import Stop
from supersparse.card.card import Card
from supersparse.card.printed import follows_from_learned
from supersparse.card.provenance import Provenance
from supersparse.card.risk import LogisticRisk
from supersparse.card.words import condition
from supersparse.engine.answers.frontier import Frontier, FrontierRow
from supersparse.engine.answers.shared_bounds import bound_of_size
from supersparse.engine.solution import Claim, Solution, Trace
from supersparse.engine.solve import solve
from supersparse.engine.verify import check_points, verify
from supersparse.learn.recipe import PreparedProblem
from supersparse.problem.losses import loss_of
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import errors_only, most_features, of_classes, quiet_about_penalties, unavoidable_loss
from supersparse.show.report.plan import Absent, Part, Plan

_LOG_LOSS_ROUNDING = Fraction(1, 10**11)  # a card keeps slope and offset as floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """The card's objective, errors and constraints, recomputed on these rows."""

    objective: Fraction
    training_errors: Fraction
    predicted_errors: Fraction
    n: Fraction  # weight of all rows
    obeys: str | None  # None if all constraints are satisfied, else the violation
    is_printed_as_learned: bool  # whether the printed points follow from the learned ones

    @property
    def broken(self) -> str | None:
        """The fault of the card that its numbers do not show; None if there is none."""
        if not self.is_printed_as_learned:
            return "the printed points are not those that follow from the learned ones"
        return self.obeys

    def has_objective_of(self, made: Provenance) -> bool:
        """Whether the objective is that of a card; a log loss is rounded, so it may differ a little."""
        return abs(self.objective - made.objective) <= (_LOG_LOSS_ROUNDING if made.is_risk else 0)

    def has_numbers_of(self, made: Provenance) -> bool:
        """Whether objective, errors and weight are those of a card."""
        return self.has_objective_of(made) and (
            (self.training_errors, self.predicted_errors, self.n)
            == (made.training_errors, made.predicted_errors, made.total_weight)
        )

    def confirms(self, card: Card) -> bool:
        """Whether every number on the card was reproduced, and all it was asked is satisfied."""
        made = card.provenance
        return made is not None and self.broken is None and self.has_numbers_of(made)


def recheck(card: Card, question: PreparedProblem) -> Recheck | Absent:
    problem, points = question.problem, card_points(card, question)
    if points is None:
        offered = "questions and answers" if problem.questions else "features"
        return Absent(f"these rows give different {offered} from those on the card")
    try:
        check_points(problem, points, "the card")
        obeys = None
    except VerificationError as error:
        obeys = str(error)
    classes = of_classes(problem)
    evaluation = evaluate(classes, points)
    return Recheck(
        objective=evaluate(problem, points).objective,
        training_errors=evaluation.training_errors,
        predicted_errors=evaluation.predicted_errors,
        n=classes.total_weight * classes.rows.weight_unit,
        obeys=obeys,
        is_printed_as_learned=follows_from_learned(card),
    )


def card_points(card: Card, question: PreparedProblem) -> Points | None:
    """The learned points of a card as a model of a question; None if that lacks a feature of the card."""
    problem = question.problem
    return _of_answers(card, question) if problem.questions else _of_features(card, problem)


def _of_answers(card: Card, question: PreparedProblem) -> Points | None:
    """The points of each answer of a card of questions; None if these rows give other answers."""
    printed, card = card, card.as_learned
    if question.prepare is None or not isinstance(printed.risk, LogisticRisk):
        return None
    points = {item.name: item.points for item in card.items}
    names = [[condition(rule) for rule in one.rules] for one in question.prepare.questions_]
    if not set(points) <= {name for answer_names in names for name in answer_names}:
        return None
    answers = tuple(tuple(int(points.get(name, 0)) for name in answer_names) for answer_names in names)
    slope = Fraction(printed.risk.slope)
    offset = Fraction(printed.risk.offset) - slope * (printed.intercept - card.intercept)
    return Points(tuple(map(max, answers)), offset / slope if slope else Fraction(0), 1, slope, answers)


def _of_features(card: Card, problem: Problem) -> Points | None:
    printed, card = card, card.as_learned
    if not {item.name for item in card.items} <= set(problem.rows.names):
        return None
    by_name = {item.name: item.points for item in card.items}
    values = [by_name.get(name, Fraction(0)) for name in problem.rows.names]
    unit = lcm(problem.unit, card.intercept.denominator, *(v.denominator for v in values))
    if loss_of(problem).gives_risks and isinstance(printed.risk, LogisticRisk):
        slope = Fraction(printed.risk.slope)
        offset = Fraction(printed.risk.offset) - slope * (printed.intercept - card.intercept)
        return Points(tuple(int(v * unit) for v in values), offset / slope * unit, unit, slope)
    return Points(tuple(int(v * unit) for v in values), int(card.intercept * unit), unit)


def size_of(card: Card) -> int:
    return len(card.items) if card.provenance is None else card.provenance.size


def sizes_planned(card: Card, plan: Plan) -> int:
    return size_of(card) + plan.larger + 1 if plan.larger else 0


def sizes_around(
    card: Card,
    question: PreparedProblem,
    plan: Plan,
    part: Part,
    executor: Executor | None = None,
    bound: Fraction | None = None,
) -> Frontier:
    """Solve for each size in turn, from 0 to `plan.larger` more features than the card has.

    Each size starts from the best model of the sizes below, and at its own size from the card, so that it
    always has a model if one exists. Small sizes are quick; what they leave of the time goes to the larger
    ones. Sizes above that of the card are left out once the time is over. `bound`, if there is one, is proven
    of the objective of the problem: a size that it proves is not searched again.
    """
    problem = question.problem
    free = errors_only(problem)
    planned = min(sizes_planned(card, plan), most_features(free) + 1)
    bounds = [Fraction(0) if bound is None else bound_of_size(problem, bound, k) for k in range(planned)]
    search = _Search(free, plan, card_points(card, question), executor, bounds)
    unit = "questions" if problem.questions else "features"
    rows: list[FrontierRow] = []
    for size in range(planned):
        if part.over and size > size_of(card):
            break
        part.tell(f"best card of each size: at most {size} of {planned - 1} {unit}", size)
        rows.append(search.at_most(size, part.seconds_each(planned - size)))
    return Frontier(
        problem=problem,
        rows=_with_bounds_of_larger(rows),
        floor=search.floor,
        reaches_all=len(rows) == most_features(free) + 1,
        solver=search.solver,
        stop=search.stop,
        nodes=search.nodes,
        seconds=search.seconds,
    )


class _Search:
    """Solves for one size after the other, and remembers the best model so far."""

    def __init__(
        self, free: Problem, plan: Plan, known: Points | None, executor: Executor | None, bounds: Sequence[Fraction]
    ) -> None:
        self._free, self._plan, self._known, self._executor = free, plan, known, executor
        self._bounds = bounds  # on the loss of each size, proven before
        self._best: Solution | None = None
        self.floor: Fraction = unavoidable_loss(free)
        self.solver, self.stop, self.nodes, self.seconds = "none", Stop.OPTIMAL, 0, 0.0

    def at_most(self, size: int, seconds: float | None) -> FrontierRow:
        limited = self._free.asking(max_features=size)
        start, bound = self._start(limited), self._bounds[size]
        if start is not None:
            known = self._verified(limited, start, bound)
            if known.proven_optimal:
                self._best = known
                return FrontierRow(size=size, solution=known, lower_bound=known.lower_bound)
        try:
            with quiet_about_penalties():
                solution = solve(
                    limited,
                    time_limit=seconds,
                    node_limit=self._plan.node_limit,
                    random_state=self._plan.seed,
                    initial=start,
                    executor=self._executor,
                )
        except InfeasibleError:
            return FrontierRow(size=size, solution=None, lower_bound=None)
        except SolverFailedError as error:  # stopped before it found any model
            if error.interrupted:
                raise KeyboardInterrupt from error
            self.stop = Stop.TIME_LIMIT
            return FrontierRow(size=size, solution=self._best, lower_bound=max(self.floor, bound))
        if solution.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        if not solution.proven_optimal or self.solver == "none":
            self.stop = solution.stop
        self.solver, self.nodes = solution.solver, self.nodes + solution.nodes
        self.seconds += solution.seconds
        if self._best is None or solution.objective < self._best.objective:
            self._best = solution
        proven = min(max(solution.lower_bound, bound), self._best.objective)
        return FrontierRow(size=size, solution=self._best, lower_bound=proven)

    def _verified(self, limited: Problem, points: Points, bound: Fraction) -> Solution:
        """A known model with what was proven before of its size."""
        objective = evaluate(limited, points).objective
        claim = Claim(
            points=points,
            objective=objective,
            lower_bound=min(max(self.floor, bound), objective),
            smallest=False,
            stop=Stop.BOUND,
            nodes=0,
            seconds=0.0,
            trace=Trace(),
        )
        return verify(limited, claim, solver=self.solver)

    def _start(self, limited: Problem) -> Points | None:
        """The better of the best smaller model and the card, if that is allowed here."""
        start = None if self._best is None else self._best.points
        if self._known is None:
            return start
        try:
            check_points(limited, self._known, "the card")
        except VerificationError:
            return start
        known = evaluate(limited, self._known).objective
        return self._known if self._best is None or known < self._best.objective else start


def _with_bounds_of_larger(rows: list[FrontierRow]) -> tuple[FrontierRow, ...]:
    """A bound that holds for larger models holds for smaller ones."""
    best: Fraction | None = None
    solutions = []
    for row in reversed(rows):
        if row.lower_bound is not None:
            best = row.lower_bound if best is None else max(best, row.lower_bound)
            row = replace(row, lower_bound=best)
        solutions.append(row)
    return tuple(reversed(solutions))
