"""The decision tree that a scoring system of yes-or-no items induces, as text and picture."""
