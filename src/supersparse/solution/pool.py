"""Pool: the models that are almost as good as the best (the Rashomon set), as plain data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.decimals import shown
from supersparse.errors import InvalidOptionError, did_you_mean
from supersparse.problem.problem import Problem
from supersparse.solution.models import Found
from supersparse.solution.stop import Stop
from supersparse.solution.tables import as_frame, named_points


@dataclass(frozen=True, kw_only=True)
class Pool:
    """One model for each way to predict the training rows, of F <= (1 + within)·F*.

    Two models are alike when `predict` gives the same class for every row, that is when the same
    rows have a score above 0. A score of 0 predicts the negative class and counts as an error
    in F, so alike models may differ in F. Of alike models the one with the least l1 stands for
    all, then the least F. What is said of features holds for all models, not only for those.
    """

    problem: Problem  # with the limit on the size in it
    within: Fraction
    best: Fraction  # F*, or the least F found where the pool is a sample
    models: tuple[Found, ...]  # by F, then l1
    left_out: int  # ways to predict beyond `max_models`
    count: int  # scoring systems counted, all of them
    complete: bool  # proven: nothing is missing
    by_support: tuple[tuple[Found, ...], ...]  # beside each model those alike, one for each set of features
    tied: tuple[Found, ...]
    in_all: frozenset[str]
    in_some: frozenset[str]
    spans: tuple[tuple[Fraction, Fraction], ...]  # least and greatest points of each feature
    solver: str
    stop: Stop
    seconds: float

    @property
    def limit(self) -> Fraction:
        """The largest F allowed."""
        return (1 + self.within) * self.best

    @property
    def names(self) -> tuple[str, ...]:
        """The features."""
        return self.problem.rows.names

    def always(self) -> tuple[str, ...]:
        """Return the features that every good model uses."""
        return tuple(name for name in self.names if name in self.in_all)

    def never(self) -> tuple[str, ...]:
        """Return the features that no good model uses."""
        return tuple(name for name in self.names if name not in self.in_some)

    def uses(self, name: str) -> tuple[Found, ...]:
        """Return the models with a feature, one for each way to predict that has some."""
        j = self._position(name)
        return self._first_of(lambda model: model.points.coefficients[j] != 0)

    def avoiding(self, name: str) -> tuple[Found, ...]:
        """Return the models without a feature, one for each way to predict that has some."""
        j = self._position(name)
        return self._first_of(lambda model: model.points.coefficients[j] == 0)

    def ranges(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Return the least and the greatest points of each feature over all good models."""
        return dict(zip(self.names, self.spans, strict=True))

    def ties(self) -> tuple[Found, ...]:
        """Return the models of exactly the least F, one for each way to predict."""
        return self.tied

    def table(self) -> list[dict[str, Any]]:
        """Return one row for each model."""
        return [
            {
                "objective": float(model.evaluation.objective),
                "errors": float(model.evaluation.training_errors),
                "size": model.evaluation.size,
                "l1": float(model.evaluation.l1),
                "sensitivity": float(model.evaluation.sensitivity),
                "specificity": float(model.evaluation.specificity),
                "points": named_points(self.names, model.points),
                "intercept": float(model.points.intercept_value),
            }
            for model in self.models
        ]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame(self.table())

    def __str__(self) -> str:
        models = f"{len(self.models)} models" if len(self.models) != 1 else "1 model"
        more = f", and {self.left_out} more that are left out" if self.left_out else ""
        state = "complete" if self.complete else f"a sample, not proven complete: {self.stop.value}"
        return (
            f"{models}{more}, within {shown(self.within)} of the least F {float(self.best):.6g}, "
            f"each predicting the rows differently; {state}"
        )

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise InvalidOptionError(f"no feature is called {name!r}; {did_you_mean(name, self.names)}")
        return self.names.index(name)

    def _first_of(self, wanted: Callable[[Found], bool]) -> tuple[Found, ...]:
        fitting = (next(filter(wanted, alike), None) for alike in self.by_support)
        return tuple(model for model in fitting if model is not None)


def in_order(models: Iterable[Found]) -> list[Found]:
    """Sort models by F, then l1, then the points."""
    return sorted(
        models,
        key=lambda m: (
            m.evaluation.objective,
            m.evaluation.l1,
            m.points.coefficients,
            m.points.intercept,
        ),
    )
