"""Settings and data together: the columns, classes and features that settings name, found in the data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Protocol

from supersparse.base.errors import InvalidProblemError, InvalidSettingsError, did_you_mean
from supersparse.base.schema.setting import names_of
from supersparse.base.schema.tree import find_label
from supersparse.problem.asked import Asked
from supersparse.problem.constraints.rates import Difference, RateConstraint
from supersparse.problem.constraints.single import MaxTotalScore, SameSign, Values
from supersparse.problem.constraints.support import Budget, CloseTo, Count, FixedAnswers, OnlyIf, ThresholdsPerVariable
from supersparse.problem.limits import Constraint
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem
from supersparse.problem.questions import SizeInQuestions
from supersparse.problem.rows import group_columns, read_labels
from supersparse.table.sources import as_frame


class UnknownFeatureError(InvalidSettingsError):
    """Settings name a feature that the data do not have."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AnswersOf:
    """What answers to questions bring: each question's shape, and which have an answer outside of it."""

    shapes: Mapping[str, str]
    not_known: Sequence[str]


class _Named(Protocol):
    """The settings that are read here, besides the fields of `Asked`."""

    @property
    def sample_weight(self) -> str | None: ...
    @property
    def rate_groups(self) -> Sequence[str]: ...
    @property
    def positive(self) -> str | None: ...
    @property
    def class_weight(self) -> Any: ...
    @property
    def constraints(self) -> Sequence[Constraint]: ...
    @property
    def max_questions(self) -> Any: ...
    @property
    def source(self) -> str | None: ...
    def place(self, text: str) -> str: ...


def make_problem(
    settings: _Named,
    X: object,
    y: object,
    *,
    sample_weight: object,
    rate_groups: object,
    feature_names: Sequence[str] | None,
    soft_labels: object = None,
    answers: AnswersOf | None = None,
) -> Problem:
    """Return the problem; an error in the settings names their file, and the line where it is known."""
    X, sample_weight, rate_groups = _columns(settings, X, sample_weight, rate_groups)
    frame = as_frame(X)
    names = list(map(str, frame.columns)) if frame is not None else feature_names
    if names is not None:
        _check_names(settings, names)
    named = settings.positive is not None or isinstance(settings.class_weight, Mapping)
    labels = read_labels(y, None)[1] if named else ()
    known_groups = {name: set(column.tolist()) for name, column in group_columns(rate_groups).items()}
    try:
        asked = {name: getattr(settings, name) for name in names_of(Asked)}
        asked["constraints"] = [_with_label(settings, c, known_groups) for c in settings.constraints]
        asked["class_weight"] = _class_weight(settings, labels)
        if settings.positive is not None:
            asked["positive"] = _one_label(settings, settings.positive, labels, "positive")
        if answers is not None:
            asked |= {name: getattr(settings, name) for name in names_of(SizeInQuestions)}
            asked |= {"shape": answers.shapes, "not_known": answers.not_known}
        return (Problem.of if answers is None else Problem.of_questions)(
            X,
            y,
            soft_labels=soft_labels,
            sample_weight=sample_weight,
            rate_groups=rate_groups,
            feature_names=feature_names,
            **asked,
        )
    except InvalidSettingsError:
        raise
    except InvalidProblemError as error:
        if settings.source is None:
            raise
        raise InvalidProblemError.of(error, f"{settings.source}: ") from None


def _columns(settings: _Named, X: object, sample_weight: object, rate_groups: object) -> tuple[object, object, object]:
    """Take the columns that the settings name out of a data frame."""
    wanted = [*settings.rate_groups] if rate_groups is None else []
    if settings.sample_weight is not None and sample_weight is None:
        wanted.append(settings.sample_weight)
    if not wanted:
        return X, sample_weight, rate_groups
    frame = as_frame(X)
    if frame is None:
        raise InvalidSettingsError(
            f"{settings.place(wanted[0])}the settings name the column {wanted[0]!r}, but X is not a data frame",
            "use a data frame, or pass sample_weight= and rate_groups=",
        )
    for name in wanted:
        if name not in frame.columns:
            raise InvalidSettingsError(
                f"{settings.place(name)}there is no column {name!r}", did_you_mean(name, frame.columns)
            )
    if settings.sample_weight in wanted:
        sample_weight = frame[settings.sample_weight].to_native()
    if rate_groups is None and settings.rate_groups:
        rate_groups = {name: frame[name].to_list() for name in settings.rate_groups}
    return frame.drop(wanted).to_native(), sample_weight, rate_groups


def _check_names(settings: _Named, names: Sequence[str]) -> None:
    for what, word, extra in _mentioned(settings):
        if word not in names and word not in extra and not any(fnmatchcase(n, word) for n in names):
            raise UnknownFeatureError(
                f"{settings.place(word)}{what}: there is no feature {word!r}",
                did_you_mean(word, [*names, *extra]),
                subject=what,
                value=word,
            )


def _mentioned(settings: _Named) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Every name or pattern of features, with what it stands in and what else may stand there."""
    for what in ("C0", "points", "bounds", "levels"):
        value = getattr(settings, what)
        if isinstance(value, Mapping):
            extra = ["*"] if what == "bounds" else [INTERCEPT, "*"]
            yield from ((what, word, extra) for word in value)
    for constraint in settings.constraints:
        yield from ((constraint.in_words(), word, ()) for word in _names_in(constraint))


def _names_in(constraint: Constraint) -> Iterable[str]:
    match constraint:
        case Values(of=of) | Count(of=of):
            return of
        case ThresholdsPerVariable(variables=variables) | SameSign(variables=variables):
            return [word for _, of in variables for word in of]
        case OnlyIf(used=used, needs=needs):
            return (*used, *needs)
        case FixedAnswers(question=question):
            return (question,)
        case CloseTo(card=entries) | Budget(costs=entries) | MaxTotalScore(ranges=entries):
            return [word for word, _ in entries]
    return ()


def _with_label(settings: _Named, constraint: Constraint, known: Mapping[str, set[object]]) -> Constraint:
    """Check the grouping that a constraint speaks of, and find the label that is meant."""
    if not isinstance(constraint, RateConstraint | Difference) or constraint.group is None:
        return constraint
    name = constraint.group if isinstance(constraint.group, str) else constraint.group[0]
    if name not in known:
        hint = did_you_mean(name, known) if known else "name the column under 'rate_groups'"
        raise InvalidSettingsError(
            f"{settings.place(name)}{constraint.in_words()}: there is no grouping {name!r}", hint
        )
    if isinstance(constraint.group, str):
        return constraint
    assert isinstance(constraint, RateConstraint), "a difference is between all groups of a name"
    label = _one_label(settings, str(constraint.group[1]), known[name], f"the groups of {name!r}")
    return replace(constraint, group=(name, label))


def _class_weight(settings: _Named, labels: Iterable[object]) -> Any:
    if not isinstance(settings.class_weight, Mapping):
        return settings.class_weight
    return {
        _one_label(settings, text, labels, "class_weight"): weight for text, weight in settings.class_weight.items()
    }


def _one_label(settings: _Named, text: str, labels: Iterable[object], what: str) -> object:
    try:
        return find_label(text, labels, what)
    except InvalidProblemError as error:
        raise InvalidSettingsError.of(error, settings.place(text)) from None
