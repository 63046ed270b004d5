"""What one measurement is, and its form in a file: JSON lines, the machine first."""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

PACKAGES = ("supersparse", "numpy", "scipy", "highspy", "pyscipopt", "ortools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What a solver answered; every number was recomputed from the rows."""

    objective: float
    errors: float
    size: int
    l1: float
    lower_bound: float
    gap: float
    proven_optimal: bool
    proven_smallest: bool
    stop: str
    nodes: int
    incumbents: tuple[tuple[float, float], ...]  # (wall seconds, objective), oldest first

    def reached(self, objective: float) -> float | None:
        """Return when a model at least this good was known, up to the sixth decimal."""
        return next((t for t, value in self.incumbents if value <= objective + 5e-7), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One solver on one instance. Times are medians over `repeats`; the solver was loaded before.

    `proof_seconds` is the CPU time until the least F was proven, None when it was not;
    `cpu_seconds` goes on to the end of the run, which tries to prove the least l1 as well.
    """

    instance: str
    solver: str
    version: str
    limit: float  # wall seconds
    repeats: int
    cpu_seconds: float | None
    proof_seconds: float | None
    wall_seconds: float | None
    build_seconds: float | None  # from arrays to a Problem, not in the times above
    warm_seconds: float | None  # loading, not in the times above
    peak_megabytes: float | None  # of the process and its children
    model: Model | None
    error: str | None

    @property
    def proven(self) -> bool:
        """Whether the optimum was proven."""
        return self.model is not None and self.model.proven_optimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """FasterRisk against our engine: training errors at equal size and equal coefficient range."""

    instance: str
    size: int
    largest: int
    fasterrisk_errors: int | None
    fasterrisk_seconds: float | None
    errors: int | None
    seconds: float | None
    proven: bool
    version: str
    error: str | None
    system: str | None = None  # where FasterRisk ran; None: where ours did


@dataclass(frozen=True, slots=True, kw_only=True)
class Startup:
    """What a new process costs on breast cancer, interpreter and imports included."""

    first_incumbent_seconds: float | None  # up to its first model
    seconds: float | None  # to its end
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where the numbers come from."""

    cpu: str
    cores: int
    system: str
    python: str
    packages: tuple[tuple[str, str], ...]
    load: float  # running processes, a minute's average, when the run began: 0 on an idle machine
    side_by_side: int = 1  # solves of ours that ran at a time, peers among them

    @property
    def place(self) -> tuple[str, str]:
        """What tells one machine from another."""
        return self.cpu, f"{self.cores} cores, {self.system}"

    @classmethod
    def here(cls) -> "Machine":
        """Describe this machine."""
        return cls(
            cpu=_cpu_model(),
            cores=os.cpu_count() or 1,
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            packages=tuple((name, version_of(name)) for name in PACKAGES),
            load=round(os.getloadavg()[0], 2),
        )


@dataclass(frozen=True, slots=True)
class Results:
    """Everything of one run."""

    machine: Machine
    records: tuple[Record, ...]
    comparisons: tuple[Comparison, ...] = ()
    startup: Startup | None = None

    def of(self, instance: str, solver: str) -> Record | None:
        """Return the record of a solver on an instance, if it was run."""
        found = [r for r in self.records if (r.instance, r.solver) == (instance, solver)]
        return found[-1] if found else None


def version_of(package: str) -> str:
    """Return the installed version, or "-"."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "-"


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


_KINDS = {kind.__name__.lower(): kind for kind in (Machine, Record, Comparison, Startup)}
Line = Machine | Record | Comparison | Startup


def to_line(value: Line) -> str:
    """Write one measurement as one line of JSON, its kind first."""
    return json.dumps({"kind": type(value).__name__.lower(), **asdict(value)})


def from_line(line: str) -> Line:
    """Read what `to_line` wrote."""
    fields = json.loads(line)
    kind = _KINDS[fields.pop("kind")]
    if kind is Record and fields["model"] is not None:
        incumbents = tuple((t, value) for t, value in fields["model"].pop("incumbents"))
        fields["model"] = Model(**fields["model"], incumbents=incumbents)
    if kind is Machine:
        fields["packages"] = tuple((name, version) for name, version in fields["packages"])
    return kind(**fields)


def load(path: Path) -> Results:
    """Read a file of results."""
    lines: Iterable[Line] = [from_line(t) for t in path.read_text(encoding="utf-8").splitlines() if t]
    lines = list(lines)
    return Results(
        machine=next(v for v in lines if isinstance(v, Machine)),
        records=tuple(v for v in lines if isinstance(v, Record)),
        comparisons=tuple(v for v in lines if isinstance(v, Comparison)),
        startup=next((v for v in reversed(lines) if isinstance(v, Startup)), None),
    )
