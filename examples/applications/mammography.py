"""Section 5.2 of the paper: malignant or benign, from a mammogram."""

import sys
from collections.abc import Iterator, Sequence

from paper_application import (
    Application,
    Options,
    PrintedModel,
    compare,
    comparison_text,
    folder,
    heading,
    run,
)

from supersparse.datasets import Dataset, load_mammography
from supersparse.problem.problem import Problem


def ask(rows: Dataset) -> Problem:
    """State the paper's problem on these rows."""
    return Problem.of(
        rows.X,
        rows.labels,
        positive="malignant",
        feature_names=rows.feature_names,
        C0=0.002,
        max_coef=100,
        intercept="paper",
    )


def application() -> Application:
    """Return the data, the settings and the printed model."""
    return Application(
        title="Breast cancer from a mammogram (section 5.2)",
        settings="C0 = 0.002; coefficients and penalised intercept whole numbers from -100 to 100",
        data=load_mammography("paper", folder=folder()),
        ask=ask,
        printed=(
            PrintedModel(
                name="paper, equation",
                coefficients={"OvalShape": -2, "CircumscribedMargin": -2},
                intercept=1,
            ),
        ),
    )


def report(options: Options) -> Iterator[str]:
    """Learn, and report beside the printed model."""
    here = application()
    found = compare(here, options)
    yield from heading(here, options, found)
    yield from comparison_text(found)
    yield "Paper     20.8 % training and 20.8 % test errors, on a split that it does not give"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    return run("The paper's mammography application.", report, arguments)


if __name__ == "__main__":
    sys.exit(main())
