"""Which solvers answer a question; the others are skipped, visibly."""

import pytest

from supersparse.engine import registry
from supersparse.engine.contract import Aim

SOLVERS = ["exhaustive", "exact"]


def require_answer(name, question: Aim):
    if question not in registry.solver_class(name).capabilities.questions:
        pytest.skip(f"solver {name!r} does not answer yet: {question.value}")
