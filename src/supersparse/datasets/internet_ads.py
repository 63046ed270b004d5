"""Internet Advertisements, which are fetched: no package that could carry them was found."""

from pathlib import Path
from typing import Literal

from supersparse.datasets.about import About, Size
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.folder import stored_text
from supersparse.datasets.originals import INTERNET_ADS
from supersparse.datasets.processing import complete_rows, varying
from supersparse.datasets.reading import cells, numbers, words
from supersparse.errors import InvalidOptionError

ABOUT = About(
    name="internet ads",
    target="image",
    classes=("not an ad", "ad"),
    description=(
        "Images on web pages: height, width, their ratio, and 1555 indicators of phrases in addresses and "
        "texts. The SLIM paper does not state its processing; its size comes out when the rows with any "
        "missing value and then the constant columns are left out."
    ),
    source="N. Kushmerick, Internet Advertisements, UCI",
)
PAPER = Size(rows=2359, columns=1431, positive=381)


def load_internet_ads(variant: Literal["paper"] = "paper", *, folder: Path | None = None) -> Dataset:
    """Images on web pages, advertisements or not: 2359 rows, 1430 features.

    The rows are read from `folder`, by default that of ``supersparse datasets path``, which
    ``supersparse datasets fetch`` fills.
    """
    if variant != "paper":
        raise InvalidOptionError(f"internet ads has no variant {variant!r}; the only one is 'paper'")
    table = cells(stored_text(INTERNET_ADS, folder))
    image = words(table.pop("Class"), {"ad": "ad", "nonad": "not an ad"})
    raw = Columns({name: numbers(column) for name, column in table.items()} | {ABOUT.target: image})
    kept = complete_rows(raw)
    features = varying({name: raw[name][kept] for name in raw if name != ABOUT.target})
    return PAPER.check(ABOUT.dataset(raw, features, kept), INTERNET_ADS.file)
