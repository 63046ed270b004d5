"""Certificates: random problems of every kind are accepted by our checker, whatever was changed is not."""

import gzip
import json
import random
import subprocess
import sys
from fractions import Fraction

import pytest

from certify.certificates import CHECKER, VIPR, built_viprchk, checker, random_problem, written
from supersparse import Problem, SLIMClassifier, constraints, solve
from supersparse.certify.certificate import certify
from supersparse.errors import InvalidOptionError, UnsupportedProblemError, VerificationError
from supersparse.problem.objective import with_best_intercept

X = [[0, 1], [1, 1], [2, 0], [3, 2], [1, 3], [0, 2], [3, 0], [2, 2]]
Y = [0, 0, 1, 1, 1, 0, 1, 0]


@pytest.fixture(scope="session")
def viprchk(tmp_path_factory):
    program = built_viprchk(tmp_path_factory.mktemp("vipr"))
    if program is None:
        pytest.skip(f"needs {VIPR.name}/viprchk.cpp beside the checkout, g++ and GMP")
    return program


def accepted_by_viprchk(program, proof):
    plain = proof.with_suffix(".plain")
    plain.write_bytes(gzip.decompress(proof.read_bytes()))
    done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace", timeout=60)
    return done.returncode == 0 and "Successfully verified optimal value range" in done.stdout


@pytest.mark.parametrize("seed", range(25))
def test_the_checker_accepts_certificates_of_every_kind_of_problem(seed, tmp_path):
    said = checker().check(*written(tmp_path, *random_problem(seed)))
    assert said.startswith("PROVEN")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_both_checkers_accept_certificates_of_every_kind_of_problem(seed, tmp_path, viprchk):
    data, card, proof = written(tmp_path, *random_problem(seed))
    assert checker().check(data, card, proof).startswith("PROVEN")
    assert accepted_by_viprchk(viprchk, proof)


def test_the_third_party_accepts_ten_certificates(tmp_path, viprchk):
    for seed in range(10):
        *_, proof = written(tmp_path, *random_problem(seed), name=f"{seed}.vipr.gz")
        assert accepted_by_viprchk(viprchk, proof)


def test_the_checker_is_short_and_stands_alone():
    text = CHECKER.read_text("utf-8")
    assert len(text.splitlines()) <= 400
    assert "import supersparse" not in text
    assert "from supersparse" not in text
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names)


def test_the_command_says_what_was_proven_and_refuses_another_table(tmp_path):
    data, card, proof = written(tmp_path, X, Y, None, {"C0": 0.2})
    call = [sys.executable, "-S", str(CHECKER), str(data), str(card), str(proof)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0
    assert "N = 8 rows (4 positive), P = 2 features" in done.stdout
    data.write_text(data.read_text().replace("1,3,2", "0,3,2"))
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("NOT PROVEN: ")


def test_a_model_that_is_not_the_best_gets_no_certificate(tmp_path):
    problem = Problem.of(X, Y, C0=0.2)
    worse = with_best_intercept(problem, (-1, 0))
    assert worse is not None
    with pytest.raises(VerificationError, match="not the best"):
        certify(problem, worse, tmp_path / "proof.vipr.gz")
    assert list(tmp_path.iterdir()) == []


def test_solve_writes_a_certificate_and_says_what_it_cannot_certify(tmp_path):
    problem = Problem.of(X, Y, C0=0.2)
    place = tmp_path / "proof.vipr.gz"
    solve(problem, "exhaustive", certificate=place)
    assert gzip.decompress(place.read_bytes()).startswith(b"% A certificate of supersparse")
    limited = Problem.of(X, Y, C0=0.2, constraints=[constraints.min_sensitivity(0.9)])
    with pytest.raises(UnsupportedProblemError, match="sensitivity"):
        solve(limited, "exhaustive", certificate=place)
    with pytest.raises(InvalidOptionError, match="folder"):
        solve(problem, "exhaustive", certificate=tmp_path / "none" / "proof.vipr.gz")


def test_the_card_of_a_classifier_names_its_certificate(tmp_path):
    place = tmp_path / "proof.vipr.gz"
    model = SLIMClassifier(C0=0.2, solver="exhaustive", certificate=place).fit(X, Y)
    card = tmp_path / "card.json"
    model.scoring_system_.save(card)
    named = json.loads(card.read_text())["provenance"]["certificate"]
    assert named["file"] == "proof.vipr.gz"
    assert f"proof.vipr.gz, sha256 {named['sha256']}" in " ".join(str(model.scoring_system_).split())
    rows = [f"{label},{a},{b}" for (a, b), label in zip(X, Y, strict=True)]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["y,x0,x1", *rows]) + "\n")
    assert checker().check(data, card, place).startswith("PROVEN")


# --- tampering: every change of meaning is refused ---


def changed_proof(rng, text):
    """The proof with one number, word or line changed, below the question at its top."""
    lines = text.split("\n")
    while True:
        at = rng.randrange(3, len(lines) - 1)
        words = lines[at].split(" ")
        kind = rng.choice(["number", "number", "number", "drop", "swap", "cut"])
        if kind == "drop":
            return "\n".join(lines[:at] + lines[at + 1 :])
        if kind == "cut":
            return "\n".join(lines[:at]) + "\n"
        if kind == "swap" and at + 2 < len(lines):
            other = rng.randrange(3, len(lines) - 1)
            if lines[other] != lines[at]:
                lines[at], lines[other] = lines[other], lines[at]
                return "\n".join(lines)
        # the name and the last number of a line (until when it is needed) are for the reader's convenience
        places = [k for k in range(1, len(words) - 1) if words[k].lstrip("-").replace("/", "").isdigit()]
        if kind == "number" and places:
            k = rng.choice(places)
            words[k] = str(int(words[k].split("/")[0]) + rng.choice([-2, -1, 1, 2]))
            lines[at] = " ".join(words)
            return "\n".join(lines)


def changed_card(rng, content):
    card = json.loads(content)
    if card["items"] and rng.random() < 0.7:
        rng.choice(card["items"])["points"] = rng.choice([17, -17, "2.5"])
    else:
        name = rng.choice(["training_errors", "n_rows", "size", "total_weight"])
        card["provenance"][name] = str(Fraction(card["provenance"][name]) + 1)
    return json.dumps(card)


def changed_table(rng, text):
    header, *rows = text.splitlines()
    at = rng.randrange(len(rows))
    cells = rows[at].split(",")
    cells[0] = "1" if cells[0] == "0" else "0"
    rows[at] = ",".join(cells)
    return "\n".join([header, *(rows[:at] + rows[at + 1 :] if rng.random() < 0.5 else rows)]) + "\n"


def refused(check, data, card, proof):
    try:
        check(data, card, proof)
    except Exception:
        return True
    return False


def tamper(folder, seed, trials, *, named):
    """Change table, card or proof at random; return the changes that the checker accepts.

    With `named`, files name each other by sha256, as those of the command line do.
    """
    rng = random.Random(seed)
    data, card, proof = written(folder, *random_problem(seed), named=named)
    check = checker().check
    assert check(data, card, proof).startswith("PROVEN")  # what follows would mean nothing otherwise
    whole = proof.read_bytes()
    texts = data.read_text(), card.read_text(), gzip.decompress(whole).decode()
    accepted = []
    for _ in range(trials):
        now = list(texts)
        which = rng.choice([0, 1, 2, 2, 2])
        now[which] = (changed_table, changed_card, changed_proof)[which](rng, texts[which])
        data.write_text(now[0])
        card.write_text(now[1])
        proof.write_bytes(whole if which < 2 else gzip.compress(now[2].encode(), 1))
        if not refused(check, data, card, proof):
            accepted.append((which, texts[which], now[which]))
    return accepted


@pytest.mark.parametrize("seed", [3, 4])
def test_all_changes_of_certificate_card_or_table_are_refused(seed, tmp_path):
    assert tamper(tmp_path, seed, 40, named=True) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(25))
def test_a_thousand_changes_are_refused(seed, tmp_path):
    assert tamper(tmp_path, seed, 40, named=True) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_without_digests_only_changes_without_a_meaning_are_accepted(seed, tmp_path, viprchk):
    *_, weights, _ = random_problem(seed)
    for which, before, after in tamper(tmp_path, seed, 80, named=False):
        assert which != 1
        if which == 0:  # rows of weight 0 count for nothing
            gone = set(before.splitlines()) ^ set(after.splitlines())
            assert weights is not None
            assert all(float(row.rsplit(",", 1)[1]) == 0 for row in gone)
        else:  # a weaker line that still suffices: the third party must think so, too
            proof = tmp_path / "changed.vipr.gz"
            proof.write_bytes(gzip.compress(after.encode()))
            assert accepted_by_viprchk(viprchk, proof)
