"""Slices of the tree, here or elsewhere: open parts in, open parts out, and compiled work between.

One `Slicer` belongs to one thread. It puts parts on the kernel's stack, lets the evaluator judge what the
kernel finds, and takes back what is open when the work is done.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from supersparse.base.integer_arrays import Ints
from supersparse.engine.core import struct
from supersparse.engine.exact.cuts import CutValues, Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.literals import Literal, Literals, feature_of, sign_of
from supersparse.engine.exact.open_parts import Part, from_bytes, to_bytes
from supersparse.engine.exact.pairs import PairPool, literal_masks, pair_pool
from supersparse.engine.exact.tree_data import (
    BOX_TOP,
    CELL_COUNT,
    CROWDED,
    DROPPED,
    FOUND,
    FULL,
    LITERALS,
    NODE,
    OUTDATED,
    PAIR_COUNT,
    SIZE,
    SUPPORT,
    TOP,
    WORK,
    Branching,
    Coefficients,
    Pairs,
    Rows,
    SliceState,
    TreeData,
    run_slice,
)
from supersparse.engine.proving.cluster import ProblemCache, fields_of, question_of

Fields = TypeVar("Fields", Pairs, Branching, Rows, Coefficients)

_MOST_BYTES = 2**26  # of one kind of level
_LEAST_NAMES = 2**14
_BOXES = 128
_PARTS = 128


class CaseData:
    """One case of the intercept for all slices: its arrays are made when first used."""

    def __init__(self, instance: Instance, *, lists: bool = False) -> None:
        self.instance = instance
        self._lists = lists
        self._data: TreeData | None = None

    def data(self, cancelled: Callable[[], bool]) -> TreeData:
        """Return the arrays; `CancelledError` is raised when they are not finished in time."""
        if self._data is None:
            pool = pair_pool(self.instance, (), self.instance.allowed, cancelled=cancelled)
            self._data = _arrays(self.instance, pool, self._lists)
        return self._data


def alike(fields: Fields) -> Fields:
    """The same numbers in arrays of one kind, without gaps, as the core wants them."""
    plain: Any = (
        np.require(v, requirements=["C", "W"]) if isinstance(v, np.ndarray) and v.ndim else int(v) for v in fields
    )
    return type(fields)(*plain)


def _gathered(kind: type[Fields], *sources: object, **others: Any) -> Fields:
    """Fill a named tuple with the `others`, and with what the first source has that has something of a field's name."""
    for name in kind._fields:
        if name not in others:
            others[name] = getattr(next(source for source in sources if hasattr(source, name)), name)
    return alike(kind(**others))


def _arrays(instance: Instance, pool: PairPool, lists: bool) -> TreeData:
    form, limits, magnitudes = instance.form, instance.limits, instance.magnitudes
    is_full = [values.of_sign(sign).is_full for values in form.values for sign in (1, -1)]
    return TreeData(
        _gathered(Pairs, pool, instance, mask=literal_masks(pool.start, pool.literal, instance.n_features)),
        _gathered(
            Branching,
            instance,
            fixed_cost=instance.base_cost + instance.intercept_penalty,
            forced=np.array(instance.forced, np.int64),
            twin_of=np.array(instance.twin_of, np.int64),
            after=np.array(instance.after, np.int64),
            limit_weight=limits.weight,
            limit_most=limits.most,
            limit_side=limits.side.astype(np.int64),
        ),
        _gathered(
            Rows,
            form,
            instance,
            form.rates,
            rate_positive=form.rates.positive,
            rate_negative=form.rates.negative,
            rate_most=form.rates.most,
        ),
        _gathered(
            Coefficients,
            magnitudes,
            instance,
            form,
            counts=magnitudes.count,
            is_full=np.array(is_full, bool),
            doubles=instance.doubles and not lists,
            lists=lists,
            score_rate=limits.rate,
            score_most=limits.points,
        ),
    )


class Slicer:
    """Runs slices of one case in one thread; its scratch space is used again and again."""

    def __init__(self, case: int, data: TreeData) -> None:
        self._case = case
        self._data, self._struct = data, struct(data)
        self._state = _new_state(data)
        self._n_features = len(data.branching.twin_of)
        self._counts_b = len(data.coefficients.intercepts) > 0

    def run(
        self, parts: Sequence[Part], cuts: Judge, work: int, least: int, cancelled: Callable[[], bool]
    ) -> tuple[list[Part], int]:
        """Work on the parts, the first of them first; return what is left open, and the work done.

        At most the first part may be a support that is half searched.
        """
        self.load(parts)
        while (result := self.advance(cuts.now, cuts.shared, work, least)) in (FOUND, OUTDATED):
            if result == FOUND:
                cuts.offer(self.found())
            if cancelled():
                break
        return self.left(), self.work

    def advance(self, now: CutValues, shared: Ints, work: int, least: int) -> int:
        """Work with these cuts until the slice has done its work, finds a model or is outdated."""
        while True:
            state = self._state
            result = run_slice(self._struct, state, shared, now.tie, now.strict, now.l1, work, min(work, least))
            if result == FULL:
                self._state = state._replace(boxes=_longer(state.boxes))
            elif result == CROWDED:
                self._state = _with_more_parts(state)
            else:
                return result

    @property
    def work(self) -> int:
        """The work done since parts were loaded, in touched rows."""
        return int(self._state.number[WORK])

    def load(self, parts: Sequence[Part]) -> None:
        """Begin a slice with these parts, the first on top."""
        while len(parts) + 2 * self._n_features + 8 > len(self._state.part):
            self._state = _with_more_parts(self._state)
        state = self._state
        state.number[TOP], state.number[WORK], state.number[BOX_TOP] = len(parts), 0, 0
        width = state.part.shape[1] - LITERALS
        for at, part in enumerate(reversed(parts)):
            size = len(part.literals)
            kind = SUPPORT if part.allowed is None else NODE
            unused = (0,) * (width - size)
            state.part[at] = kind, part.bound, part.theta, size, part.phase, *part.literals, *unused
            if part.allowed is not None:
                state.allowed[at] = part.allowed
        if parts and parts[0].boxes is not None:
            self._load_boxes(parts[0].boxes, len(parts[0].literals))

    def _load_boxes(self, boxes: Ints, k: int) -> None:
        while 2 * (k + 1) * (2 * len(boxes) + _BOXES) > len(self._state.boxes):
            self._state = self._state._replace(boxes=_longer(self._state.boxes))
        wide = np.zeros((len(boxes), 2, k + 1), np.int64)
        wide[:, :, : boxes.shape[2]] = boxes
        self._state.boxes[: wide.size] = wide.ravel()
        self._state.number[BOX_TOP] = len(boxes)

    def left(self) -> list[Part]:
        """The open parts, the top one first."""
        state, case, top = self._state, self._case, int(self._state.number[TOP])
        parts = []
        rows = state.part[:top].tolist()
        for at in range(top - 1, -1, -1):
            kind, bound, theta, size, phase, *names = rows[at]
            literals: Literals = tuple(names[:size])
            if kind == NODE:
                parts.append(Part(bound, case, literals, state.allowed[at].copy(), theta))
            else:
                boxes = self._open_boxes(len(literals)) if phase else None
                parts.append(Part(bound, case, literals, phase=phase, boxes=boxes))
        return parts

    def _open_boxes(self, k: int) -> Ints:
        n = int(self._state.number[BOX_TOP])
        wide = self._state.boxes[: n * 2 * (k + 1)].reshape(n, 2, k + 1)
        return wide[:, :, : k + self._counts_b].copy()  # the next slice writes over it

    def found(self) -> list[int]:
        """The coefficients that the kernel has found on the support on top."""
        state, magnitudes = self._state, self._data.coefficients
        coefficients = [0] * self._n_features
        part = int(state.number[TOP]) - 1
        for t in range(int(state.part[part, SIZE])):
            literal, at = Literal(int(state.part[part, LITERALS + t])), int(state.hit[t])
            stride = int(magnitudes.stride[literal])
            value = int(magnitudes.first[literal]) + stride * at if stride else int(magnitudes.table[literal, at])
            coefficients[feature_of(literal)] = sign_of(literal) * value
        return coefficients


def _new_state(data: TreeData) -> SliceState:
    n, m = data.branching.max_features, data.rows.ranks.shape[1]
    n_pairs = len(data.pairs.positive)
    most = max(1, n)

    def levels(length: int) -> int:
        return min(most + 1, max(3, _MOST_BYTES // (4 * max(1, length))))

    pair, cell = np.empty((levels(n_pairs), n_pairs), np.int32), np.empty((levels(m), m), np.int32)
    pair[0], cell[0] = np.arange(n_pairs), 0
    level = np.zeros((4, most + 1), np.int64)
    level[PAIR_COUNT, 0], level[CELL_COUNT, 0] = n_pairs, 1
    names = max(_LEAST_NAMES, 4 * m)
    boxes = _BOXES + most + len(data.coefficients.outer_intercepts)
    return SliceState(
        number=np.zeros(DROPPED + 1, np.int64),
        part=np.zeros((_PARTS, LITERALS + most), np.int64),
        allowed=np.zeros((_PARTS, 2 * len(data.branching.twin_of)), bool),
        boxes=np.zeros(2 * (most + 1) * boxes, np.int64),
        hit=np.zeros(most + 1, np.int64),
        level=level,
        pair=pair,
        cell=cell,
        name=np.full(names, -1, np.int32),
        scratch=np.zeros((3, names), np.int64),
    )


def _longer(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])


def _with_more_parts(state: SliceState) -> SliceState:
    return state._replace(part=_longer(state.part), allowed=_longer(state.allowed))


class Outcome(NamedTuple):
    """A worker's answer: the open parts as bytes, the models it found, and the work it did."""

    parts: bytes
    found: tuple[tuple[int, ...], ...]
    work: int
    question: bytes  # what it was asked, as `question_of`


_MOST_FOUND = 256


def _tree_data(values: Iterator[Any]) -> TreeData:
    kinds: tuple[Any, ...] = (Pairs, Branching, Rows, Coefficients)
    return TreeData(*(alike(fields_of(kind, values)) for kind in kinds))


_known = ProblemCache(_tree_data)


def run_remotely(
    digest: str, content: bytes | None, case: int, parts: bytes, cuts: tuple[int, int, int], work: int
) -> Outcome | None:
    """Work on open parts of one case; None where the arrays are not known here and `content` is None."""
    data = _known.get(digest, content)
    if data is None:
        return None
    now = CutValues(*cuts)
    slicer = Slicer(case, data)
    slicer.load(from_bytes(parts, len(data.branching.twin_of)))
    shared = np.array([now.tie, 0], np.int64)
    arrays = data.coefficients
    # what a kernel decides itself is better than all that is known: the others hear of it at once
    most = _MOST_FOUND if arrays.slack or arrays.judged or arrays.lists else 1
    cards: list[tuple[int, ...]] = []
    while slicer.advance(now, shared, work, work) == FOUND:
        cards.append(tuple(slicer.found()))
        if len(cards) >= most:
            break
    question = question_of(digest, case, parts, cuts, work)
    return Outcome(to_bytes(slicer.left()), tuple(cards), slicer.work, question)
