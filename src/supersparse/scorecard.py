"""ScoringSystem: the public object, a card with its faces."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import supersparse
from supersparse.card import file, scoring
from supersparse.card.card import Card, Item, Label
from supersparse.card.numbers import shown
from supersparse.card.provenance import Provenance
from supersparse.card.quick import decide
from supersparse.card.rules import ValueOf
from supersparse.card.tables import is_person
from supersparse.render.text import card_text

if TYPE_CHECKING:
    from supersparse.problem.coefficients import CoefficientSet
    from supersparse.problem.problem import Problem
    from supersparse.solution.solution import Solution


@dataclass(frozen=True, slots=True)
class ScoringSystem:
    """A scoring system that prints, scores, predicts, saves and loads itself.

    All it knows is in `card`, plain data. Using it needs numpy and nothing else: a saved one
    loads without scikit-learn, numba or any solver.

    >>> from supersparse import Problem, solve
    >>> problem = Problem.of([[0], [0], [1], [1]], list("nnyy"), C0=0.3, feature_names=["fever"])
    >>> system = ScoringSystem.from_solution(solve(problem, "exhaustive"))
    >>> system.predict({"fever": 1})
    'y'
    """

    card: Card

    @classmethod
    def from_solution(cls, solution: "Solution", *, title: str | None = None) -> "ScoringSystem":
        """Make the card of a verified solution; features without points are left out.

        Class labels that JSON cannot hold become their text.
        """
        return cls(_card(solution, title))

    @property
    def classes(self) -> tuple[Label, Label]:
        """(negative, positive)."""
        return self.card.classes

    @property
    def threshold(self) -> Fraction:
        """The points that must be exceeded for the positive class."""
        return self.card.threshold

    @property
    def points(self) -> dict[str, Fraction]:
        """The points by column name, in the order of the training table."""
        return {item.rule.column: item.points for item in self.card.items}

    def score(self, data: object) -> Fraction | NDArray[np.generic]:
        """Return the score, the intercept included: exact for one person, an array for a table.

        One person is a mapping from column names to numbers. A table is a data frame, a mapping
        from column names to columns, or an array with the training table's columns. The array of
        scores holds integers where all scores are whole, else floats; their sign is exact.
        """
        if is_person(data):
            return scoring.score_person(self.card, data)  # type: ignore[arg-type]
        return decide(self.card, data).values

    def predict(self, data: object) -> Label | NDArray[np.generic]:
        """Return the class of one person, or an array of classes for a table; see `score`.

        The positive class is given for a score above 0, computed exactly.
        """
        if is_person(data):
            return scoring.predicted_label(self.card, scoring.score_person(self.card, data))  # type: ignore[arg-type]
        return scoring.predicted_labels(self.card, decide(self.card, data).positive)

    def to_json(self) -> str:
        """Return the card as JSON text; the round trip is exact."""
        return file.to_json(self.card)

    @classmethod
    def from_json(cls, text: str) -> "ScoringSystem":
        """Read JSON text written by `to_json`; anything else is refused."""
        return cls(file.from_json(text))

    def save(self, path: str | Path) -> None:
        """Write the card to a JSON file."""
        file.save(self.card, path)

    @classmethod
    def load(cls, path: str | Path) -> "ScoringSystem":
        """Read a file written by `save`; anything else is refused."""
        return cls(file.load(path))

    def __str__(self) -> str:
        return card_text(self.card)

    def __repr__(self) -> str:
        terms = [f"{shown(item.points)} x {item.rule.column!r}" for item in self.card.items]
        return (
            f"<ScoringSystem: {self.card.positive!r} if {' + '.join(terms) or 0} > {shown(self.threshold)}>"
        )


def _card(solution: "Solution", title: str | None) -> Card:
    rows, points = solution.problem.rows, solution.points
    negative, positive = map(_label, rows.classes)
    return Card(
        title=title,
        negative=negative,
        positive=positive,
        items=tuple(
            Item(rule=ValueOf(rows.names[j]), points=points.values[j], position=j) for j in points.support
        ),
        intercept=points.intercept_value,
        n_columns=rows.n_features,
        provenance=_provenance(solution),
    )


def _label(label: object) -> Label:
    plain = label.item() if isinstance(label, np.generic) else label
    return plain if isinstance(plain, str | int | float) else str(plain)


def _provenance(solution: "Solution") -> Provenance:
    problem, found = solution.problem, solution.evaluation
    return Provenance(
        version=supersparse.__version__,
        solver=solution.solver,
        minimised=_minimised(problem),
        allowed=_allowed(problem),
        objective=found.objective,
        lower_bound=solution.lower_bound,
        proven_smallest=solution.proven_smallest,
        training_errors=found.training_errors,
        predicted_errors=found.predicted_errors,
        total_weight=problem.total_weight * problem.rows.weight_unit,
        n_rows=problem.rows.n_rows,
        size=found.size,
        stop=solution.stop.name,
        seconds=solution.seconds,
        nodes=solution.nodes,
    )


def _minimised(problem: "Problem") -> str:
    """The objective in words."""
    negative, positive = problem.class_weights
    parts = ["error rate"]
    if negative != 1 or positive != 1:
        no, yes = problem.rows.classes
        parts[0] += f" (weight {shown(positive)} for {yes}, {shown(negative)} for {no})"
    penalties = sorted({c for c, own in zip(problem.C0, problem.levels, strict=True) if own is None})
    if problem.has_levels:
        parts.append("a penalty by the level of each feature's points")
    if not penalties:
        pass
    elif len(penalties) == 1:
        parts.append(f"{shown(penalties[0])} per feature")
    else:
        parts.append(f"{shown(penalties[0])} to {shown(penalties[-1])} per feature")
    if problem.intercept.is_penalised and problem.intercept_levels is None:
        parts.append(f"{shown(problem.intercept_C0)} for an intercept")
    if problem.C1:
        parts.append(f"{shown(problem.C1)} per point")
    return " + ".join(parts)


def _allowed(problem: "Problem") -> str:
    """The allowed scoring systems in words."""
    sets = {s for s in problem.sets if len(s.values) > 1 or s.values[0] != 0}
    points = _values(sets.pop()) if len(sets) == 1 else "from a set for each feature"
    limit = "".join(f", {constraint.in_words()}" for constraint in problem.asked)
    intercept = {
        "free": "any intercept",
        "range": f"intercept from {problem.intercept.low} to {problem.intercept.high}",
        "paper": "intercept counted as a feature",
        "none": "no intercept",
    }[problem.intercept.mode]
    return f"points {points}{limit}, {intercept}"


def _values(allowed: "CoefficientSet") -> str:
    low, high = allowed.least, allowed.greatest
    ends = f"from {shown(low)} to {shown(high)}"
    if allowed.denominator == 1 and len(allowed.values) == high - low + 1:
        return f"whole numbers {ends}"
    return f"of {len(allowed.values)} values {ends}"
