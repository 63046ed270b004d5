"""The parameters of the classifiers: the declared settings, and how learning goes about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from numpy.random import RandomState
from numpy.typing import NDArray

from supersparse.base.schema.setting import Keyword, constructor, in_python, keywords_of
from supersparse.card.evaluate.calibrating import Method
from supersparse.engine.options import SolverOptions
from supersparse.learn.settings.settings import Settings
from supersparse.problem.asked import Asked

if TYPE_CHECKING:
    from supersparse.learn.prepare.prepare import Prepare


@dataclass(frozen=True, kw_only=True)
class LearningParameters:
    """Parameters of learning that no other face has, or that mean more here than an option of `solve`."""

    calibrate: Method | None = in_python(
        "How scores become probabilities: isotonic or logistic.",
        doc="""{"isotonic", "logistic"}
        How scores become probabilities. `predict_proba` is available only with `calibrate`. Risks are learned by
        cross-fitting, which takes up to five more fits and half of the time. The card also keeps its cross-validated
        performance, and `NoBetterThanBaselineWarning` warns if it is no better than the baseline.""",
    )
    validate: bool = in_python(
        "Whether the card is judged on held-out rows.",
        default=False,
        doc="""bool
        Whether the card is judged on held-out rows: 5 folds of a fixed seed, divided twice unless the table is large,
        each learned from anew; see ``validation_``.""",
    )
    prepare: "Prepare | Literal['auto'] | None" = in_python(
        "How raw columns become features during fit.",
        doc="""None, "auto" or Prepare
        How raw columns become features during fit: numbers are cut, and categories and missing values get their own
        features. The scoring system then takes raw columns. X may contain text and blanks, and may be a mapping of
        columns. "auto" means ``Prepare()``. Settings by feature name refer to the prepared features:
        ``constraints.at_most(1, of="age *")``.""",
    )
    initial: Any = in_python(
        "Starting point: what `solve` takes, or a linear model to be fitted first.",
        doc="""model
        Starting point of the search: a `Solution`, `Points` or a `ScoringSystem` on the same features; a fitted linear
        classifier or its coefficients, rounded by `supersparse.rounded`; or an unfitted linear classifier such as
        ``LogisticRegression()``, which is fitted to the training rows first. Scikit-learn's cross-validation clones
        it, so each fold starts from its own fit.""",
    )
    solver_options: Mapping[str, object] | None = in_python(
        "Further options of `solve` and of the solver.",
        doc="""dict
        Options of `solve` that have no parameter here ("formulation", "branching_priorities", "tuning_time",
        "pair_covers", "absolute_gap", "memory_limit"), and options under the solver's own names. Priorities hold for
        the fit to all rows, not for folds.""",
    )
    time_limit: float | None = in_python(
        "Time limit of the whole fit in seconds.",
        default=60,
        doc="""float
        Time limit of the whole fit in seconds, `calibrate` included; the best model found by then is kept, and
        `NotProvenWarning` says how far it may be from the best. None means no limit.""",
    )
    random_state: int | RandomState | None = in_python(
        "Random seed; None means 0.",
        doc="""int, RandomState instance or None
        Random seed. None means 0, so fits are reproducible.""",
    )
    verbose: int = in_python(
        "1 logs progress once a second, 2 every line.",
        default=0,
        doc="""int
        1 logs one line of progress per second, 2 logs every line. Uses the logger "supersparse", or standard error if
        logging is not configured.""",
    )


@dataclass(frozen=True, kw_only=True)
class ChoosingParameters:
    """How C0 is chosen."""

    Cs: int | Sequence[float] | NDArray[Any] = in_python(
        "Values of C0 to try, or how many.",
        default=6,
        doc="""int or array-like
        Values of C0 to try, or how many. A number gives values evenly spaced on a logarithmic scale, from the loss of
        the lightest row (below it, a feature may be used to fix one row) to the loss of the best constant model (above
        it, no feature is used).""",
    )
    cv: Any = in_python(
        "How the rows are divided into folds.",
        default=5,
        doc="""int, splitter or iterable of splits
        A number means that many stratified folds, shuffled by a fixed seed; rows of a group stay together, and rows of
        weight 0 are in no fold. None means 5.""",
    )
    rule: Literal["best", "one_sd", "one_se"] = in_python(
        "Which value of C0 is chosen.",
        default="best",
        doc="""{"best", "one_sd", "one_se"}
        "best": the lowest mean error. Ties go to the fewest features, then to the largest C0. "one_sd", "one_se": the
        fewest features within one standard deviation, or standard error, of the lowest mean error. Ties go to the
        lowest mean error, then to the largest C0. A value that uses no feature in most folds gives way to others
        within one standard error. Features are averaged over the folds. The standard deviation is ``std_test_score``
        at the lowest mean error; the standard error divides it by the square root of the number of folds.""",
    )


_IN_ORDER = (
    *("calibrate", "validate", "prepare", "initial", "solver", "solver_options", "checkpoint", "certificate"),
    *("executor", "time_limit", "node_limit", "gap", "n_jobs", "random_state", "verbose"),
)
if TYPE_CHECKING:
    from supersparse.show.estimators.keywords import RiskCVParameters as RiskCVParameters
    from supersparse.show.estimators.keywords import RiskParameters as RiskParameters
    from supersparse.show.estimators.keywords import SLIMCVParameters as SLIMCVParameters
    from supersparse.show.estimators.keywords import SLIMParameters as SLIMParameters
else:
    _CHOOSING, _TIES = keywords_of(ChoosingParameters), keywords_of(Settings, "tie_break", "slack")
    _TEACHER = keywords_of(Settings, "teacher", "blend")
    _QUESTIONS = keywords_of(
        Settings, "questions", "max_questions", "min_questions", "change_price", "teacher", "blend", teacher="auto"
    )

    def _learning(*without: str, prepare: str | None = None) -> list[Keyword]:
        """How learning goes about: our own parameters, and options of the solver among them."""
        ours = keywords_of(LearningParameters, prepare=prepare)
        solver = keywords_of(
            SolverOptions,
            *("solver", "checkpoint", "certificate", "executor", "node_limit", "gap", "n_jobs"),
            n_jobs=None,
        )
        by_name = {one.name: one for one in (*ours, *solver)}
        return [by_name[name] for name in _IN_ORDER if name not in without]

    _OF_SIZES = "cards of the fewest errors have features: use max_features, or RiskScoreClassifier"
    _OF_ERRORS = {
        **dict.fromkeys(("questions", "max_questions", "min_questions", "change_price"), _OF_SIZES),
        "slope": "it is about risks: use RiskScoreClassifier",
    }
    _OF_RISKS = {
        **dict.fromkeys(("tie_break", "slack"), "it is about errors: remove it, or use SLIMClassifier"),
        "calibrate": "the card has risks of its own: remove it, or use SLIMClassifier; recalibrate fits new rows",
        "intercept": "a risk has its own offset: remove it, or use SLIMClassifier",
    }
    SLIMParameters = constructor(
        "SLIMParameters", [*_TIES, *keywords_of(Asked, without=("goal", "slope")), *_TEACHER, *_learning()], _OF_ERRORS
    )
    SLIMCVParameters = constructor(
        "SLIMCVParameters",
        [*_CHOOSING, *_TIES, *keywords_of(Asked, without=("C0", "goal", "slope")), *_TEACHER, *_learning("validate")],
        _OF_ERRORS,
    )
    RiskParameters = constructor(
        "RiskParameters",
        [*keywords_of(Asked, without=("goal", "intercept")), *_QUESTIONS, *_learning("calibrate", prepare="auto")],
        _OF_RISKS,
    )
    RiskCVParameters = constructor(
        "RiskCVParameters",
        [
            *_CHOOSING,
            *keywords_of(Asked, without=("C0", "goal", "intercept")),
            *_QUESTIONS,
            *_learning("calibrate", "certificate", "validate", prepare="auto"),
        ],
        _OF_RISKS,
    )
