"""Section 5.1 of the paper: malignant or benign, from a biopsy.

The paper prints its model twice, and differently: with the size of the cells in the figure, with their
shape in the equation. Both are evaluated here, and the lasso that it prints for comparison.
"""

import sys
from collections.abc import Iterator, Sequence

from paper_application import (
    FEW_VALUES,
    FEW_VALUES_IN_WORDS,
    Application,
    Options,
    PrintedModel,
    compare,
    comparison_text,
    errors_of,
    heading,
    run,
    table,
)

from supersparse import Problem, evaluate
from supersparse.datasets import Dataset, load_breast_cancer


def ask(rows: Dataset) -> Problem:
    """State the paper's problem on these rows."""
    return Problem.of(
        rows.X,
        rows.labels,
        positive="malignant",
        feature_names=rows.feature_names,
        C0=0.006,
        points=FEW_VALUES,
        intercept="paper",
    )


def application() -> Application:
    """Return the data, the settings and the printed models."""
    shared = {"ClumpThickness": 1, "BareNuclei": 1}
    return Application(
        title="Breast cancer from a biopsy (section 5.1)",
        settings=f"C0 = 0.006; {FEW_VALUES_IN_WORDS}",
        data=load_breast_cancer(),
        ask=ask,
        printed=(
            PrintedModel(
                name="paper, figure (cell size)", coefficients={**shared, "UniformityOfCellSize": 1}, intercept=-10
            ),
            PrintedModel(
                name="paper, equation (cell shape)", coefficients={**shared, "UniformityOfCellShape": 1}, intercept=-10
            ),
            PrintedModel(
                name="paper, lasso",
                coefficients={
                    "ClumpThickness": 24,
                    "UniformityOfCellSize": 15,
                    "UniformityOfCellShape": 20,
                    "MarginalAdhesion": 10,
                    "BareNuclei": 34,
                    "NormalNucleoli": 13,
                },
                intercept=-498,
                denominator=100,
                allowed=False,
            ),
        ),
    )


def report(options: Options) -> Iterator[str]:
    """Learn, and report beside the printed models."""
    here = application()
    found = compare(here, options)
    yield from heading(here, options, found)
    yield from comparison_text(found)
    yield "Paper     SLIM 3.7 % training and 2.2 % test errors, lasso 3.7 % and 3.7 %; its split is not given"
    yield f"\nThe printed models on all {len(here.data.y)} rows, which no split changes:"
    yield all_rows_text(here)


def all_rows_text(application: Application) -> str:
    """Set the printed models beside each other, on all rows."""
    problem, names = application.ask(application.data), application.data.feature_names
    printed = [(m.name, evaluate(problem, m.points(names))) for m in application.printed]
    return table(["model", "size", "errors"], [[n, str(e.size), errors_of(e)] for n, e in printed])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    return run("The paper's breast cancer application.", report, arguments)


if __name__ == "__main__":
    sys.exit(main())
