"""Proofs of risk cards: small problems against every card of each, false claims, changed files, logarithms."""

import csv
import random
import subprocess
import sys
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from engine.certify.certificates import CHECKER
from engine.certify.risk_problems import CHECK, cheated, small
from engine.certify.risk_tampering import changes, says
from supersparse import Problem, ScoringSystem, constraints, solve
from supersparse.base.errors import UnsupportedProblemError
from supersparse.card.provenance import CertificateFile
from supersparse.engine.certify.certificate import digest_of
from supersparse.engine.certify.risk_proof import certify_risk
from supersparse.engine.certify.statement import TableNames
from supersparse.learn.card_of_solution import card_of_solution


@pytest.mark.parametrize("seed", range(5))
def test_small_problems_are_proven_and_false_claims_are_not(seed):
    # `cheated` asserts that the best card of all is proven and that no bent proof of a worse one is accepted
    tally = cheated((50, seed), 12)
    assert tally["proven"] + tally["no attained optimum"] == 1


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_small_problems_are_proven_and_false_claims_are_not(seed):
    for k in range(10):
        cheated((51, seed, k), 60)


@pytest.mark.parametrize("claimed", [-5, -1])
def test_a_negative_least_size_is_refused(claimed):
    # prices[:-5] of eight open questions would be those of three
    problem = next(found for k in range(9) if (found := small((52, k))) is not None)
    problem.cards()
    problem.claim["min_questions"] = claimed
    with pytest.raises(CHECK.Refused):
        problem.cards()


def exact_entropy(k, n, context):
    """H(k/n) in 120 digits."""
    low, high = (context.divide(Decimal(x), Decimal(n)) for x in (k, n - k))
    parts = [context.multiply(x, context.ln(x)) for x in (low, high)]
    return context.minus(context.add(*parts))


@pytest.mark.parametrize("size", [9, 10**6, 2**60, 2**90])
def test_entropies_are_never_above_those_in_120_digits(size):
    draw, context = random.Random(size), Context(prec=120)
    for _ in range(60):
        n = draw.randint(2, size)
        k = draw.choice([1, n - 1, draw.randint(1, n - 1)])
        true = context.multiply(exact_entropy(k, n, context), Decimal(CHECK.UNIT))
        for ours in (CHECK.entropy(k, n), CHECK.entropies([(k, n, 1)], 2**7), CHECK.entropies([(k, n, 1)], 2**15)):
            assert Decimal(ours) <= true
        assert context.subtract(true, Decimal(CHECK.entropy(k, n))) < 9


def excess_of_loss(score, context):
    """By how much a loss is above that in 120 digits, in multiples of 10^-38."""
    small = context.exp(context.divide(Decimal(-abs(score.numerator)), Decimal(score.denominator)))
    true = context.multiply(context.ln(context.add(Decimal(1), small)), Decimal(CHECK.UNIT))
    more = context.divide(Decimal(max(score.numerator, 0) * CHECK.UNIT), Decimal(score.denominator))
    ours = context.divide(Decimal(CHECK.softplus(score).numerator), Decimal(CHECK.softplus(score).denominator))
    return context.subtract(ours, context.add(true, more))


def test_losses_are_never_below_those_in_120_digits():
    draw, context = random.Random(3), Context(prec=120)
    for size in (10**-9, 1, 30, 700, 10**5) * 20:
        assert 0 <= excess_of_loss(Fraction(draw.uniform(-size, size)), context) < 10


@pytest.mark.parametrize("up", [False, True])
def test_logarithms_do_not_round_to_the_digits_of_the_thread(up):
    # operators on decimals would be right to 28 digits only: the first ten below the unit would be lost
    n = 3 * 2**200 + 1
    true = Context(prec=120).multiply(Context(prec=120).ln(Decimal(n)), Decimal(CHECK.UNIT))
    assert abs(Context(prec=120).subtract(Decimal(CHECK.ln(n, up)), true)) <= 2
    assert (Decimal(CHECK.ln(n, up)) > true) == up


def table(folder, seed=0, n_rows=80, **settings):
    """A card of questions with its table and its proof: their paths."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, 3))
    risk = 1 / (1 + np.exp(1.2 - X @ [0.9, -0.5, 0.2]))
    y = (rng.random(n_rows) < risk).astype(int)
    y[:2] = 0, 1
    problem = Problem.of_questions(X, y, **{"C0": 0.005, "max_questions": 2, "max_points": 4, **settings})
    solution = solve(problem)
    card = card_of_solution(solution, None)
    data, place, proof = folder / "data.csv", folder / "card.json", folder / "proof.json"
    with data.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")  # as texts are read and written again
        weights = settings.get("sample_weight", [1] * n_rows)
        writer.writerow([*problem.rows.names, "y", "weight"])
        writer.writerows([*row, *more] for row, *more in zip(X.tolist(), y.tolist(), weights, strict=True))
    names = TableNames(target="y", weights="weight", separator=",", sha256=digest_of(data))
    slope, offset = Fraction(str(solution.slope)), Fraction(str(solution.offset))
    certify_risk(problem, solution.points, proof, slope=slope, offset=offset, table=names)
    made = CertificateFile(file=proof.name, sha256=digest_of(proof))
    ScoringSystem(card_with(card, made)).save(place)
    return data, place, proof


def card_with(card, certificate):
    return replace(card, provenance=replace(card.provenance, certificate=certificate))


def test_a_changed_file_is_refused_or_leaves_the_same_claim(tmp_path):
    refused, accepted = changes(table(tmp_path, 1), 1, 60)
    assert refused > accepted > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_changed_files_are_refused_or_leave_the_same_claim(seed, tmp_path):
    refused, accepted = changes(table(tmp_path, seed), seed, 1500)
    assert refused > accepted > 0


def test_the_checker_needs_no_package(tmp_path):
    command = [sys.executable, "-I", "-S", str(CHECKER), *map(str, table(tmp_path, change_price=0.001))]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.startswith("PROVEN: no allowed card has an objective below")
    assert "0.001" not in done.stdout
    assert "1/1000 for each change of points along the order" in done.stdout


@pytest.mark.parametrize(
    "settings",
    [
        {"shape": "free"},
        {"equal_steps": True, "max_points": 6},
        {"points": [0, 1, 3], "class_weight": "balanced"},
        {"min_questions": 2, "constraints": [constraints.must_use("x2")]},
        {"constraints": [constraints.at_most(1, of=["x0", "x1"])]},
        {"not_known": ["x0"], "C0": 0.001},
    ],
    ids=["free", "equal steps", "points", "must", "at most", "not known"],
)
def test_all_that_questions_can_be_asked_is_proven(settings, tmp_path):
    assert says(*table(tmp_path, **settings)).startswith("PROVEN")


@pytest.mark.parametrize("seed", range(6))
def test_risk_scores_of_features_are_proven(seed, tmp_path):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 2, (60, 4))
    y = (draw.random(60) < 1 / (1 + np.exp(0.4 - X @ [1.6, -1.1, 0.3, 0]))).astype(int)
    alike = [constraints.same_sign(["x0", "x1"])] if seed % 3 == 1 else []
    bounds = {"x1": (None, 0)} if seed % 3 == 2 else None
    problem = Problem.of(
        X, y, goal="risk", C0=0.02, max_points=2, max_features=3, constraints=alike, bounds=bounds, class_weight={1: 2}
    )
    proof, data, place = (tmp_path / name for name in ("proof.json.gz", "data.csv", "card.json"))
    solution = solve(problem, certificate=proof)
    assert solution.proven_optimal
    ScoringSystem(card_of_solution(solution, None)).save(place)
    data.write_text(
        "y,x0,x1,x2,x3\n" + "".join(f"{label},{','.join(map(str, row))}\n" for label, row in zip(y, X, strict=True))
    )
    said = says(data, place, proof)
    assert said.startswith("PROVEN")
    assert ("all rise or all fall" in said) == bool(alike)


def test_a_card_whose_fit_is_where_the_writer_starts_is_proven(tmp_path):
    # at the very optimum, what the residuals favour is 0 but for rounding, of either sign
    assert says(*table(tmp_path, 7, n_rows=37, equal_steps=True, max_points=6)).startswith("PROVEN")


def test_limits_on_rates_are_refused_before_the_search(tmp_path):
    problem = Problem.of_questions([[0], [1]] * 4, [0, 1] * 4, constraints=[constraints.min_sensitivity(0.5)])
    with pytest.raises(UnsupportedProblemError, match="certificates do not support"):
        solve(problem, certificate=tmp_path / "proof.json.gz", time_limit=0.001)
    assert not (tmp_path / "proof.json.gz").exists()


def test_solving_writes_a_proof(tmp_path):
    problem = Problem.of_questions([[0], [1], [1], [0]] * 5, [0, 1, 1, 0] * 4 + [1, 0, 0, 1], C0=0.01)
    solve(problem, certificate=tmp_path / "proof.json.gz")
    assert (tmp_path / "proof.json.gz").stat().st_size > 100
