"""Open parts of the tree as plain values, for a queue, another process, or the file of a checkpoint."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from supersparse.base.exact import written_fraction
from supersparse.base.integer_arrays import Flags, Ints
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import Literal, Literals, feature_of, flags_of, literals_where, n_literals
from supersparse.engine.exact.tree_data import IMPROVING, PIECE, TIES

_LARGEST = 2**62


class Part(NamedTuple):
    """A node or a support that is still open.

    A node is all supports that extend `literals` by one or more of `allowed`. A support, where `allowed` is
    None, is searched: `phase` and `boxes`, (boxes, 2, sides), say how far.
    """

    bound: int
    case: int
    literals: Literals
    allowed: Flags | None = None
    theta: int = 0
    phase: int = 0
    boxes: Ints | None = None
    pieces: "Pieces | None" = None  # those that this one is of, in phase PIECE


class Pieces:
    """How many pieces of the first phase of one support are open.

    The second phase asks for models as good as the best one with smaller points, so it must not begin before
    nothing better can be found in the first. A piece that is written to a file is a first phase of its own.
    """

    def __init__(self, n: int) -> None:
        self._open = n

    def add(self, n: int) -> None:
        """One of the pieces was divided into `n` more."""
        self._open += n

    def close(self, piece: Part) -> list[Part]:
        """Close one of them; return the second phase if it was the last."""
        self._open -= 1
        if self._open or piece.boxes is None:
            return []
        return [piece._replace(phase=IMPROVING, boxes=piece.boxes[:0], pieces=None)]


def divided(part: Part, n: int) -> list[Part]:
    """A support that is half searched as at most `n` parts, which can be searched at once."""
    boxes = part.boxes
    if boxes is None or min(n, len(boxes)) < 2:
        return [part]
    n = min(n, len(boxes))
    if part.phase == IMPROVING:
        part = part._replace(phase=PIECE, pieces=Pieces(1))
    if part.pieces is not None:
        part.pieces.add(n - 1)
    return [part._replace(boxes=boxes[i::n]) for i in range(n)]


def after_slice(taken: Part, left: Sequence[Part]) -> list[Part]:
    """The parts that a slice which took this part first has left, with the second phase if the first is over."""
    if taken.pieces is None:
        return [part._replace(phase=IMPROVING) if part.phase == PIECE else part for part in left]
    if any(part.phase == PIECE for part in left):
        return [part._replace(pieces=taken.pieces) if part.phase == PIECE else part for part in left]
    return [*taken.pieces.close(taken), *left]


def sides_of(instance: Instance, literals: Literals) -> Ints:
    """The last index of each side of a support's boxes: one a literal and, where b is listed, one for b."""
    last = [int(instance.magnitudes.count[literal]) - 1 for literal in literals]
    if len(instance.intercepts):
        last.append(len(instance.intercepts) - 1)
    return np.array(last, np.int64)


def to_bytes(parts: Sequence[Part]) -> bytes:
    """Write parts as 64-bit numbers, lowest byte first."""
    numbers: list[Ints] = [np.array([len(parts)], np.int64)]
    for part in parts:
        allowed = () if part.allowed is None else literals_where(part.allowed)
        boxes = np.zeros((0, 2, 0), np.int64) if part.boxes is None else part.boxes
        is_node, is_begun = int(part.allowed is not None), int(part.boxes is not None)
        head = [part.bound, part.case, is_node, part.theta, part.phase, is_begun]
        numbers.append(np.array([*head, len(part.literals), len(allowed), len(boxes), boxes.shape[2]], np.int64))
        numbers.append(np.array([*part.literals, *allowed], np.int64))
        numbers.append(boxes.ravel())
    return np.concatenate(numbers).astype("<i8").tobytes()


def from_bytes(content: bytes, n_features: int) -> list[Part]:
    """Read parts as `to_bytes` wrote them; ValueError for the wrong length. Literals are not checked."""
    numbers = np.frombuffer(content, "<i8").astype(np.int64)
    at = 0

    def take(n: int) -> Ints:
        nonlocal at
        if n < 0 or at + n > len(numbers):
            raise ValueError("the open parts end early")
        at += n
        return numbers[at - n : at]

    parts = []
    for _ in range(int(take(1)[0])):
        bound, case, is_node, theta, phase, is_begun, n, n_allowed, n_boxes, n_sides = take(10).tolist()
        literals = tuple(map(Literal, take(n).tolist()))
        allowed = flags_of(map(Literal, take(n_allowed).tolist()), n_features) if is_node else None
        boxes = take(n_boxes * 2 * n_sides).reshape(n_boxes, 2, n_sides).copy() if is_begun else None
        parts.append(Part(bound, case, literals, allowed, theta, phase, boxes))
    if at != len(numbers):
        raise ValueError("there is more than the open parts")
    return parts


def checked_part(part: Part, instance: Instance, *, is_piece: bool = False) -> Part:
    """A part that was read, checked: kernels index arrays by its literals and boxes, unchecked."""
    literals, flags = part.literals, part.allowed
    for literal in literals:
        whole(literal, 0, n_literals(instance.n_features) - 1)
    for value in (part.bound, part.theta):
        whole(value, -_LARGEST, _LARGEST)
    if len({feature_of(literal) for literal in literals}) < len(literals):
        raise ValueError("a feature is used twice")
    if not all(instance.magnitudes.count[literal] for literal in literals):
        raise ValueError("a literal has no values")
    if len(literals) > instance.max_features:
        raise ValueError("more features are used than the problem allows")
    if flags is None:
        whole(part.phase, 0, PIECE if is_piece else TIES)
        _check_support(part, instance)
    elif (flags & ~instance.allowed).any():
        raise ValueError("a literal is allowed that the problem forbids")
    elif flags[[2 * feature_of(literal) + sign for literal in literals for sign in (0, 1)]].any():
        raise ValueError("a feature is allowed that is used already")
    return part


def _check_support(part: Part, instance: Instance) -> None:
    if not part.literals:
        raise ValueError("a support has no features")
    if part.boxes is not None:
        last = sides_of(instance, part.literals)
        if part.boxes.ndim != 3 or part.boxes.shape[1:] != (2, len(last)):
            raise ValueError("a box has the wrong number of sides")
        low, high = part.boxes[:, 0], part.boxes[:, 1]
        if not ((low >= 0) & (low <= high) & (high <= last)).all():
            raise ValueError("a box lies outside the coefficient sets")


def coefficients_of(values: Sequence[object], instance: Instance) -> list[int]:
    """The coefficients of a model, checked: one of each feature's set."""
    if not isinstance(values, list | tuple) or len(values) != instance.n_features:
        raise ValueError(f"a model needs {instance.n_features} coefficients")
    coefficients = [whole(value, -_LARGEST, _LARGEST) for value in values]
    for allowed, value in zip(instance.form.values, coefficients, strict=True):
        side = allowed.of_sign(1 if value > 0 else -1)
        at = side.below(abs(value))
        if not (allowed.has_zero if value == 0 else at < len(side) and side[at] == abs(value)):
            raise ValueError(f"the coefficient {value} is not allowed")
    return coefficients


def whole(value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r:.60} is not a whole number from {low} to {high}")
    return value


FORMAT = "supersparse errors checkpoint 4"


def written(parts: Sequence[Part]) -> list[str]:
    """Open parts as the text of a checkpoint; a piece of a support is written as a first phase of its own."""
    whole_parts = (part._replace(phase=IMPROVING) if part.phase == PIECE else part for part in parts)
    return [b64encode(to_bytes([part])).decode() for part in whole_parts]


def read(texts: Sequence[object], cases: Mapping[int, Instance]) -> list[Part]:
    """Read open parts that were written, checked."""
    n_features = next(iter(cases.values())).n_features
    parts = [part for text in texts for part in from_bytes(b64decode(_text(text), validate=True), n_features)]
    return [checked_part(part, cases[part.case]) for part in parts]


def fraction(value: object) -> Fraction:
    return written_fraction(_text(value, 4000))


def _text(value: object, most: int = 2**40) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"{value!r:.60} is not a text, or too long")
    return value
