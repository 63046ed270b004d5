"""Evaluating: what a scoring system says of itself on rows with known classes, each part loaded when used."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from supersparse.card.build import Number
from supersparse.card.card import Card, Label
from supersparse.table.values import declared_number

if TYPE_CHECKING:
    from supersparse.card.evaluate.calibrating import Method
    from supersparse.card.evaluate.drift import Drift
    from supersparse.card.evaluate.evaluation import Evaluation, Subgroups
    from supersparse.card.evaluate.risk_table import RiskTable
    from supersparse.card.evaluate.scaling import Scaling


class Evaluating:
    """The part of `ScoringSystem` that needs rows with known classes.

    Rows come in any form that `total` takes; y holds the card's classes. A row of weight k
    counts as k rows everywhere, and a row of weight 0 is left out.
    """

    __slots__ = ()

    card: Card

    def risk(
        self,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        method: "Method | None" = "isotonic",
        folds: object = 5,
        level: float = 0.95,
        bins: int | None = None,
    ) -> "RiskTable":
        """Return for each total of points the number of rows, the observed risk and the calibrated one.

        A card with risks of its own has them beside the observed ones; they do not depend on these rows.
        Observed risks have Wilson intervals of the given level. `method` is "isotonic" or "logistic", or None
        for no calibration. Cross-fitted risks come from maps that did not see the row's fold: `folds` is
        their number, or a label for each row. `bins` joins neighbouring totals into at most so many
        rows of about equal weight. On the training rows, these risks are optimistic.
        """
        from supersparse.card.evaluate.risk_table import risk_table

        return risk_table(
            self.card, X, y, sample_weight=sample_weight, names=names,
            method=method, folds=folds, level=level, bins=bins,
        )  # fmt: skip

    def evaluate(
        self,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        level: float = 0.95,
    ) -> "Evaluation":
        """Return the confusion matrix, the rates at every threshold, the AUC, and how good the risks are.

        The risks are those of the card itself: log loss, Brier score, and calibration in the large and slope.
        """
        from supersparse.card.evaluate.evaluation import evaluate_card

        return evaluate_card(self.card, X, y, sample_weight=sample_weight, names=names, level=level)

    def by_subgroup(
        self,
        X: object,
        y: object,
        by: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        level: float = 0.95,
    ) -> "Subgroups":
        """Return the evaluation of each subgroup: by a column of the table, or by a label for each row."""
        from supersparse.card.evaluate.evaluation import by_subgroup

        return by_subgroup(self.card, X, y, by, sample_weight=sample_weight, names=names, level=level)

    def remember(
        self, X: object, *, sample_weight: object = None, names: Sequence[str] | None = None
    ) -> Self:
        """Return the same card with what its items gave on a table, for `drift`; its file keeps it.

        A learned card remembers its training rows.
        """
        from supersparse.card.evaluate.drift import remember

        return self._with(remember(self.card, X, sample_weight=sample_weight, names=names))

    def drift(
        self,
        now: object,
        then: object = None,
        *,
        weight_now: object = None,
        weight_then: object = None,
        names: Sequence[str] | None = None,
        level: float = 0.95,
    ) -> "Drift":
        """Compare, item by item, a table of now with one of then, or with what the card remembers."""
        from supersparse.card.evaluate.drift import drift

        return drift(
            self.card, now, then, weight_now=weight_now, weight_then=weight_then, names=names, level=level
        )

    def with_threshold(self, threshold: Number) -> Self:
        """Return the same points with another threshold; what was proven of the old one is dropped.

        The positive class is predicted for this total or more: a threshold of 33 reads "33 or more".
        """
        from supersparse.card.evaluate.calibrating import with_threshold

        after = self.card.cutoff.at(declared_number(threshold, "threshold"))
        return self._with(with_threshold(self.card, after))

    def choose_threshold(
        self,
        X: object,
        y: object,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        costs: tuple[float, float] | None = None,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
    ) -> Self:
        """Return the same points with the threshold that does what is wanted on these rows.

        With `sensitivity`, the highest threshold that reaches it; with `specificity`, the lowest that
        reaches it; with `costs` of a false negative and of a false positive, that of the least cost.
        The rates found are those of these rows: check them on others.
        """
        from supersparse.card.evaluate.calibrating import choose_threshold

        return self._with(
            choose_threshold(
                self.card, X, y, sensitivity=sensitivity, specificity=specificity, costs=costs,
                sample_weight=sample_weight, names=names,
            )
        )  # fmt: skip

    def recalibrate(
        self,
        X: object,
        y: object,
        *,
        method: "Method" = "logistic",
        sample_weight: object = None,
        names: Sequence[str] | None = None,
    ) -> Self:
        """Return the same points and threshold with risks fitted to these rows, for `predict_risk`.

        "logistic" is the logistic regression on the total, by maximum likelihood; where the totals separate
        the classes, it is Platt's. "isotonic" is a table of risks that never fall. Of a card whose risks were
        proven (goal risk), what was proven is dropped.
        """
        from supersparse.card.evaluate.calibrating import recalibrate

        return self._with(
            recalibrate(self.card, X, y, method=method, sample_weight=sample_weight, names=names)
        )

    def scaled(
        self,
        *,
        base_score: float = 600,
        base_odds: float = 50,
        points_to_double_odds: float = 20,
        odds_of: Label | None = None,
    ) -> "Scaling":
        """Return the card in scaled points, as credit scores have them; see `Scaling.card` and `in_words`.

        A person with `base_odds` to 1 for the class `odds_of` gets `base_score`, and the odds double with
        every `points_to_double_odds`. By default they are the odds of the negative class: where the positive
        class is default, more points are better. The card needs risks, and answers rather than values that
        points multiply. Points are whole; `Scaling.rounding_error` is the most by which that moves a score.
        """
        from supersparse.card.evaluate.scaling import scaled

        return scaled(
            self.card,
            base_score=base_score,
            base_odds=base_odds,
            points_to_double_odds=points_to_double_odds,
            odds_of=odds_of,
        )

    def _with(self, card: Card) -> Self:
        return replace(self, card=card)  # type: ignore[type-var]
