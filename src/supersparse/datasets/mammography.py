"""Mammographic Mass: the complete rows come with the package, the paper's 961 are fetched."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.datasets.about import About, Size
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.folder import stored_text
from supersparse.datasets.originals import MAMMOGRAPHY, MAMMOGRAPHY_IMPUTED
from supersparse.datasets.processing import complete_rows, indicators, missing
from supersparse.datasets.reading import bundled_text, cells, numbers, words
from supersparse.errors import InvalidOptionError, did_you_mean

ABOUT = About(
    name="mammography",
    target="severity",
    classes=("benign", "malignant"),
    description=(
        "Masses seen on mammograms: age, shape, margin and density (1 high to 4 fat-containing). The BI-RADS "
        "assessment, a judgement rather than a measurement, is in the raw table only. Variant 'complete': "
        "the 830 of 961 rows without a missing value. Variant 'paper': all 961, missing values filled in as "
        "the paper's authors did."
    ),
    source="M. Elter, Mammographic Mass, UCI",
)
COMPLETE = Size(rows=830, columns=12, positive=403)
PAPER = Size(rows=961, columns=12, positive=445)

SHAPES = {
    "round": "RoundShape",
    "oval": "OvalShape",
    "lobular": "LobularShape",
    "irregular": "IrregularShape",
}
MARGINS = {
    "circumscribed": "CircumscribedMargin",
    "microlobulated": "MicrolobulatedMargin",
    "obscured": "ObscuredMargin",
    "ill-defined": "IllDefinedMargin",
    "spiculated": "SpiculatedMargin",
}
VARIANTS = ("complete", "paper")
_AGES_FROM = (30, 45, 60)  # the brackets of the authors' release


def load_mammography(
    variant: Literal["complete", "paper"] = "complete", *, folder: Path | None = None
) -> Dataset:
    """Masses on mammograms, benign or malignant: 830 complete rows, or the paper's 961; 11 features.

    The paper's rows are read from `folder`, by default that of ``supersparse datasets path``, which
    ``supersparse datasets fetch`` fills.

    >>> load_mammography()
    <Dataset mammography: 830 rows, 11 features, 403 malignant>
    """
    if variant not in VARIANTS:
        raise InvalidOptionError(f"mammography has no variant {variant!r}; {did_you_mean(variant, VARIANTS)}")
    if variant == "complete":
        raw = _raw(bundled_text("mammography.csv"))
        rows = complete_rows(raw)
        return ABOUT.dataset(raw, _features(raw["Age"], raw["Shape"], raw["Margin"], raw["Density"]), rows)
    raw = _raw(stored_text(MAMMOGRAPHY, folder))
    imputed = cells(stored_text(MAMMOGRAPHY_IMPUTED, folder))
    data = ABOUT.dataset(raw, _as_the_authors(raw, imputed), np.arange(raw.n_rows))
    return PAPER.check(data, MAMMOGRAPHY.file)


def _raw(text: str) -> Columns:
    table = cells(text)
    return Columns(
        {
            "BIRADS": numbers(table["BIRADS"]),
            "Age": numbers(table["Age"]),
            "Shape": words(table["Shape"], _codes(SHAPES)),
            "Margin": words(table["Margin"], _codes(MARGINS)),
            "Density": numbers(table["Density"]),
            ABOUT.target: words(table["Severity"], {"0": "benign", "1": "malignant"}),
        }
    )


def _codes(names: dict[str, str]) -> dict[str, str]:
    return {str(code): word for code, word in enumerate(names, start=1)}


def _features(
    age: NDArray[Any], shape: NDArray[Any], margin: NDArray[Any], density: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    return {"Age": age} | indicators(shape, SHAPES) | indicators(margin, MARGINS) | {"Density": density}


def _as_the_authors(raw: Columns, imputed: dict[str, tuple[str, ...]]) -> dict[str, NDArray[Any]]:
    """Fill in what is missing with the authors' own values.

    The paper does not state its rule. Its authors' later release holds their shapes, margins and
    densities, and ages in brackets: a missing age becomes the median known age of its bracket.
    """
    release = {name: numbers(column) for name, column in imputed.items()}
    age = np.array(raw["Age"], dtype=np.float64)
    bracket = np.sum([release[f"Age_geq_{start}"] for start in _AGES_FROM], axis=0)
    known = ~missing(age)
    for row in np.flatnonzero(~known):
        alike = (bracket == bracket[row]) & known
        age[row] = np.median(age[alike])
    authors = {name: release[name] for name in (*SHAPES.values(), *MARGINS.values(), "Density")}
    return {"Age": age} | authors
