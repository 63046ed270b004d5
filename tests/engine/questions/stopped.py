"""Searches for questions that stop: a problem that takes a while, and checkpoints to change."""

import hashlib
from dataclasses import replace

import numpy as np

from supersparse import Problem
from supersparse.engine.questions.search import QuestionProblem, SearchOptions, search
from supersparse.problem.questions import Question

HEAD, DIGEST = len(b"supersparse questions 2\n"), 32  # name, checksum, that of the problem; then the search


def hard(most=5):
    """A problem that takes about a third of a second: 14 columns, most of them nearly worthless."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (500, 14))
    y = X @ rng.normal(0, 0.2, 14) + rng.normal(0, 1.5, 500) > 0
    return Problem.of_questions(X, y, C0=0.0005, max_questions=most)


def larger(rows=400, count=9, seed=3):
    """A problem that takes more than one part: correlated columns of four answers."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(rows, 3))
    hidden = common @ rng.normal(0, 0.6, (3, count)) + rng.normal(size=(rows, count))
    answer = np.stack([np.searchsorted([-0.7, 0.1, 0.9], column) for column in hidden.T]).astype(np.uint8)
    logit = hidden @ (0.6 * 0.8 ** np.arange(count)) - 0.5
    label = np.round(2**20 / (1 + np.exp(-logit - rng.normal(0, 0.4, rows)))) / 2**20
    questions = tuple(Question(4, price=2e-4) for _ in range(count))
    return QuestionProblem(questions, answer, np.clip(label, 2**-20, 1 - 2**-20), max_questions=4)


def stopped():
    """A small problem, options, and the checkpoint of a search that has sets and points open."""
    problem, options = larger(rows=60, count=4), SearchOptions(search_incumbent=False)
    outcome = search(problem, replace(options, work_limit=2000))
    assert not outcome.proven
    return problem, options, outcome.checkpoint


def with_digests(checkpoint, body):
    """A checkpoint of the same problem with another search in it, and right digests."""
    problem = checkpoint[HEAD + DIGEST : HEAD + 2 * DIGEST]
    return checkpoint[:HEAD] + hashlib.blake2b(problem + body, digest_size=DIGEST).digest() + problem + body


def body_of(checkpoint):
    """The search of a checkpoint, without digests."""
    return checkpoint[HEAD + 2 * DIGEST :]


def with_state(checkpoint, change):
    """A checkpoint whose parts were changed, in whole numbers, with right digests."""
    body = body_of(checkpoint)
    length = int(np.frombuffer(body[:8], "<i8")[0])
    state = np.frombuffer(body[24 : 24 + 8 * length], "<i8").tolist()
    change(state)
    head = np.array([len(state)], "<i8").tobytes() + body[8:24]
    return with_digests(checkpoint, head + np.array(state, "<i8").tobytes() + body[24 + 8 * length :])
