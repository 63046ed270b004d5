"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import Any, Literal

from numpy.random import RandomState
from numpy.typing import NDArray

from supersparse.base.exact import Number
from supersparse.card.evaluate.calibrating import Method
from supersparse.learn.prepare.prepare import Prepare
from supersparse.problem.asked import Auto, Ends, LevelList, PointSet
from supersparse.problem.limits import Constraint

class SLIMParameters:
    def __init__(
        self,
        *,
        tie_break: Literal["points", "log_loss"] = "points",
        slack: Number = 0,
        C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None = None,
        C1: Number | Auto = "auto",
        points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None = None,
        max_points: int | Auto = "auto",
        bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None = None,
        levels: LevelList | Mapping[str, LevelList | None] | None = None,
        max_features: int | Auto | None = "auto",
        min_features: int | None = None,
        intercept: str | tuple[Number, Number] = "free",
        class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None = "auto",
        objective: Literal["errors", "net_benefit"] = "errors",
        risk_threshold: Number | None = None,
        positive: Any = None,
        constraints: Sequence[Constraint] = (),
        calibrate: Method | None = None,
        prepare: Prepare | Literal["auto"] | None = None,
        initial: Any = None,
        solver: str = "auto",
        solver_options: Mapping[str, object] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        certificate: str | PathLike[str] | None = None,
        executor: Executor | None = None,
        time_limit: float | None = 60,
        node_limit: int | None = None,
        gap: float = 0.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...

class SLIMCVParameters:
    def __init__(
        self,
        *,
        Cs: int | Sequence[float] | NDArray[Any] = 6,
        cv: Any = 5,
        rule: Literal["best", "one_sd", "one_se"] = "best",
        tie_break: Literal["points", "log_loss"] = "points",
        slack: Number = 0,
        C1: Number | Auto = "auto",
        points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None = None,
        max_points: int | Auto = "auto",
        bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None = None,
        levels: LevelList | Mapping[str, LevelList | None] | None = None,
        max_features: int | Auto | None = "auto",
        min_features: int | None = None,
        intercept: str | tuple[Number, Number] = "free",
        class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None = "auto",
        objective: Literal["errors", "net_benefit"] = "errors",
        risk_threshold: Number | None = None,
        positive: Any = None,
        constraints: Sequence[Constraint] = (),
        calibrate: Method | None = None,
        prepare: Prepare | Literal["auto"] | None = None,
        initial: Any = None,
        solver: str = "auto",
        solver_options: Mapping[str, object] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        certificate: str | PathLike[str] | None = None,
        executor: Executor | None = None,
        time_limit: float | None = 60,
        node_limit: int | None = None,
        gap: float = 0.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...

class RiskParameters:
    def __init__(
        self,
        *,
        C0: Number | Sequence[Number] | NDArray[Any] | Mapping[str, Number] | None = None,
        slope: Literal["free"] | int = "free",
        C1: Number | Auto = "auto",
        points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None = None,
        max_points: int | Auto = "auto",
        bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None = None,
        levels: LevelList | Mapping[str, LevelList | None] | None = None,
        max_features: int | Auto | None = "auto",
        min_features: int | None = None,
        class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None = "auto",
        objective: Literal["errors", "net_benefit"] = "errors",
        risk_threshold: Number | None = None,
        positive: Any = None,
        constraints: Sequence[Constraint] = (),
        prepare: Prepare | Literal["auto"] | None = None,
        initial: Any = None,
        solver: str = "auto",
        solver_options: Mapping[str, object] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        executor: Executor | None = None,
        time_limit: float | None = 60,
        node_limit: int | None = None,
        gap: float = 0.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...

class RiskCVParameters:
    def __init__(
        self,
        *,
        Cs: int | Sequence[float] | NDArray[Any] = 6,
        cv: Any = 5,
        rule: Literal["best", "one_sd", "one_se"] = "best",
        slope: Literal["free"] | int = "free",
        C1: Number | Auto = "auto",
        points: PointSet | Sequence[PointSet] | Mapping[str, PointSet] | None = None,
        max_points: int | Auto = "auto",
        bounds: Ends | Sequence[Ends | None] | Mapping[str, Ends | None] | None = None,
        levels: LevelList | Mapping[str, LevelList | None] | None = None,
        max_features: int | Auto | None = "auto",
        min_features: int | None = None,
        class_weight: Mapping[Any, Number] | Literal["auto", "balanced"] | None = "auto",
        objective: Literal["errors", "net_benefit"] = "errors",
        risk_threshold: Number | None = None,
        positive: Any = None,
        constraints: Sequence[Constraint] = (),
        prepare: Prepare | Literal["auto"] | None = None,
        initial: Any = None,
        solver: str = "auto",
        solver_options: Mapping[str, object] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        executor: Executor | None = None,
        time_limit: float | None = 60,
        node_limit: int | None = None,
        gap: float = 0.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...
