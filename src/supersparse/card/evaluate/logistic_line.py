"""The logistic line: log-odds that are a straight line in some number, by maximum likelihood."""

from dataclasses import dataclass

import numpy as np

from supersparse.card.risk import Floats, LogisticRisk

_MOST_STEPS = 200
_ENOUGH = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Distinct values, ascending, and the weight of each class at each value.

    Only the proportions of the weights count for the most likely line, not their scale.
    """

    values: Floats
    negatives: Floats
    positives: Floats

    @property
    def overlap(self) -> bool:
        """Whether there is a most likely line: some negative lies above some positive, and some below."""
        negatives, positives = self.values[self.negatives > 0], self.values[self.positives > 0]
        if not len(negatives) or not len(positives):
            return False
        return bool(negatives[-1] > positives[0] and positives[-1] > negatives[0])

    def line(self) -> LogisticRisk:
        """The most likely line; of equal values that with slope 0. Without overlap, none is most likely.

        By Newton's method on standardised values; a step that overshoots is halved.
        """
        weights = self.negatives + self.positives
        weights, positives = weights / weights.sum(), self.positives / weights.sum()
        centre = float(weights @ self.values)
        spread = float(np.sqrt(weights @ (self.values - centre) ** 2))
        # not from the share of positives, which rounds to 1 where the classes differ by 16 digits in weight
        start = np.array([0.0, np.log(self.positives.sum()) - np.log(self.negatives.sum())])
        if spread == 0:
            return LogisticRisk(slope=0.0, offset=float(start[1]))
        design = np.column_stack([(self.values - centre) / spread, np.ones(len(self.values))])

        def loss(at: Floats) -> float:
            exponent = design @ at
            return float(weights @ np.logaddexp(0, exponent) - positives @ exponent)

        found, value = start, loss(start)
        for _ in range(_MOST_STEPS):
            risk = LogisticRisk(slope=1.0, offset=0.0).of(design @ found)
            gradient = design.T @ (weights * risk - positives)
            curvature = (design * (weights * risk * (1 - risk))[:, None]).T @ design
            step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
            if float(gradient @ step) <= _ENOUGH * value:
                found = found - step
                break
            while loss(found - step) > value:
                step = step / 2
            found = found - step
            value = loss(found)
        slope = float(found[0]) / spread
        return LogisticRisk(slope=slope, offset=float(found[1]) - slope * centre)

    def towards_each_other(self) -> "Labelled":
        """Platt's targets: part of each class counts as the other, so that a most likely line exists.

        A class of weight n gives 1/(n + 2) of each row to the other (Platt 1999, section 2.2). This depends
        on the scale of the weights: a row of weight k counts as k rows.
        """
        given, taken = (w / (w.sum() + 2) for w in (self.negatives, self.positives))
        return Labelled(
            values=self.values,
            negatives=self.negatives - given + taken,
            positives=self.positives - taken + given,
        )
