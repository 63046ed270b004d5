"""pool: all models that are almost as good as the best, one for each way to predict the rows."""

from collections.abc import Iterable
from fractions import Fraction

from supersparse.decimals import exact
from supersparse.errors import InvalidOptionError, SolverFailedError
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.reading.numbers import count
from supersparse.selection.intercepts import intercepts_within
from supersparse.solution.models import Found, Models, verified
from supersparse.solution.pool import Pool, in_order
from supersparse.solving.presolve.merge import MergeRows
from supersparse.solving.solve_many import solve_all_within

Rank = tuple[Fraction, Fraction, tuple[int, ...], int | Fraction]  # l1, F, coefficients, intercept


def pool(
    problem: Problem,
    within: float | Fraction = 0.01,
    max_features: int | None = None,
    max_models: int = 1000,
    solver: str = "auto",
    **options: object,
) -> Pool:
    """Find all models of F <= (1 + within)·F*, F* being the least F with at most `max_features`.

    Models are told apart by what they predict for the training rows; intercepts other than the
    best one belong to them. `max_models` says how many are kept, best first; how many more there are is
    counted. Options are those of `solve`; where a limit stops the search, the pool is a sample.

    >>> problem = Problem.of([[0, 0], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1], C0=0.1, max_coef=2)
    >>> good = pool(problem, within=3, solver="exhaustive")
    >>> print(good)
    2 models, within 3 of the least F 0.1, each predicting the rows differently; complete
    >>> good.always(), len(good.avoiding("x0"))
    ((), 1)
    """
    factor = exact(within, "within", InvalidOptionError)
    most = count(max_models, "max_models")
    if most == 0:
        raise InvalidOptionError("max_models is 0; keep at least one model")
    if max_features is not None:
        problem = problem.asking(max_features=max_features)
    found = solve_all_within(problem, factor, solver, **options)
    if not found.models:
        raise SolverFailedError(f"no scoring system was found: {found.stop.value}; raise the limits")
    return _pooled(problem, factor, most, found)


class _Alike:
    """The models that predict the rows alike: of each support, and of the least F, the one of least rank."""

    def __init__(self) -> None:
        self.by_support: dict[tuple[int, ...], Rank] = {}
        self.tied: Rank | None = None

    def add(self, support: tuple[int, ...], rank: Rank, *, best: Fraction) -> None:
        known = self.by_support.get(support)
        if known is None or rank < known:
            self.by_support[support] = rank
        if rank[1] == best and (self.tied is None or rank < self.tied):
            self.tied = rank

    @property
    def ranked(self) -> list[Rank]:
        """The representative first."""
        return sorted(self.by_support.values())


def _pooled(problem: Problem, within: Fraction, most: int, found: Models) -> Pool:
    best = min(model.evaluation.objective for model in found.models)
    limit = (1 + within) * best
    merged = MergeRows.apply(problem)  # equal rows are predicted alike
    by_vector: dict[bytes, _Alike] = {}
    values: list[set[int]] = [set() for _ in range(problem.n_features)]
    counted = 0
    for model in found.models:
        coefficients, support = model.points.coefficients, model.points.support
        for one in intercepts_within(merged, coefficients, limit):
            alike = by_vector.setdefault(one.predicted, _Alike())
            rank = (one.l1, one.objective, coefficients, one.intercept)
            alike.add(support, rank, best=best)
            counted += 1
        for own, value in zip(values, coefficients, strict=True):
            own.add(value)
    groups = sorted(
        (alike.ranked for alike in by_vector.values()), key=lambda ranked: (ranked[0][1], ranked[0])
    )
    kept = [_verified(problem, ranked, found.solver) for ranked in groups[:most]]
    tied = [alike.tied for alike in by_vector.values() if alike.tied is not None]
    names = problem.rows.names
    return Pool(
        problem=problem,
        within=within,
        best=best,
        models=tuple(alike[0] for alike in kept),
        left_out=len(groups) - len(kept),
        count=counted,
        complete=found.complete,
        by_support=tuple(kept),
        tied=tuple(in_order(_verified(problem, tied, found.solver))),
        in_all=frozenset(n for n, own in zip(names, values, strict=True) if 0 not in own),
        in_some=frozenset(n for n, own in zip(names, values, strict=True) if own != {0}),
        spans=tuple((Fraction(min(own), problem.unit), Fraction(max(own), problem.unit)) for own in values),
        solver=found.solver,
        stop=found.stop,
        seconds=found.seconds,
    )


def _verified(problem: Problem, ranked: Iterable[Rank], solver: str) -> tuple[Found, ...]:
    points = [Points(coefficients, b, problem.unit) for _, _, coefficients, b in ranked]
    return verified(problem, points, solver)
