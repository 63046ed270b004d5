"""Haberman's Survival."""

import numpy as np

from supersparse.datasets.about import About, Size
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.reading import bundled_text, cells, numbers, words

ABOUT = About(
    name="haberman",
    target="survival",
    classes=("died within 5 years", "survived 5 years or longer"),
    description=(
        "Women operated on for breast cancer in Chicago between 1958 and 1969: age, year of operation "
        "(minus 1900) and number of positive axillary nodes. Nothing is missing and nothing was processed. "
        "The SLIM paper does not say which class is positive; here, as in its authors' later code, survival."
    ),
    source="S. J. Haberman, Haberman's Survival, UCI",
)
PAPER = Size(rows=306, columns=4, positive=225)


def load_haberman() -> Dataset:
    """Five-year survival after an operation for breast cancer: 306 rows, 3 features.

    >>> load_haberman()
    <Dataset haberman: 306 rows, 3 features, 225 survived 5 years or longer>
    """
    table = cells(bundled_text("haberman.csv"))
    survival = words(table.pop("SurvivalStatus"), {"1": ABOUT.classes[1], "2": ABOUT.classes[0]})
    features = {name: numbers(column) for name, column in table.items()}
    return ABOUT.dataset(Columns(features | {ABOUT.target: survival}), features, np.arange(len(survival)))
