"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

from supersparse.base.exact import Number
from supersparse.engine.options import SolverKeywords
from supersparse.problem.asked import Auto, Ends, LevelList, PointSet
from supersparse.problem.limits import Constraint

class SettingsKeywords(TypedDict, total=False):
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
    max_questions: int | Auto
    min_questions: int
    change_price: Number
    sample_weight: str | None
    rate_groups: Sequence[str] | str | None
    tie_break: Literal["points", "log_loss"]
    slack: Number
    questions: bool | None
    teacher: Any
    blend: float
    solve: SolverKeywords
    table: Mapping[str, Any]
    prepare: Mapping[str, Any]
    validate: Mapping[str, Any] | bool
    edits: Sequence[Mapping[str, Any]]
