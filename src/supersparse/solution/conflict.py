"""Conflict: constraints that no scoring system obeys together."""

from dataclasses import dataclass

from supersparse.problem.limits import Constraint


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Some of what was asked that is proven to be infeasible together, with the sets of the problem."""

    constraints: tuple[Constraint, ...]
    irreducible: bool  # proven: without any one of them the others can be obeyed
    smallest: bool  # proven besides: no fewer of the constraints conflict

    def in_words(self) -> str:
        """Say which constraints conflict, and how sure it is that no fewer do."""
        words = [repr(constraint.in_words()) for constraint in self.constraints]
        if len(words) == 1:
            said = f"already {words[0]} alone cannot be obeyed"
        else:
            listed = ", ".join(words[:-1]) + " and " + words[-1]
            said = f"already {listed} cannot be obeyed together"
        if self.smallest:
            return said if len(words) == 1 else f"{said}, and no fewer constraints conflict"
        if self.irreducible:
            return f"{said}; without any one of them the others can, though fewer others may conflict too"
        return f"{said}; it is not proven that all of them are needed for that"

    def __str__(self) -> str:
        return self.in_words()
