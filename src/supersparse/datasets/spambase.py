"""Spambase."""

import numpy as np

from supersparse.datasets.about import About, Size
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.reading import bundled_text, cells, numbers, words

ABOUT = About(
    name="spambase",
    target="mail",
    classes=("not spam", "spam"),
    description=(
        "E-mails of one office: how often 48 words and 6 characters occur, in percent, and how long runs "
        "of capital letters are. Nothing is missing and nothing was processed; the punctuation in six "
        "names is spelled out."
    ),
    source="M. Hopkins and others, Spambase, UCI",
)
PAPER = Size(rows=4601, columns=58, positive=1813)


def load_spambase() -> Dataset:
    """E-mails, spam or not: 4601 rows, 57 features, most of them decimal fractions.

    >>> load_spambase()
    <Dataset spambase: 4601 rows, 57 features, 1813 spam>
    """
    table = cells(bundled_text("spambase.csv.gz"))
    mail = words(table.pop("Class"), {"0": "not spam", "1": "spam"})
    features = {name: numbers(column) for name, column in table.items()}
    return ABOUT.dataset(Columns(features | {ABOUT.target: mail}), features, np.arange(len(mail)))
