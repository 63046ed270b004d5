"""Who is dominated: the efficient frontier of error and size, and SLIM against the lasso's path."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from study.results.study import Result, Study


@dataclass(frozen=True, slots=True)
class Place:
    """Mean test error in percent and median size."""

    error: float
    size: float

    @classmethod
    def of(cls, result: Result) -> "Place":
        """Sizes count the intercept, for all methods alike."""
        return cls(result.test.mean, result.size)

    def beats(self, other: "Place") -> bool:
        """More accurate and more sparse, as the paper defines domination: both, strictly."""
        return self.error < other.error and self.size < other.size


def rivals(study: Study, dataset: str) -> list[str]:
    """The methods that are held against each other: of SLIM the paper's formulation only."""
    return [method for method in study.methods(dataset) if method != "SLIM free"]


def efficient(study: Study, dataset: str, rule: str, among: Collection[str] | None = None) -> list[str]:
    """The methods that no other one dominates, of all or among some."""
    there = [m for m in rivals(study, dataset) if among is None or m in among]
    places = {m: Place.of(study.chosen(dataset, m, rule)) for m in there}
    return [m for m, own in places.items() if not any(other.beats(own) for other in places.values())]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstLasso:
    """SLIM's grid of C0 against the lasso's whole path on one table."""

    dataset: str
    lasso_models: int
    lasso_beaten: int  # for which some SLIM model is no worse in both, and better in one
    worst: float  # of SLIM's least error up to a size, less the lasso's up to the same size; in percent
    one_row: float  # what one test row more is worth, in percent

    @property
    def dominates(self) -> bool:
        """Whether SLIM is nowhere worse, over the sizes that its grid reaches."""
        return self.worst <= 0

    @property
    def word(self) -> str:
        """A tie is less than a row: as many errors, in folds of other sizes. It does not count as won."""
        if self.dominates:
            return "dominates"
        return "ties" if self.worst < self.one_row * (1 - 1e-9) else "does not"


def against_lasso(study: Study, dataset: str) -> AgainstLasso | None:
    """Compare at every size that SLIM reached; None without records of both."""
    slim = [Place.of(r) for r in study.results(dataset, "SLIM")]
    lasso = [Place.of(r) for r in study.results(dataset, "Lasso")]
    if not slim or not lasso:
        return None
    differences = [
        best_up_to(slim, p.size) - best for p in slim if (best := best_up_to(lasso, p.size)) < float("inf")
    ]
    beaten = sum(any(s.error <= p.error and s.size <= p.size and s != p for s in slim) for p in lasso)
    return AgainstLasso(
        dataset=dataset,
        lasso_models=len(lasso),
        lasso_beaten=beaten,
        worst=max(differences, default=-float("inf")),
        one_row=min(100 / r.test.rows / len(study.folds) for r in study.results(dataset, "SLIM")[0].records),
    )


def best_up_to(places: Sequence[Place], size: float) -> float:
    """The least error of a model no larger than this; infinite when there is none.

    >>> best_up_to([Place(5.0, 3), Place(4.0, 7)], 5)
    5.0
    """
    return min((p.error for p in places if p.size <= size), default=float("inf"))
