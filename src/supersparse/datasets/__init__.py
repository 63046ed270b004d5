"""Loaders of the SLIM paper's data, processed as in the paper, each with its source and licence."""

from supersparse.datasets.breast_cancer import load_breast_cancer
from supersparse.datasets.catalogue import load
from supersparse.datasets.columns import Columns
from supersparse.datasets.dataset import Dataset
from supersparse.datasets.haberman import load_haberman
from supersparse.datasets.internet_ads import load_internet_ads
from supersparse.datasets.mammography import load_mammography
from supersparse.datasets.spambase import load_spambase
from supersparse.datasets.tic_tac_toe import load_tic_tac_toe

__all__ = [
    "Columns",
    "Dataset",
    "load",
    "load_breast_cancer",
    "load_haberman",
    "load_internet_ads",
    "load_mammography",
    "load_spambase",
    "load_tic_tac_toe",
]
