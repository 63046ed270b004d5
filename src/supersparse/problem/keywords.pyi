"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

from supersparse.base.exact import Number
from supersparse.problem.asked import Auto, Ends, LevelList, PointSet
from supersparse.problem.limits import Constraint

class AskedKeywords(TypedDict, total=False):
    C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None
    goal: Literal["errors", "risk"]
    slope: Literal["free"] | int
    C1: Number | Auto
    points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None
    max_points: int | Auto
    bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None
    levels: LevelList | Mapping[str, LevelList | None] | None
    max_features: int | Auto | None
    min_features: int | None
    intercept: str | tuple[Number, Number]
    class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None
    objective: Literal["errors", "net_benefit"]
    risk_threshold: Number | None
    positive: Any
    constraints: Sequence[Constraint]

class QuestionKeywords(TypedDict, total=False):
    max_questions: int | Auto
    min_questions: int
    change_price: Number
    shape: str | Mapping[str, str]
    equal_steps: bool | Mapping[str, bool]
    not_known: str | Sequence[str]
    C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None
    points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None
    max_points: int | Auto
    class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None
    risk_threshold: Number | None
    positive: Any
    constraints: Sequence[Constraint]
