"""A fingerprint of everything that determines the best scoring system.

Every value enters the digest with its kind and length, so different problems give different bytes. Printed
forms are not used, because they may be shortened.
"""

import hashlib
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from supersparse.base.errors import InvalidProblemError
from supersparse.problem.constraints.support import CloseTo, FixedAnswers
from supersparse.problem.intercept import Intercept
from supersparse.problem.losses import loss_of
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet
from supersparse.problem.problem import Problem


def fingerprint(problem: Problem) -> str:
    """Identify a problem by its content; names and labels do not count, because they change no answer.

    >>> a, b = (Problem.of([[0], [1]], [0, 1], max_points=most) for most in (5, 6))
    >>> fingerprint(a) == fingerprint(a), fingerprint(a) == fingerprint(b)
    (True, False)
    """
    rows = problem.rows
    content = (
        (tuple(rows.columns), tuple(rows.scales), rows.positive, rows.weights, rows.weight_unit, problem.unit),
        (problem.sets, problem.C0, problem.C1, problem.max_features, problem.class_weights),
        (problem.intercept, problem.intercept_C0),
        *(((problem.goal, problem.slope, problem.risk_threshold),) if loss_of(problem).gives_risks else ()),
        *((_of_questions(problem),) if problem.questions else ()),
        (problem.levels, problem.intercept_levels),
        tuple((limit.weights, limit.at_most, limit.intercept_weight) for limit in problem.support_limits),
        tuple(limit.together for limit in problem.sign_limits),
        tuple((limit.low, limit.high, limit.at_most) for limit in problem.score_limits),
        tuple((limit.weights, limit.at_most) for limit in problem.rate_limits),
    )
    digest = hashlib.sha256()
    for piece in _pieces(content):
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.hexdigest()


def _of_questions(problem: Problem) -> tuple[object, ...]:
    questions = tuple((q.answers, q.ordered, q.shape, q.equal_steps, q.points) for q in problem.questions)
    near = tuple((c.card, c.questions, c.answers) for c in problem.asked if isinstance(c, CloseTo))
    fixed = tuple((c.question, c.points) for c in problem.asked if isinstance(c, FixedAnswers))
    return questions, problem.change_price, problem.rows.soft_labels, near, *((fixed,) if fixed else ())


def _pieces(value: object) -> Iterator[bytes]:
    """Serialise a value: a tag for its kind, then its content."""
    match value:
        case None:
            yield b"none"
        case bool() | int():
            yield b"int"
            yield _whole(int(value))
        case Fraction():
            yield b"fraction"
            yield _whole(value.numerator)
            yield _whole(value.denominator)
        case str():
            yield b"text"
            yield value.encode()
        case range():
            yield b"range"
            yield from map(_whole, (value.start, value.stop, value.step))
        case tuple():
            yield b"tuple"
            yield _whole(len(value))
            for part in value:
                yield from _pieces(part)
        case np.ndarray():
            yield b"array"
            # by value, not by dtype: the same numbers may have different widths
            yield b"".join(_sized(int(v)) for v in value.tolist())
        case CoefficientSet():
            yield b"set"
            yield from _pieces((value.numerators, value.denominator, value.without_zero))
        case Levels():
            yield b"levels"
            yield from _pieces(value.levels)
        case Intercept():
            yield b"intercept"
            yield from _pieces((value.mode, value.low, value.high, value.allowed))
        case _:
            raise InvalidProblemError(f"a problem contains {type(value).__name__}, which has no fingerprint")


def _whole(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)


def _sized(value: int) -> bytes:
    written = _whole(value)
    return len(written).to_bytes(4, "big") + written
