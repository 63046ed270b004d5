"""The paper's program as a file: other solvers read it, and their solutions are read back and verified."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from counts import examples
from engine.mip.program_readers import READERS, WAYS, by_highs
from strategies import cases, constrained_problems
from supersparse import Problem, Solution, Stop, solve
from supersparse import constraints as c
from supersparse.engine.mip.program_file import NumberedProgram
from supersparse.errors import (
    InfeasibleError,
    InvalidDataError,
    InvalidOptionError,
    UnsupportedProblemError,
    VerificationError,
)

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")

X = np.array([[i % 3, i * 7 % 5 % 3, i * 5 % 7 % 3] for i in range(24)])
Y = [int((2 * a - b + (i % 5 == 0) > 1) != (i % 9 == 4)) for i, (a, b, _) in enumerate(X.tolist())]
PROBLEMS = {
    "plain": {"C0": 0.03, "max_points": 3},
    "the paper's": {"C0": 0.03, "C1": 0.0001, "max_points": 5, "intercept": "paper"},
    "sets": {"C0": 0.03, "points": {"x0": [-5, -1, 0, 1, 5], "*": [-0.5, 0, 0.5, 1]}, "intercept": (-9, 9)},
    "levels": {"levels": [([-1, 1], 0.02), ([-3, 3], 0.05)], "class_weight": "balanced"},
    "limits": {
        "C0": 0.02,
        "max_points": 3,
        "constraints": [c.min_sensitivity(0.9), c.at_most(1, of=["x1", "x2"]), c.must_use("x0")],
        "max_features": 2,
    },
}


@cache
def problem_of(kind="plain"):
    return Problem.of(X, Y, positive=1, **PROBLEMS[kind])


@cache
def best_of(kind="plain"):
    return solve(problem_of(kind), "exhaustive")


@pytest.mark.parametrize(("name", "form", "formulation"), WAYS, ids=lambda word: word)
def test_every_solver_reads_the_program_and_its_solution_is_verified(name, form, formulation, tmp_path):
    for kind in PROBLEMS if name != "cpsat" else ("limits",):  # a process each
        problem, program, file = problem_of(kind), tmp_path / f"slim.{form}", tmp_path / "slim.sol"
        problem.write_program(program, formulation)
        claimed = READERS[name](program, file)
        found = problem.read_solution(file)
        assert isinstance(found, Solution)
        best = best_of(kind)
        assert found.objective == best.objective
        scale = NumberedProgram.of(problem, "bigm").scale
        assert claimed == pytest.approx(float(scale * best.objective))
        assert (found.solver, found.stop, found.lower_bound) == ("slim.sol", Stop.READ, 0)


def test_a_card_that_was_read_starts_a_proof(tmp_path):
    problem = problem_of()
    problem.write_program(tmp_path / "slim.mps")
    by_highs(tmp_path / "slim.mps", tmp_path / "slim.sol")
    found = solve(problem, initial=problem.read_solution(tmp_path / "slim.sol"))
    assert found.proven_optimal
    assert found.objective == best_of().objective


@pytest.mark.parametrize("form", ["mps", "lp"])
@settings(
    max_examples=examples(20),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases())
def test_the_file_holds_every_problem(form, tmp_path, case):
    check(case.problem, tmp_path / f"slim.{form}")


@settings(
    max_examples=examples(20),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=constrained_problems())
def test_the_file_holds_every_constraint(tmp_path, case):
    check(case.problem, tmp_path / "slim.mps")


def check(problem, program):
    """HiGHS finds the optimum of the file, or none where there is none."""
    file = program.with_suffix(".sol")
    try:
        best = solve(problem, "exhaustive")
    except InfeasibleError:
        best = None
    try:
        problem.write_program(program)
    except InfeasibleError:  # the bounds alone exclude all cards
        assert best is None
        return
    by_highs(program, file)
    if best is None:
        with pytest.raises(InvalidDataError, match="has no solution"):
            problem.read_solution(file)
    else:
        assert problem.read_solution(file).objective == best.objective


@pytest.fixture
def solved(tmp_path):
    """A problem, and the values of its best card by name."""
    problem = Problem.of(
        X, Y, C0=0.02, max_points=3, max_features=3, constraints=[c.min_sensitivity(0.8), c.at_most(1, of="x[12]")]
    )
    return problem, values_of(problem), tmp_path / "forged.sol"


def values_of(problem):
    made = NumberedProgram.of(problem, "bigm")
    values = made.program.start(made.small.reduce(solve(problem, "exhaustive").points))
    return dict(zip(made.program.model.names, values.tolist(), strict=True))


def read(problem, values, file, head=""):
    file.write_text(head + "".join(f"{name} {value}\n" for name, value in values.items()), encoding="utf-8")
    return problem.read_solution(file)


def test_values_alone_are_a_solution(solved):
    problem, values, file = solved
    expected = solve(problem, "exhaustive")
    assert read(problem, values, file).objective == expected.objective
    unmentioned = {name: value for name, value in values.items() if value}
    assert read(problem, unmentioned, file).points == read(problem, values, file).points


def test_no_error_can_be_denied(solved):
    problem, values, file = solved
    wrong = [name for name, value in values.items() if name.startswith("z_") and value]
    assert wrong
    for name in wrong:
        row = name.removeprefix("z_")
        with pytest.raises(VerificationError, match=rf"forged.sol: the constraint '(loss|pair)_.*{row}"):
            read(problem, {**values, name: 0}, file)


def test_a_wrong_row_is_named_with_what_is_wrong(solved):
    problem, values, file = solved
    name = next(name for name, value in values.items() if name.startswith("z_") and value)
    row = int(name.removeprefix("z_"))
    with pytest.raises(VerificationError, match=f"row {row} is called right .z_{row} is 0., and with these"):
        read(problem, {**values, name: 0}, file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lambda_1": 9}, "lambda_1 is 9, and must be from -3 to 3"),
        ({"lambda_1": 0.5}, "lambda_1 is 0.5, which is not a whole number"),
        ({"lambda_7": 1}, "the program has no variable 'lambda_7'; give the table and the settings"),
        ({"lambda_1": 0}, "the constraint "),
        ({"z_x": "nan"}, "the program has no variable|is not a number"),
    ],
)
def test_what_the_program_does_not_allow_is_refused(solved, change, message):
    problem, values, file = solved
    with pytest.raises((VerificationError, InvalidDataError), match=message):
        read(problem, {**values, **change}, file)


def test_a_broken_constraint_is_named_in_the_words_of_the_user(solved):
    problem, values, file = solved
    both = {**values, "alpha_2": 1, "alpha_3": 1}
    with pytest.raises(VerificationError, match=r"'support_1' is broken: 2 is not at most 1 \(at most 1 of x\[12\]\)"):
        read(problem, both, file)
    positive = [i for i, y in enumerate(Y, start=1) if y]
    missed = {**values, **{f"z_{i}": 1 for i in positive if f"z_{i}" in values}}
    with pytest.raises(VerificationError, match=r"'rate_1' is broken: .* \(sensitivity of at least 0\.8\)"):
        read(problem, missed, file)


@pytest.mark.parametrize("head", ["# Objective value = {}\n", "objective value: {}\n", "=obj= {}\n", "Objective {}\n"])
def test_an_objective_that_the_values_do_not_have_is_refused(solved, head):
    problem, values, file = solved
    scale = NumberedProgram.of(problem, "bigm").scale
    claimed = scale * solve(problem, "exhaustive").objective
    assert read(problem, values, file, head.format(float(claimed))).stop is Stop.READ
    with pytest.raises(VerificationError, match=r"claims an objective of .*, and its values cost"):
        read(problem, values, file, head.format(float(claimed - 1)))


def test_a_worse_card_is_read_for_what_it_is(solved):
    problem, values, file = solved
    right = next(name for name, value in values.items() if name.startswith("z_") and not value)
    found = read(problem, {**values, right: 1}, file)  # a right row may be called wrong, at a price
    assert found.objective == solve(problem, "exhaustive").objective


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no values of variables"),
        ("solution status: infeasible\nno solution available\n", "line 1: .* the file has no solution"),
        ("Model status\nInfeasible\n\n# Primal solution values\nNone\n", "line 2: .* has no solution"),
        ("lambda_1 one\n", "line 1: 'one' is not a number"),
        ("lambda_1 1\nlambda_1 2\n", "line 2: 'lambda_1' has a value already"),
        ("<CPLEXSolution><variable name='lambda_1'/></CPLEXSolution>", "line 1: a variable needs a name and"),
    ],
)
def test_what_is_no_solution_file_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "bad.sol").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidDataError, match=message):
        problem_of().read_solution(tmp_path / "bad.sol")


def test_a_file_of_cbc_is_read(solved):
    problem, values, file = solved
    lines = [f"{k:>7} {name:<20} {value:>20} {0:>20}" for k, (name, value) in enumerate(values.items())]
    cost = NumberedProgram.of(problem, "bigm").scale * solve(problem, "exhaustive").objective
    file.write_text(f"Optimal - objective value {float(cost)}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert problem.read_solution(file).objective == solve(problem, "exhaustive").objective


def test_names_keep_the_numbers_of_the_problem(tmp_path):
    # x1 is constant and left out; rows 1 and 3 are equal; row 2 is of another class
    problem = Problem.of([[0, 7, 1], [1, 7, 0], [0, 7, 1], [2, 7, 1]], [0, 1, 0, 0], C0=0.1, max_points=2)
    names = NumberedProgram.of(problem, "bigm").program.model.names
    assert {"lambda_1", "lambda_3", "lambda_0", "z_1", "z_2", "z_4"} <= set(names)
    assert not {"lambda_2", "z_3"} & set(names)
    problem.write_program(tmp_path / "slim.lp")
    text = (tmp_path / "slim.lp").read_text(encoding="ascii")
    assert "\\ lambda_3: points of 'x2'\n" in text
    assert "\\ z_1: also of the equal rows 3\n" in text


def test_the_user_s_words_are_comments_in_ascii(tmp_path):
    problem = Problem.of([[0], [1]], [0, 1], feature_names=["Größe\nEnd"], C0=0.1, max_points=2)
    for form in ("mps", "lp"):
        problem.write_program(tmp_path / f"slim.{form}")
        text = (tmp_path / f"slim.{form}").read_text(encoding="ascii")
        assert r"lambda_1: points of 'Gr\xf6\xdfe\nEnd'" in text
        by_highs(tmp_path / f"slim.{form}", tmp_path / "slim.sol")
        assert problem.read_solution(tmp_path / "slim.sol").objective == Fraction(1, 10)


@pytest.mark.parametrize("name", ["slim.txt", "slim", "slim.mps.gz"])
def test_other_endings_are_refused(tmp_path, name):
    with pytest.raises(InvalidOptionError, match=r"ends in \.mps or \.lp"):
        problem_of().write_program(tmp_path / name)


def test_what_has_no_program_is_refused(tmp_path):
    with pytest.raises(UnsupportedProblemError, match="goal 'risk' minimises a log loss"):
        Problem.of(X, Y, goal="risk", C0=0.01).write_program(tmp_path / "slim.mps")
    with pytest.raises(InvalidOptionError, match="formulation is 'indikator'; did you mean 'indicator'"):
        problem_of().write_program(tmp_path / "slim.mps", "indikator")
