"""What people see: `ScoringSystem` and its faces: text, HTML, LaTeX, pictures, calculator, plots."""

from supersparse.faces.system import ScoringSystem

__all__ = ["ScoringSystem"]
