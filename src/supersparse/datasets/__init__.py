"""Loaders of example data, each with its source and licence."""

from supersparse.datasets.bundled import load_breast_cancer

__all__ = ["load_breast_cancer"]
