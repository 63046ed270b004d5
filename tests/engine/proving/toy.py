"""A toy engine: which word over three letters loses least, by a table. Its parts are the beginnings of words."""

from itertools import product
from typing import NamedTuple

from supersparse.engine.proving.cluster import Answer, ProblemCache, RemoteEngine, Request, packed, question_of
from supersparse.engine.proving.proof import Budget, CancelledError, Left

LETTERS, LENGTH = (0, 1, 2), 4
WORDS = list(product(LETTERS, repeat=LENGTH))


class Part(NamedTuple):
    """All words with this beginning."""

    bound: int
    beginning: tuple[int, ...]


class Outcome(NamedTuple):
    """A worker's answer."""

    parts: bytes
    found: tuple[int, ...]
    work: int
    question: bytes


class Toy(RemoteEngine):
    """Bounds are the least loss of a beginning, less a slack; each word costs a unit of work, and each beginning."""

    least_work, most_work = 1, 3
    at_once = 2
    together = 4

    def __init__(self, losses, slack, best=10**6, keeps=False, fails_after=None):
        super().__init__()
        self.losses, self.slack, self.best, self.keeps = losses, slack, best, keeps
        self.fails_after = fails_after  # work
        self.seen = []

    def roots(self):
        return [self.part(())]

    def part(self, beginning):
        words = [loss for word, loss in zip(WORDS, self.losses, strict=True) if word[: len(beginning)] == beginning]
        return Part(min(words) - (self.slack if len(beginning) < LENGTH else 0), beginning)

    def bound_of(self, part):
        return part.bound

    def is_closed(self, bound):
        return bound >= self.best

    def worker(self):
        return Worker(self)

    def judge(self, found):
        with self.lock:
            self.best = min([self.best, *found])

    def to_bytes(self, parts):
        return b"".join(bytes([len(part.beginning), *part.beginning, 0, 0, 0, 0][: LENGTH + 1]) for part in parts)

    def from_bytes(self, content):
        rows = [content[at : at + LENGTH + 1] for at in range(0, len(content), LENGTH + 1)]
        if any(len(row) != LENGTH + 1 or row[0] > LENGTH or not set(row[1:]) <= {*LETTERS} for row in rows):
            raise ValueError("no part of the toy")
        return [self.part(tuple(row[1 : 1 + row[0]])) for row in rows]

    def request(self, parts, cancelled):
        return Request(run_toy, *packed([self.losses, [self.slack]]), (self.to_bytes(parts), self.best))

    def read(self, parts, outcome):
        left = self.from_bytes(outcome.parts)
        for part in left:
            if not any(part.beginning[: len(sent.beginning)] == sent.beginning for sent in parts):
                raise ValueError("not a part of what was sent")
        if not {*outcome.found} <= {*self.losses}:
            raise ValueError("no loss of a word")
        return Answer(Left(left, outcome.work), outcome.found)


class Worker:
    """Goes through words one after the other; it may keep what it has begun."""

    def __init__(self, toy):
        self.toy, self.at_hand = toy, []

    def work_on(self, parts, budget: Budget):
        toy, work = self.toy, 0
        open_now = [*parts] or self.at_hand
        while open_now and work < (budget.most or 3) and not budget.cancelled():
            part = open_now.pop()
            work += 1
            if toy.fails_after is not None:
                toy.fails_after -= 1
                if toy.fails_after == 0:
                    raise ZeroDivisionError("a worker fails")
                if toy.fails_after == 5:
                    raise CancelledError
            if part.bound >= toy.best:
                continue
            if len(part.beginning) == LENGTH:
                toy.seen.append(part.beginning)
                toy.judge([part.bound])
            else:
                open_now += [toy.part((*part.beginning, letter)) for letter in LETTERS]
        self.at_hand = open_now if toy.keeps and len(open_now) > 1 else []
        return Left([] if self.at_hand else open_now, work, [*self.at_hand])

    def let_go(self):
        self.at_hand = []


def _toy(values):
    losses, (slack,) = (array.tolist() for array in values)
    return losses, slack


_known = ProblemCache(_toy)


def run_toy(digest, content, parts, best, work):
    """Work on parts as another process would."""
    known = _known.get(digest, content)
    if known is None:
        return None
    toy = Toy(*known, best)
    left, done, _ = toy.worker().work_on(toy.from_bytes(parts), Budget(work, lambda: False))
    found = (toy.best,) if toy.best < best else ()
    return Outcome(toy.to_bytes(left), found, done, question_of(digest, parts, best, work))
