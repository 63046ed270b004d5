"""`ScoringSystem` and its faces: text, HTML, LaTeX, pictures, calculator, plots."""

from supersparse.show.document.system import ScoringSystem

__all__ = ["ScoringSystem"]
