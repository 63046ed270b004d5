"""Settings meet data: columns are taken, names checked, labels found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from supersparse.errors import InvalidProblemError, InvalidSettingsError, did_you_mean
from supersparse.problem.constraints.rates import Difference, Rate
from supersparse.problem.constraints.score import MaxTotalScore
from supersparse.problem.constraints.support import Budget, Count, OnlyIf, Thresholds
from supersparse.problem.constraints.values import Values
from supersparse.problem.file.labels import find_label
from supersparse.problem.groups import group_columns
from supersparse.problem.limits import Constraint
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.problem import Problem
from supersparse.problem.rows import read_labels
from supersparse.problem.table import as_frame

if TYPE_CHECKING:
    from supersparse.problem.file.settings import Settings


def make_problem(
    settings: "Settings",
    X: object,
    y: object,
    *,
    sample_weight: object,
    rate_groups: object,
    feature_names: Sequence[str] | None,
) -> Problem:
    """Return the problem; an error in the settings names their file, and the line where it is known."""
    X, sample_weight, rate_groups = _columns(settings, X, sample_weight, rate_groups)
    frame = as_frame(X)
    names = list(map(str, frame.columns)) if frame is not None else feature_names
    if names is not None:
        _check_names(settings, names)
    labels = read_labels(y, None)[1]
    known_groups = {name: set(column.tolist()) for name, column in group_columns(rate_groups).items()}
    try:
        return Problem.of(
            X,
            y,
            C0=settings.C0,
            C1=settings.C1,
            coef_set=settings.coef_set,
            max_coef=settings.max_coef,
            bounds=settings.bounds,
            levels=settings.levels,
            max_features=settings.max_features,
            min_features=settings.min_features,
            constraints=[_with_label(settings, c, known_groups) for c in settings.constraints],
            intercept=settings.intercept,
            class_weight=_class_weight(settings, labels),
            sample_weight=sample_weight,
            rate_groups=rate_groups,
            feature_names=feature_names,
            positive=None
            if settings.positive is None
            else _found(settings, settings.positive, labels, "positive"),
        )
    except InvalidSettingsError:
        raise
    except InvalidProblemError as error:
        if settings.origin is None:
            raise
        raise InvalidProblemError(f"{settings.origin.source}: {error}") from None


def _columns(
    settings: "Settings", X: object, sample_weight: object, rate_groups: object
) -> tuple[object, object, object]:
    """Take the columns that the settings name out of a data frame."""
    wanted = [*settings.rate_groups] if rate_groups is None else []
    if settings.sample_weight is not None and sample_weight is None:
        wanted.append(settings.sample_weight)
    if not wanted:
        return X, sample_weight, rate_groups
    frame = as_frame(X)
    if frame is None:
        raise InvalidSettingsError(
            f"{settings.place(wanted[0])}the settings take {wanted[0]!r} from a column, and X is no data "
            "frame; give a data frame, or sample_weight= and rate_groups= beside X"
        )
    for name in wanted:
        if name not in frame.columns:
            raise InvalidSettingsError(
                f"{settings.place(name)}no column is called {name!r}; {did_you_mean(name, frame.columns)}"
            )
    if settings.sample_weight in wanted:
        sample_weight = frame[settings.sample_weight].to_native()
    if rate_groups is None and settings.rate_groups:
        rate_groups = {name: frame[name].to_list() for name in settings.rate_groups}
    return frame.drop(wanted).to_native(), sample_weight, rate_groups


def _check_names(settings: "Settings", names: Sequence[str]) -> None:
    for what, word, extra in _mentioned(settings):
        if word not in names and word not in extra and not any(fnmatchcase(n, word) for n in names):
            raise InvalidSettingsError(
                f"{settings.place(word)}{what}: no feature is called {word!r}; "
                f"{did_you_mean(word, [*names, *extra])}"
            )


def _mentioned(settings: "Settings") -> Iterator[tuple[str, str, Sequence[str]]]:
    """Every name or pattern of features, with what it stands in and what else may stand there."""
    for what in ("C0", "coef_set", "bounds", "levels"):
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
        case Thresholds(variables=variables):
            return [word for _, of in variables for word in of]
        case OnlyIf(used=used, needs=needs):
            return (*used, *needs)
        case Budget(costs=entries) | MaxTotalScore(ranges=entries):
            return [word for word, _ in entries]
    return ()


def _with_label(settings: "Settings", constraint: Constraint, known: Mapping[str, set[object]]) -> Constraint:
    """Check the grouping that a constraint speaks of, and find the label that is meant."""
    if not isinstance(constraint, Rate | Difference) or constraint.group is None:
        return constraint
    name = constraint.group if isinstance(constraint.group, str) else constraint.group[0]
    if name not in known:
        hint = did_you_mean(name, known) if known else "name the column under 'rate_groups'"
        raise InvalidSettingsError(
            f"{settings.place(name)}{constraint.in_words()}: no groups are called {name!r}; {hint}"
        )
    if isinstance(constraint.group, str):
        return constraint
    assert isinstance(constraint, Rate), "a difference is between all groups of a name"
    label = _found(settings, str(constraint.group[1]), known[name], f"the groups of {name!r}")
    return replace(constraint, group=(name, label))


def _class_weight(settings: "Settings", labels: Iterable[object]) -> Any:
    if not isinstance(settings.class_weight, Mapping):
        return settings.class_weight
    return {
        _found(settings, text, labels, "class_weight"): weight
        for text, weight in settings.class_weight.items()
    }


def _found(settings: "Settings", text: str, labels: Iterable[object], what: str) -> object:
    try:
        return find_label(text, labels, what)
    except InvalidProblemError as error:
        raise InvalidSettingsError(f"{settings.place(text)}{error}") from None
