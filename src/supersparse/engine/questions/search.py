"""The search for the best cards of questions in the compiled core: its problem, limits, threads, checkpoints."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supersparse.base.errors import InvalidDataError, InvalidOptionError, InvalidProblemError
from supersparse.engine import core
from supersparse.problem.questions import SHAPES, Question
from supersparse.problem.rows import LABEL_UNIT


@dataclass(frozen=True)
class QuestionProblem:
    """Rows, questions and limits on a card.

    ``answer`` holds the number of each row's answer (questions x rows, uint8). A row of weight s, label p (a
    multiple of 2^-20) and class weights W+ and W- loses s (W+ p log(1 + e^-z) + W- (1 - p) log(1 + e^z)),
    divided by the sum of these weights over all rows. Prices are in that unit. By ``limits``, the weights of
    the questions asked add up to at most so much.
    """

    questions: tuple[Question, ...]
    answer: np.ndarray[Any, Any]
    label: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any] | None = None
    class_weights: tuple[float, float] = (1.0, 1.0)
    min_questions: int = 0
    max_questions: int = 6
    change_price: float = 0.0
    effect_limit: float = 30.0
    must: frozenset[int] = frozenset()
    must_not: frozenset[int] = frozenset()
    limits: tuple[tuple[tuple[int, ...], int], ...] = ()
    reference: tuple[tuple[int, ...], ...] | None = None
    most_questions_changed: int | None = None
    most_answers_changed: int | None = None
    positive: np.ndarray[Any, Any] = field(init=False, repr=False)
    total: np.ndarray[Any, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.questions), len(self.label))
        if self.answer.dtype != np.uint8 or self.answer.shape != shape:
            raise InvalidDataError(
                f"answers are {self.answer.dtype} of shape {self.answer.shape}, not uint8 of {shape}"
            )
        label = np.asarray(self.label, float)
        if len(label) == 0 or not ((label >= 0) & (label <= 1)).all() or (label * LABEL_UNIT % 1 != 0).any():
            raise InvalidDataError("labels are multiples of 2^-20 between 0 and 1, one a row", "round them")
        for number, (question, column) in enumerate(zip(self.questions, self.answer, strict=True)):
            if column.max() >= question.answers:
                raise InvalidDataError(f"question {number} has answers 0 to {question.answers - 1}, not {column.max()}")
        weight = np.ones(len(label)) if self.weight is None else np.asarray(self.weight, float)
        if weight.shape != label.shape or not (weight >= 0).all() or not np.isfinite(weight).all():
            raise InvalidDataError("weights are numbers from 0 on, one a row")
        positive, negative = (weight * self.class_weights[0] * label, weight * self.class_weights[1] * (1 - label))
        whole = positive.sum() + negative.sum()
        if not (positive.sum() > 0 and negative.sum() > 0 and np.isfinite(whole)):
            raise InvalidDataError("the labels must have both classes, with weights above 0")
        if not 0 <= self.min_questions <= self.max_questions:
            raise InvalidProblemError(
                f"min_questions={self.min_questions}, max_questions={self.max_questions}: 0 <= min <= max is needed"
            )
        if any(len(weights) != len(self.questions) for weights, _ in self.limits):
            raise InvalidProblemError("a limit has one weight for each question")
        object.__setattr__(self, "positive", np.ascontiguousarray(positive / whole))
        object.__setattr__(self, "total", np.ascontiguousarray((positive + negative) / whole))


BOUNDS = ("dual", "fit", "minorant")
_MAGIC = b"supersparse questions 2\n"


@dataclass(frozen=True)
class QuestionCard:
    """Points by question and answer (all 0 where it is not asked), slope and offset of the risk, its loss."""

    points: tuple[tuple[int, ...], ...]
    slope: float
    offset: float
    loss: float
    objective: float
    effect_limited: bool = False

    @property
    def asked(self) -> tuple[int, ...]:
        return tuple(number for number, points in enumerate(self.points) if any(points))


@dataclass(frozen=True)
class SearchOptions:
    """Limits and modes of a search; ``work_limit`` counts rows of columns read, the same on every machine.

    ``by_size`` finds the least loss of every size, without prices; ``slack`` keeps every card within (1 + slack)
    of the best, at most ``most_kept``. ``bounds`` are those used, to test each alone: without some, the search
    only takes longer.
    """

    search_incumbent: bool = True
    by_size: bool = False
    slack: float = 0.0
    most_kept: int = 1000
    threads: int = 1
    bounds: tuple[str, ...] = BOUNDS
    seconds: float = math.inf
    work_limit: int | None = None


@dataclass(frozen=True)
class SearchOutcome:
    """The cards that a search found, and what it proved of them.

    ``cards`` are those kept, best first; ``bound`` is at most the objective of every allowed card, ``bounds`` the
    same by size (at most that many questions). ``complete`` says that ``cards`` are all within the slack.
    ``checkpoint`` goes on where the search stopped.
    """

    cards: tuple[QuestionCard, ...]
    bound: float
    bounds: tuple[float, ...]
    proven: bool
    complete: bool
    work: dict[str, int] = field(default_factory=dict)
    checkpoint: bytes = b""

    @property
    def best(self) -> QuestionCard | None:
        """The best card, or None if none was found (none is allowed, if ``proven``)."""
        return self.cards[0] if self.cards else None

    def best_of_size(self, size: int) -> QuestionCard | None:
        """The best card of at most ``size`` questions among those kept."""
        within = [card for card in self.cards if len(card.asked) <= size]
        least = min((card.objective for card in within), default=0.0)
        return min((card for card in within if card.objective <= least + 1e-9), key=_tie_order, default=None)


def _tie_order(card: QuestionCard) -> tuple[Any, ...]:
    return (len(card.asked), sum(map(max, card.points)), card.asked, [card.points[j] for j in card.asked])


def _digest(problem: QuestionProblem, options: SearchOptions) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    for array in (problem.answer, problem.positive, problem.total):
        digest.update(repr(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    rows = {"answer", "label", "weight", "class_weights", "positive", "total"}
    rules = {name: getattr(problem, name) for name in problem.__dataclass_fields__ if name not in rows}
    rules |= {name: sorted(value) for name, value in rules.items() if isinstance(value, frozenset)}
    digest.update(repr((rules, options.by_size, options.slack, options.most_kept)).encode())
    return digest.digest()


class _Buffers:
    """The arrays of a problem in the core's form, kept alive together."""

    def __init__(self, problem: QuestionProblem) -> None:
        questions, rows, count = problem.questions, len(problem.total), len(problem.questions)
        self.sizes = [question.answers for question in questions]
        self._kept: list[Any] = []
        column = self._column
        reference = problem.reference
        if reference is not None and [len(points) for points in reference] != self.sizes:
            raise InvalidProblemError("the given card has points for every answer of every question")
        self.problem = core.ProblemBuffers(
            rows=rows,
            answer=self._keep(np.ascontiguousarray(problem.answer), np.uint8, (count, rows)),
            weight=column(problem.total, np.float64),
            positive=column(problem.positive, np.float64),
            questions=count,
            answers=column(self.sizes, np.int32),
            ordered=column([question.ordered for question in questions], np.int32),
            shape=column([SHAPES.index(question.shape) for question in questions], np.int32),
            equal_steps=column([question.equal_steps for question in questions], np.int32),
            allowed=column([sum(1 << value for value in set(question.points)) for question in questions], np.uint64),
            price=column([float(question.price) for question in questions], np.float64),
            must=column([number in problem.must for number in range(count)], np.uint8),
            must_not=column([number in problem.must_not for number in range(count)], np.uint8),
            least=problem.min_questions,
            most=problem.max_questions,
            change_price=problem.change_price,
            effect_limit=problem.effect_limit,
            limits=len(problem.limits),
            limit_weight=column([weight for weights, _ in problem.limits for weight in weights], np.int64),
            limit_most=column([most for _, most in problem.limits], np.int64),
            reference=None
            if reference is None
            else column([value for points in reference for value in points], np.int32),
            most_questions_changed=-1 if problem.most_questions_changed is None else problem.most_questions_changed,
            most_answers_changed=-1 if problem.most_answers_changed is None else problem.most_answers_changed,
        )

    def _column(self, values: Any, dtype: Any) -> Any:
        array = np.array(values, dtype=dtype).reshape(-1)
        return self._keep(array, dtype, array.shape)

    def _keep(self, array: np.ndarray[Any, Any], dtype: Any, shape: tuple[int, ...]) -> Any:
        self._kept.append(array)
        return core.pointer(array, dtype, shape)

    def flat(self, cards: Sequence[QuestionCard]) -> np.ndarray[Any, Any]:
        rows = [[value for points in card.points for value in points] for card in cards]
        return np.array(rows, np.int32).reshape(-1, sum(self.sizes))

    def points(self, flat: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Points in a row as points by question."""
        ends = np.cumsum(self.sizes)
        return tuple(tuple(flat[end - size : end]) for end, size in zip(ends, self.sizes, strict=True))


def search(
    problem: QuestionProblem,
    options: SearchOptions | None = None,
    *,
    start: Sequence[QuestionCard] = (),
    checkpoint: bytes = b"",
    judge: Callable[[QuestionCard], bool] | None = None,
    progress: Callable[[float, float, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> SearchOutcome:
    """Find and prove the best cards.

    ``judge`` says whether a card obeys what the engine does not know (limits on rates); the bounds hold whatever
    it says. ``progress`` hears objective, bound and number of open parts about ten times a second; ``stop`` is
    asked as often. Ctrl-C stops the search; its outcome so far is returned, and KeyboardInterrupt is raised only
    if there is none.
    """
    options = options or SearchOptions()
    if options.threads < 1 or options.slack < 0 or options.most_kept < 1:
        raise InvalidOptionError("threads and most_kept are at least 1, and slack is at least 0")
    buffers = _Buffers(problem)
    total = sum(buffers.sizes)
    cancelled = np.zeros(1, np.int32)
    failures: list[BaseException] = []

    @contextmanager
    def stopping() -> Iterator[None]:  # no exception crosses the core: it stops the search, and is raised after it
        try:
            yield
        except BaseException as error:
            failures.append(error)
            cancelled[0] = 1

    def judged(points: Any, slope: float, offset: float, loss: float) -> int:
        obeys = False
        with stopping():
            card = QuestionCard(buffers.points(points[:total]), slope, offset, loss, loss)
            obeys = judge is None or judge(card)
        return int(obeys)

    def report_progress(objective: float, bound: float, open_parts: int) -> None:
        with stopping():
            if progress is not None:
                progress(objective, bound, open_parts)

    settings = core.OptionBuffers(
        search_incumbent=options.search_incumbent,
        by_size=options.by_size,
        threads=options.threads,
        bounds=sum(1 << BOUNDS.index(name) for name in set(options.bounds)),
        most_kept=options.most_kept,
        work_limit=2**62 if options.work_limit is None else options.work_limit,
        slack=options.slack,
        seconds=min(options.seconds, 1e300),
        cancelled=core.pointer(cancelled, np.int32, (1,)),
        judge=core.JUDGE(judged) if judge is not None else core.JUDGE(),
        progress=core.PROGRESS(report_progress) if progress is not None else core.PROGRESS(),
    )
    digest = _digest(problem, options)
    state, cards = _read_checkpoint(checkpoint, digest, total) if checkpoint else (None, buffers.flat(()))
    handle = c_void_p()
    try:
        core.call("ss_search_new", byref(buffers.problem), byref(settings), byref(handle))
    except ValueError as error:
        raise InvalidProblemError.of(error) from None
    try:
        for row in buffers.flat(start):
            with suppress(ValueError):  # a card that is not allowed cannot be a start
                core.call("ss_search_add_card", handle, core.pointer(row, np.int32, (total,)))
        if state is not None:
            try:
                for row in np.ascontiguousarray(cards):
                    core.call("ss_search_add_card", handle, core.pointer(row, np.int32, (total,)))
                core.call("ss_search_resume", handle, core.pointer(state, np.int64, state.shape), len(state))
            except ValueError as error:
                raise InvalidOptionError(f"the checkpoint is damaged: {error}", "search from the beginning") from None
        outcome = core.OutcomeBuffers()
        interrupt = _run(handle, outcome, cancelled, stop)
        outcome_read = _outcome(handle, outcome, buffers, problem, digest)
    finally:
        core.library().ss_search_free(handle)
    if failures:
        raise failures[0]
    if interrupt is not None and outcome_read.best is None:
        raise interrupt
    return outcome_read


def _run(
    handle: Any, outcome: Any, cancelled: np.ndarray[Any, Any], stop: Callable[[], bool] | None
) -> KeyboardInterrupt | None:
    """Run in a thread of its own, so that this one hears Ctrl-C and asks whether to stop."""
    interrupt = None
    with ThreadPoolExecutor(1, "questions") as pool:
        running = pool.submit(core.call, "ss_search_run", handle, byref(outcome))
        while not running.done():
            try:
                wait([running], 0.1)
                if stop is not None and stop():
                    cancelled[0] = 1
            except KeyboardInterrupt as error:
                interrupt = error
                cancelled[0] = 1
        running.result()
    return interrupt


def _outcome(handle: Any, outcome: Any, buffers: _Buffers, problem: QuestionProblem, digest: bytes) -> SearchOutcome:
    total = sum(buffers.sizes)
    points, numbers, cards = np.empty(total, np.int32), np.empty(5), []
    for index in range(outcome.cards):
        addresses = core.pointer(points, np.int32, (total,)), core.pointer(numbers, np.float64, (5,))
        core.call("ss_search_card", handle, index, *addresses)
        slope, offset, loss, objective, limited = numbers.tolist()
        cards.append(QuestionCard(buffers.points(points.tolist()), slope, offset, loss, objective, limited > 0))
    most = min(problem.max_questions, len(problem.questions))
    bounds = np.empty(most + 1)
    core.call("ss_search_bounds", handle, core.pointer(bounds, np.float64, (most + 1,)))
    state = np.empty(outcome.state_length, np.int64)
    core.call("ss_search_state", handle, core.pointer(state, np.int64, (outcome.state_length,)))
    return SearchOutcome(
        cards=tuple(cards),
        bound=outcome.bound,
        bounds=tuple(bounds.tolist()),
        proven=bool(outcome.proven),
        complete=bool(outcome.complete),
        work={name: getattr(outcome, name) for name in ("checks", "decoded", "nodes", "leaves", "work", "open")},
        checkpoint=b"" if outcome.proven else _write_checkpoint(state, buffers.flat(cards), digest),
    )


def _write_checkpoint(state: np.ndarray[Any, Any], cards: np.ndarray[Any, Any], digest: bytes) -> bytes:
    head = np.array([len(state), *cards.shape], "<i8")
    body = digest + head.tobytes() + state.astype("<i8").tobytes() + cards.astype("<i4").tobytes()
    return _MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body


def _read_checkpoint(data: bytes, digest: bytes, total: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    remedy = "search from the beginning"
    head, body = data[: len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
    if not head.startswith(_MAGIC) or len(body) < 56:
        raise InvalidOptionError("this is not a checkpoint of a search for questions", remedy)
    if hashlib.blake2b(body, digest_size=32).digest() != head[len(_MAGIC) :]:
        raise InvalidOptionError("the checkpoint is damaged", remedy)
    if body[:32] != digest:
        raise InvalidOptionError("the checkpoint belongs to another problem or to other options", remedy)
    length, rows, columns = np.frombuffer(body[32:56], "<i8").tolist()
    if length < 1 or rows < 0 or columns != total or len(body) != 56 + 8 * length + 4 * rows * columns:
        raise InvalidOptionError("the checkpoint is damaged", remedy)
    state = np.frombuffer(body[56 : 56 + 8 * length], "<i8").astype(np.int64)
    cards = np.frombuffer(body[56 + 8 * length :], "<i4").reshape(rows, columns).astype(np.int32)
    return state, cards
