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

    def beats(self, other: "Place", row: float = 0.0) -> bool:
        """More accurate and more sparse, as the paper defines domination; errors less than a row apart tie.

        >>> Place(5.0, 3).beats(Place(5.05, 4)), Place(5.0, 3).beats(Place(5.05, 4), row=0.1)
        (True, False)
        """
        return _less(self.error, other.error, row) and self.size < other.size


def rivals(study: Study, dataset: str) -> list[str]:
    """The methods that are held against each other: of SLIM the paper's formulation only."""
    return [method for method in study.methods(dataset) if method != "SLIM free"]


def efficient(study: Study, dataset: str, rule: str, among: Collection[str] | None = None) -> list[str]:
    """The methods that no other one dominates, of all or among some."""
    there = [m for m in rivals(study, dataset) if among is None or m in among]
    results = {m: study.chosen(dataset, m, rule) for m in there}
    places = {m: Place.of(result) for m, result in results.items()}
    row = min((one_row(result) for result in results.values()), default=0.0)
    return [m for m, own in places.items() if not any(other.beats(own, row) for other in places.values())]


def one_row(result: Result) -> float:
    """What one test row more is worth in the mean error over the folds, in percent."""
    return min(100 / r.test.rows for r in result.records) / len(result.records)


def _less(error: float, other: float, row: float) -> bool:
    """Whether an error is less by a row or more: less is as many errors, in folds of other sizes."""
    return error < other and other - error >= row * (1 - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Where the lasso leads: its best model up to a size that SLIM reaches, and SLIM's."""

    size: float  # up to which both were chosen
    slim: Result
    lasso: Result

    @property
    def difference(self) -> float:
        """SLIM's error less the lasso's, in percent."""
        return self.slim.test.mean - self.lasso.test.mean

    @property
    def rows(self) -> int:
        """The difference in test rows over all folds."""
        return sum(r.test.errors for r in self.slim.records) - sum(r.test.errors for r in self.lasso.records)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstLasso:
    """SLIM's grid of C0 against the lasso's whole path on one table."""

    dataset: str
    lasso_models: int
    lasso_beaten: int  # for which some SLIM model is no worse in both, and better in one
    lead: Lead  # where the lasso leads most, or is least behind
    one_row: float  # what one test row more is worth, in percent

    @property
    def worst(self) -> float:
        """SLIM's least error up to a size, less the lasso's up to the same size, at worst; in percent."""
        return self.lead.difference

    @property
    def dominates(self) -> bool:
        """Whether SLIM is nowhere worse, over the sizes that its grid reaches."""
        return self.worst <= 0

    @property
    def word(self) -> str:
        """A tie is less than a row: as many errors, in folds of other sizes. It does not count as won."""
        if self.dominates:
            return "dominates"
        return "does not" if _less(0.0, self.worst, self.one_row) else "ties"


def against_lasso(study: Study, dataset: str) -> AgainstLasso | None:
    """Compare at every size that SLIM reached; None without records of both at some size."""
    slim, lasso = study.results(dataset, "SLIM"), study.results(dataset, "Lasso")
    leads = [
        Lead(size=size, slim=own, lasso=other)
        for size in sorted({r.size for r in slim})
        if (own := best_up_to(slim, size)) is not None and (other := best_up_to(lasso, size)) is not None
    ]
    if not leads:
        return None
    ours = [Place.of(r) for r in slim]
    beaten = sum(any(s.error <= p.error and s.size <= p.size and s != p for s in ours) for p in map(Place.of, lasso))
    return AgainstLasso(
        dataset=dataset,
        lasso_models=len(lasso),
        lasso_beaten=beaten,
        lead=max(leads, key=lambda lead: lead.difference),
        one_row=one_row(slim[0]),
    )


def best_up_to(results: Sequence[Result], size: float) -> Result | None:
    """The model of the least error that is no larger than this; None where there is none."""
    there = [r for r in results if r.size <= size]
    return min(there, key=lambda r: (r.test.mean, r.size), default=None)
