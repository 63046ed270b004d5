"""Scikit-learn classifiers that learn a scoring system."""

from supersparse.estimators.slim import SLIMClassifier
from supersparse.estimators.slim_cv import SLIMClassifierCV

__all__ = ["SLIMClassifier", "SLIMClassifierCV"]
