"""Section 5.3 and appendix B of the paper: violent crime, imbalanced, on other data.

The paper's survey is not public. These are public records of adults in one county with the same share of
positives; make_recidivism.py, beside this file, makes the table from the published file. The paper's
sensitivity and specificity stand beside ours for orientation; they are not comparable.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from paper_application import (
    FEW_VALUES,
    FEW_VALUES_IN_WORDS,
    Application,
    Comparison,
    Options,
    compare,
    heading,
    percent,
    proof,
    read_csv,
    run,
    table,
)

from supersparse import PointsEvaluation, Problem, TradeOff, evaluate, solve, trade_off
from supersparse.datasets import Dataset

RATIOS = tuple(Fraction(r) for r in ("0.5", "1", "1.5", "2", "3", "4", "6", "8", "16"))
PICTURE = Path(__file__).resolve().parents[2] / "build" / "examples" / "criminology_trade_off.png"
FOLDS = 5
WORK_IN_A_FOLD = 1500  # units for each of the many solves: the same models on every machine
ADVICE = """\
Make it from the records that ProPublica published: download compas-scores-two-years-violent.csv from
https://github.com/propublica/compas-analysis, then
  python examples/applications/make_recidivism.py compas-scores-two-years-violent.csv"""


def ask(rows: Dataset, ratio: Fraction = Fraction(3, 2)) -> Problem:
    """State the paper's problem on these rows; W+ and W- add up to 2, and 3/2 gives its 1.2 and 0.8."""
    return Problem.of(
        rows.X,
        rows.labels,
        positive="violent",
        feature_names=rows.feature_names,
        C0=0.01,
        points=FEW_VALUES,
        intercept="paper",
        class_weight={"violent": 2 * ratio / (1 + ratio), "not violent": 2 / (1 + ratio)},
    )


def application() -> Application:
    """Return the data and the settings; the paper's model speaks of columns that these data do not have."""
    return Application(
        title="Violent crime, imbalanced (section 5.3), on substitute data",
        settings=f"W+ = 1.2, W- = 0.8, C0 = 0.01; {FEW_VALUES_IN_WORDS}",
        data=read_csv(
            "recidivism_violent_558.csv",
            advice=ADVICE,
            target="charged with a violent offence within two years",
            classes=("not violent", "violent"),
            source="public records of Broward County, by ProPublica",
        ),
        ask=ask,
    )


def rates(evaluation: PointsEvaluation) -> list[str]:
    """Sensitivity and specificity; a score of 0 is wrong for both classes."""
    return [percent(evaluation.sensitivity), percent(evaluation.specificity)]


def rates_text(found: Comparison) -> Iterator[str]:
    """Set our rates beside those that the paper prints for its own data."""
    yield "\nA score of 0 is wrong for both classes:"
    yield table(
        ["rows", "sensitivity", "specificity"],
        [
            ["training", *rates(found.ours.train)],
            ["test", *rates(found.ours.test)],
            ["the paper, on its own data", "69 %", "44 %"],
        ],
    )
    yield "The paper's data are others, and it does not say which rows it means: no comparison is claimed."
    yield f"\nProof     {proof(found.solution)}"


def curve_text(curve: TradeOff) -> str:
    """Set the rates of each model of the curve in a table, on the training and on the test rows."""
    lines = []
    for point in curve.points:
        solution = point.solution
        lines.append(
            [
                ", ".join(f"{float(ratio):g}" for ratio in point.ratios),
                *rates(solution.evaluation),
                *([] if point.test is None else rates(point.test)),
                str(solution.evaluation.size),
                "proven" if solution.proven_optimal else f"gap {solution.gap:.1%}",
            ]
        )
    return table(["W+/W-", "sensitivity", "specificity", "sens., test", "spec., test", "size", "proof"], lines)


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """What the models of all folds do at one ratio W+/W-, on the rows they saw and on those left out."""

    ratio: Fraction
    train: tuple[PointsEvaluation, ...]
    test: tuple[PointsEvaluation, ...]
    proven: int

    @staticmethod
    def rates(evaluations: Sequence[PointsEvaluation]) -> tuple[Fraction, Fraction]:
        """Sensitivity and specificity over the rows of all folds together."""
        positive = sum((e.positive for e in evaluations), Fraction(0))
        negative = sum((e.negative for e in evaluations), Fraction(0))
        missed = sum((e.wrong_positive for e in evaluations), Fraction(0))
        alarmed = sum((e.wrong_negative for e in evaluations), Fraction(0))
        return 1 - missed / positive, 1 - alarmed / negative


def folds(data: Dataset, seed: int, n_folds: int) -> list[tuple[Dataset, Dataset]]:
    """Deal the rows of each class out to the folds; return training and test rows of each."""
    draw = random.Random(seed)
    order = sorted(range(len(data.y)), key=lambda _: draw.random())
    dealt = sorted(order, key=lambda row: int(data.y[row]))  # stable: still in drawn order within a class
    fold = np.empty(len(order), dtype=np.int64)
    fold[dealt] = np.arange(len(order)) % n_folds
    return [(data.part(np.flatnonzero(fold != k)), data.part(np.flatnonzero(fold == k))) for k in range(n_folds)]


def cross_validated(data: Dataset, ratios: Sequence[Fraction], options: Options) -> list[Pooled]:
    """Learn with every ratio on every fold, and count on the held-out rows."""
    parts = folds(data, options.seed, FOLDS)
    pooled = []
    for ratio in ratios:
        problems = [(ask(train, ratio), ask(test, ratio)) for train, test in parts]
        solutions = [
            solve(train, "exact", time_limit=options.time_limit, node_limit=WORK_IN_A_FOLD) for train, _ in problems
        ]
        pooled.append(
            Pooled(
                ratio=ratio,
                train=tuple(s.evaluation for s in solutions),
                test=tuple(evaluate(test, s.points) for (_, test), s in zip(problems, solutions, strict=True)),
                proven=sum(s.proven_optimal for s in solutions),
            )
        )
    return pooled


def cross_validation_text(pooled: Sequence[Pooled]) -> str:
    """Set the pooled rates in a table."""
    return table(
        ["W+/W-", "sensitivity", "specificity", "sens., test", "spec., test", "sizes", "proven"],
        [
            [
                f"{float(p.ratio):g}",
                *map(percent, Pooled.rates(p.train)),
                *map(percent, Pooled.rates(p.test)),
                " ".join(str(e.size) for e in p.train),
                f"{p.proven} of {len(p.train)}",
            ]
            for p in pooled
        ],
    )


def report(options: Options) -> Iterator[str]:
    """Learn, report the rates, then sweep W+/W-, on one split and by cross-validation."""
    here = application()
    found = compare(here, options)
    yield from heading(here, options, found)
    yield from rates_text(found)
    yield "\nThe trade-off, by the ratio of the class weights (of several ratios, the proof is that of one):"
    curve = trade_off(
        found.train, RATIOS, "exact", test=found.test, time_limit=options.time_limit, node_limit=options.node_limit
    )
    yield curve_text(curve)
    yield f"\nThe same by {FOLDS}-fold cross-validation of all rows, each of them tested once:"
    pooled = cross_validated(here.data, RATIOS, options)
    yield cross_validation_text(pooled)
    yield picture(curve, pooled)


def picture(curve: TradeOff, pooled: Sequence[Pooled]) -> str:
    """Draw the curve of the training rows and that of the held-out rows, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return "\nNo picture: matplotlib is not installed (pip install matplotlib)."
    from matplotlib.figure import Figure

    from supersparse import plot

    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure = Figure(layout="constrained")
    axes = plot(curve, figure.subplots())
    axes.lines[0].set_label("training rows, one split")
    tested = sorted({Pooled.rates(p.test) for p in pooled}, key=lambda pair: (pair[0], -pair[1]))
    axes.plot(
        [float(specificity) for _, specificity in tested],
        [float(sensitivity) for sensitivity, _ in tested],
        color="C1",
        marker="s",
        linestyle="--",
        label=f"test rows, {FOLDS}-fold cross-validation",
    )
    axes.legend()
    axes.set_title("Violent crime, substitute data")
    figure.savefig(PICTURE)
    return f"\nPicture   {PICTURE}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    return run("The paper's criminology application, on substitute data.", report, arguments)


if __name__ == "__main__":
    sys.exit(main())
