"""The question at the top of a proof: all that has a meaning is printed by the checker, or refused."""

import copy
import gzip
import json
import os
import subprocess
import sys
from fractions import Fraction

import pytest

from engine.certify.certificates import CHECKER, checker, written
from supersparse import constraints

SHARED = {
    "target": "sick",
    "positive": "yes",
    "weights": "count",
    "table": None,
    "missing": ["NA", "?"],
    "separator": ";",
    "encoding": "utf-8-sig",
    "columns": {"sex": {"spellings": {"m": "M"}, "missing": ["-99"]}, "dose": {"decimal": ","}},
    "complete": ["age", "dose"],
    "class_weights": ["1", "2/3"],
    "unit": 2,
    "limits": [[["1", "1", "1", "1", "1", "1"], "3"], [["-1", "0", "-1", "0", "0", "0"], "-1"]],
    "same_sign": [[0, 1], [2, 4]],
}
POINTS = {"interval": [-4, 4], "zero": True, "penalty": "1/100"}
LEVELS = {"set": [-3, 0, 1, 5], "penalties": ["1/20", "0", "1/50", "1/10"]}
FEATURES = [
    {"name": "age", "rule": "value", "column": "age", **POINTS},
    {"name": "dose", "rule": "range", "column": "dose", "above": "5/2", "at_most": 9, "if_missing": "1", **POINTS},
    {"name": "sex", "rule": "category", "column": "sex", "values": ["M", 3, True], **LEVELS},
    {"name": "sex 2", "rule": "other", "column": "sex", "values": [{"number": "1.5"}], **LEVELS},
    {"name": "gap", "rule": "missing", "column": "age", "interval": [-2, 4], "zero": False, "penalty": "0"},
]
INTERCEPTS = [
    {"intercept": "free", "range": None, "b": None},
    {"intercept": "range", "range": [-3, 8], "b": None},
    {"intercept": "paper", "range": None, "b": {"name": "b", **LEVELS}},
    {"intercept": "none", "range": None, "b": None},
]
MODULE = checker()
QUESTIONS = [SHARED | intercept | {"features": FEATURES} for intercept in INTERCEPTS]


def said_of(question):
    """The checker's words on a question; None where it is refused."""
    try:
        read = MODULE.read_question("% " + json.dumps(question))
        words = list(MODULE.in_words(read, read["target"] or "first"))
    except (MODULE.Refused, ValueError):
        return None
    assert all(line.isprintable() for line in words)
    return "\n".join(words)


def places(part, at=()):
    """The paths to all parts of a question, at every depth."""
    yield at
    if isinstance(part, dict | list):
        for key in part if isinstance(part, dict) else range(len(part)):
            yield from places(part[key], (*at, key))


def part_at(question, path):
    for key in path:
        question = question[key]
    return question


def changes_of(value):
    """Other values in the place of one, of the same kind and of others."""
    yield from (None, 7, "7", True, [], {}, ["7"], 1.5)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, -value, str(value))
    elif isinstance(value, str):
        yield from (value + "\u200b", value + " ", value.upper(), f"-{value}", f"1{value}")
    elif isinstance(value, list):
        yield from (value[:-1], [*value, *value[-1:]], value[::-1])
    elif isinstance(value, dict):
        yield value | {"extra": 1}
        yield from ({k: v for k, v in value.items() if k != gone} for gone in value)


NUMBERS = ("class_weights", "limits", "penalty", "penalties", "above", "at_most", "if_missing")


def mean_the_same(question, path, before, after):
    """Whether two values say the same in a place.

    Names say nothing, nor does the digest of the file, which is compared, nor how much b counts where it has
    no points. Numbers have many spellings.
    """
    of_b = path[0] == "limits" and path[2:] == (0, len(FEATURES))
    if path[-1] in ("name", "table") or (of_b and question["b"] is None):
        return True
    if isinstance(before, str | int) and any(word in path for word in NUMBERS):
        return Fraction(before) == Fraction(after)
    return json.dumps(before) == json.dumps(after)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["intercept"])
def test_every_part_of_a_question_is_printed_or_refused(question):
    honest = said_of(question)
    assert honest is not None
    assert said_of(question | {"extra": 1}) is None
    own = question.keys() if question == QUESTIONS[0] else {"intercept", "range", "b", "limits"}
    for path in [path for path in places(question) if path and path[0] in own]:
        before = part_at(question, path)
        for after in changes_of(before):
            forged = copy.deepcopy(question)
            part_at(forged, path[:-1])[path[-1]] = after
            assert said_of(forged) != honest or mean_the_same(question, path, before, after), (path, after)


def with_question(proof, change):
    """Change the question of a certificate in place."""
    lines = gzip.decompress(proof.read_bytes()).decode().split("\n")
    question = json.loads(lines[2].removeprefix("% "))
    change(question)
    lines[2] = f"% {json.dumps(question)}"
    proof.write_bytes(gzip.compress("\n".join(lines).encode(), 1))


def test_a_feature_is_printed_as_what_it_reads_whatever_its_name(tmp_path):
    """b tells the classes apart. The proof is of a table in which both columns are a; then b gets its own."""
    a, b = [0, 1, 0, 1], [0, 0, 1, 1]
    data, card, proof = written(tmp_path, [[x, x] for x in a], b, None, {"C0": 0.1, "max_points": 3})
    data.write_text("y,x0,x1\n" + "".join(f"{y},{x},{y}\n" for x, y in zip(a, b, strict=True)))
    with_question(proof, lambda question: question["features"][1].update(column="x0"))
    said = MODULE.check(data, card, proof)
    assert "'x1'" not in said
    assert said.count("'x0': -3 to 3, penalty 1/10 unless 0") == 2


def test_a_table_in_which_a_name_stands_for_two_columns_is_refused(tmp_path):
    data, card, proof = written(tmp_path, [[0], [1]] * 2, [0, 1] * 2, None, {"C0": 0.1, "max_points": 3})
    data.write_text("y,x0,x0\n0,1,0\n1,0,1\n0,1,0\n1,0,1\n")
    with pytest.raises(MODULE.Refused, match="two columns of the table have one name"):
        MODULE.check(data, card, proof)


def test_an_intercept_of_no_known_kind_is_refused(tmp_path):
    X, y = [[i] for i in range(6)], [0, 0, 0, 1, 1, 1]
    files = written(tmp_path, X, y, None, {"C0": 0.1, "max_points": 3, "intercept": "none"})
    assert "predicted positive: a total above 0" in MODULE.check(*files)
    with_question(files[2], lambda question: question.update(intercept="free\u200b"))
    with pytest.raises(MODULE.Refused, match=r"'intercept' of the question .* 'free\\u200b'"):
        MODULE.check(*files)


def test_a_feature_that_must_be_used_is_printed_as_such(tmp_path):
    X, y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]
    settings = {"C0": 0.1, "max_points": 3, "constraints": [constraints.must_use("x1")]}
    said = MODULE.check(*written(tmp_path, X, y, None, settings))
    assert "'x1': -3 to -1, 1 to 3 (0 is not allowed), penalty 1/10 unless 0" in said
    assert "'x0': -3 to 3, penalty" in said


def test_a_name_with_line_breaks_fakes_no_line(tmp_path):
    files = written(tmp_path, [[0], [1]] * 2, [0, 1] * 2, None, {"C0": 0.1, "max_points": 3})
    with_question(files[2], lambda question: question["missing"].append("x\n  'b': -3 to 3\x1b[2K"))
    call = [sys.executable, "-I", "-S", str(CHECKER), *map(str, files)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0
    assert r"\n  'b': -3 to 3\x1b[2K" in done.stdout
    assert all(line.isprintable() for line in done.stdout.splitlines())
    with_question(files[2], lambda question: question.update({"x\nPROVEN": 1}))
    done = subprocess.run(call, capture_output=True, text=True)
    assert [line[:12] for line in done.stdout.splitlines()] == ["NOT PROVEN: "]


def test_a_terminal_that_lacks_letters_sees_codes_and_the_proof_stands(tmp_path):
    files = written(tmp_path, [[0], [1]] * 2, ["größer", "kleiner"] * 2, None, {"C0": 0.1, "positive": "größer"})
    call = [sys.executable, "-S", str(CHECKER), *map(str, files)]
    done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.stdout.startswith("PROVEN")
    assert r"'gr\xf6\xdfer' in the column 'y'" in done.stdout


def test_each_set_of_points_needs_as_many_penalties():
    short = copy.deepcopy(QUESTIONS[0])
    short["features"][2]["penalties"].pop()
    assert said_of(short) is None
