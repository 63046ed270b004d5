"""`supersparse doctor` and `supersparse solvers`: what is installed, and whether it works."""

import locale
import os
import platform
import sys
from dataclasses import asdict, dataclass

import typer

from supersparse._version import __version__
from supersparse.base.errors import SolverNotInstalledError, SupersparseError
from supersparse.engine.core import library, loops
from supersparse.engine.solve import solve
from supersparse.engine.solvers import availability, installed_version, names
from supersparse.problem.problem import Problem
from supersparse.show.cli.options import Output
from supersparse.show.cli.say import in_columns
from supersparse.table.datasets.originals import data_folder


def doctor(output: Output) -> None:
    """Check the installation.

    Shows versions, solvers, optional packages and folders, and solves a small test problem. Include
    the output in bug reports.

    \b
    Example:
      supersparse doctor
    """
    diagnosis = diagnose()
    output.show(diagnosis.in_words(), diagnosis.as_data)
    if not diagnosis.is_well:
        raise typer.Exit(1)


def solvers(output: Output) -> None:
    """List the solvers and how to install the missing ones.

    \b
    Example:
      supersparse solvers
    """
    available = [availability(name) for name in names()]
    lines = [("solver", "installed", "version", "how to install")]
    lines += [
        (s.name, *(("yes", s.version or "built in") if s.installed else ("no", "-")), s.remedy) for s in available
    ]
    output.show("\n".join(in_columns(lines)), lambda: [asdict(solver) for solver in available])


_NEEDED = ("numpy", "scipy", "scikit-learn", "narwhals", "highspy", "typer", "rich", "PyYAML")
_OPTIONAL = {
    "matplotlib": "pictures (PNG, PDF) and plots",
    "xlsxwriter": "spreadsheets",
    "onnx": "ONNX files",
    "skops": "saving estimators",
    "pyarrow": "Parquet files",
    "python-calamine": "reading Excel workbooks",
    "pyreadstat": "reading SAS, SPSS and Stata files",
    "duckdb": "counting the rows of large files (--engine duckdb)",
    "starlette": "the studio",
    "uvicorn": "the studio",
    "anywidget": "the studio in notebooks",
    "pandas": "data frames",
    "polars": "data frames and Parquet files",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package, its version if it is installed, and its use."""

    name: str
    version: str | None
    use: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    what: str
    works: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    version: str
    python: str
    system: str
    cores: int
    encoding: str
    needed: tuple[Package, ...]
    optional: tuple[Package, ...]
    solvers: tuple[Package, ...]
    folders: tuple[Check, ...]
    checks: tuple[Check, ...]

    @property
    def is_well(self) -> bool:
        """Whether every required package is installed and every check passed."""
        return all(p.version for p in self.needed) and all(c.works for c in (*self.folders, *self.checks))

    def as_data(self) -> dict[str, object]:
        return {**asdict(self), "well": self.is_well}

    def in_words(self) -> str:
        lines = [
            f"supersparse {self.version}, Python {self.python}, {self.system}",
            f"{self.cores} cores, text encoding {self.encoding}",
            "",
            "required packages: " + ", ".join(f"{p.name} {p.version or 'MISSING'}" for p in self.needed),
            "",
            *_listed("solver", self.solvers),
            "",
            *_listed("package", self.optional),
            "",
            *(
                f"{check.what}: {'' if check.works else 'FAILED, '}{check.detail}"
                for check in (*self.folders, *self.checks)
            ),
            "",
            "Everything works." if self.is_well else "Something does not work; see above.",
        ]
        return "\n".join(lines)


def _listed(what: str, packages: tuple[Package, ...]) -> list[str]:
    rows = ((p.name, p.version or "-", p.use if p.version else p.remedy) for p in packages)
    return in_columns([(what, "version", "for"), *rows])


def diagnose() -> Diagnosis:
    """Run all checks; nothing is installed or changed."""
    return Diagnosis(
        version=__version__,
        python=platform.python_version(),
        system=platform.platform(),
        cores=os.cpu_count() or 1,
        encoding=f"{sys.stdout.encoding or locale.getpreferredencoding(False)}",
        needed=tuple(Package(name=n, version=installed_version(n), use="", remedy=f"pip install {n}") for n in _NEEDED),
        optional=tuple(
            Package(name=name, version=installed_version(name), use=use, remedy=f"{use}: pip install {name}")
            for name, use in _OPTIONAL.items()
        ),
        solvers=_solvers(),
        folders=(_data_folder(),),
        checks=(_compiled_core(), _small_problem()),
    )


def _solvers() -> tuple[Package, ...]:
    available = [availability(name) for name in names()]
    return tuple(
        Package(name=s.name, version=(s.version or "built in") if s.installed else None, use="solving", remedy=s.remedy)
        for s in available
    )


def _compiled_core() -> Check:
    """The library that solves, and the version of its loops that this machine runs."""
    try:
        return Check(what="compiled core", works=True, detail=f"{library()._name}, loops for {loops()}")
    except SolverNotInstalledError as error:
        return Check(what="compiled core", works=False, detail=str(error))


def _data_folder() -> Check:
    folder = data_folder()
    state = "exists" if folder.is_dir() else "not created yet; `supersparse datasets fetch` creates it"
    return Check(what="data folder", works=True, detail=f"{folder}, {state}")


def _small_problem() -> Check:
    problem = Problem.of([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 1], C0=0.3, max_points=3)
    what = "test problem"
    try:
        solution = solve(problem, time_limit=60)
    except (SupersparseError, ImportError, OSError) as error:
        return Check(what=what, works=False, detail=str(error))
    return Check(
        what=what,
        works=solution.proven_optimal,
        detail=f"solved by {solution.solver} in {solution.seconds:.1f} s and verified",
    )
