"""ScoringSystem: a card that prints, scores, saves and exports itself."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.errors import InvalidCardError, did_you_mean
from supersparse.base.exact import shown
from supersparse.base.writing import write_file
from supersparse.card import checks, file, scoring
from supersparse.card.build import Number, card_of
from supersparse.card.card import Card, Item, Label
from supersparse.card.evaluate.calibrating import Method, choose_threshold, recalibrate, with_threshold
from supersparse.card.evaluate.drift import Drift, drift, remember
from supersparse.card.evaluate.evaluation import Evaluation, Subgroups, by_subgroup, evaluate_card
from supersparse.card.evaluate.rates import read_outcomes
from supersparse.card.evaluate.risk_table import RiskTable, risk_table
from supersparse.card.evaluate.scaling import Scaling, scaled
from supersparse.card.explain.flips import Flip, flips
from supersparse.card.explain.reasons import (
    Explanation,
    PossibleTotal,
    ReasonCodes,
    explain,
    possible_person,
    possible_rows,
    reason_codes,
)
from supersparse.card.export import export
from supersparse.card.export.fhir import fhir_response
from supersparse.card.names_file import read_names, worded
from supersparse.card.printed import printed
from supersparse.card.raw_values import is_person, read_card_table
from supersparse.card.risk import Risk, risk_of
from supersparse.card.rules import Domain, Outside
from supersparse.card.scoring import decide
from supersparse.problem.points import Points
from supersparse.show.document.calculator import calculator
from supersparse.show.document.content import Style
from supersparse.show.document.drawing import FaceWriters, drawing_svg, pictures, write
from supersparse.show.document.html import Sheet, card_html, card_page
from supersparse.show.document.latex import card_latex
from supersparse.show.document.pictures import card_drawing
from supersparse.show.document.text import card_markdown, card_text
from supersparse.show.document.tree import DecisionTree
from supersparse.table.values import declared_number

if TYPE_CHECKING:  # a card that is loaded to be used needs no problem, no solver and nothing but numpy
    from supersparse.engine.solution import Solution


@dataclass(frozen=True, slots=True)
class ScoringSystem:
    """A scoring system: print it, score rows with it, save it, export it.

    All its data are in `card`. It needs only numpy: a saved scoring system loads without scikit-learn or a solver.

    >>> from supersparse import Problem, solve
    >>> problem = Problem.of([[0], [0], [1], [1]], list("nnyy"), C0=0.3, feature_names=["fever"])
    >>> system = ScoringSystem.from_solution(solve(problem, "exhaustive"))
    >>> system.predict({"fever": 1})
    'y'
    """

    __module__ = "supersparse"

    card: Card

    @classmethod
    def of(
        cls, items: Iterable[Item], *, threshold: Number | None = None, above: Number | None = None,
        classes: tuple[Label, Label] = ("no", "yes"), title: str | None = None, source: str | None = None,
        domains: Mapping[str, Domain | Sequence[object]] | None = None, outside: Outside = "accept",
        risk: Mapping[Number, float] | Risk | None = None,
    ) -> "ScoringSystem":  # fmt: skip
        """Write a scoring system by hand, with items made by `supersparse.item`.

        The positive class (the second one) is predicted for `threshold` points or more; or, for a rule that
        says "more than 2.5", for a total `above` that. `domains` lists the known values of columns; `outside`
        decides whether others are refused. `risk` gives published risks of the positive class by total:
        ``{0: 0.02, 1: 0.03, 2: 0.04}``.

        >>> from supersparse import item
        >>> system = ScoringSystem.of(
        ...     [item("age", at_least=65, points=1, unit="years"), item("sex", equals="F", points=2)],
        ...     threshold=3, classes=("low", "high"), domains={"sex": ["F", "M"]})
        >>> system.predict({"age": 70, "sex": "F"})
        'high'
        """
        return cls(card_of(
            items, threshold=threshold, above=above, classes=classes, title=title, source=source,
            domains=domains, outside=outside, risk=risk,
        ))  # fmt: skip

    @classmethod
    def from_solution(cls, solution: "Solution", *, title: str | None = None) -> "ScoringSystem":
        """Create the card of a verified solution. Features without points are left out.

        Class labels that JSON cannot represent are converted to text.
        """
        from supersparse.learn.card_of_solution import card_of_solution

        return cls(printed(card_of_solution(solution, title)))

    @property
    def classes(self) -> tuple[Label, Label]:
        """(negative, positive)."""
        return self.card.classes

    @property
    def threshold(self) -> Fraction:
        """The least total that predicts the positive class.

        With ``card.cutoff.reached`` false, which only cards of fractional totals have, it must be exceeded.
        """
        return self.card.threshold

    @property
    def points(self) -> dict[str, Fraction]:
        """Points by item, in the order of the card; items are named "age" (points x value) or "age >= 60"."""
        return {item.name: item.points for item in self.card.items}

    def points_on(self, features: Sequence[str]) -> Points:
        """Return the points as coefficients of these features, for ``solve(problem, initial=system)``.

        Each item must be one of the features: a column that it multiplies, or a rule such as "age >= 60",
        as named by `Prepare`.

        >>> from supersparse import item
        >>> items = [item("age", at_least=60, points=2), item("bmi", points=1)]
        >>> system = ScoringSystem.of(items, above=3)
        >>> system.points_on(["bmi", "pulse", "age >= 60"])
        <Points: 1, 0, 2; intercept -3>
        """
        values = dict.fromkeys(features, Fraction(0))
        model = self.card.as_learned
        for name, points in ((item.name, item.points) for item in model.items):
            if name not in values:
                raise InvalidCardError(f"the item {name!r} is not among the features", did_you_mean(name, features))
            values[name] += points
        unit = lcm(*(v.denominator for v in values.values()))
        intercept = model.intercept
        if model.totals_are_whole and intercept == -model.threshold:
            intercept += Fraction(1, 2)  # the solver's scores are above 0 where the threshold is reached
        return Points(tuple(int(v * unit) for v in values.values()), intercept * unit, unit)

    def total(self, data: object, *, names: Sequence[str] | None = None) -> Fraction | NDArray[np.generic]:
        """Return the total points: an exact number for one person, an array for a table.

        A total of `threshold` or more predicts the positive class. One person is a mapping from column names
        to values, or a row of a pandas frame. A table is a data frame, a mapping from column names to
        columns, or an array, with the column names in `names` or the columns of the training table. The
        result has integers if all totals are whole, otherwise floats, never rounded across the threshold.

        >>> from supersparse import item
        >>> system = ScoringSystem.of([item("age", at_least=65, points=3)], threshold=3)
        >>> system.total({"age": 70}), system.total({"age": [40, 70]})
        (Fraction(3, 1), array([0, 3]))
        """
        if is_person(data):
            return scoring.score_person(self.card, data) + self.card.zero_total  # type: ignore[arg-type]
        return decide(self.card, data, names).totals

    def predict(self, data: object, *, names: Sequence[str] | None = None) -> Label | NDArray[np.generic]:
        """Return the class of one person, or an array of classes for a table; see `total`.

        A total of the threshold or more, computed exactly, predicts the positive class.
        """
        if is_person(data):
            return scoring.predicted_label(self.card, scoring.score_person(self.card, data))  # type: ignore[arg-type]
        return scoring.predicted_labels(self.card, decide(self.card, data, names).positive)

    def predict_risk(self, data: object, *, names: Sequence[str] | None = None) -> float | NDArray[np.float64]:
        """Return the card's risk of the positive class for one person, or an array for a table; see `total`.

        The prediction depends only on the threshold, so a risk above 0.5 does not imply the positive class.
        """
        risk = self.card.risk
        if risk is None:
            raise InvalidCardError("this scoring system has no risks", "use `recalibrate` to learn them from data")
        if is_person(data):
            return risk_of(risk, self.total(data))  # type: ignore[arg-type]
        scores = scoring.score_table(self.card, data, names)
        totals = scores.numerators + int(self.card.zero_total * scores.denominator)
        return risk.of(scoring.Scores(totals, scores.denominator).floats)

    def outside(self, data: object, *, names: Sequence[str] | None = None) -> tuple[checks.OutsideValue, ...]:
        """Report the values of a table, or of one person, that lie outside the domains of their columns.

        These are unknown categories, and numbers outside the declared range or, for a learned card, outside
        the range of the training data.
        """
        if is_person(data):
            data = {name: [value] for name, value in data.items()}  # type: ignore[attr-defined]
        return checks.outside_values(self.card, read_card_table(self.card, data, names))

    def explain(self, person: Mapping[str, object]) -> Explanation:
        """Return the points that each item gives to one person, and the prediction."""
        return explain(self.card, person)

    def reasons(
        self, data: object, *, names: Sequence[str] | None = None, most: int = 4, of: Label | None = None
    ) -> ReasonCodes:
        """Return the reasons of each row of a table: the answers that cost most points, at most `most`.

        The cost of an answer is its distance from the best possible one. Reasons speak for the class `of`, by
        default the positive one, so the best answer gives the fewest points; for the negative class it gives
        the most. `table` and `to_frame` return the reasons with their costs.

        >>> from supersparse import item
        >>> items = [item("age", at_least=65, points=3), item("smoker", equals=True, points=1)]
        >>> system = ScoringSystem.of(items, threshold=3)
        >>> system.reasons({"age": [70, 40], "smoker": [True, False]}, most=1).table()
        [{'reason_1': 'Age: 65 or older', 'cost_1': 3}, {'reason_1': None, 'cost_1': None}]
        """
        return reason_codes(self.card, data, names, most=most, of=of)

    def flips(self, person: Mapping[str, object], *, fixed: Collection[str] = (), most: int = 10) -> tuple[Flip, ...]:
        """Return the smallest changes to one person that lead to the other class, at most `most`.

        Smallest means the fewest columns, then the fewest points. The result is empty if no change leads to the other
        class. Columns in `fixed` do not change. See `card.explain.flips` for the values that a column can change to.
        """
        return flips(self.card, person, fixed=fixed, most=most)

    def to_json(self) -> str:
        """Return the card as JSON text; the round trip is exact."""
        return file.to_json(self.card)

    @classmethod
    def from_json(cls, text: str) -> "ScoringSystem":
        """Read JSON text written by `to_json`; raises for anything else."""
        return cls(file.from_json(text))

    @classmethod
    def load(cls, path: str | Path) -> "ScoringSystem":
        """Read a JSON file written by `save`; raises for anything else."""
        return cls(file.load(path))

    def __repr__(self) -> str:
        terms = [f"{shown(item.points)} x {item.name!r}" for item in self.card.items]
        total = " + ".join(terms) or "0"
        return f"<ScoringSystem: {self.card.positive!r} if {total} {self.card.cutoff.comparison}>"

    def to_text(self, *, columns: int = 80, style: Style = "card") -> str:
        """Return the card as text, wrapped at `columns`, as `print` shows it.

        `style` "paper" prints the points as they were learned, negative ones too, in the look of the paper.
        """
        return card_text(self.card, columns=columns, style=style)

    def to_markdown(self, *, style: Style = "card") -> str:
        """Return the card as Markdown, for GitHub, Jupyter and pandoc."""
        return card_markdown(self.card, style=style)

    def to_html(self, *, style: Style = "card") -> str:
        """Return the card as an HTML fragment with its own style, as notebooks show it."""
        return card_html(self.card, style=style)

    def to_latex(self, *, style: Style = "card") -> str:
        r"""Return the card as a LaTeX file, also for ``\\input``; its first line names the engine."""
        return card_latex(self.card, style=style)

    def to_svg(self, *, style: Style = "card") -> str:
        """Return the card as SVG, with selectable text."""
        return drawing_svg(card_drawing(self.card, style=style))

    def sheet(self, *, paper: str = "a4", style: Style = "card") -> Sheet:
        """Return a printable sheet with boxes to fill in, on "a4" or "letter"; see `to_html` and `save`."""
        return Sheet(self.card, paper, style)

    def tree(self, *, max_leaves: int = 64) -> DecisionTree:
        """Return the smallest decision tree with the same predictions, for a card of yes/no items.

        It prints as text and has `to_svg` and `save`. Raises if it needs more than `max_leaves` leaves.
        """
        return DecisionTree.of(self.card, max_leaves=max_leaves)

    def save(self, path: str | Path, *, style: Style = "card") -> None:
        """Write the card to a file, in the format that the file name ends in.

        .json (or no ending; `load` reads it), .txt, .md, .html, .tex, .svg, and with matplotlib .png, .pdf.
        `style` "paper" gives them the look of the paper.
        """
        if Path(path).suffix.lower() in (".json", ""):
            file.save(self.card, path)
            return
        write(card_faces(self.card, style), path, others=(".json",))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def export(self, target: str, path: str | Path | None = None, **options: object) -> str | bytes:
        """Export the card to another program; also write it to `path` if given.

        Targets: "python", "sql", "javascript", "r", "pmml" and "fhir" return text, "xlsx", "onnx" and "mlflow" bytes.
        Options are those of `to_sql`, `to_xlsx` and so on in `card.export`. Raises `UnsupportedCardError`,
        naming the item or column, if the target cannot express the card.

        >>> from supersparse import ScoringSystem, item
        >>> system = ScoringSystem.of([item("age", at_least=65, points=1)], threshold=1)
        >>> namespace = {}
        >>> exec(system.export("python"), namespace)
        >>> namespace["predict"]({"age": 70})
        'yes'
        """
        return export(self.card, target, path, **options)

    def fhir_response(
        self, person: Mapping[str, object], *, form: str = "choices", url: str | None = None, version: str = "1.0.0"
    ) -> str:
        """Return one person's response to the form that `export("fhir")` writes with the same options, as JSON."""
        return fhir_response(self.card, person, form=form, url=url, version=version)

    def calculator(self, path: str | Path | None = None) -> str:
        """Return a web page that scores one person, in a single file that works offline.

        Shows points, total and class, and the risk if the card has risks.
        """
        page = calculator(self.card)
        if path is not None:
            write_file(path, page)
        return page

    def worded(self, names: Mapping[str, Any] | str | Path) -> "ScoringSystem":
        """Return the same card with other words: a mapping, or a YAML or JSON file of the same form.

        Keys are `title`, `classes` (texts by class) and `columns`: for each of them `label`, `unit`,
        `question` and `answers` (texts by value). Columns that the card does not use are ignored.

        >>> from supersparse import ScoringSystem, item
        >>> system = ScoringSystem.of([item("sex", equals="F", points=2)], threshold=1, classes=("n", "y"))
        >>> words = {"classes": {"y": "ill"}, "columns": {"sex": {"answers": {"F": "female"}}}}
        >>> system.worded(words).card.wording.positive
        'ill'
        """
        return replace(self, card=worded(self.card, read_names(names)))

    def accepting_unknown(self) -> "ScoringSystem":
        """Return the same system without the refusal of values that are far from those of the training rows.

        A learned system refuses a number further from the range of the training rows than that range is wide,
        and a category that they did not have. The one returned scores them by its rules as they stand.
        """
        return replace(self, card=checks.accepting(self.card))

    def possible(
        self, data: object, *, names: Sequence[str] | None = None
    ) -> PossibleTotal | tuple[PossibleTotal, ...]:
        """Return the least and the greatest total of one person, or of each row of a table; see `total`.

        A missing value that the card has no rule for may be any value that the card accepts, and within the
        domain of its column where points multiply it. The class is None if it depends on such a value.

        >>> from supersparse import ScoringSystem, item
        >>> items = [item("age", at_least=65, points=3), item("sex", equals="F", points=1)]
        >>> system = ScoringSystem.of(items, threshold=2)
        >>> found = system.possible({"age": None, "sex": "F"})
        >>> int(found.low), int(found.high), found.prediction
        (1, 4, None)
        >>> system.possible({"age": 70, "sex": None}).prediction
        'yes'
        """
        if is_person(data):
            return possible_person(self.card, data)  # type: ignore[arg-type]
        return possible_rows(self.card, data, names)

    def risk(
        self, X: object, y: object, *, sample_weight: object = None, names: Sequence[str] | None = None,
        method: Method | None = "isotonic", folds: object = 5, level: float = 0.95, bins: int | None = None,
    ) -> RiskTable:  # fmt: skip
        """Return for each total of points the number of rows, the observed risk and the calibrated one.

        A card with risks of its own has them next to the observed ones; they do not depend on these rows.
        Observed risks have Wilson intervals of the given level. `method` is "isotonic" or "logistic", or None
        for no calibration. Cross-fitted risks come from maps that did not see the row's fold: `folds` is
        their number, or a label for each row. `bins` joins neighbouring totals into at most that many
        rows of about equal weight. On the training rows, these risks are optimistic.
        """
        outcomes = read_outcomes(self.card, X, y, sample_weight, names)
        return risk_table(self.card, outcomes, method, folds, level, bins)

    def evaluate(
        self, X: object, y: object, *, sample_weight: object = None, names: Sequence[str] | None = None,
        level: float = 0.95,
    ) -> Evaluation:  # fmt: skip
        """Return the confusion matrix, the rates at every threshold, the AUC, and how good the risks are.

        The risks are those of the card itself: log loss, Brier score, and calibration in the large and slope.
        """
        return evaluate_card(self.card, read_outcomes(self.card, X, y, sample_weight, names), level)

    def by_subgroup(
        self, X: object, y: object, by: object, *, sample_weight: object = None,
        names: Sequence[str] | None = None, level: float = 0.95,
    ) -> Subgroups:  # fmt: skip
        """Return the evaluation of each subgroup: by a column of the table, or by a label for each row."""
        return by_subgroup(self.card, X, y, by, sample_weight=sample_weight, names=names, level=level)

    def remember(
        self, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
    ) -> "ScoringSystem":
        """Return the same card with what its items gave on a table, for `drift`; its file keeps it.

        A learned card remembers its training rows.
        """
        return replace(self, card=remember(self.card, X, sample_weight=sample_weight, names=names))

    def drift(
        self, now: object, then: object = None, *, weight_now: object = None, weight_then: object = None,
        names: Sequence[str] | None = None, level: float = 0.95,
    ) -> Drift:  # fmt: skip
        """Compare, item by item, a table of now with one of then, or with what the card remembers."""
        return drift(self.card, now, then, weight_now=weight_now, weight_then=weight_then, names=names, level=level)

    def with_threshold(self, threshold: Number) -> "ScoringSystem":
        """Return the same points with another threshold; what was proven of the old one is dropped.

        The positive class is predicted for this total or more: a threshold of 33 reads "33 or more".
        """
        after = self.card.cutoff.at(declared_number(threshold, "threshold"))
        return replace(self, card=with_threshold(self.card, after))

    def choose_threshold(
        self, X: object, y: object, *, sensitivity: float | None = None, specificity: float | None = None,
        costs: tuple[float, float] | None = None, sample_weight: object = None,
        names: Sequence[str] | None = None,
    ) -> "ScoringSystem":  # fmt: skip
        """Return the same points with the threshold that does what is wanted on these rows.

        With `sensitivity`, the highest threshold that reaches it; with `specificity`, the lowest that
        reaches it; with `costs` of a false negative and of a false positive, that of the least cost.
        The rates found are those of these rows: check them on others.
        """
        outcomes = read_outcomes(self.card, X, y, sample_weight, names)
        return replace(self, card=choose_threshold(self.card, outcomes, sensitivity, specificity, costs))

    def recalibrate(
        self, X: object, y: object, *, method: Method = "logistic", sample_weight: object = None,
        names: Sequence[str] | None = None,
    ) -> "ScoringSystem":  # fmt: skip
        """Return the same points and threshold with risks fitted to these rows, for `predict_risk`.

        "logistic" is the logistic regression on the total, by maximum likelihood; where the totals separate
        the classes, it is Platt's. "isotonic" is a table of risks that never fall. Of a card whose risks were
        proven (goal risk), what was proven is dropped.
        """
        outcomes = read_outcomes(self.card, X, y, sample_weight, names)
        return replace(self, card=recalibrate(self.card, outcomes, method))

    def scaled(
        self, *, base_score: float = 600, base_odds: float = 50, points_to_double_odds: float = 20,
        odds_of: Label | None = None,
    ) -> Scaling:  # fmt: skip
        """Return the card in scaled points, as credit scores have them; see `Scaling.card` and `in_words`.

        A person with `base_odds` to 1 for the class `odds_of` gets `base_score`, and the odds double with
        every `points_to_double_odds`. By default they are the odds of the negative class: where the positive
        class is default, more points are better. The card needs risks, and answers rather than values that
        points multiply. Points are whole; `Scaling.rounding_error` is the most by which that moves a score.
        """
        return scaled(self.card, base_score, base_odds, points_to_double_odds, odds_of)


def card_faces(card: Card, style: Style = "card") -> FaceWriters:
    """Every face of a card that a file can hold, except JSON."""
    return {
        ".txt": lambda: card_text(card, style=style) + "\n",
        ".md": lambda: card_markdown(card, style=style),
        ".html": lambda: card_page(card, style=style),
        ".tex": lambda: card_latex(card, style=style),
        **pictures(lambda show: card_drawing(card, show, style=style)),
    }
