"""Scikit-learn classifiers that learn a scoring system."""

from supersparse.show.estimators.risk import RiskScoreClassifier, RiskScoreClassifierCV
from supersparse.show.estimators.slim import SLIMClassifier
from supersparse.show.estimators.slim_cv import SLIMClassifierCV

__all__ = ["RiskScoreClassifier", "RiskScoreClassifierCV", "SLIMClassifier", "SLIMClassifierCV"]
