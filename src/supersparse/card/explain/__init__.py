"""Explanations: reasons for a prediction, the smallest changes that flip it, and the decision tree."""
