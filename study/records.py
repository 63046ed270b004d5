"""Records: what the study keeps of each (dataset, method, split, setting)."""

import os
import platform
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from pathlib import Path

from study.setting import Setting

PACKAGES = ("supersparse", "numpy", "scipy", "scikit-learn", "c50py", "joblib", "matplotlib")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Rows of each class that a model gets wrong, of how many."""

    negative: int
    positive: int
    negatives: int
    positives: int

    @property
    def errors(self) -> int:
        """All rows that are wrong."""
        return self.negative + self.positive

    @property
    def rows(self) -> int:
        """All rows."""
        return self.negatives + self.positives

    @property
    def rate(self) -> float:
        """The share of the rows that is wrong."""
        return self.errors / self.rows


@dataclass(frozen=True, slots=True, kw_only=True)
class InSet:
    """A linear model rounded to the study's set and evaluated exactly in both formulations of SLIM.

    Training errors as each of them counts: with a threshold anywhere no row has the score 0; in the
    paper's a score of 0 is wrong for both classes.
    """

    features: int  # scaled so that the largest coefficient is 100
    errors: int  # with its best threshold
    paper_features: int  # scaled so that the largest of the coefficients and the intercept is 100
    paper_errors: int  # with the best b of the set
    paper_errors_without_b: int

    def objective(self, rows: int, C0: Fraction) -> Fraction:
        """F with the threshold free."""
        return Fraction(self.errors, rows) + C0 * self.features

    def paper_objective(self, rows: int, C0: Fraction) -> Fraction:
        """F in the paper's formulation, with b or without it, whichever is less."""
        with_b = Fraction(self.paper_errors, rows) + C0 * (self.paper_features + 1)
        without_b = Fraction(self.paper_errors_without_b, rows) + C0 * self.paper_features
        return min(with_b, without_b)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What SLIM had at one time of its search; None before its first model."""

    seconds: float
    gap: float | None
    train_errors: int | None = None  # where the model is a new one
    test_errors: int | None = None
    size: int | None = None  # with the intercept


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What is proven of a SLIM model; fractions are written as texts."""

    objective: str
    lower_bound: str
    gap: float
    proven: bool
    nodes: int
    stop: str
    coefficients: tuple[tuple[str, int], ...]  # those that are not 0, by feature
    intercept: int | str  # a fraction, written as a text, where the threshold lies between whole numbers
    training_errors: int  # what is optimised: with b in the set, a score of 0 is wrong for both classes
    history: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One fit, with all that is needed to make it again."""

    dataset: str
    fingerprint: str  # of the table's rows
    method: str
    split: str
    setting: Setting
    seed: int
    train: Wrong
    test: Wrong
    size: int
    size_with_intercept: int
    seconds: float  # of processor time, of a path its share; of SLIM by the clock of its history, which ends there
    in_set: InSet | None = None  # of a linear model, to be compared with SLIM's objective
    proof: Proof | None = None

    @property
    def key(self) -> tuple[str, str, str, str, Setting]:
        """What makes it the only one of its kind; a table that changed makes a new one."""
        return self.dataset, self.fingerprint, self.method, self.split, self.setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What could not be had on this machine; a later run tries again."""

    dataset: str
    reason: str
    method: str = ""  # empty: all of them
    split: str = ""  # empty: all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A table of the study, as it was loaded."""

    dataset: str
    fingerprint: str
    rows: int
    columns: int  # with the intercept's, as the paper counts
    positives: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A model of the applications (section 5), to be printed."""

    application: str
    model: str
    text: str
    size: int  # terms with the intercept, or nodes of a tree
    train: Wrong
    test: Wrong
    proof: str = ""  # in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where the records that follow were made."""

    plan: str
    processor: str
    cores: int
    system: str
    python: str
    versions: tuple[tuple[str, str], ...]

    @classmethod
    def here(cls, plan: str) -> "Machine":
        """Describe this machine."""
        return cls(
            plan=plan,
            processor=_processor(),
            cores=os.cpu_count() or 1,
            system=platform.system(),
            python=platform.python_version(),
            versions=tuple((name, _version(name)) for name in PACKAGES),
        )


Line = Record | Skipped | Machine | Shown | Loaded


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "-"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
