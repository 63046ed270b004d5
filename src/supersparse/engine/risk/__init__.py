"""The exact engine for the log loss."""
