"""Section 5.3 and appendix B of the paper: violent crime, imbalanced, on other data.

The paper's survey is not public. These are public records of adults in one county with the same share of
positives. The paper's sensitivity and specificity stand beside ours for orientation; they are not comparable.
"""

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

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

from supersparse.datasets import Dataset
from supersparse.problem.objective import Evaluation, evaluate
from supersparse.problem.problem import Problem
from supersparse.selection.trade_off import trade_off
from supersparse.solution.trade_off import TradeOff

RATIOS = tuple(Fraction(r) for r in ("0.5", "1", "1.5", "2", "3", "4", "6", "8", "16"))
PICTURE = Path(__file__).resolve().parents[2] / "build" / "examples" / "criminology_trade_off.png"
ADVICE = """\
It is a sample of 558 rows of the violent recidivism records that ProPublica published
(compas-scores-two-years-violent.csv of https://github.com/propublica/compas-analysis), as 94 columns of 0
and 1 after the target. See docs/applications.md."""


def ask(rows: Dataset) -> Problem:
    """State the paper's problem on these rows."""
    return Problem.of(
        rows.X,
        rows.labels,
        positive="violent",
        feature_names=rows.feature_names,
        C0=0.01,
        coef_set=FEW_VALUES,
        intercept="paper",
        class_weight={"violent": 1.2, "not violent": 0.8},
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


def rates(evaluation: Evaluation) -> list[str]:
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


def curve_text(curve: TradeOff, test: Problem) -> str:
    """Set the rates of each model of the curve in a table."""
    lines = []
    for point in curve.points:
        solution = point.solution
        lines.append(
            [
                ", ".join(f"{float(ratio):g}" for ratio in point.ratios),
                *rates(solution.evaluation),
                *rates(evaluate(test, solution.points)),
                str(solution.evaluation.size),
                "proven" if solution.proven_optimal else f"gap {solution.gap:.1%}",
            ]
        )
    return table(
        ["W+/W-", "sensitivity", "specificity", "sens., test", "spec., test", "size", "proof"], lines
    )


def report(options: Options) -> Iterator[str]:
    """Learn, report the rates, then sweep W+/W-."""
    here = application()
    found = compare(here, options)
    yield from heading(here, options, found)
    yield from rates_text(found)
    yield "\nThe trade-off, by the ratio of the class weights (of several ratios, the proof is that of one):"
    curve = trade_off(
        found.train, RATIOS, "exact", time_limit=options.time_limit, node_limit=options.node_limit
    )
    yield curve_text(curve, found.test)
    yield picture(curve)


def picture(curve: TradeOff) -> str:
    """Draw the curve, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return "\nNo picture: matplotlib is not installed (pip install 'supersparse[plot]')."
    from matplotlib.figure import Figure

    from supersparse.render.plots import plot

    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure = Figure(layout="constrained")
    plot(curve, figure.subplots()).set_title("Violent crime, substitute data, training rows")
    figure.savefig(PICTURE)
    return f"\nPicture   {PICTURE}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    return run("The paper's criminology application, on substitute data.", report, arguments)


if __name__ == "__main__":
    sys.exit(main())
