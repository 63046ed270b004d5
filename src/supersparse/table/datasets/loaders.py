"""Loaders for the datasets of the paper, processed as in the paper."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.table.datasets.dataset import (
    About,
    Columns,
    Dataset,
    Size,
    bundled_text,
    cells,
    complete_rows,
    indicators,
    missing,
    numbers,
    varying,
    words,
)
from supersparse.table.datasets.originals import (
    INTERNET_ADS,
    MAMMOGRAPHY,
    MAMMOGRAPHY_IMPUTED,
    RECIDIVISM,
    RECIDIVISM_VIOLENT,
    Original,
    data_folder,
    stored_text,
)
from supersparse.table.datasets.recidivism import (
    ABOUT_ANY,
    ABOUT_VIOLENT,
    SIZE_OF_ANY,
    SIZE_OF_VIOLENT,
    load_recidivism,
)

ABOUT_BREAST_CANCER = About(
    name="breast cancer",
    target="diagnosis",
    classes=("benign", "malignant"),
    description=(
        "Nine cytological features of fine-needle aspirates of breast masses, each graded from 1 (closest to benign) "
        "to 10. As in the SLIM paper, the 16 of 699 cases with a missing value and the sample number are left out."
    ),
    source="W. H. Wolberg, Breast Cancer Wisconsin (Original), UCI",
)
SIZE_OF_BREAST_CANCER = Size(rows=683, columns=10, positive=239)


def load_breast_cancer() -> Dataset:
    """Biopsies of breast tumours, benign or malignant: 683 rows, 9 features graded 1 to 10.

    >>> load_breast_cancer()
    <Dataset breast cancer: 683 rows, 9 features, 239 malignant>
    >>> load_breast_cancer().raw.n_rows
    699
    """
    about = ABOUT_BREAST_CANCER
    raw = _of_numbers(about, bundled_text("breast_cancer.csv"), "Class", {"2": "benign", "4": "malignant"})
    complete = complete_rows(raw)
    features = {name: raw[name][complete] for name in raw if name not in ("Id", about.target)}
    return about.dataset(raw, features, complete)


def _of_numbers(about: About, text: str, column: str, classes: dict[str, str]) -> Columns:
    """Read a table of numbers, in which one column holds codes of classes."""
    table = cells(text)
    labels = words(table.pop(column), classes)
    return Columns({name: numbers(values) for name, values in table.items()} | {about.target: labels})


def _as_it_is(about: About, raw: Columns) -> Dataset:
    """All rows, and every column but the class as a feature."""
    features = {name: raw[name] for name in raw if name != about.target}
    return about.dataset(raw, features, np.arange(raw.n_rows))


ABOUT_HABERMAN = About(
    name="haberman",
    target="survived 5 years or longer",
    classes=("no", "yes"),
    description=(
        "Women operated on for breast cancer in Chicago between 1958 and 1969: age, year of operation "
        "(minus 1900) and number of positive axillary nodes. Nothing is missing and nothing was processed. "
        "The SLIM paper does not say which class is positive; we use survival, as in its authors' later code."
    ),
    source="S. J. Haberman, Haberman's Survival, UCI",
)
SIZE_OF_HABERMAN = Size(rows=306, columns=4, positive=225)


def load_haberman() -> Dataset:
    """Five-year survival after an operation for breast cancer: 306 rows, 3 features.

    >>> load_haberman()
    <Dataset haberman: 306 rows, 3 features, 225 survived 5 years or longer>
    """
    about = ABOUT_HABERMAN
    classes = {"1": about.classes[1], "2": about.classes[0]}
    return _as_it_is(about, _of_numbers(about, bundled_text("haberman.csv"), "SurvivalStatus", classes))


ABOUT_INTERNET_ADS = About(
    name="internet ads",
    target="image",
    classes=("not an ad", "ad"),
    description=(
        "Images on web pages: height, width, their ratio, and 1555 indicators of phrases in addresses and "
        "texts. The SLIM paper does not describe its processing; dropping rows with any missing value and "
        "then constant columns gives its size."
    ),
    source="N. Kushmerick, Internet Advertisements, UCI",
)
SIZE_OF_INTERNET_ADS = Size(rows=2359, columns=1431, positive=381)


def load_internet_ads(variant: Literal["paper"] = "paper", *, folder: Path | None = None) -> Dataset:
    """Images on web pages, advertisements or not: 2359 rows, 1430 features.

    The rows are read from `folder`; the default is the folder that ``supersparse datasets path`` prints and
    ``supersparse datasets fetch`` fills.
    """
    if variant != "paper":
        raise InvalidOptionError(f"internet ads has no variant {variant!r}", "the only one is 'paper'")
    about, classes = ABOUT_INTERNET_ADS, {"ad": "ad", "nonad": "not an ad"}
    raw = _of_numbers(about, stored_text(INTERNET_ADS, folder), "Class", classes)
    complete = complete_rows(raw)
    features = varying({name: raw[name][complete] for name in raw if name != about.target})
    return SIZE_OF_INTERNET_ADS.check(about.dataset(raw, features, complete), INTERNET_ADS.file)


ABOUT_MAMMOGRAPHY = About(
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
SIZE_OF_MAMMOGRAPHY = Size(rows=961, columns=12, positive=445)

SHAPES = {"round": "RoundShape", "oval": "OvalShape", "lobular": "LobularShape", "irregular": "IrregularShape"}
MARGINS = {
    "circumscribed": "CircumscribedMargin",
    "microlobulated": "MicrolobulatedMargin",
    "obscured": "ObscuredMargin",
    "ill-defined": "IllDefinedMargin",
    "spiculated": "SpiculatedMargin",
}
VARIANTS = ("complete", "paper")
_AGES_FROM = (30, 45, 60)  # age brackets of the authors' release


def load_mammography(variant: Literal["complete", "paper"] = "complete", *, folder: Path | None = None) -> Dataset:
    """Masses on mammograms, benign or malignant: 830 complete rows, or the paper's 961; 11 features.

    The paper's rows are read from `folder`; the default is the folder that ``supersparse datasets path``
    prints and ``supersparse datasets fetch`` fills.

    >>> load_mammography()
    <Dataset mammography: 830 rows, 11 features, 403 malignant>
    """
    if variant not in VARIANTS:
        raise InvalidOptionError(f"mammography has no variant {variant!r}", did_you_mean(variant, VARIANTS))
    if variant == "complete":
        raw = _raw(bundled_text("mammography.csv"))
        rows = complete_rows(raw)
        return ABOUT_MAMMOGRAPHY.dataset(raw, _features(raw["Age"], raw["Shape"], raw["Margin"], raw["Density"]), rows)
    raw = _raw(stored_text(MAMMOGRAPHY, folder))
    imputed = cells(stored_text(MAMMOGRAPHY_IMPUTED, folder))
    data = ABOUT_MAMMOGRAPHY.dataset(raw, _as_the_authors(raw, imputed), np.arange(raw.n_rows))
    return SIZE_OF_MAMMOGRAPHY.check(data, MAMMOGRAPHY.file)


def _raw(text: str) -> Columns:
    table = cells(text)
    return Columns(
        {
            "BIRADS": numbers(table["BIRADS"]),
            "Age": numbers(table["Age"]),
            "Shape": words(table["Shape"], _codes(SHAPES)),
            "Margin": words(table["Margin"], _codes(MARGINS)),
            "Density": numbers(table["Density"]),
            ABOUT_MAMMOGRAPHY.target: words(table["Severity"], {"0": "benign", "1": "malignant"}),
        }
    )


def _codes(names: dict[str, str]) -> dict[str, str]:
    return {str(code): word for code, word in enumerate(names, start=1)}


def _features(
    age: NDArray[Any], shape: NDArray[Any], margin: NDArray[Any], density: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    return {"Age": age} | indicators(shape, SHAPES) | indicators(margin, MARGINS) | {"Density": density}


def _as_the_authors(raw: Columns, imputed: dict[str, tuple[str, ...]]) -> dict[str, NDArray[Any]]:
    """Fill in missing values with the authors' values.

    The paper does not state its rule. Its authors' later release has their shapes, margins and densities, and
    ages in brackets: a missing age becomes the median known age of its bracket.
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


ABOUT_SPAMBASE = About(
    name="spambase",
    target="mail",
    classes=("not spam", "spam"),
    description=(
        "E-mails of one office: how often 48 words and 6 characters occur, in percent, and how long runs of capital "
        "letters are. Nothing is missing and nothing was processed; the punctuation in six names is spelled out."
    ),
    source="M. Hopkins and others, Spambase, UCI",
)
SIZE_OF_SPAMBASE = Size(rows=4601, columns=58, positive=1813)


def load_spambase() -> Dataset:
    """E-mails, spam or not: 4601 rows, 57 features, most of them decimal fractions.

    >>> load_spambase()
    <Dataset spambase: 4601 rows, 57 features, 1813 spam>
    """
    about, classes = ABOUT_SPAMBASE, {"0": "not spam", "1": "spam"}
    return _as_it_is(about, _of_numbers(about, bundled_text("spambase.csv.gz"), "Class", classes))


ABOUT_TIC_TAC_TOE = About(
    name="tic-tac-toe",
    target="x won",
    classes=("no", "yes"),
    description=(
        "Every final board of tic-tac-toe when x moves first: 626 won by x, 316 won by o, 16 drawn. As in "
        "the SLIM paper, each of the nine squares is three indicators: x, o or blank (b)."
    ),
    source="D. Aha, Tic-Tac-Toe Endgame, UCI; generated by playing every game",
)
SIZE_OF_TIC_TAC_TOE = Size(rows=958, columns=28, positive=626)

SQUARES = tuple(f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
MARKS = "xob"
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def load_tic_tac_toe() -> Dataset:
    """Final boards of tic-tac-toe, won by the first player or not: 958 rows, 27 indicators.

    >>> load_tic_tac_toe()
    <Dataset tic-tac-toe: 958 rows, 27 features, 626 x won>
    """
    boards = sorted(_final_boards(), key=_published_order)
    squares = {name: np.array([board[square] for board in boards], dtype=object) for square, name in enumerate(SQUARES)}
    result = np.array([ABOUT_TIC_TAC_TOE.classes[_has_won(board, "x")] for board in boards], dtype=object)
    features = {
        column: values
        for name, array in squares.items()
        for column, values in indicators(array, {mark: f"{name}_eq_{mark}" for mark in MARKS}).items()
    }
    return ABOUT_TIC_TAC_TOE.dataset(
        Columns(squares | {ABOUT_TIC_TAC_TOE.target: result}), features, np.arange(len(boards))
    )


def _final_boards() -> set[str]:
    """Play move by move and keep each board once; a game ends with a line or a full board."""
    final: set[str] = set()
    open_boards = {"b" * 9}
    for move in range(9):
        mark = "xo"[move % 2]
        after = {
            board[:square] + mark + board[square + 1 :]
            for board in open_boards
            for square in range(9)
            if board[square] == "b"
        }
        ended = {board for board in after if move == 8 or _has_won(board, mark)}
        final |= ended
        open_boards = after - ended
    return final


def _has_won(board: str, mark: str) -> bool:
    return any(all(board[square] == mark for square in line) for line in _LINES)


def _published_order(board: str) -> tuple[bool, bool, list[int]]:
    """Boards won by x first, then won by o, then drawn; each group sorted by squares: x, o, blank."""
    return not _has_won(board, "x"), not _has_won(board, "o"), [MARKS.index(mark) for mark in board]


@dataclass(frozen=True, slots=True)
class Entry:
    """One variant of a dataset; `originals` are the files it needs in the data folder."""

    about: About
    variant: str
    size: Size
    load: Callable[[Path | None], Dataset]  # from this data folder
    originals: tuple[Original, ...] = ()

    @property
    def name(self) -> str:
        """The name as one word, for example ``breast-cancer``."""
        return self.about.name.replace(" ", "-")

    def is_here(self, folder: Path | None = None) -> bool:
        place = data_folder() if folder is None else folder
        return all((place / original.file).is_file() for original in self.originals)


ENTRIES = (
    Entry(ABOUT_BREAST_CANCER, "paper", SIZE_OF_BREAST_CANCER, lambda _: load_breast_cancer()),
    Entry(ABOUT_HABERMAN, "paper", SIZE_OF_HABERMAN, lambda _: load_haberman()),
    Entry(
        ABOUT_INTERNET_ADS, "paper", SIZE_OF_INTERNET_ADS, lambda at: load_internet_ads(folder=at), (INTERNET_ADS,)
    ),
    Entry(ABOUT_MAMMOGRAPHY, "complete", COMPLETE, lambda _: load_mammography()),
    Entry(
        ABOUT_MAMMOGRAPHY, "paper", SIZE_OF_MAMMOGRAPHY, lambda at: load_mammography("paper", folder=at),
        (MAMMOGRAPHY, MAMMOGRAPHY_IMPUTED),
    ),
    Entry(ABOUT_VIOLENT, "violent", SIZE_OF_VIOLENT, lambda at: load_recidivism(folder=at), (RECIDIVISM_VIOLENT,)),
    Entry(ABOUT_ANY, "any", SIZE_OF_ANY, lambda at: load_recidivism("any", folder=at), (RECIDIVISM,)),
    Entry(ABOUT_SPAMBASE, "paper", SIZE_OF_SPAMBASE, lambda _: load_spambase()),
    Entry(ABOUT_TIC_TAC_TOE, "paper", SIZE_OF_TIC_TAC_TOE, lambda _: load_tic_tac_toe()),
)  # fmt: skip


def find(name: str, variant: str | None = None) -> Entry:
    """Return an entry by name; the default is its first variant.

    >>> find("breast-cancer").size.rows
    683
    """
    alike = [entry for entry in ENTRIES if entry.name == name]
    if not alike:
        known = {entry.name for entry in ENTRIES}
        raise InvalidOptionError(f"there is no dataset {name!r}", did_you_mean(name, known))
    if variant is None:
        return alike[0]
    for entry in alike:
        if entry.variant == variant:
            return entry
    known = {entry.variant for entry in alike}
    raise InvalidOptionError(f"{name} has no variant {variant!r}", did_you_mean(variant, known), subject=name)


def load(name: str, variant: str | None = None, *, folder: Path | None = None) -> Dataset:
    """Load a dataset by name.

    >>> load("tic-tac-toe")
    <Dataset tic-tac-toe: 958 rows, 27 features, 626 x won>
    """
    return find(name, variant).load(folder)
