"""Settings: everything that is asked of a scoring system except the data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from supersparse.problem.coefficients import CoefficientSet, integers
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.file.by_name import ByName
from supersparse.problem.file.tree import Node, Table, scalars, tree_of
from supersparse.problem.file.vocabulary import SETTINGS
from supersparse.problem.levels import Levels
from supersparse.problem.limits import Constraint
from supersparse.problem.problem import Problem
from supersparse.problem.reading.numbers import whole

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

    >>> settings = Settings.of(C0=0.1, coef_set={"*": range(-5, 6), "age": [0, 0.5]}, max_features=3)
    >>> settings.to_dict()
    {'C0': 0.1, 'coef_set': {'*': '-5..5', 'age': [0, 0.5]}, 'max_features': 3}
    >>> settings.problem([[30], [40]], ["no", "yes"], feature_names=["age"]).sets
    (CoefficientSet(0, 1/2),)
    """

    C0: Fraction | ByName[Fraction] | None = None
    C1: Fraction | str = "auto"
    coef_set: CoefficientSet | ByName[CoefficientSet] | None = None
    max_coef: int = _DEFAULT_LARGEST
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
        coef_set: object = None,
        max_coef: object = _DEFAULT_LARGEST,
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
            "coef_set": _each(coef_set, lambda value: _made_set(value, max_coef)),
            "max_coef": max_coef,
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
        from supersparse.problem.file.files import load_settings

        return load_settings(path)

    def save(self, path: str | Path) -> None:
        """Write a YAML (.yaml, .yml) or JSON (.json) file; `load` gives the same settings."""
        from supersparse.problem.file.files import save_settings

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
        from supersparse.problem.file.with_data import make_problem

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


def _made_set(value: object, max_coef: object) -> object:
    """Python's looser ways to say a set: None for the default, a number for the integers up to it."""
    if isinstance(value, str | CoefficientSet):
        return value
    largest = whole(max_coef if value is None else value)
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
