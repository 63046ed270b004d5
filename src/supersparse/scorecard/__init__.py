"""The public face of a card: `ScoringSystem`, and how a solution becomes one."""

from supersparse.scorecard.system import ScoringSystem

__all__ = ["ScoringSystem"]
