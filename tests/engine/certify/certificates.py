"""Random problems of every kind as table, card and certificate, and the two checkers."""

import csv
import importlib.util
import random
import shutil
import subprocess
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from shared_data import SHARED
from supersparse import Problem, ScoringSystem, constraints, solve
from supersparse.card.provenance import CertificateFile
from supersparse.engine.certify.certificate import certify, digest_of
from supersparse.engine.certify.statement import TableNames
from supersparse.errors import PenaltyRangeWarning
from supersparse.learn.card_of_solution import card_of_solution

ROOT = Path(__file__).parents[3]
CHECKER = ROOT / "checker" / "supersparse_check.py"
VIPR = SHARED.parent / "vipr"


def checker():
    """The checker as a module."""
    spec = importlib.util.spec_from_file_location("supersparse_check", CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_problem(seed):
    """A small table and settings: all kinds of sets, intercepts, penalties, limits and weights take turns."""
    rng = random.Random(seed)
    n, p = rng.randint(6, 24), rng.randint(1, 4)
    kinds = [rng.choice(["binary", "whole", "decimal"]) for _ in range(p)]
    cell = {
        "binary": lambda: rng.randint(0, 1),
        "whole": lambda: rng.randint(-3, 4),
        "decimal": lambda: Fraction(rng.randint(-15, 25), 10),
    }
    X = [[cell[kind]() for kind in kinds] for _ in range(n)]
    y = [rng.randint(0, 1) for _ in range(n)]
    y[0], y[1] = 0, 1
    settings = {"C0": rng.choice([0, 0.01, 0.05, 0.1])}
    settings["intercept"] = rng.choice(["free", "free", "paper", "none", (-4, 3), (1, 2)])
    points = rng.choice(["interval", "set", "halves", "levels", "positive"])
    if points == "interval":
        settings["points"] = rng.randint(1, 4)
    elif points == "set":
        settings["points"] = sorted({0, *rng.sample([-7, -5, -2, -1, 1, 3, 4, 8], 4)})
    elif points == "halves":
        settings["points"] = [-1.5, -0.5, 0, 0.5, 2]
    elif points == "positive":
        settings["points"] = [0, 1, 2, 3]
    else:
        del settings["C0"]
        zero = rng.random() < 0.3
        levels = [([-1, *([0] if zero else []), 1], 0.01), ([-3, -2, 2, 3], 0.04), ([5], 0.06)]
        settings["levels"] = levels
    if rng.random() < 0.2 and points != "levels":
        settings["C1"] = 0.004
    if rng.random() < 0.4:
        settings["max_features"] = rng.randint(0, p)
    names = [f"x{f}" for f in range(p)]
    asked = []
    if p > 1 and rng.random() < 0.25 and "max_features" not in settings:
        choices = [
            constraints.at_most(1, of=names[:2]),
            constraints.at_least(1, of=names[:2]),
            constraints.must_use(names[0]),
            constraints.same_sign(names),
            constraints.only_if(names[0], names[1]),
        ]
        asked.append(rng.choice(choices))
    settings["constraints"] = asked
    settings["class_weight"] = rng.choice([None, None, "balanced", {0: 2, 1: 3}])
    weights = [rng.choice([1, 2, 0.5, 0]) for _ in y] if rng.random() < 0.3 else None
    if weights is not None:
        weights[0] = weights[1] = 1
    return X, y, weights, settings


def written(folder, X, y, weights, settings, name="proof.vipr.gz", *, named=False):
    """Solve; write table, card and certificate; return their paths.

    With `named`, the certificate names the sha256 of the table and the card that of the certificate, as those
    of the command line do.
    """
    problem = Problem.of(X, y, sample_weight=weights, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyRangeWarning)  # C0 is drawn from all values on purpose
        solution = solve(problem, "exhaustive")
    data, card, proof = folder / "data.csv", folder / "card.json", folder / name
    header = [f"x{f}" for f in range(len(X[0]))]
    with data.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", *header, *([] if weights is None else ["weight"])])
        for r, row in enumerate(X):
            cells = [float(x) if isinstance(x, Fraction) else x for x in row]
            writer.writerow([y[r], *cells, *([] if weights is None else [weights[r]])])
    table = TableNames(
        target="y", weights=None if weights is None else "weight", sha256=digest_of(data) if named else None
    )
    certify(problem, solution.points, proof, table=table)
    made = card_of_solution(solution, None)
    if named:
        certificate = CertificateFile(file=proof.name, sha256=digest_of(proof))
        made = replace(made, provenance=replace(made.provenance, certificate=certificate))
    ScoringSystem(made).save(card)
    return data, card, proof


def built_viprchk(folder):
    """Compile the third party's checker; None where it, g++ or GMP is missing."""
    if not (VIPR / "viprchk.cpp").exists() or shutil.which("g++") is None:
        return None
    program = folder / "viprchk"
    command = ["g++", "-O1", "-DNDEBUG", "-std=c++17", f"-I{VIPR}", str(VIPR / "viprchk.cpp"), "-o", str(program)]
    done = subprocess.run([*command, "-lgmpxx", "-lgmp"], capture_output=True)
    return program if done.returncode == 0 else None
