"""What the paper's three applications share: data, split, the same rows for every model, report."""

import argparse
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from supersparse import CoefficientSet, Points, PointsEvaluation, Problem, ScoringSystem, Solution, evaluate, solve
from supersparse.datasets import Columns, Dataset
from supersparse.errors import MissingDataError
from supersparse.table.datasets.originals import data_folder

# the set of sections 5.1 and 5.3, for each coefficient and for the intercept
FEW_VALUES = CoefficientSet.of([sign * v for v in (0, 1, 5, 10, 50, 100, 500) for sign in (1, -1)])
FEW_VALUES_IN_WORDS = "coefficients and penalised intercept in {0, ±1, ±5, ±10, ±50, ±100, ±500}"
DATA_IS_MISSING = 3  # exit code: `make examples` goes on to the next one


@dataclass(frozen=True, kw_only=True)
class PrintedModel:
    """A model as the paper prints it, in whole numbers over one denominator."""

    name: str
    coefficients: Mapping[str, int]
    intercept: int
    denominator: int = 1
    allowed: bool = True  # False where its coefficients lie outside of the set that SLIM was given

    def points(self, names: Sequence[str]) -> Points:
        """Place the coefficients at the columns of these names."""
        support = [names.index(name) for name in self.coefficients]
        values = list(self.coefficients.values())
        return Points.at(support, values, len(names), self.intercept, self.denominator)


@dataclass(frozen=True, kw_only=True)
class Application:
    """One application of section 5; `ask` states its problem on any part of the rows."""

    title: str
    settings: str
    data: Dataset
    ask: Callable[[Dataset], Problem]
    printed: tuple[PrintedModel, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line says. Of the limits, only that on work gives the same run on every machine."""

    seed: int = 0
    time_limit: float | None = 120
    node_limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A model with what it does on the training and on the test rows."""

    name: str
    train: PointsEvaluation
    test: PointsEvaluation
    allowed: bool = True


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Our model and the printed ones, on the same rows."""

    train: Problem
    test: Problem
    solution: Solution
    ours: Scored
    printed: tuple[Scored, ...]

    @property
    def never_worse(self) -> bool:
        """Whether F of ours on the training rows is at most that of every printed model of the same set."""
        return all(self.ours.train.objective <= model.train.objective for model in self.printed if model.allowed)


def split(data: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """Draw 80 % of the rows for training, and leave the others for the test.

    Python promises the same `random()` for a seed in every version, and promises nothing of `shuffle`.
    """
    draw = random.Random(seed)
    order = sorted(range(len(data.y)), key=lambda _: draw.random())
    n_train = round(0.8 * len(order))
    train, test = (np.sort(part) for part in (order[:n_train], order[n_train:]))
    return data.part(train), data.part(test)


def compare(application: Application, options: Options) -> Comparison:
    """Learn on the training rows and evaluate every model on the same rows, exactly.

    The solver is not told the printed models: that ours is no worse is a finding, not a start.
    """
    train, test = map(application.ask, split(application.data, options.seed))
    solution = solve(train, "exact", time_limit=options.time_limit, node_limit=options.node_limit)

    def scored(name: str, points: Points, allowed: bool = True) -> Scored:
        on_train, on_test = evaluate(train, points), evaluate(test, points)
        return Scored(name=name, train=on_train, test=on_test, allowed=allowed)

    names = application.data.feature_names
    return Comparison(
        train=train,
        test=test,
        solution=solution,
        ours=scored("supersparse", solution.points),
        printed=tuple(scored(m.name, m.points(names), m.allowed) for m in application.printed),
    )


def folder() -> Path:
    """Return the data folder of the package; beside a development checkout, ``shared/data``."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return beside if "SUPERSPARSE_DATA" not in os.environ and beside.is_dir() else data_folder()


def read_csv(file: str, *, advice: str, target: str, classes: tuple[str, str], source: str) -> Dataset:
    """Read a file of the data folder; target first."""
    path = folder() / file
    if not path.is_file():
        raise MissingDataError(
            f"{file} is missing: not in {path.parent}. Set SUPERSPARSE_DATA to the folder that holds it.\n{advice}"
        )
    header, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    table = np.array(rows, dtype=np.int64)
    raw = Columns(dict(zip(header[1:], table[:, 1:].T, strict=True)) | {target: np.array(classes)[table[:, 0]]})
    return Dataset(
        name=file,
        feature_names=tuple(header[1:]),
        X=table[:, 1:],
        y=table[:, 0],
        target=target,
        classes=classes,
        description="",
        source=source,
        licence="see the source",
        raw=raw,
        kept=np.arange(len(table)),
    )


def heading(application: Application, options: Options, comparison: Comparison) -> Iterator[str]:
    """Say what is asked and of which rows, and show the card."""
    data = application.data
    shape = f"{len(data.y)} rows, {data.X.shape[1]} features, {data.y.sum()} {data.classes[1]}"
    yield f"{application.title}\n{'=' * len(application.title)}\n"
    yield f"Data      {data.name}: {shape}"
    yield f"          {data.source}"
    yield f"Settings  {application.settings}"
    n_train, n_test = (problem.rows.n_rows for problem in (comparison.train, comparison.test))
    yield f"Split     seed {options.seed}: {n_train} rows (80 %) to learn from, {n_test} to test on\n"
    yield str(ScoringSystem.from_solution(comparison.solution))


def proof(solution: Solution) -> str:
    """Say what is known of the best F, in one line."""
    if solution.proven_optimal:
        return f"proven: no allowed model has F below {float(solution.objective):.6f}"
    return (
        f"not proven: F is {float(solution.objective):.6f}, the best allowed model has at least "
        f"{float(solution.lower_bound):.6f} (gap {solution.gap:.2%})"
    )


def percent(part: Fraction, whole: Fraction | int = 1) -> str:
    """Write a share with one decimal.

    >>> percent(Fraction(1, 8))
    '12.5 %'
    """
    return f"{float(part / whole):.1%}".replace("%", " %")


def errors_of(evaluation: PointsEvaluation) -> str:
    """Write the errors, a score of 0 among them, and their share."""
    rows = evaluation.positive + evaluation.negative
    return f"{evaluation.training_errors} ({percent(evaluation.training_errors, rows)})"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Set cells in columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for first, *others in (header, *rows):
        cells = [first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(others, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def comparison_text(comparison: Comparison) -> Iterator[str]:
    """Set our model beside the printed ones, and say whether it is ever worse."""
    yield "\nOn the same rows (a score of 0 is an error; size counts the intercept, as the paper does):"
    yield table(
        ["model", "F, training", "size", "training errors", "test errors"],
        [
            [m.name, f"{float(m.train.objective):.6f}", str(m.train.size), errors_of(m.train), errors_of(m.test)]
            for m in (comparison.ours, *comparison.printed)
        ],
    )
    yield f"\nProof     {proof(comparison.solution)}"
    verdict = "no worse" if comparison.never_worse else "WORSE"
    yield f"Verdict   on the training rows, F of ours is {verdict} than that of the printed SLIM models"


def run(description: str, report: Callable[[Options], Iterator[str]], arguments: Sequence[str] | None) -> int:
    """Read the command line and print the report; return the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=Options.seed, help="of the 80 %% split (%(default)s)")
    parser.add_argument(
        "--time-limit", type=float, default=Options.time_limit, help="seconds for each solve (%(default)s)"
    )
    parser.add_argument("--node-limit", type=int, help="units of work for each solve (none)")
    given = parser.parse_args(arguments)
    options = Options(seed=given.seed, time_limit=given.time_limit, node_limit=given.node_limit)
    try:
        for text in report(options):
            print(text, flush=True)  # noqa: T201
    except MissingDataError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return DATA_IS_MISSING
    return 0
