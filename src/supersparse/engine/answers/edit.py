"""Edit: the cost of a change to a problem, found by solving again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from operator import methodcaller
from typing import Unpack

from supersparse.base.errors import InfeasibleError, InvalidProblemError, VerificationError, did_you_mean
from supersparse.base.exact import Number, exact, shown
from supersparse.engine.options import SolveKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.solve import solve
from supersparse.engine.verify import check_points
from supersparse.problem.constraints.single import fixed, must_not_use, must_use
from supersparse.problem.constraints.support import MaxFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.losses import loss_of
from supersparse.problem.naming import matching
from supersparse.problem.objective import with_best_intercept
from supersparse.problem.points import CoefficientSet, Points
from supersparse.problem.problem import Problem
from supersparse.problem.questions import asked_in_words
from supersparse.problem.variants import with_sets
from supersparse.table.small_table import SmallTable, Tabular, cell, listed


@dataclass(frozen=True, kw_only=True, repr=False)
class Edit(Tabular):
    """A solution before and after a change to its problem."""

    __module__ = "supersparse"

    before: Solution
    after: Solution
    asked: tuple[str, ...]  # in words

    @property
    def cost(self) -> Fraction:
        return self.after.objective - self.before.objective

    @property
    def cost_bounds(self) -> tuple[Fraction, Fraction]:
        """Proven bounds on the change of the optimal F; both equal `cost` if both models are optimal.

        A log loss is proven up to 1e-9, and so is its change.
        """
        return (self.after.lower_bound - self.before.objective, self.after.objective - self.before.lower_bound)

    @property
    def errors(self) -> Fraction:
        """The increase in training errors, by weight."""
        return self.after.evaluation.training_errors - self.before.evaluation.training_errors

    @property
    def size(self) -> int:
        """The increase in features, as the problem counts them."""
        return self.after.evaluation.size - self.before.evaluation.size

    @property
    def points(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The points before and after, for features whose points changed."""
        return {
            name: (one, other)
            for name, one, other in zip(
                self.before.problem.rows.names, self.before.points.values, self.after.points.values, strict=True
            )
            if one != other
        }

    def in_words(self) -> str:
        """Describe the change, its cost, the new points, and the proof."""
        before, after = self.before.evaluation, self.after.evaluation
        sentences = [
            f"Change: {'; '.join(self.asked) or 'none'}.",
            f"Errors{self._not_minimised}: {_moved(before.training_errors, after.training_errors)}. "
            f"Size: {_moved(before.size, after.size)}. "
            f"F: {_moved_by(self.before.objective, self.after.objective)}.",
            self._changes(),
            self._proof(),
        ]
        if self._loss:
            sentences.insert(1, f"{self._loss.capitalize()}: {_moved_by(before.loss, after.loss)}.")
        return "\n".join(sentences)

    @property
    def _loss(self) -> str | None:
        """The name of the loss where it is not the number of errors."""
        what = loss_of(self.after.problem).name(self.after.problem)
        return None if what == "errors" else what

    @property
    def _not_minimised(self) -> str:
        return " (not minimised)" if self._loss and loss_of(self.after.problem).counts_rows else ""

    def _changes(self) -> str:
        if self.before.points == self.after.points:
            return "No points change."
        if self.after.points.answers is None:
            changes = [f"{name} {shown(one)} -> {shown(other)}" for name, (one, other) in self.points.items()]
        else:
            changes = [
                f"{name} {'/'.join(map(str, one))} -> {'/'.join(map(str, other))}"
                for name, one, other in self._answers()
                if one != other
            ]
        return f"Points: {', '.join(changes)}."

    def _answers(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """The points by answer of each question, before and after."""
        before, after = self.before.points.answers, self.after.points.answers
        assert before is not None
        assert after is not None
        return zip(self.before.problem.rows.names, before, after, strict=True)

    def _proof(self) -> str:
        if self.before.proven_optimal and self.after.proven_optimal:
            is_exact = loss_of(self.after.problem).counts_rows
            exact_cost = "the exact cost of the change" if is_exact else "the cost of the change, up to 1e-9"
            return f"Both models are proven optimal, so this is {exact_cost}."
        least, most = self.cost_bounds
        open_ones = [name for name, one in (("before", self.before), ("after", self.after)) if not one.proven_optimal]
        return (
            f"The model {' and the model '.join(open_ones)} the change is not proven optimal: "
            f"the change costs between {float(least):.6g} and {float(most):.6g} of F."
        )

    def __str__(self) -> str:
        return self.in_words()

    def price_in_words(self) -> str:
        """The cost of the change, in a clause: errors or the loss that is minimised, and the size."""
        before, after = self.before.evaluation, self.after.evaluation
        changed = f"errors {_moved(before.training_errors, after.training_errors)}"
        if self._loss:
            changed = f"{self._loss} {_moved_by(before.loss, after.loss)}"
        return f"{changed}, size {_moved(before.size, after.size)}"

    def _brief(self) -> str:
        return f"{listed(self.asked) or 'no change'}; {self.price_in_words()}"

    def _small_table(self) -> SmallTable:
        pairs: list[tuple[str, object, object]] = [
            (name, getattr(self.before.evaluation, at), getattr(self.after.evaluation, at))
            for name, at in (("training errors", "training_errors"), ("size", "size"))
        ]
        if self._loss:
            losses = float(self.before.evaluation.loss), float(self.after.evaluation.loss)
            pairs.insert(0, (self._loss, *losses))
        pairs.append(("objective", float(self.before.objective), float(self.after.objective)))
        pairs.append(("proven optimal", self.before.proven_optimal, self.after.proven_optimal))
        pairs += [(f"points of {name}", one, other) for name, (one, other) in self.points.items()]
        rows = [(name, cell(one), cell(other)) for name, one, other in pairs]
        return SmallTable(("", "before", "after"), rows)


def _moved(one: Fraction | int, other: Fraction | int) -> str:
    difference = Fraction(other - one)
    if not difference:
        return f"{shown(Fraction(one))} (unchanged)"
    more = f"{shown(abs(difference))} {'more' if difference > 0 else 'fewer'}"
    return f"{shown(Fraction(one))} -> {shown(Fraction(other))} ({more})"


def _moved_by(one: Fraction, other: Fraction) -> str:
    if one == other:
        return f"{float(one):.6g} (unchanged)"
    return f"{float(one):.6g} -> {float(other):.6g} ({float(other - one):+.6g})"


Names = str | Sequence[str]
SIGN_WORDS = {"+": 1, "-": -1, 1: 1, -1: -1}


def what_if(
    solution: Solution,
    *,
    pin: Mapping[str, Number | Sequence[int | None]] | None = None,
    forbid: Names | Mapping[str, Number | Sequence[Number]] | None = None,
    force: Names | None = None,
    sign: Mapping[str, str | int] | None = None,
    max_features: int | None = None,
    max_questions: int | None = None,
    constraints: Iterable[Constraint] = (),
    without: Iterable[Constraint] = (),
    solver: str | None = None,
    **options: Unpack[SolveKeywords],
) -> Edit:
    """Change the problem of a solution and solve it again, starting from that solution.

    `pin` fixes the points of features, or those of each answer of a question (None leaves one free). `forbid`
    names features that must not be used, or points that a feature must not have (``{"age": [3, 4]}``). `force`
    names features that must be used. `sign` fixes the sign of a feature's points ("+" or "-"; 0 stays allowed).
    `max_features` replaces the problem's own limit, as `max_questions` does where it asks questions.
    `constraints` are added and those in `without` are dropped; to loosen one, do both. Features are given by
    name or pattern. The solver defaults to that of the solution; options are those of `solve`.

    >>> X, y = [[0, 0], [0, 1], [1, 1], [1, 1]] * 2, [0, 0, 1, 1] * 2
    >>> problem = Problem.of(X, y, C0=0.2, max_points=2)
    >>> print(what_if(solve(problem, "exhaustive"), forbid="x0"))
    Change: x0 not used.
    Errors: 0 -> 2 (2 more). Size: 1 (unchanged). F: 0.2 -> 0.45 (+0.25).
    Points: x0 1 -> 0, x1 0 -> 1.
    Both models are proven optimal, so this is the exact cost of the change.
    """
    before = solution.problem
    if max_questions is not None:
        if not before.questions or max_features is not None:
            limit, unit, remedy = (
                (f"max_questions is {max_questions}", "problem has features", "give max_features")
                if not before.questions
                else (f"max_features is {max_features}", "unit of size is the question", "remove it")
            )
            raise InvalidProblemError(f"{limit}, but the {unit}", remedy)
        max_features = max_questions
    dropped = tuple(without)
    for constraint in dropped:
        if constraint not in before.asked:
            raise InvalidProblemError(
                f"without: {constraint.in_words()!r} is not a constraint of this problem",
                did_you_mean(constraint.in_words(), [c.in_words() for c in before.asked]),
            )
    added = [*_as_constraints(pin, forbid, force), *constraints]
    kept = _kept_values(before, forbid, sign)
    own_limits = [c for c in before.asked if isinstance(c, MaxFeatures) and c not in dropped]
    replaced = own_limits if max_features is not None else []
    free = before.without([*dropped, *replaced])
    problem = with_sets(free, {j: one.values for j, one in kept.items()})
    problem = problem.asking(added, max_features=max_features)
    words = [f"without {c.in_words()!r}" for c in dropped]
    words += [word for one in kept.values() for word in one.words]
    if problem.max_features != before.max_features and replaced:
        what = "questions" if problem.questions else "features"
        words.append(f"at most {problem.max_features} instead of at most {before.max_features} {what}")
    words += [
        _with_kept(c, free.asked, asked_in_words if problem.questions else methodcaller("in_words"))
        for c in problem.asked
        if c not in before.asked and not (replaced and isinstance(c, MaxFeatures))
    ]
    start_here: SolveKeywords = {"initial": _start(problem, solution.points), **options}
    after = solve(problem, solver or solution.solver, **start_here)
    return Edit(before=solution, after=after, asked=tuple(words))


def _with_kept(new: Constraint, kept: Sequence[Constraint], in_words: Callable[[Constraint], str]) -> str:
    """A new constraint in words, with those of its kind that stay, as they may be stricter."""
    return in_words(new) + "".join(
        f" (besides {in_words(old)!r}, which stays)" for old in kept if _differ_in_numbers(old, new)
    )


def _differ_in_numbers(one: Constraint, other: Constraint) -> bool:
    """Whether two constraints are of one kind and about the same features, groups and rates."""
    if type(one) is not type(other) or one == other:
        return False
    numbers = int | Fraction
    return all(
        a == b or (isinstance(a, numbers) and isinstance(b, numbers))
        for a, b in zip(astuple(one), astuple(other), strict=True)  # type: ignore[call-overload]
    )


def _as_constraints(
    pin: Mapping[str, Number | Sequence[int | None]] | None, forbid: object, force: Names | None
) -> list[Constraint]:
    constraints: list[Constraint] = [fixed(name, value) for name, value in (pin or {}).items()]
    if forbid is not None and not isinstance(forbid, Mapping):
        constraints.append(must_not_use(forbid))  # type: ignore[arg-type]
    if force is not None:
        constraints.append(must_use(force))
    return constraints


@dataclass(frozen=True)
class _NarrowedSet:
    """The remaining set of a feature, and the reason."""

    values: CoefficientSet
    words: tuple[str, ...]


def _kept_values(problem: Problem, forbid: object, sign: Mapping[str, str | int] | None) -> dict[int, _NarrowedSet]:
    names = problem.rows.names
    kept: dict[int, _NarrowedSet] = {}

    def keep(j: int, narrow: Callable[[CoefficientSet], CoefficientSet | None], words: str) -> None:
        narrowed = kept.get(j, _NarrowedSet(problem.given_sets[j], ()))
        left, all_words = narrow(narrowed.values), (*narrowed.words, words)
        if left is None:
            raise InfeasibleError(
                f"feature {names[j]!r}: no value of {problem.given_sets[j]} satisfies "
                f"{' and '.join(map(repr, all_words))}",
                "leave one of them out",
            )
        kept[j] = _NarrowedSet(left, all_words)

    for word, forbidden in (forbid if isinstance(forbid, Mapping) else {}).items():
        listed = forbidden if isinstance(forbidden, Sequence) and not isinstance(forbidden, str) else [forbidden]
        gone = {exact(v, f"forbid: a value of {word!r}") for v in listed}
        for j in matching([word], names, "forbid"):
            words = f"{names[j]} not {' or '.join(map(shown, sorted(gone)))}"
            keep(j, lambda values, gone=gone: values.excluding(gone), words)  # type: ignore[misc]
    for word, forbidden in (sign or {}).items():
        if forbidden not in SIGN_WORDS:
            raise InvalidProblemError(f"sign: {word!r} has {forbidden!r}", "give '+' or '-'", subject="sign")
        for j in matching([word], names, "sign"):
            words = f"{names[j]} not {'below' if SIGN_WORDS[forbidden] > 0 else 'above'} 0"
            keep(j, lambda values, s=SIGN_WORDS[forbidden], j=j: _of_sign(values, s, names[j]), words)  # type: ignore[misc]
    return kept


def _of_sign(values: CoefficientSet, sign: int, name: str) -> CoefficientSet | None:
    """The values that are 0 or of a sign; None if there are none."""
    if (values.greatest if sign > 0 else -values.least) < 0:
        return None
    return values.within(0, None, name) if sign > 0 else values.within(None, 0, name)


def _start(problem: Problem, points: Points) -> Points | None:
    """The old points moved to the nearest allowed ones, if these satisfy all constraints."""
    try:
        if points.answers is not None:
            start: Points | None = points
        else:
            nearest = [s.nearest(old) for s, old in zip(problem.sets, points.values, strict=True)]
            start = with_best_intercept(problem, [int(v * problem.unit) for v in nearest])
        if start is not None:
            check_points(problem, start, "the start")
    except VerificationError:
        return None
    return start
