"""Provenance: how a card was made and what was proven about it."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction

from supersparse.errors import InvalidCardError


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The verified outcome of the solve behind a card; a card written by hand has none.

    Errors are weights of training rows (counts, without sample weights). `training_errors`
    counts a score of exactly 0 against both classes: that is what was minimised and bounded.
    `predicted_errors` is what `predict` gets wrong on the same rows, never more.
    """

    version: str  # of supersparse
    solver: str
    minimised: str  # the objective in words
    allowed: str  # which points were allowed, in words
    objective: Fraction
    lower_bound: Fraction  # proven: no allowed scoring system has a smaller objective
    proven_smallest: bool  # proven besides: none with this objective has a smaller sum of |points|
    training_errors: Fraction
    predicted_errors: Fraction
    total_weight: Fraction  # N
    n_rows: int
    size: int  # as it was penalised and limited
    stop: str  # the name of the reason
    seconds: float
    nodes: int
    data: str | None = None  # fingerprint of the training rows, "sha256:..."; None: not recorded
    sensitivity: Fraction | None = None  # on the training rows, a score of 0 being wrong; None: not recorded
    specificity: Fraction | None = None
    features: tuple[str, ...] | None = None  # all that could have got points; None: not recorded
    settings: str | None = None  # the question as settings in JSON, to ask it again; None: not recorded

    def __post_init__(self) -> None:
        if self.settings is not None:
            object.__setattr__(self, "settings", _one_object(self.settings))
        if self.lower_bound > self.objective:
            raise InvalidCardError(
                f"the lower bound {self.lower_bound} exceeds the objective {self.objective}"
            )
        if self.proven_smallest and not self.proven_optimal:
            raise InvalidCardError(
                "the card claims the smallest points of an objective that is not proven optimal"
            )
        if not 0 <= self.predicted_errors <= self.training_errors <= self.total_weight:
            raise InvalidCardError(
                f"{self.predicted_errors} predicted and {self.training_errors} training errors of "
                f"{self.total_weight} do not fit together"
            )
        if min(self.n_rows, self.size, self.nodes) < 0 or not 0 <= self.seconds < math.inf:
            raise InvalidCardError(
                "the number of rows, the size, the nodes and the seconds must be 0 or more"
            )
        try:
            float(self.gap)
        except OverflowError:
            raise InvalidCardError(
                "the lower bound is too far below the objective to be a bound; correct it"
            ) from None
        for name in ("sensitivity", "specificity"):
            rate = getattr(self, name)
            if rate is not None and not 0 <= rate <= 1:
                raise InvalidCardError(f"the {name} is {rate}; it must lie between 0 and 1")

    @property
    def threshold_was_free(self) -> bool:
        """Whether the threshold could lie between any two totals, so that no training row is equal to it.

        Otherwise a row with a total equal to the threshold was wrong, whatever its class.
        """
        return self.settings is not None and json.loads(self.settings).get("intercept", "free") == "free"

    @property
    def proven_optimal(self) -> bool:
        """Whether no allowed scoring system has a smaller objective."""
        return self.lower_bound == self.objective

    @property
    def gap(self) -> Fraction:
        """(objective - bound) / objective, and 0 when the objective is 0."""
        return Fraction(0) if self.objective == 0 else 1 - self.lower_bound / self.objective


def _one_object(text: str) -> str:
    """The same JSON object, written the one way that a round trip keeps."""
    try:
        content = json.loads(text)
        if isinstance(content, dict):
            return json.dumps(content)
    except (ValueError, RecursionError):
        pass
    raise InvalidCardError("the settings are no JSON object; leave them out, or write them as such")
