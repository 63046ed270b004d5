"""Scikit-learn classifiers that learn a scoring system."""
