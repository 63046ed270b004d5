"""From raw columns to features that a card can name: thresholds, categories, missing values."""

from supersparse.prepare.feature import Feature
from supersparse.prepare.prepare import Prepare

__all__ = ["Feature", "Prepare"]
