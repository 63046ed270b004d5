"""From raw columns to readable features: thresholds, categories, missing values."""

from supersparse.prepare.feature import Feature
from supersparse.prepare.prepare import Prepare

__all__ = ["Feature", "Prepare"]
