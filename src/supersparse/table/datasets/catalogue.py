"""The list of datasets, their sizes, and the files to fetch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import supersparse.table.datasets.loaders as loaders
import supersparse.table.datasets.recidivism as recidivism
from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.table.datasets.dataset import About, Dataset, Size
from supersparse.table.datasets.originals import (
    INTERNET_ADS,
    MAMMOGRAPHY,
    MAMMOGRAPHY_IMPUTED,
    RECIDIVISM,
    RECIDIVISM_VIOLENT,
    Original,
    data_folder,
)


@dataclass(frozen=True, slots=True, kw_only=True)
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
        """Whether it can be loaded without a download."""
        place = data_folder() if folder is None else folder
        return all((place / original.file).is_file() for original in self.originals)


def _bundled(about: About, size: Size, load: Callable[[], Dataset]) -> Entry:
    return Entry(about=about, variant="paper", size=size, load=lambda folder: load())


ENTRIES = (
    _bundled(loaders.ABOUT_BREAST_CANCER, loaders.SIZE_OF_BREAST_CANCER, loaders.load_breast_cancer),
    _bundled(loaders.ABOUT_HABERMAN, loaders.SIZE_OF_HABERMAN, loaders.load_haberman),
    Entry(
        about=loaders.ABOUT_INTERNET_ADS,
        variant="paper",
        size=loaders.SIZE_OF_INTERNET_ADS,
        load=lambda folder: loaders.load_internet_ads(folder=folder),
        originals=(INTERNET_ADS,),
    ),
    Entry(
        about=loaders.ABOUT_MAMMOGRAPHY,
        variant="complete",
        size=loaders.COMPLETE,
        load=lambda folder: loaders.load_mammography(),
    ),
    Entry(
        about=loaders.ABOUT_MAMMOGRAPHY,
        variant="paper",
        size=loaders.SIZE_OF_MAMMOGRAPHY,
        load=lambda folder: loaders.load_mammography(variant="paper", folder=folder),
        originals=(MAMMOGRAPHY, MAMMOGRAPHY_IMPUTED),
    ),
    Entry(
        about=recidivism.ABOUT_VIOLENT,
        variant="violent",
        size=recidivism.SIZE_OF_VIOLENT,
        load=lambda folder: recidivism.load_recidivism(folder=folder),
        originals=(RECIDIVISM_VIOLENT,),
    ),
    Entry(
        about=recidivism.ABOUT_ANY,
        variant="any",
        size=recidivism.SIZE_OF_ANY,
        load=lambda folder: recidivism.load_recidivism("any", folder=folder),
        originals=(RECIDIVISM,),
    ),
    _bundled(loaders.ABOUT_SPAMBASE, loaders.SIZE_OF_SPAMBASE, loaders.load_spambase),
    _bundled(loaders.ABOUT_TIC_TAC_TOE, loaders.SIZE_OF_TIC_TAC_TOE, loaders.load_tic_tac_toe),
)


def find(name: str, variant: str | None = None) -> Entry:
    """Return an entry by name; the default is its first variant.

    >>> find("breast-cancer").size.rows
    683
    """
    alike = [entry for entry in ENTRIES if entry.name == name]
    if not alike:
        known = {entry.name for entry in ENTRIES}
        raise InvalidOptionError(f"there is no dataset {name!r}; {did_you_mean(name, known)}")
    if variant is None:
        return alike[0]
    for entry in alike:
        if entry.variant == variant:
            return entry
    known = {entry.variant for entry in alike}
    raise InvalidOptionError(f"{name} has no variant {variant!r}; {did_you_mean(variant, known)}")


def load(name: str, variant: str | None = None, *, folder: Path | None = None) -> Dataset:
    """Load a dataset by name.

    >>> load("tic-tac-toe")
    <Dataset tic-tac-toe: 958 rows, 27 features, 626 x won>
    """
    return find(name, variant).load(folder)
