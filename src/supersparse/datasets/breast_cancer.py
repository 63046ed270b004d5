"""Breast Cancer Wisconsin (Original)."""

from supersparse.datasets.about import About, Size
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.processing import complete_rows
from supersparse.datasets.reading import bundled_text, cells, numbers, words

ABOUT = About(
    name="breast cancer",
    target="diagnosis",
    classes=("benign", "malignant"),
    description=(
        "Nine cytological features of fine-needle aspirates of breast masses, each graded from 1 "
        "(closest to benign) to 10. As in the SLIM paper, the 16 of 699 cases with a missing value "
        "and the sample number are left out."
    ),
    source="W. H. Wolberg, Breast Cancer Wisconsin (Original), UCI",
)
PAPER = Size(rows=683, columns=10, positive=239)


def load_breast_cancer() -> Dataset:
    """Biopsies of breast tumours, benign or malignant: 683 rows, 9 features graded 1 to 10.

    >>> load_breast_cancer()
    <Dataset breast cancer: 683 rows, 9 features, 239 malignant>
    >>> load_breast_cancer().raw.n_rows
    699
    """
    table = cells(bundled_text("breast_cancer.csv"))
    diagnosis = words(table.pop("Class"), {"2": "benign", "4": "malignant"})
    raw = Columns({name: numbers(column) for name, column in table.items()} | {ABOUT.target: diagnosis})
    kept = complete_rows(raw)
    features = {name: raw[name][kept] for name in raw if name not in ("Id", ABOUT.target)}
    return ABOUT.dataset(raw, features, kept)
