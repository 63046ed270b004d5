"""Options and constraints: what every solver takes, and what is refused."""

import numpy as np
import pytest

from supersparse import constraints as c
from supersparse.engine import solvers
from supersparse.engine.options import SolveOptions
from supersparse.engine.solvers import RATES, SCORE, SIGNS, SUPPORT, Aim, Capabilities, check_asked
from supersparse.errors import InvalidOptionError, UnsupportedProblemError
from supersparse.problem.problem import Problem


def test_options_have_open_limits_and_one_thread_by_default():
    options = SolveOptions()
    assert (options.time_limit, options.node_limit, options.gap, options.n_jobs) == (None, None, 0.0, 1)


def test_numpys_numbers_are_numbers():
    options = SolveOptions.read({"node_limit": np.int64(5), "time_limit": np.float64(1.5)})
    assert (options.node_limit, options.time_limit) == (5, 1.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timelimit": 3}, "unknown option 'timelimit'; did you mean 'time_limit'"),
        ({"colour": 3}, "unknown option 'colour'; known: .*n_jobs"),
        ({"time_limit": -1}, "time_limit is -1; give a finite number of at least 0"),
        ({"time_limit": float("nan")}, "time_limit is nan; give a finite number"),
        ({"time_limit": "60"}, "time_limit is '60'; give a number of at least 0"),
        ({"time_limit": True}, "time_limit is True; give a number"),
        ({"node_limit": 1.5}, "node_limit is 1.5; give a whole number of at least 0"),
        ({"gap": -0.1}, "gap is -0.1"),
        ({"absolute_gap": None}, "absolute_gap is None; give a number"),
        ({"n_jobs": 0}, "n_jobs is 0; give a whole number of at least 1, or -1 for one per core"),
        ({"random_state": -1}, "random_state is -1"),
        ({"formulation": "bigM"}, "formulation is 'bigM'; did you mean 'bigm'"),
    ],
)
def test_an_unknown_or_impossible_option_is_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        SolveOptions.read(options)


class Limited:
    """A solver that declares nothing beyond the plain problem."""

    name = "limited"
    capabilities = Capabilities(questions=frozenset({Aim.BEST}))


GROUPS = {"sex": ["f", "f", "m", "m"]}


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        ({"levels": [([1], 0.1)]}, "levels", "levels"),
        ({"min_features": 1}, "support", "'at least 1 feature'"),
        ({"constraints": c.at_most(1, of="x*")}, "support", r"'at most 1 of x\*'"),
        ({"constraints": c.min_sensitivity(0.9)}, "rates", "'sensitivity of at least 0.9'"),
        (
            {"constraints": c.max_difference("error", group="sex", at_most=0.1), "rate_groups": GROUPS},
            "rates",
            "'a difference in error",
        ),
        ({"constraints": c.max_total_score(5)}, "score", "'a total score of at most 5'"),
    ],
)
def test_what_a_solver_does_not_declare_is_refused_before_solving(asked, kind, words):
    problem = Problem.of([[0], [1], [2], [3]], [0, 1, 0, 1], **asked)
    with pytest.raises(
        UnsupportedProblemError, match=f"solver 'limited' cannot express {words}.*that can: .*exhaustive"
    ):
        check_asked(Limited(), problem)
    able = type("Able", (), {"name": "able"})
    able.capabilities = Capabilities(
        questions=frozenset({Aim.BEST}), levels=kind == "levels", constraints=frozenset({kind})
    )
    check_asked(able(), problem)


def test_values_asked_for_are_sets_and_every_solver_takes_them():
    asked = [c.must_use("x0"), c.fixed("x1", 1)]
    problem = Problem.of([[0, 1], [1, 3]], [0, 1], constraints=asked, max_features=2)
    assert problem.is_plain
    check_asked(Limited(), problem)


@pytest.mark.parametrize("name", solvers.names())
def test_every_solver_declares_kinds_that_there_are(name):
    assert solvers.solver_class(name).capabilities.constraints <= {SUPPORT, SIGNS, RATES, SCORE}
