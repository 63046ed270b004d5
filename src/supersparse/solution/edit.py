"""Edit: what a change to a problem costs, as plain data."""

from dataclasses import dataclass
from fractions import Fraction

from supersparse.decimals import shown
from supersparse.solution.solution import Solution


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A solution, what was asked besides, and the solution that obeys."""

    before: Solution
    after: Solution
    asked: tuple[str, ...]  # in words

    @property
    def cost(self) -> Fraction:
        """How much larger F is."""
        return self.after.objective - self.before.objective

    @property
    def cost_bounds(self) -> tuple[Fraction, Fraction]:
        """Between what the least F of the two problems differs, proven; both are `cost` for two optima."""
        return (
            self.after.lower_bound - self.before.objective,
            self.after.objective - self.before.lower_bound,
        )

    @property
    def errors(self) -> Fraction:
        """How many more training errors, by weight."""
        return self.after.evaluation.training_errors - self.before.evaluation.training_errors

    @property
    def size(self) -> int:
        """How many more features, as the problem counts them."""
        return self.after.evaluation.size - self.before.evaluation.size

    @property
    def points(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The features whose points differ: before and after."""
        return {
            name: (one, other)
            for name, one, other in zip(
                self.before.problem.rows.names,
                self.before.points.values,
                self.after.points.values,
                strict=True,
            )
            if one != other
        }

    def in_words(self) -> str:
        """Say what was asked, what it costs, what changes, and what is proven."""
        before, after = self.before.evaluation, self.after.evaluation
        sentences = [
            f"Asked: {'; '.join(self.asked) or 'nothing'}.",
            f"Errors: {_moved(before.training_errors, after.training_errors)}. "
            f"Size: {_moved(before.size, after.size)}. "
            f"F: {_moved_by(self.before.objective, self.after.objective)}.",
            self._changes(),
            self._proof(),
        ]
        return "\n".join(sentences)

    def _changes(self) -> str:
        if not self.points:
            return "No points change."
        changes = (f"{name} {shown(one)} -> {shown(other)}" for name, (one, other) in self.points.items())
        return f"Points: {', '.join(changes)}."

    def _proof(self) -> str:
        if self.before.proven_optimal and self.after.proven_optimal:
            return "Both models are proven optimal, so this is what the edit costs."
        least, most = self.cost_bounds
        open_ones = [
            name for name, one in (("before", self.before), ("after", self.after)) if not one.proven_optimal
        ]
        return (
            f"The model {' and the model '.join(open_ones)} the edit is not proven optimal: "
            f"the edit changes the least F by {float(least):.6g} to {float(most):.6g}."
        )

    def __str__(self) -> str:
        return self.in_words()


def _moved(one: Fraction | int, other: Fraction | int) -> str:
    difference = Fraction(other - one)
    if not difference:
        return f"{shown(Fraction(one))} as before"
    more = f"{shown(abs(difference))} {'more' if difference > 0 else 'fewer'}"
    return f"{shown(Fraction(one))} -> {shown(Fraction(other))} ({more})"


def _moved_by(one: Fraction, other: Fraction) -> str:
    if one == other:
        return f"{float(one):.6g} as before"
    return f"{float(one):.6g} -> {float(other):.6g} ({float(other - one):+.6g})"
