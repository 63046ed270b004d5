"""Settings: everything that is asked of a scoring system except the data."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from supersparse.data.frames import as_frame
from supersparse.errors import InvalidProblemError, InvalidSettingsError, did_you_mean
from supersparse.exact import whole
from supersparse.problem.constraints.rates import Difference, Rate
from supersparse.problem.constraints.single import MaxTotalScore, Values
from supersparse.problem.constraints.support import (
    Budget,
    Count,
    MaxFeatures,
    MinFeatures,
    OnlyIf,
    Thresholds,
)
from supersparse.problem.limits import Constraint
from supersparse.problem.naming import INTERCEPT
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, integers
from supersparse.problem.problem import Problem
from supersparse.problem.rows import group_columns, read_labels
from supersparse.settings.labels import find_label
from supersparse.settings.tree import ByName, Node, Table, json_tree, scalars, tree_of, yaml_tree
from supersparse.settings.vocabulary import SETTINGS
from supersparse.settings.yaml_text import yaml_text


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
            points=settings.points,
            max_points=settings.max_points,
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


Ends = tuple[Fraction | None, Fraction | None]
_DEFAULT_LARGEST = 100
_NOTHING: ByName[Any] = ByName(())


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that settings come from, and where each text first stands in it."""

    source: str
    places: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is asked, without the data; equal to others that ask the same in the same order.

    Make them with `of`, `from_dict` or `load`. Names and numbers are as in `Problem.of`; what
    is given by feature is a mapping. Classes and groups are named by their text, and
    `sample_weight` and `rate_groups` name columns.

    >>> settings = Settings.of(C0=0.1, points={"*": range(-5, 6), "age": [0, 0.5]}, max_features=3)
    >>> settings.to_dict()
    {'C0': 0.1, 'points': {'*': '-5..5', 'age': [0, 0.5]}, 'max_features': 3}
    >>> settings.problem([[30], [40]], ["no", "yes"], feature_names=["age"]).sets
    (CoefficientSet(0, 1/2),)
    """

    C0: Fraction | ByName[Fraction] | None = None
    C1: Fraction | str = "auto"
    points: CoefficientSet | ByName[CoefficientSet] | None = None
    max_points: int = _DEFAULT_LARGEST
    bounds: Ends | ByName[Ends | None] | None = None
    levels: Levels | ByName[Levels | None] | None = None
    max_features: int | None = None
    min_features: int | None = None
    intercept: str | tuple[Fraction, Fraction] = "free"
    class_weight: str | ByName[Fraction] | None = None
    positive: str | None = None
    sample_weight: str | None = None
    rate_groups: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    solve: ByName[Any] = _NOTHING  # what is given of the solver's options, "solver" among them
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        *,
        C0: object = None,
        C1: object = "auto",
        points: object = None,
        max_points: object = _DEFAULT_LARGEST,
        bounds: object = None,
        levels: object = None,
        max_features: object = None,
        min_features: object = None,
        intercept: object = "free",
        class_weight: object = None,
        positive: object = None,
        sample_weight: object = None,
        rate_groups: object = None,
        constraints: object = None,
        solve: object = None,
    ) -> "Settings":
        """Read what `Problem.of` takes, and the options of `solve` as a mapping.

        What is given by feature must be a mapping by name or pattern, because settings do
        not know the order of the features.
        """
        listed = [constraints] if isinstance(constraints, Constraint) else constraints
        given = {
            "C0": C0,
            "C1": C1,
            "points": _each(points, lambda value: _made_set(value, max_points)),
            "max_points": max_points,
            "bounds": bounds,
            "levels": _each(levels, lambda value: value if value is None else Levels.of(value)),
            "max_features": max_features,
            "min_features": min_features,
            "intercept": intercept,
            "class_weight": class_weight,
            "positive": positive,
            "sample_weight": sample_weight,
            "rate_groups": rate_groups or None,
            "constraints": listed,
            "solve": solve or None,
        }
        return cls.from_dict({name: value for name, value in given.items() if value is not None})

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> "Settings":
        """Read the form that `to_dict` returns and files have."""
        return cls.from_tree(tree_of(content))

    @classmethod
    def from_tree(cls, tree: Node, source: str | None = None) -> "Settings":
        """Read a tree; `source` names the file it comes from."""
        if not isinstance(tree, Table):
            tree.fail(f"settings are keys with values, such as 'C0: 0.01'; this is {tree.shown}")
        given: dict[str, Any] = dict(SETTINGS.read(tree, "the settings"))
        _fold_sizes(given)
        if source is not None:
            places: dict[str, str] = {}
            for scalar in scalars(tree):
                places.setdefault(scalar.text, scalar.where)
            given["origin"] = Origin(source, places)
        return cls(**given)

    @classmethod
    def load(cls, path: str | Path) -> "Settings":
        """Read a YAML (.yaml, .yml) or JSON (.json) file."""
        return load_settings(path)

    def save(self, path: str | Path) -> None:
        """Write a YAML (.yaml, .yml) or JSON (.json) file; `load` gives the same settings."""
        save_settings(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Return what is not a default, as JSON can hold it, in a fixed order."""
        given = tuple(
            (f.name, getattr(self, f.name))
            for f in fields(self)
            if f.compare and getattr(self, f.name) != f.default
        )
        content = SETTINGS.write(ByName(given))
        assert isinstance(content, dict)
        return content

    def changed(self, **changes: object) -> "Settings":
        """Return the same settings with some of them given anew, as to `of`.

        >>> Settings.of(C0=0.1, max_features=3).changed(C0=0.2).to_dict()
        {'C0': 0.2, 'max_features': 3}
        """
        now = {f.name: getattr(self, f.name) for f in fields(self) if f.compare}
        return replace(Settings.of(**{**now, **changes}), origin=self.origin)

    def problem(
        self,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        rate_groups: object = None,
        feature_names: Any = None,
    ) -> Problem:
        """Return the problem that these settings ask on data.

        Of a data frame, the columns that `sample_weight` and `rate_groups` name are taken out and
        used as such, unless they are given here.
        """
        return make_problem(
            self, X, y, sample_weight=sample_weight, rate_groups=rate_groups, feature_names=feature_names
        )

    def place(self, text: str) -> str:
        """Say where a text stands in the file, as the beginning of a message."""
        if self.origin is None:
            return ""
        return f"{self.origin.places.get(text, self.origin.source)}: "


def _each(value: object, make: Any) -> object:
    """Make one value, or each value of a mapping; None stays."""
    if isinstance(value, Mapping):
        return {name: make(v) for name, v in value.items()}
    return None if value is None else make(value)


def _made_set(value: object, max_points: object) -> object:
    """Python's looser ways to say a set: None for the default, a number for the integers up to it."""
    if isinstance(value, str | CoefficientSet):
        return value
    largest = whole(max_points if value is None else value)
    return value if largest is None else integers(largest)


def _fold_sizes(given: dict[str, Any]) -> None:
    """Let limits on the size be said in one place, and each constraint once."""
    asked = dict.fromkeys(given.get("constraints", ()))
    most = [c.most for c in asked if isinstance(c, MaxFeatures)]
    least = [c.least for c in asked if isinstance(c, MinFeatures)]
    if most:
        given["max_features"] = min([*most, *([given["max_features"]] if "max_features" in given else [])])
    if least:
        given["min_features"] = max([*least, *([given["min_features"]] if "min_features" in given else [])])
    if asked:
        given["constraints"] = tuple(c for c in asked if not isinstance(c, MaxFeatures | MinFeatures))


Format = Literal["yaml", "json"]
_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def load_settings(path: str | Path) -> Settings:
    """Read a file; what is wrong with it is said by line and column."""
    form = _format(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSettingsError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    return read_settings(text, form, source=str(path))


def save_settings(settings: Settings, path: str | Path) -> None:
    """Write a file that reads back as the same settings."""
    Path(path).write_text(write_settings(settings, _format(path)), encoding="utf-8", newline="\n")


def read_settings(text: str, form: Format = "yaml", *, source: str = "the text") -> Settings:
    """Read settings from text; `source` names it in messages.

    >>> read_settings("C0: 0.02").to_dict()
    {'C0': 0.02}
    """
    tree = (json_tree if form == "json" else yaml_tree)(text, source)
    return Settings.from_tree(tree, source)


def write_settings(settings: Settings, form: Format = "yaml") -> str:
    r"""Write settings as text, in a fixed order.

    >>> write_settings(Settings.of(max_features=5, C0=0.02))
    'C0: 0.02\nmax_features: 5\n'
    """
    content = settings.to_dict()
    return json.dumps(content, indent=2) + "\n" if form == "json" else yaml_text(content)


def _format(path: str | Path) -> Format:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidSettingsError(
            f"{path}: settings are YAML or JSON; let the name of the file end in .yaml or .json"
        )
    return _FORMATS[suffix]
