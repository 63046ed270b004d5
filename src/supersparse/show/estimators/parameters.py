"""The parameters of the classifiers: the declared settings, and how learning goes about them."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from numpy.random import RandomState
from numpy.typing import NDArray

from supersparse.base.schema.keywords import constructor, keywords_of
from supersparse.base.schema.setting import in_python
from supersparse.card.evaluate.calibrating import Method
from supersparse.learn.settings.settings import Settings
from supersparse.problem.asked import Asked

if TYPE_CHECKING:
    from supersparse.learn.prepare.prepare import Prepare


@dataclass(frozen=True, kw_only=True)
class LearningParameters:
    """How learning goes about the settings; these have no other face."""

    calibrate: Method | None = in_python("How scores become probabilities: isotonic or logistic.")
    validate: bool = in_python("Whether the card is judged on held-out rows.", default=False)
    prepare: "Prepare | Literal['auto'] | None" = in_python("How raw columns become features during fit.")
    initial: Any = in_python("Starting point: what `solve` takes, or a linear model to be fitted first.")
    solver: str = in_python("Solver; see `supersparse solvers`.", default="auto")
    solver_options: Mapping[str, object] | None = in_python("Further options of `solve` and of the solver.")
    checkpoint: str | PathLike[str] | None = in_python("File to save the search to and resume it from.")
    certificate: str | PathLike[str] | None = in_python("File for a proof that others can check.")
    executor: Executor | None = in_python("Where the proof runs, instead of threads.")
    time_limit: float | None = in_python("Time limit of the whole fit in seconds.", default=60)
    node_limit: int | None = in_python("Work limit in nodes, the same on every machine.")
    gap: float = in_python("Stop at this relative gap to the best possible objective.", default=0.0)
    n_jobs: int | None = in_python("Number of threads; None means 1, -1 all cores.")
    random_state: int | RandomState | None = in_python("Random seed; None means 0.")
    verbose: int = in_python("1 logs progress once a second, 2 every line.", default=0)


@dataclass(frozen=True, kw_only=True)
class ChoosingParameters:
    """How C0 is chosen."""

    Cs: int | Sequence[float] | NDArray[Any] = in_python("Values of C0 to try, or how many.", default=6)
    cv: Any = in_python("How the rows are divided into folds.", default=5)
    rule: Literal["best", "one_sd", "one_se"] = in_python("Which value of C0 is chosen.", default="best")


if TYPE_CHECKING:
    from supersparse.show.estimators.keywords import RiskCVParameters as RiskCVParameters
    from supersparse.show.estimators.keywords import RiskParameters as RiskParameters
    from supersparse.show.estimators.keywords import SLIMCVParameters as SLIMCVParameters
    from supersparse.show.estimators.keywords import SLIMParameters as SLIMParameters
else:
    _CHOOSING, _TIES = keywords_of(ChoosingParameters), keywords_of(Settings, "tie_break", "slack")
    _TEACHER = keywords_of(Settings, "teacher", "blend")
    _LEARNING = keywords_of(LearningParameters)
    _LEARNING_RISKS = keywords_of(LearningParameters, without=("calibrate",), prepare="auto")
    _BY_FOLDS = keywords_of(LearningParameters, without=("validate",))
    _BY_FOLDS_RISKS = keywords_of(LearningParameters, without=("calibrate", "certificate", "validate"), prepare="auto")
    SLIMParameters = constructor(
        "SLIMParameters", [*_TIES, *keywords_of(Asked, without=("goal", "slope")), *_TEACHER, *_LEARNING]
    )
    SLIMCVParameters = constructor(
        "SLIMCVParameters",
        [*_CHOOSING, *_TIES, *keywords_of(Asked, without=("C0", "goal", "slope")), *_TEACHER, *_BY_FOLDS],
    )
    _QUESTIONS = keywords_of(
        Settings, "questions", "max_questions", "min_questions", "change_price", "teacher", "blend", teacher="auto"
    )
    RiskParameters = constructor(
        "RiskParameters", [*keywords_of(Asked, without=("goal", "intercept")), *_QUESTIONS, *_LEARNING_RISKS]
    )
    RiskCVParameters = constructor(
        "RiskCVParameters",
        [*_CHOOSING, *keywords_of(Asked, without=("C0", "goal", "intercept")), *_QUESTIONS, *_BY_FOLDS_RISKS],
    )
