"""From raw columns to readable features: thresholds, categories, missing values."""
