"""Which solvers answer a question; the others are skipped, visibly."""

import pytest

from supersparse.engine import solvers
from supersparse.engine.solvers import Aim

SOLVERS = ["exhaustive", "exact"]


def require_answer(name, question: Aim):
    if question not in solvers.solver_class(name).capabilities.questions:
        pytest.skip(f"solver {name!r} does not answer yet: {question.value}")
