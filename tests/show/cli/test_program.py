"""`supersparse program`: a program out, a solution in."""

import json

import pytest

from engine.mip.program_readers import by_highs
from supersparse import ScoringSystem

ASKED = ["--target", "ill", "--C0", "0.2", "--max-points", "3", "--no-prepare"]


def test_a_solution_of_the_written_program_becomes_a_card(run, tiny, tmp_path):
    written = run("program", tiny, *ASKED, "--out", "slim.mps", "--json", check=True)
    assert json.loads(written.stdout) == {"saved": ["slim.mps"]}
    assert "Next: solve slim.mps" in written.stderr
    by_highs(tmp_path / "slim.mps", tmp_path / "slim.sol")
    read = run("program", tiny, *ASKED, "--solution", "slim.sol", "--out", "card.json", check=True)
    card = ScoringSystem.load(tmp_path / "card.json").card
    assert "Not proven" in read.stdout
    assert str(ScoringSystem(card)) in read.stdout
    document = json.loads(run("program", tiny, *ASKED, "--solution", "slim.sol", "--json", check=True).stdout)
    learned = run(
        "fit", tiny, "--goal", "errors", *ASKED, "--solver", "exhaustive", "--no-validate", "--json", check=True
    )
    best = json.loads(learned.stdout)["card"]["provenance"]
    assert document["objective"] == pytest.approx(float(best["objective"]))


def test_raw_columns_become_the_same_questions_again(run, tiny, tmp_path):
    asked = ["--target", "ill", "--C0", "0.1"]
    run("program", tiny, *asked, "--out", "slim.lp", check=True)
    assert "points of 'age >= " in (tmp_path / "slim.lp").read_text(encoding="ascii")
    by_highs(tmp_path / "slim.lp", tmp_path / "slim.sol")
    assert "Age" in run("program", tiny, *asked, "--solution", "slim.sol", check=True).stdout


def test_a_forged_solution_is_refused_in_one_line(run, tiny, tmp_path):
    (tmp_path / "forged.sol").write_text("lambda_1 1\nalpha_1 1\nz_4 0\n", encoding="utf-8")
    done = run("program", tiny, *ASKED, "--solution", "forged.sol")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("supersparse: forged.sol: the constraint 'loss_")
    assert "is called right" in last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --out slim.mps to write the program, or --solution FILE to read one"),
        (["--out", "slim.txt"], "give a file whose name ends in .mps or .lp"),
        (["--out", "tiny.csv"], "tiny.csv would overwrite an input"),
        (["--out", "slim.mps", "--formulation", "bigM"], "formulation is 'bigM'; did you mean 'bigm'"),
        (["--out", "slim.mps", "--goal", "risk"], "goal 'risk' minimises a log loss"),
        (["--solution", "tiny.csv", "--formulation", "bigm"], "a solution of either is read alike"),
        (["--solution", "tiny.csv"], "tiny.csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, tiny, arguments, message):
    done = run("program", tiny.name, *ASKED, *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr.strip().splitlines()[-1]
