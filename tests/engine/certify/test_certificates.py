"""Certificates: random problems of every kind are accepted by our checker, whatever was changed is not."""

import gzip
import json
import subprocess
import sys
import types
from contextlib import chdir

import pytest
from typer.testing import CliRunner

from engine.certify.certificates import CHECKER, VIPR, built_viprchk, checker, random_problem, written
from engine.certify.tampering import TRIALS_A_PROBLEM, accepted_by_viprchk, tamper
from supersparse import Problem, RiskScoreClassifier, SLIMClassifier, constraints, solve
from supersparse.base.stop import Stop
from supersparse.engine import solvers
from supersparse.engine.certify.certificate import certify
from supersparse.engine.certify.checking import readable
from supersparse.engine.certify.statement import TableNames
from supersparse.engine.exhaustive import ExhaustiveSolver
from supersparse.errors import InvalidOptionError, UnsupportedProblemError, VerificationError
from supersparse.problem.objective import with_best_intercept
from supersparse.show.cli.app import app

X = [[0, 1], [1, 1], [2, 0], [3, 2], [1, 3], [0, 2], [3, 0], [2, 2]]
Y = [0, 0, 1, 1, 1, 0, 1, 0]
TABLE = "a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(X, Y, strict=True))


@pytest.fixture(scope="session")
def viprchk(tmp_path_factory):
    program = built_viprchk(tmp_path_factory.mktemp("vipr"))
    if program is None:
        pytest.skip(f"needs {VIPR.name}/viprchk.cpp beside the checkout, g++ and GMP")
    return program


@pytest.mark.parametrize("seed", range(12))
def test_the_checker_accepts_certificates_of_every_kind_of_problem(seed, tmp_path):
    said = checker().check(*written(tmp_path, *random_problem(seed)))
    assert said.startswith("PROVEN")


@pytest.mark.shared_data
@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_both_checkers_accept_certificates_of_every_kind_of_problem(seed, tmp_path, viprchk):
    data, card, proof = written(tmp_path, *random_problem(seed))
    assert checker().check(data, card, proof).startswith("PROVEN")
    assert accepted_by_viprchk(viprchk, proof)


@pytest.mark.shared_data
def test_the_third_party_accepts_ten_certificates(tmp_path, viprchk):
    for seed in range(10):
        *_, proof = written(tmp_path, *random_problem(seed), name=f"{seed}.vipr.gz")
        assert accepted_by_viprchk(viprchk, proof)


def test_the_checker_is_short_and_stands_alone():
    text = CHECKER.read_text("utf-8")
    assert len(text.splitlines()) <= 900
    assert "import supersparse" not in text
    assert "from supersparse" not in text
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    "classes", [("survived 5 years or longer", "died within 5 years"), ("Code 123456", "Type 999999")]
)
def test_classes_may_have_long_names_with_an_e(tmp_path, classes):
    named = [classes[c] for c in Y]
    assert checker().check(*written(tmp_path, X, named, None, {"C0": 0.2})).startswith("PROVEN")


@pytest.mark.parametrize("intercept", ["free", "paper", "none", (-3, 3)])
@pytest.mark.parametrize("asked", [{"constraints": [constraints.must_use("x1")]}, {"min_features": 0}])
def test_a_column_of_zeros_that_a_constraint_keeps_is_certified(tmp_path, asked, intercept):
    own = {"(intercept)": 2} if intercept == "paper" else {}
    settings = {"C0": 0.1, "points": {"x0": 1, "x1": 10, **own}, "intercept": intercept, **asked}
    said = checker().check(*written(tmp_path, [[0, 0], [1, 0], [0, 0], [1, 0]], [0, 0, 1, 1], None, settings))
    assert said.startswith("PROVEN")


@pytest.mark.parametrize("text", ["1e999999", "-1E+999999", "2e-999999999", "1e99_999_9"])
def test_a_number_that_would_fill_the_memory_is_refused(text):
    module = checker()
    with pytest.raises(module.Refused, match="is too large"):
        module.number(text)


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


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({}, "a feature that is not 0 or 1"),
        ({"slope": 1}, "a slope of 1"),
        ({"points": [-1, 0, 2]}, "differ in size"),
        ({"C1": 0.01}, "differ by points"),
        ({"points": [-0.5, 0, 0.5]}, "not whole numbers"),
    ],
)
def test_a_risk_score_that_proofs_do_not_know_is_refused_before_the_search(settings, what, tmp_path):
    place = tmp_path / "proof.json.gz"
    X = [[i % 2, i // 2] for i in range(4)]
    with pytest.raises(UnsupportedProblemError, match=what):
        solve(Problem.of(X if settings else [[0], [2], [1], [1]], [0, 1, 1, 0], goal="risk", **settings),
              certificate=place, time_limit=0.001)  # fmt: skip
    assert not place.exists()


@pytest.mark.parametrize("by_file", [False, True])
def test_the_command_line_writes_the_proof_of_a_risk_score_of_features(by_file, tmp_path):
    (tmp_path / "goal.yaml").write_text("goal: risk\nquestions: false\n")
    (tmp_path / "data.csv").write_text("y,x,z\n" + "0,0,a\n1,1,a\n0,1,b\n1,1,b\n0,0,b\n" * 12 + "1,0,a\n" * 5)
    goal = ["--settings", "goal.yaml"] if by_file else ["--features", "--max-features", "1"]
    asked = ["--target", "y", "-q", "--no-validate", *goal, "--certificate", "p.json.gz", "--out", "card.json"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", *asked])
        assert done.exit_code == 0, done.output
        said = checker().check("data.csv", "card.json", "p.json.gz")
    assert said.startswith("PROVEN: no allowed card has an objective below")


def test_certify_refuses_a_risk_card_by_name(tmp_path):
    (tmp_path / "data.csv").write_text(TABLE)
    card = RiskScoreClassifier(prepare=None, C0=0.2, max_points=2).fit(X, Y).scoring_system_
    card.save(tmp_path / "card.json")
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["certify", "card.json", "data.csv", "--target", "y"])
    assert isinstance(done.exception, UnsupportedProblemError)


def test_a_certificate_that_is_missing_is_told_even_when_quiet(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise UnsupportedProblemError("no luck")

    monkeypatch.setattr("supersparse.learn.certifying.certified", fail)
    (tmp_path / "data.csv").write_text(TABLE)
    asked = ["--target", "y", "--no-prepare", "--no-validate", "--C0", "0.2", "-q", "--certificate", "p.vipr"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked])
    assert "no certificate was written: no luck" in done.stderr
    assert (done.exit_code, "Proven optimal" in done.stdout) == (1, True)


def test_a_card_without_a_proof_is_saved_without_a_certificate(tmp_path):
    table = "a,b,c,d,e,y\n" + "".join(
        ",".join(str((7 * row + k * row * row) % 101) for k in range(1, 6)) + f",{row**3 % 103 % 2}\n"
        for row in range(200)
    )
    (tmp_path / "data.csv").write_text(table)
    (tmp_path / "wishes.json").write_text('{"C0": 0.001, "solve": {"node_limit": 1}}')
    asked = ["--target", "y", "--settings", "wishes.json", "--no-validate", "--out", "card.json"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked, "--certificate", "p.vipr"])
    assert done.exit_code == 1
    assert done.stderr.endswith(
        "supersparse: the card is not proven optimal, so there is no certificate; raise the time limit\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "data.csv", "wishes.json"]


def test_a_certificate_that_fills_the_disk_does_not_lose_the_card(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr("supersparse.learn.certifying.certified", fail)
    (tmp_path / "data.csv").write_text(TABLE)
    asked = ["--target", "y", "--no-prepare", "--no-validate", "--C0", "0.2", "--out", "card.json"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked, "--certificate", "p.vipr"])
    assert "no certificate was written: no space left on device" in done.stderr
    assert done.exit_code == 1
    assert (tmp_path / "card.json").exists()


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


@pytest.mark.parametrize("seed", [3, 4])
def test_all_changes_of_certificate_card_or_table_are_refused(seed, tmp_path):
    changes = tamper(tmp_path, seed, TRIALS_A_PROBLEM, named=True)
    assert len(changes) == TRIALS_A_PROBLEM
    assert all(change.refused for change in changes)


@pytest.mark.shared_data
@pytest.mark.long
@pytest.mark.parametrize("seed", range(25))
def test_a_thousand_changes_are_refused_by_both_checkers(seed, tmp_path, viprchk):
    changes = tamper(tmp_path, seed, TRIALS_A_PROBLEM, named=True, viprchk=viprchk)
    assert len(changes) == TRIALS_A_PROBLEM
    assert all(change.refused and change.refused_by_viprchk is not None for change in changes)


@pytest.mark.shared_data
@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_without_digests_only_changes_without_a_meaning_are_accepted_and_by_both(seed, tmp_path, viprchk):
    *_, weights, _ = random_problem(seed)
    for change in tamper(tmp_path, seed, 80, named=False, viprchk=viprchk):
        assert change.refused == (change.refused_by_viprchk is not None)
        if change.refused:
            continue
        assert change.which != 1
        if change.which == 0:  # rows of weight 0 count for nothing
            gone = set(change.before.splitlines()) ^ set(change.after.splitlines())
            assert weights is not None
            assert all(float(row.rsplit(",", 1)[1]) == 0 for row in gone)
        else:  # a weaker line that still suffices, for the same program, value and solution
            assert claim_of(change.after) == claim_of(change.before)


def claim_of(certificate):
    """The lines above the derivation, without the first two, which are remarks."""
    return certificate.split("\nDER ")[0].splitlines()[2:]


# --- solvers that lie, and tables that are read in a way of their own ---


class LyingSolver(ExhaustiveSolver):
    """Claims that a model without features is proven optimal."""

    name = "liar"

    def solve(self, problem, options, monitor):
        monitor.incumbent(with_best_intercept(problem, (0,) * problem.n_features))
        monitor.bound(monitor.best_evaluation.objective)
        return monitor.claim(stop=Stop.OPTIMAL, smallest=True)


def test_a_lying_solver_gets_no_certificate(tmp_path, monkeypatch):
    monkeypatch.setitem(solvers._CLASSES, "liar", f"{__name__}:LyingSolver")
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or _this_module())
    problem = Problem.of(X, Y, C0=0.2)
    assert solve(problem, "liar").proven_optimal  # nobody can check a mere bound: that is what proofs are for
    with pytest.raises(VerificationError, match="not the best"):
        solve(problem, "liar", certificate=tmp_path / "proof.vipr.gz")
    assert list(tmp_path.iterdir()) == []


def _this_module():
    module = types.ModuleType(__name__)
    module.LyingSolver = LyingSolver
    return module


GERMAN = """Alter;Druck;Geschlecht;Gruppe;krank
61;1.520,5;m;1;ja
35;1.310,25;w;2;nein
;1.700;M;3;ja
48;980,75;W;1;nein
70;1.800;m;-99;ja
52;1.120;w;2;nein
66;2.010,5;w;3;ja
29;1.050;M;1;nein
57;1.640,5;m;2;ja
44;1.230;w;-99;nein
39;1.990;m;1;
58;1.410;w;3;ja
31;1.380;m;2;nein
"""


@pytest.mark.parametrize("missing", ["item", "drop"])
def test_a_table_with_commas_codes_spellings_and_gaps_is_certified(missing, tmp_path):
    (tmp_path / "data.csv").write_text(GERMAN)
    asked = ["--C0", "0.05", "--max-features", "2", "--max-points", "3", "--missing", missing, "--cv", "2"]
    with chdir(tmp_path):
        made = CliRunner().invoke(
            app, ["fit", "data.csv", "--goal", "errors", "--target", "krank", "--out", "card.json", *asked]
        )
        assert made.exit_code == 0, made.output
        done = CliRunner().invoke(app, ["certify", "card.json", "data.csv", "--target", "krank"])
        assert done.exit_code == 0, done.output
    named = json.loads((tmp_path / "card.json").read_text())["provenance"]["certificate"]
    assert named["checked_by"][0].startswith("supersparse-check (sha256 ")
    said = checker().check(*(tmp_path / name for name in ("data.csv", "card.json", "card.vipr.gz")))
    assert "in the column 'Druck': a decimal comma" in said
    assert "in the column 'Geschlecht': 'M' is 'm', 'W' is 'w'" in said
    assert ("or with a gap in 'Alter'" in said) == (missing == "drop")
    assert f"N = {12 if missing == 'item' else 9} rows" in said


def test_a_word_for_missing_with_a_dot_stands_among_decimal_commas(tmp_path):
    table = GERMAN.replace("1.120;", "k.A.;").replace("61;", "k.A.;")
    (tmp_path / "data.csv").write_text(table)
    asked = ["--na", "k.A.", "--C0", "0.05", "--max-features", "2", "--max-points", "3", "--no-validate"]
    files = ["--out", "card.json", "--certificate", "card.vipr.gz"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", "--target", "krank", *asked, *files])
    assert done.exit_code == 0, done.output
    said = checker().check(*(tmp_path / name for name in ("data.csv", "card.json", "card.vipr.gz")))
    assert said.startswith("PROVEN")


def test_a_cell_that_the_checker_reads_otherwise_is_named_as_it_is_written(tmp_path):
    (tmp_path / "data.csv").write_text(GERMAN)
    names = TableNames(target="krank", separator=";", columns={"Druck": {"decimal": ","}})
    other = Problem.of([[1]] * 12, ["ja", "nein"] * 6, feature_names=["Druck"])
    with pytest.raises(UnsupportedProblemError, match=r"the cell '1\.520,5' of column 'Druck' otherwise"):
        readable(names, other, tmp_path / "data.csv")


ODD = (
    ("dose", [5, 7, 1, 2, 8, 3, 9, 1, 6, 2, 7, 3]),
    ("ill", ["yes", "yes", "no", "no", "yes", "no", "yes", "no", "yes", "no", "no", "yes"]),
)


def certified_table(folder, header, cells, *asked, code=0):
    """Learn from a table with one odd column beside a dose, and certify the card."""
    rows = zip(cells, ODD[0][1], ODD[1][1], strict=True)
    lines = [",".join([header, "dose", "ill"]), *(",".join(map(str, row)) for row in rows)]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    quick = ["--C0", "0.05", "--max-points", "2", "--no-validate", "-q", "--out", "card.json"]
    with chdir(folder):
        made = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", "--target", "ill", *quick, *asked])
        assert made.exit_code == code, made.output
        return made, CliRunner().invoke(app, ["certify", "card.json", "data.csv"])


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("treated", ["TRUE", "true", "FALSE"] * 4),
        ("crp", ["<0.5", 12, 3, ">100", 40, 7] * 2),
        ("", [3, 1, 2] * 4),
        ('"a;b;c;d;e;f"', [3, 1, 2] * 4),
    ],
)
def test_truths_limits_and_odd_headers_are_certified(header, cells, tmp_path):
    _, done = certified_table(tmp_path, header, cells)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("texts", [("01", "1"), ("5'", "5")])
def test_texts_that_the_checker_takes_for_one_number_are_refused_before_a_proof_is_written(texts, tmp_path):
    asked = ("--category", "a", "--certificate", "proof.vipr.gz")
    made, done = certified_table(tmp_path, "a", [*texts, "x"] * 4, *asked, code=1)
    assert "of column 'a' otherwise than this program" in str(done.exception)
    assert f"no certificate was written: {done.exception}" in made.stderr
    assert not list(tmp_path.glob("*.vipr.gz"))


def test_a_refused_certificate_leaves_the_card_and_an_older_certificate_as_they_are(tmp_path, monkeypatch):
    def refuse(*_):
        raise VerificationError("no luck")

    (tmp_path / "data.csv").write_text(TABLE)
    asked = ["--target", "y", "--no-prepare", "--no-validate", "--C0", "0.2", "-q", "--out", "card.json"]
    with chdir(tmp_path):
        assert CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked]).exit_code == 0
        (tmp_path / "card.vipr.gz").write_text("older")
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        monkeypatch.setattr("supersparse.engine.certify.checking.check", refuse)
        done = CliRunner().invoke(app, ["certify", "card.json", "data.csv"])
        assert str(done.exception) == "no luck"
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        done = CliRunner().invoke(app, ["certify", "card.json", "data.csv", "--out", "data.csv"])
        assert "would overwrite an input" in str(done.exception)


def test_a_printed_card_with_other_points_than_the_learned_ones_is_refused(tmp_path):
    data, card, proof = written(tmp_path, X, Y, None, {"C0": 0.2})
    content = json.loads(card.read_text())
    content["learned"] = {"items": content["items"], "intercept": content["intercept"]}
    card.write_text(json.dumps(content))
    assert checker().check(data, card, proof).startswith("PROVEN")
    content["items"] = [{**item, "points": 3} for item in content["items"]]
    card.write_text(json.dumps(content))
    with pytest.raises(Exception, match="printed lines"):
        checker().check(data, card, proof)
