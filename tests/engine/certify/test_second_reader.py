"""A second reader of risk proofs, in JavaScript, written from the page: it must agree with the checker on all files."""

import json
import random
import re
import subprocess
from pathlib import Path

import pytest

from engine.certify import risk_examples as example
from engine.certify.risk_tampering import CHECK, other
from engine.certify.test_risk_example import REFUSED
from engine.certify.test_risk_proofs import table
from programs import command, needs
from supersparse import constraints

READER = Path(__file__).with_name("risk_reader.js")
KINDS = [
    {"shape": "free", "sample_weight": [1 + k % 3 for k in range(80)]},
    {"equal_steps": True, "max_points": 6},
    {"points": [0, 1, 3], "class_weight": "balanced", "change_price": 0.001},
    {"min_questions": 2, "constraints": [constraints.must_use("x2"), constraints.at_most(1, of=["x0", "x1"])]},
    {"not_known": ["x0"], "C0": 0.001},
]

pytestmark = needs("node")


def checker_says(files):
    """PROVEN with the objective and the leaves, as the reader prints them; NOT PROVEN without the reason."""
    try:
        answer = CHECK.check(*files)
    except Exception:
        return "NOT PROVEN"
    objective, leaves = re.search(r"below (\S+),", answer)[1], re.search(r"(\d+) leaves checked", answer)[1]
    return f"PROVEN {objective} {leaves}"


def reader_says(cases):
    """What the reader says of each three files."""
    files = [str(file) for case in cases for file in case]
    done = subprocess.run([command("node"), READER, *files], capture_output=True, text=True, timeout=300, check=True)
    return [line.partition(":")[0] for line in done.stdout.splitlines()]


def agreed(cases):
    """Both say the same of each case; return how many were proven."""
    ours = [checker_says(case) for case in cases]
    assert reader_says(cases) == ours
    return sum(answer.startswith("PROVEN") for answer in ours)


@pytest.mark.parametrize("settings", KINDS, ids=["weights", "steps", "prices", "limits", "gaps"])
def test_both_readers_prove_the_same(settings, tmp_path):
    assert agreed([table(tmp_path, **settings)]) == 1


def test_both_readers_refuse_what_the_example_does_not_prove(tmp_path):
    labels = {"unit": 20, "blend": 1, "values": [int(p * 20) for p in example.LABELS]}
    questions = [example.question("x1", 3, 1), example.question("x2", 2, 1)]
    points = {"x1": (0, 0, 1), "x2": (0, 1)}
    card = example.card(points, 1.311380, -1.605379, "0.608180352274", 6, 0, 2)
    cases = []
    for k, tree in enumerate([example.tree(), *(tree for tree, _ in REFUSED.values())]):
        (folder := tmp_path / str(k)).mkdir()
        claim = example.claim(questions, labels, tree)
        cases.append(example.write(folder, example.ROWS, [0, 0, 0, 0, 0, 1], card, claim))
    assert agreed(cases) == 1


def changed(folder, seed, trials):
    """Files with one number changed, in a digit or in its type; each in a folder of its own."""
    draw, cases = random.Random(seed), []
    texts = [file.read_text() for file in table(folder, seed)]
    unnamed = json.loads(texts[1])
    del unnamed["provenance"]["certificate"]
    tree = texts[2].index('"tree"')
    for k in range(trials):
        (place := folder / str(k)).mkdir()
        now, which = [texts[0], json.dumps(unnamed), texts[2]], draw.choice([0, 1, 1, 2, 2, 2])
        ends = draw.choice([(0, tree), (tree, len(texts[2]))]) if which == 2 else (0, len(now[which]))
        now[which] = other(draw, now[which], *ends)
        files = [place / name for name in ("table.csv", "card.json", "proof.json")]
        for file, text in zip(files, now, strict=True):
            file.write_text(text)
        cases.append(files)
    return cases


def test_both_readers_say_the_same_of_changed_files(tmp_path):
    assert 0 < agreed(changed(tmp_path, 1, 80)) < 80


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_both_readers_say_the_same_of_many_changed_files(seed, tmp_path):
    assert 0 < agreed(changed(tmp_path, seed, 600)) < 600


def test_the_second_reader_is_short():
    assert len(READER.read_text(encoding="utf-8").splitlines()) <= 500
