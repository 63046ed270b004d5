"""Scikit-learn classifiers that learn a scoring system."""

from supersparse.estimators.risk import RiskScoreClassifier, RiskScoreClassifierCV
from supersparse.estimators.slim import SLIMClassifier
from supersparse.estimators.slim_cv import SLIMClassifierCV

__all__ = ["RiskScoreClassifier", "RiskScoreClassifierCV", "SLIMClassifier", "SLIMClassifierCV"]
