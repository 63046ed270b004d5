"""Asked: every setting of a scoring system, declared once.

Each field is a setting: its name, its type, its default, the form that reads and checks it in a file, and
a line of help. `Problem.of`, `Settings`, the classifiers, the settings file, its JSON Schema and the command
line all read this declaration; a new setting is a field here, and its effect in `Problem`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError
from supersparse.base.exact import Number
from supersparse.base.schema.scalars import Either, Form, LabelForm, Null, NumberForm, Schema, Word, suggest
from supersparse.base.schema.scalars import Whole as WholeForm
from supersparse.base.schema.setting import Option, keywords, keywords_of, names_of, setting
from supersparse.base.schema.shapes import ListOf, Pair, TableOf
from supersparse.base.schema.tree import FileNode, Scalar
from supersparse.problem.constraints.forms import KINDS, ConstraintForm
from supersparse.problem.limits import Constraint
from supersparse.problem.penalties import RISK_WANTED, Levels
from supersparse.problem.points import CoefficientSet
from supersparse.problem.set_forms import LevelsForm, SetForm

Auto = Literal["auto"]
PointSet = CoefficientSet | int | Collection[Number] | NDArray[Any]
Ends = tuple[Number | None, Number | None]
LevelList = Levels | Sequence[tuple[Any, Number]]

MAX_POINTS = 10  # where max_points is "auto"
SYNONYMS = {"coefficients": "points", "coef_set": "points", "max_coef": "max_points", "weights": "sample_weight"}

_OPEN_PAIR = Pair(Either(NumberForm(), Null()), "a pair such as [0, 10], or [0, null] for an open end")


class _One(WholeForm):
    """The number 1."""

    widget = "choice"

    def __init__(self) -> None:
        super().__init__()
        self.wanted = "1"

    def fits(self, node: FileNode) -> bool:
        return super().fits(node) and isinstance(node, Scalar) and node.number == 1

    def schema(self) -> Schema:
        return {"const": 1}


def word_or_whole(text: str) -> str | int:
    """Read a value of the command line that is a word or a whole number.

    >>> word_or_whole("free"), word_or_whole("1")
    ('free', 1)
    """
    return int(text) if text.isascii() and text.isdigit() else text


def _or_by_name(form: Form[Any], entry: Form[Any] | None = None) -> Either:
    return Either(form, TableOf(entry or form, "a mapping by feature name or pattern"))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The settings as the user gave them. Values by feature: one for all, one each, or by name or pattern."""

    C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None = setting(
        None,
        _or_by_name(NumberForm(0)),
        "Keep a question or a feature only if it improves the fit by at least this much; default: 0.2 divided by the "
        "rows for a question; 0.01 for a feature, and `fit` chooses it by cross-validation.",
        option=Option(),
        group="size",
        is_common=True,
        doc="""float, array-like of shape (n_features,) or dict
        Cost of a feature or question: the error rate, or for a risk model the log loss, that it must save to be used.
        0.01 is one row in a hundred. A dict sets costs by feature name or pattern: ``{"age*": 0.02, "*": 0.01}``. None
        means 0.01 for a feature, and 0.2 divided by the number of rows for a question. `levels` replace C0.""",
    )
    goal: Literal["errors", "risk"] = setting(
        "errors",
        Word("errors", "risk"),
        "What is minimised: the error rate, or the log loss of the risks.",
        option=Option(default="risk for `fit`, else errors"),
        group="goal",
        is_common=True,
    )
    slope: Literal["free"] | int = setting(
        "free",
        Either(Word("free"), _One()),
        "With goal risk, the log odds of one point: free, or 1 with a whole intercept.",
        option=Option(metavar="VALUE", read=word_or_whole),
        doc=""""free" or 1
        The log odds of one point of a feature. With 1, the offset is whole, as in RiskSLIM. Free for questions.""",
    )
    C1: Number | Auto = setting(
        "auto",
        Either(Word("auto"), NumberForm(0)),
        "Cost of each point; auto: of equally good cards, one with the smallest points.",
        doc=""""auto" or float
        Penalty on the sum of absolute points. "auto" breaks ties exactly: of all optimal models, it returns one with
        the smallest sum.""",
    )
    points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None = setting(
        None,
        _or_by_name(SetForm()),
        "Values that points may take.",
        doc="""None, int, array-like, CoefficientSet or dict
        Values that points may take: one set for all features, or a dict of sets by feature name or pattern. None means
        whole numbers from ``-max_points`` to ``max_points``.""",
    )
    max_points: int | Auto = setting(
        "auto",
        Either(Word("auto"), WholeForm(1)),
        "Largest points of an answer (default: 10), or of a feature, plus or minus (default: 10, or 5 for goal risk).",
        option=Option(read=int),
        group="size",
        is_common=True,
        doc="""int or "auto"
        Largest points of a feature, plus or minus, unless `points` sets them: "auto" means 10, or 5 for a risk model.
        Or of an answer to a question, where "auto" means 10.""",
    )
    bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None = setting(
        None,
        _or_by_name(_OPEN_PAIR, Either(_OPEN_PAIR, Null())),
        "Smallest and largest points: [0, null] forbids negative ones.",
        doc="""(low, high), list of pairs or dict of pairs
        Smallest and largest points, for all features, for each, or by feature name or pattern. None leaves an end
        open: ``{"age*": (0, None)}`` forbids negative points.""",
    )
    levels: LevelList | Mapping[str, LevelList | None] | None = setting(
        None,
        _or_by_name(LevelsForm(), Either(LevelsForm(), Null())),
        "Penalty for each value of the points; replaces C0 and points.",
        doc="""list of (values, penalty) or dict of such lists
        Penalties by the value of the points, cheapest first: ``[([-1, 1], 0.01), ([-2, 2], 0.02)]``. They replace `C0`
        and `points`, for all features or, in a dict, for those named. 0 is free unless a level contains it.""",
    )
    max_features: int | Auto | None = setting(
        "auto",
        Either(Word("auto"), WholeForm(0), Null()),
        "Maximum number of features, where a card asks no questions; default: 10.",
        option=Option(read=int),
        group="size",
        is_common=True,
        doc="""int, None or "auto"
        Maximum number of features. "auto" means 10; None means no limit.""",
    )
    min_features: int | None = setting(
        None,
        Either(WholeForm(0), Null()),
        "Minimum number of features.",
        group="size",
        doc="""int
        Minimum number of features.""",
    )
    intercept: str | tuple[Number, Number] = setting(
        "free",
        Either(Word("free", "paper", "none"), Pair(NumberForm(), "a pair such as [-100, 100]")),
        "Threshold: free, in a range, counted as a feature (paper), or none.",
        doc="""{"free", "paper", "none"} or (low, high)
        "free": any threshold, at no cost. A pair: an intercept in this range, a multiple of the unit of the points.
        "paper": a coefficient like the others, penalised and counted as a feature. "none": 0.""",
    )
    class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None = setting(
        None,
        Either(Word("auto", "balanced"), Null(), TableOf(NumberForm(0), "weights by class", widget="labels")),
        "Cost of an error in each class; auto: balanced for prepared columns with a rare class; default: alike.",
        option=Option(
            metavar="WEIGHTS",
            help="Cost of an error in each class: two numbers NEGATIVE,POSITIVE (1.2,0.8); by class "
            "(ill=2,well=1); balanced; or none. Default: none.",
            is_read_later=True,  # with the classes of the rows
        ),
        group="goal",
        is_common=True,
        doc="""None, "balanced", "auto" or dict
        Cost of an error in each class. "balanced" gives both classes the same total. "auto" means "balanced" if
        `prepare` is set and one class has less than a fifth of the rows, otherwise None.""",
    )
    objective: Literal["errors", "net_benefit"] = setting(
        "errors",
        Word("errors", "net_benefit"),
        "What is counted: errors by class weight, or net benefit at risk_threshold, which sets the weights.",
        option=Option(),
        group="goal",
        doc="""{"errors", "net_benefit"}
        What is counted. "net_benefit" is a name for the class weights that it amounts to at `risk_threshold`: t for
        the negative and 1 - t for the positive class, times 2.""",
    )
    risk_threshold: Number | None = setting(
        None,
        Either(NumberForm(above=0, below=1, wanted=RISK_WANTED), Null()),
        "Risk above which you would act, such as 0.2; for objective net_benefit, or goal risk (there 0.5).",
        option=Option(),
        group="goal",
        doc="""float
        The risk above which one would act, such as 0.2; only with ``objective="net_benefit"``.""",
    )
    positive: Any = setting(
        None,
        LabelForm(),
        "Positive class, the one that scores high; default: the class with a usual name (yes, died, ...), "
        "else the larger number, else the rarer class.",
        option=Option(metavar="VALUE"),
        group="with the target",
        doc="""label
        The positive class: a high score predicts it, and `min_sensitivity` refers to it. By default, it is the larger
        of two numbers; of two texts the one with a usual name ("yes", "case", "died", "malignant"), else the rarer
        one. ``classes_`` stays sorted, as scikit-learn's scorers require. If labels are encoded before the fit
        (stacking, or `cross_val_predict` with ``method="decision_function"``), give the code, 0 or 1.""",
    )
    constraints: Sequence[Constraint] = setting(
        (),
        ListOf(ConstraintForm(), "a list of constraints, each after a dash", widget="constraints"),
        "Constraints on the scoring system.",
        group="wishes",
        is_common=True,
        doc="""list of constraints
        Constraints on the scoring system; see `supersparse.constraints`.""",
    )

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "Asked":
        """Take settings by name; an unknown one raises with the nearest known."""
        known = names_of(Asked)
        for name in settings:
            if name not in known:
                raise InvalidOptionError(f"unknown setting {name!r}", suggest(name, known, SYNONYMS))
        return Asked(**settings)


if TYPE_CHECKING:
    from supersparse.problem.keywords import AskedKeywords as AskedKeywords
else:
    AskedKeywords = keywords("AskedKeywords", keywords_of(Asked))


def by_position(name: str, value: object) -> bool:
    """Whether a value has one entry per feature, in order, which a settings file cannot express."""
    if name == "C0":
        return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if name == "points":
        return isinstance(value, list | tuple) and any(is_a_set(v) for v in value)
    if name == "bounds" and isinstance(value, tuple | list):
        return len(value) != 2 or isinstance(value[0], tuple | list)
    return False


def is_a_set(value: object) -> bool:
    """Whether an entry of a list is the set of one feature, not a single value."""
    return value is None or isinstance(value, CoefficientSet | list | tuple | range | set | frozenset | np.ndarray)


assert set(KINDS).isdisjoint(Asked.__dataclass_fields__), "a constraint and a setting have the same name"
