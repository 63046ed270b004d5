"""Screening: which candidates are worth a column of the problem.

A feature that holds in a share s of the rows, or fails in a share s of them, saves at most s of the errors:
leaving it out, or giving its points to everybody, changes only those rows. So one with s below `rare`
cannot pay for a C0 of `rare`. Neither can a feature that says the same as another, or the contrary,
which the other says with the opposite points. What is left is ranked: the best of every column
first, then the second of every column, and so on, by information within each round; those that tell
no more than chance would (less than half the logarithm of the number of rows, in nats) come last.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.card.cells import Cells
from supersparse.card.rules import InRange
from supersparse.prepare.counts import Target
from supersparse.prepare.feature import Feature


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A feature that could be used."""

    feature: Feature
    gain: float
    round: int  # its place among those of its column; negative when the user asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What was kept, in the order of the table, and how many were left out for which reason."""

    kept: tuple[Feature, ...]
    few_rows: int
    repeated: int
    beyond_limit: int


def screen(
    candidates: list[Candidate],
    columns: Mapping[str, Cells],
    target: Target,
    *,
    least: float,
    most: int | None,
) -> Screened:
    """Keep at most so many candidates, those that the user asked for in any case."""
    by_chance = math.log(max(target.total, 1.0)) / 2 if target.positive is not None else 0.0
    ranked = sorted(
        candidates,
        key=lambda c: (
            c.round >= 0 and c.gain < by_chance,
            c.round,
            -c.gain,
            c.feature.position,
            c.feature.name,
        ),
    )
    seen: set[bytes] = set()
    kept: list[Feature] = []
    few = repeated = beyond = 0
    for candidate in ranked:
        given = candidate.round < 0
        if most is not None and len(kept) >= most and not given:
            beyond += 1
            continue
        values = candidate.feature.of_cells(columns[candidate.feature.column])
        if not _tells_enough(values, target, 0.0 if given else least):
            few += 1
            continue
        digest = _digest(values)
        if digest in seen:
            repeated += 1
            continue
        seen.add(digest)
        kept.append(candidate.feature)
    places = {id(c.feature): k for k, c in enumerate(candidates)}
    kept.sort(key=lambda feature: (feature.position, *_low(feature), places[id(feature)]))
    return Screened(kept=tuple(kept), few_rows=few, repeated=repeated, beyond_limit=beyond)


def _low(feature: Feature) -> tuple[bool, Fraction]:
    """Thresholds from low to high; other features after them, in the order of their usefulness."""
    low = feature.rule.low if isinstance(feature.rule, InRange) else None
    return low is None, low or Fraction(0)


def _tells_enough(values: NDArray[Any], target: Target, least: float) -> bool:
    """Whether the rows that do not have the commonest value are many enough, and there are some."""
    if _is_yes_or_no(values):
        ones = float(target.weights[values.astype(bool)].sum())
        others = min(ones, target.total - ones)
    else:
        _, codes = np.unique(values, return_inverse=True)
        others = target.total - float(np.bincount(codes.reshape(-1), target.weights).max())
    return others > 0 and others >= least - 1e-9 * max(1.0, target.total)


def _is_yes_or_no(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "biu" and values.min() >= 0 and values.max() <= 1


def _digest(values: NDArray[Any]) -> bytes:
    """Name the pattern of a column; a 0/1 column and its contrary have the same name."""
    if _is_yes_or_no(values):
        bits = values.astype(bool)
        return hashlib.blake2b(np.packbits(bits ^ bits[0]).tobytes()).digest()
    as_text = repr(values.tolist()).encode() if values.dtype == object else values.tobytes()
    return hashlib.blake2b(as_text).digest()
