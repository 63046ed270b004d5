"""Loaders for the SLIM paper's datasets, processed as in the paper, and others, with source and licence."""

from supersparse.table.datasets.dataset import Columns, Dataset
from supersparse.table.datasets.loaders import (
    load,
    load_breast_cancer,
    load_haberman,
    load_internet_ads,
    load_mammography,
    load_spambase,
    load_tic_tac_toe,
)
from supersparse.table.datasets.recidivism import load_recidivism

__all__ = [
    "Columns",
    "Dataset",
    "load",
    "load_breast_cancer",
    "load_haberman",
    "load_internet_ads",
    "load_mammography",
    "load_recidivism",
    "load_spambase",
    "load_tic_tac_toe",
]
