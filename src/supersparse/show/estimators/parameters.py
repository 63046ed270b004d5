"""The parameters of the classifiers: the declared settings, and how learning goes about them."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from inspect import Parameter, Signature
from os import PathLike
from typing import Any, Literal, TypedDict, TypeVar

from numpy.random import RandomState
from numpy.typing import NDArray

from supersparse.base.exact import Number
from supersparse.base.schema.setting import fields_of, parameters_of
from supersparse.card.evaluate.calibrating import Method
from supersparse.learn.prepare.prepare import Prepare
from supersparse.problem.asked import Asked, AskedOfBothGoals

Classifier = TypeVar("Classifier", bound=type)

PREPARATIONS = 'give None to use numbers as they are, "auto", or a Prepare'
LEARNING: Mapping[str, Any] = {
    "calibrate": None,
    "prepare": None,
    "initial": None,
    "solver": "auto",
    "solver_options": None,
    "checkpoint": None,
    "certificate": None,
    "executor": None,
    "time_limit": 60,
    "node_limit": None,
    "gap": 0.0,
    "n_jobs": None,
    "random_state": None,
    "verbose": 0,
}


class LearningOfBothGoals(TypedDict, total=False):
    """How learning goes about the settings, for type checkers and editors; the defaults are in `LEARNING`."""

    prepare: Prepare | Literal["auto"] | None
    initial: Any  # what `solve` takes, or a linear model to be fitted first
    solver: str
    solver_options: Mapping[str, object] | None
    checkpoint: str | PathLike[str] | None
    executor: Executor | None
    time_limit: float | None
    node_limit: int | None
    gap: float
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int


class Choosing(TypedDict, total=False):
    """How C0 is chosen."""

    Cs: int | Sequence[float] | NDArray[Any]
    cv: Any
    rule: Literal["best", "one_sd", "one_se"]


class SLIMCVKeywords(AskedOfBothGoals, LearningOfBothGoals, Choosing, total=False):
    """The parameters of `SLIMClassifierCV`."""

    tie_break: Literal["points", "log_loss"]
    slack: float
    intercept: str | tuple[Number, Number]
    calibrate: Method | None
    certificate: str | PathLike[str] | None


class SLIMKeywords(AskedOfBothGoals, LearningOfBothGoals, total=False):
    """The parameters of `SLIMClassifier`."""

    tie_break: Literal["points", "log_loss"]
    slack: float
    C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None
    intercept: str | tuple[Number, Number]
    calibrate: Method | None
    certificate: str | PathLike[str] | None


class RiskCVKeywords(AskedOfBothGoals, LearningOfBothGoals, Choosing, total=False):
    """The parameters of `RiskScoreClassifierCV`."""

    slope: Literal["free"] | int


class RiskKeywords(AskedOfBothGoals, LearningOfBothGoals, total=False):
    """The parameters of `RiskScoreClassifier`."""

    C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None
    slope: Literal["free"] | int


def takes_settings(*without: str, **more: Any) -> Callable[[Classifier], Classifier]:
    """Give a classifier a constructor with all settings that `Asked` declares, except those in `without`.

    `without` may name parameters of `LEARNING` as well. `more` are its own parameters, which come first. A
    setting that the docstring does not describe is added to it with its line of help, so that a new one is
    documented as soon as it is declared.
    """
    declared = [p for p in parameters_of(Asked) if p.name not in without]
    learning = {name: default for name, default in LEARNING.items() if name not in without}
    own = {**more, **{p.name: p.default for p in declared}, **learning}
    order = [*more, *(p.name for p in declared), *learning]

    def decorate(cls: Classifier) -> Classifier:
        def __init__(self: Any, **given: Any) -> None:  # noqa: N807
            for name in given:
                if name not in own:
                    raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}")
            for name in order:
                setattr(self, name, given.get(name, own[name]))

        parameters = [Parameter(name, Parameter.KEYWORD_ONLY, default=own[name]) for name in order]
        first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        __init__.__signature__ = Signature([first, *parameters])  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[misc]
        cls.__doc__ = _documented(cls.__doc__ or "", {p.name for p in declared})
        return cls

    return decorate


def _documented(text: str, names: set[str]) -> str:
    """Add the settings that a docstring does not describe to the end of its parameters."""
    parameters, rule, rest = text.partition("\n    Attributes\n")
    missing = [
        name for name in sorted(names) if f"{name} :" not in parameters and f"{name}," not in parameters
    ]
    lines = [f"    {name}\n        {fields_of(Asked)[name].help}\n" for name in missing]
    return parameters + "".join(lines) + rule + rest
