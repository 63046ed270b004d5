"""From raw columns to readable features: thresholds, categories, missing values."""

from supersparse.learn.prepare.feature import Feature
from supersparse.learn.prepare.prepare import Prepare

__all__ = ["Feature", "Prepare"]
