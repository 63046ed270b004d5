"""Section 5.2 of the paper: malignant or benign, from a mammogram."""

import sys
from collections.abc import Iterator, Sequence

from paper_application import (
    Application,
    Options,
    PrintedModel,
    compare,
    comparison_text,
    heading,
    read_csv,
    run,
)

from supersparse.datasets.dataset import Dataset
from supersparse.problem.problem import Problem

ADVICE = """\
It is UCI's "Mammographic Mass" (https://archive.ics.uci.edu/dataset/161/mammographic+mass), all 961 rows,
with the columns target (0 or 1), Age, RoundShape, OvalShape, LobularShape, IrregularShape,
CircumscribedMargin, MicrolobulatedMargin, ObscuredMargin, IllDefinedMargin, SpiculatedMargin, Density;
missing values are filled in as the authors did (mammo_processed.csv of
https://github.com/ustunb/slim-python). See docs/applications.md."""


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
        data=read_csv(
            "mammo.csv",
            advice=ADVICE,
            target="severity",
            classes=("benign", "malignant"),
            source="M. Elter, Mammographic Mass, UCI",
        ),
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
