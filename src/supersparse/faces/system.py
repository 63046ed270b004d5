"""ScoringSystem: the public object, a card with its faces."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supersparse.card import checks, file, scoring
from supersparse.card.build import Number, card_of
from supersparse.card.card import Card, Item, Label
from supersparse.card.risk import Risk, risk_of
from supersparse.card.rules import Domain, Outside
from supersparse.card.scoring import decide
from supersparse.card.tables import is_person, read_table
from supersparse.errors import InvalidCardError, did_you_mean
from supersparse.exact import shown
from supersparse.explain.flips import Flip, flips
from supersparse.explain.reasons import Explanation, explain
from supersparse.faces.evaluating import Evaluating
from supersparse.faces.from_solution import card_of_solution
from supersparse.faces.text import card_text

if TYPE_CHECKING:
    from supersparse.faces.html import Sheet
    from supersparse.faces.tree import DecisionTree
    from supersparse.problem.points import Points
    from supersparse.solving.solution import Solution


class Faces:
    """Methods that show the card; each face is loaded when it is used."""

    __slots__ = ()
    card: Card

    def to_text(self, *, columns: int = 80) -> str:
        """Return the card as lines of at most so many terminal columns, as `print` shows it."""
        return card_text(self.card, columns=columns)

    def to_markdown(self) -> str:
        """Return the card as Markdown, with a table that GitHub, Jupyter and pandoc read."""
        from supersparse.faces.text import card_markdown

        return card_markdown(self.card)

    def to_html(self) -> str:
        """Return the card as a piece of HTML with its own style, as notebooks show it."""
        from supersparse.faces.html import card_html

        return card_html(self.card)

    def to_latex(self) -> str:
        r"""Return the card as a LaTeX table that needs ``\\usepackage{booktabs}``."""
        from supersparse.faces.latex import card_latex

        return card_latex(self.card)

    def to_svg(self) -> str:
        """Return the card as an SVG picture; text stays text."""
        from supersparse.faces.drawing import drawing_svg
        from supersparse.faces.pictures import card_drawing

        return drawing_svg(card_drawing(self.card))

    def sheet(self, *, paper: str = "a4") -> "Sheet":
        """Return the page to print ("a4" or "letter"), with boxes to fill in; it has `to_html` and `save`."""
        from supersparse.faces.html import Sheet

        return Sheet(self.card, paper)

    def tree(self, *, max_leaves: int = 64) -> "DecisionTree":
        """Return the smallest decision tree that gives the same classes, for items of yes or no.

        It prints as text and has `to_svg` and `save`. One with more than `max_leaves` leaves is refused.
        """
        from supersparse.faces.tree import DecisionTree

        return DecisionTree.of(self.card, max_leaves=max_leaves)

    def save(self, path: str | Path) -> None:
        """Write the card to a file: JSON, which `load` reads, or a face by the ending of the name.

        .json (or no ending), .txt, .md, .html, .tex, .svg, and with matplotlib .png and .pdf.
        """
        if Path(path).suffix.lower() in (".json", ""):
            file.save(self.card, path)
            return
        from supersparse.faces.drawing import write
        from supersparse.faces.files import card_faces

        write(card_faces(self.card), path, others=(".json",))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()


class Exporting:
    """The part of `ScoringSystem` that leaves Python."""

    __slots__ = ()

    card: Card

    def export(self, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
        """Return the card for another program, and write it to `path` if one is given.

        Targets: "python", "sql", "javascript" and "pmml" give text, "xlsx" and "onnx" bytes. The options
        are those of `to_sql`, `to_xlsx` and so on in `supersparse.export`. A card that a target
        cannot express is refused with `UnsupportedCardError`, which names the item or column.

        >>> from supersparse import ScoringSystem, item
        >>> system = ScoringSystem.of([item("age", at_least=65, points=1)], threshold=0)
        >>> namespace = {}
        >>> exec(system.export("python"), namespace)
        >>> namespace["predict"]({"age": 70})
        'yes'
        """
        from supersparse.export import export

        return export(self.card, target, path, **options)

    def calculator(self, path: str | Path | None = None) -> str:
        """Return a page that scores one person in a browser, in one file without network access.

        It shows points, total and class, and the risk where the card has risks; see `save` for other pages.
        """
        from supersparse.faces.calculator import calculator

        page = calculator(self.card)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page


@dataclass(frozen=True, slots=True)
class ScoringSystem(Evaluating, Exporting, Faces):
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
    def of(
        cls,
        items: Iterable[Item],
        *,
        threshold: Number | None = None,
        positive_from: Number | None = None,
        classes: tuple[Label, Label] = ("no", "yes"),
        title: str | None = None,
        source: str | None = None,
        domains: Mapping[str, Domain | Sequence[object]] | None = None,
        outside: Outside = "accept",
        risk: Mapping[Number, float] | Risk | None = None,
    ) -> "ScoringSystem":
        """Write a scoring system by hand, with items made by `supersparse.item`.

        The positive class (the second one) is given for more than `threshold` points; or for
        `positive_from` points and more, where all items are yes or no. `domains` give the known values
        of columns; `outside` says whether others are refused. `risk` gives the published risks of the
        positive class by total of points, ``{0: 0.02, 1: 0.03, 2: 0.04}``.

        >>> from supersparse import item
        >>> system = ScoringSystem.of(
        ...     [item("age", at_least=65, points=1, unit="years"), item("sex", equals="F", points=2)],
        ...     positive_from=3, classes=("low", "high"), domains={"sex": ["F", "M"]})
        >>> system.predict({"age": 70, "sex": "F"})
        'high'
        """
        return cls(
            card_of(
                items,
                threshold=threshold,
                positive_from=positive_from,
                classes=classes,
                title=title,
                source=source,
                domains=domains,
                outside=outside,
                risk=risk,
            )
        )

    @classmethod
    def from_solution(cls, solution: "Solution", *, title: str | None = None) -> "ScoringSystem":
        """Make the card of a verified solution; features without points are left out.

        Class labels that JSON cannot hold become their text.
        """
        return cls(card_of_solution(solution, title))

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
        """The points by item, in the order of the card: "age" for value x points, else "age >= 60"."""
        return {item.name: item.points for item in self.card.items}

    def points_on(self, features: Sequence[str]) -> "Points":
        """Return the points as coefficients of these features, for ``solve(problem, initial=system)``.

        Each item must be one of them: the column whose value it multiplies, or the name of its rule, such as
        "age >= 60", which is what `Prepare` calls the feature.

        >>> from supersparse import item
        >>> items = [item("age", at_least=60, points=2), item("bmi", points=1)]
        >>> system = ScoringSystem.of(items, threshold=3)
        >>> system.points_on(["bmi", "pulse", "age >= 60"])
        Points(coefficients=(1, 0, 2), intercept=-3, denominator=1)
        """
        from supersparse.problem.points import Points

        values = dict.fromkeys(features, Fraction(0))
        for name, points in ((item.name, item.points) for item in self.card.items):
            if name not in values:
                raise InvalidCardError(
                    f"the item {name!r} is none of the features; {did_you_mean(name, features)}"
                )
            values[name] += points
        unit = lcm(*(v.denominator for v in values.values()))
        return Points(tuple(int(v * unit) for v in values.values()), -self.threshold * unit, unit)

    def total(self, data: object, *, names: Sequence[str] | None = None) -> Fraction | NDArray[np.generic]:
        """Return the points added up, as on paper: exact for one person, an array for a table.

        The positive class is predicted when the total exceeds `threshold`. One person is a mapping from
        column names to values. A table is a data frame, a mapping from column names to columns, or an
        array: with `names` for its columns, or with the training table's columns. The array holds integers
        where all totals are whole, else floats, and no float is rounded to the other side of the threshold.

        >>> from supersparse import item
        >>> system = ScoringSystem.of([item("age", at_least=65, points=3)], threshold=2)
        >>> system.total({"age": 70}), system.total({"age": [40, 70]})
        (Fraction(3, 1), array([0, 3]))
        """
        if is_person(data):
            return scoring.score_person(self.card, data) + self.threshold  # type: ignore[arg-type]
        return decide(self.card, data, names).totals

    def predict(self, data: object, *, names: Sequence[str] | None = None) -> Label | NDArray[np.generic]:
        """Return the class of one person, or an array of classes for a table; see `total`.

        The positive class is given for a total above the threshold, computed exactly.
        """
        if is_person(data):
            return scoring.predicted_label(self.card, scoring.score_person(self.card, data))  # type: ignore[arg-type]
        return scoring.predicted_labels(self.card, decide(self.card, data, names).positive)

    def predict_risk(
        self, data: object, *, names: Sequence[str] | None = None
    ) -> float | NDArray[np.float64]:
        """Return the card's risk of the positive class for one person, or an array for a table; see `total`.

        The class follows from the threshold alone, so a risk above 0.5 and the positive class may differ.
        """
        risk = self.card.risk
        if risk is None:
            raise InvalidCardError("this scoring system has no risks; `recalibrate` gives it some, from data")
        if is_person(data):
            return risk_of(risk, scoring.score_person(self.card, data) + self.threshold)  # type: ignore[arg-type]
        scores = scoring.score_table(self.card, data, names)
        totals = scores.numerators + int(self.threshold * scores.denominator)
        return risk.of(scoring.Scores(totals, scores.denominator).floats)

    def outside(self, data: object, *, names: Sequence[str] | None = None) -> tuple[checks.OutsideValue, ...]:
        """Report the values of a table, or of one person, that lie outside the domains of their columns.

        These are categories that the card does not know, and numbers beyond the limits that were
        declared or, for a learned card, seen in training.
        """
        if is_person(data):
            data = {name: [value] for name, value in data.items()}  # type: ignore[attr-defined]
        return checks.outside_values(self.card, read_table(self.card, data, names))

    def explain(self, person: Mapping[str, object]) -> Explanation:
        """Return which items gave which points to one person, and the class that follows."""
        return explain(self.card, person)

    def flips(
        self, person: Mapping[str, object], *, fixed: Collection[str] = (), most: int = 10
    ) -> tuple[Flip, ...]:
        """Return the smallest changes to one person that give the other class.

        The fewest columns change, and of these ways the ones that move the fewest points are returned,
        at most so many; none when no change does it. Columns in `fixed` stay as they are. See
        `supersparse.explain.flips` for the values that a column can change to.
        """
        return flips(self.card, person, fixed=fixed, most=most)

    def to_json(self) -> str:
        """Return the card as JSON text; the round trip is exact."""
        return file.to_json(self.card)

    @classmethod
    def from_json(cls, text: str) -> "ScoringSystem":
        """Read JSON text written by `to_json`; anything else is refused."""
        return cls(file.from_json(text))

    @classmethod
    def load(cls, path: str | Path) -> "ScoringSystem":
        """Read a JSON file written by `save`; anything else is refused."""
        return cls(file.load(path))

    def __repr__(self) -> str:
        terms = [f"{shown(item.points)} x {item.name!r}" for item in self.card.items]
        total = " + ".join(terms) or "0"
        return f"<ScoringSystem: {self.card.positive!r} if {total} {self.card.cutoff.comparison}>"
