"""Which candidates become features: the most informative, each once, up to a maximum."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.rules import InRange
from supersparse.learn.prepare.columns import FeatureCandidate
from supersparse.learn.prepare.cuts import ClassTarget, Floats
from supersparse.learn.prepare.feature import Feature
from supersparse.table.values import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """The candidates kept, in table order, and the number left out for each reason."""

    kept: tuple[Feature, ...]
    few_rows: int
    repeated: int
    beyond_limit: int

    @property
    def n_candidates(self) -> int:
        """How many there were to choose from: those kept, and those beyond the limit."""
        return len(self.kept) + self.beyond_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The information in a feature: the weight of the rows without its most common value, and which they are.

    Features that repeat or negate each other have the same digest.
    """

    rarer: float
    digest: Hashable


def told_by(feature: Feature, columns: Mapping[str, Cells], target: ClassTarget) -> Told:
    """Look at all rows of a feature."""
    values = feature.of_cells(columns[feature.column])
    return Told(rarer=weight_apart(values, target.weights), digest=_digest(values))


def screen(
    candidates: Sequence[FeatureCandidate], told: Sequence[Told], target: ClassTarget, *, least: float, most: int | None
) -> Screened:
    """Keep the best candidates up to a maximum; those that the user requested are always kept.

    Leaving out what repeats or negates another loses no card. What single out too few rows could save at most
    that share of the errors. What lies beyond the maximum may be missed, and is counted. `told` is of each candidate.
    """
    by_chance = target.by_chance if target.positive is not None else 0.0

    def rank(pair: tuple[FeatureCandidate, Told]) -> tuple[Any, ...]:
        c = pair[0]
        return c.round >= 0 and c.gain < by_chance, c.round, -c.gain, c.feature.position, c.feature.name

    seen: set[Hashable] = set()
    kept: list[Feature] = []
    few = repeated = beyond = 0
    for candidate, tells in sorted(zip(candidates, told, strict=True), key=rank):
        given = candidate.round < 0
        if not (tells.rarer > 0 and tells.rarer >= (0.0 if given else least) - 1e-9 * max(1.0, target.total)):
            few += 1
            continue
        if tells.digest in seen:
            repeated += 1
            continue
        seen.add(tells.digest)
        if most is not None and len(kept) >= most and not given:
            beyond += 1
        else:
            kept.append(candidate.feature)
    places = {id(c.feature): k for k, c in enumerate(candidates)}
    kept.sort(key=lambda feature: (feature.position, *_low(feature), places[id(feature)]))
    return Screened(kept=tuple(kept), few_rows=few, repeated=repeated, beyond_limit=beyond)


def _low(feature: Feature) -> tuple[bool, Fraction]:
    """Thresholds from low to high, then other features by rank."""
    low = feature.rule.low if isinstance(feature.rule, InRange) else None
    return low is None, low or Fraction(0)


def weight_apart(values: NDArray[Any], weights: Floats) -> float:
    """The weight of the rows that differ from the most common value."""
    total = float(weights.sum())
    if is_yes_or_no(values):
        ones = float(weights[values.astype(bool)].sum())
        return min(ones, total - ones)
    _, codes = np.unique(values, return_inverse=True)
    return total - float(np.bincount(codes.reshape(-1), weights).max())


def is_yes_or_no(values: NDArray[Any]) -> bool:
    """Whether all values are 0 or 1."""
    return values.dtype.kind in "biu" and values.min() >= 0 and values.max() <= 1


def _digest(values: NDArray[Any]) -> bytes:
    """Fingerprint a column; a 0/1 column and its complement have the same fingerprint."""
    if is_yes_or_no(values):
        bits = values.astype(bool)
        return hashlib.blake2b(np.packbits(bits ^ bits[0]).tobytes()).digest()
    as_text = repr(values.tolist()).encode() if values.dtype == object else values.tobytes()
    return hashlib.blake2b(as_text).digest()
