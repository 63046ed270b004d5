"""The worked example of risk proofs, and all that must be refused about it."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from engine.certify import risk_examples as example
from engine.certify.certificates import CHECKER, checker
from engine.certify.risk_tampering import says as tampered_says

CHECK = checker()
A = {"x1": (0, 0, 1), "x2": (0, 1)}
OBJECTIVE = Fraction("0.608180352274")
SET = example.leaf(["7/40", "3/8", "5/8"], [[0, 3], [1, 4], [2, 5]])


def says(folder, tree, *, top=1, card=None, price="1/100", **changes):
    """What the checker says of card A and a tree."""
    questions = [example.question("x1", 3, top, price=price), example.question("x2", 2, top, price=price)]
    labels = {"unit": 20, "blend": 1, "values": [int(p * 20) for p in example.LABELS]}
    card = card or example.card(A, 1.311380, -1.605379, OBJECTIVE, 6, 0, 2)
    claim = example.claim(questions, labels, tree, **changes)
    files = example.write(folder, example.ROWS, [0, 0, 0, 0, 0, 1], card, claim)
    try:
        return CHECK.check(*files)
    except CHECK.Refused as error:
        return f"refused: {error}"


def replaced(at, *nodes, until=None):
    tree = example.tree()
    tree[at : at + 1 if until is None else until] = nodes
    return tree


def test_the_example_is_proven(tmp_path):
    assert says(tmp_path, example.tree()).startswith(
        "PROVEN: no allowed card has an objective below 0.608180352274, the card"
    )


REFUSED = {
    "coarse theta of card A": (
        replaced(3, example.leaf(["0.16725", "0.427", "0.7345"], [[0, 1], [2, 3, 4], [5]], "t")), "(3)"
    ),
    "the set of question 1 is not closed without a split": (replaced(5, SET, until=8), "(3)"),
    "theta = p for both questions": (replaced(2, ["l", 1, 1, [0] * 6], until=5), "(3)"),
    "the third leaf for all its points": (
        replaced(5, example.leaf(["11/40", "11/40", "5/8"], [[0, 3], [1, 4], [2, 5]]), until=8), "(2)"
    ),
    "two nodes that ask for more": (
        replaced(2, ["x"], ["l", 1, 1, [0] * 6], ["l", 1, 1, [0] * 6], until=5), "(3)"
    ),
    "theta in 2^-20": (
        replaced(9, ["l", 1, 2**20, [round(Fraction(17, 60) * 2**20) * 60 - 17 * 2**20, 0]]), "(1)"
    ),
    "one more, counted again after it came": (
        [["x"], example.EMPTY, ["q", 0], ["q", 1], *example.tree()[2:5], SET, ["q", 1], example.SECOND, ["e"]], "(3)"
    ),
    **{f"node {k} is missing": (replaced(k, until=k + 1), "") for k in range(11)},
    **{f"node {k} is said to be empty": (replaced(k, ["e"]), "") for k in (3, 4, 6, 7, 9, 10)},
    "a node too many": ([*example.tree(), ["e"]], "left over"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_example_does_not_prove_is_refused(name, tmp_path):
    tree, why = REFUSED[name]
    answer = says(tmp_path, tree)
    assert answer.startswith("refused: ")
    assert why in answer


def test_one_more_counts_at_the_node_that_says_so(tmp_path):
    both = example.tree()[2:5]
    tree = [["x"], example.EMPTY, ["q", 0], ["q", 1], *both, *example.tree()[5:8], ["q", 1], example.SECOND, ["e"]]
    assert says(tmp_path, tree).startswith("PROVEN")


def test_at_least_the_bound_is_enough(tmp_path):
    # with points to 2, θ = p closes both questions with equality: slope ln 3, offset -ln 9
    card = example.card({"x1": (0, 1, 2), "x2": (0, 1)}, 1.0986122886681098, -2.1972245773362196, "0.586397128061",
                        6, 2, 2)  # fmt: skip
    tree = [["q", 0], ["q", 1], ["l", 1, 1, [0] * 6], ["r", 0, 1, 0], *[["l", 1, 1, [0] * 3]] * 2, ["q", 1],
            example.SECOND, example.EMPTY]  # fmt: skip
    assert says(tmp_path, tree, top=2, card=card).startswith("PROVEN")


@pytest.mark.parametrize(("slope", "offset", "proven"), [(60.0, -30.0, True), (10.0, -5.0, False)])
def test_hard_labels_need_a_slope_that_reaches_the_bound(slope, offset, proven, tmp_path):
    # two rows that one question separates: no card is below its price, which a card with slope 10 misses
    tree = [["q", 0], ["l", 1, 1, [0, 0]], ["l", 1, 2, [0]]]
    claim = example.claim([example.question("x", 2, 1)], None, tree)
    loss = 2 * Fraction("0.0067153485")
    card = example.card({"x": (0, 1)}, slope, offset, Fraction(1, 100) + (0 if proven else loss / 2), 2, 0, 1)
    files = example.write(tmp_path, [(0,), (1,)], [0, 1], card, claim)
    if proven:
        assert CHECK.check(*files).startswith("PROVEN")
    else:
        with pytest.raises(CHECK.Refused, match=r"\(3\)"):
            CHECK.check(*files)


def test_a_question_that_may_still_come_counts_in_what_residuals_favour(tmp_path):
    # mass moved from (0,1) to (0,0) favours points for question 2, which is open: one question may come
    tree = [["l", 1, 1, [1, 0, 0, -1, 0, 0]]]
    card = example.card({"x1": (0, 0, 1)}, 1.4802, -0.9694, "0.622633598", 6, 1, 1)
    assert "(2)" in says(tmp_path, tree, card=card, max_questions=1)


def test_a_leaf_costs_no_more_than_its_smallest_card(tmp_path):
    # at a price of 0.052 question 1 alone has 0.6646, so the empty card (0.6695) is not best; two cost 0.6704
    tree = [["x"], example.EMPTY, ["l", 1, 1, [0] * 6]]
    card = example.card({}, 0.0, -0.4403124, "0.669487772", 6, 1, 1)
    assert "(3)" in says(tmp_path, tree, card=card, price="0.052")
    assert says(tmp_path, tree, card=card, price="0.11").startswith("PROVEN")


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ([["q", 0], ["q", 0], ["e"], ["e"], ["e"]], "a node is unknown"),  # asked already
        ([["p", 0], ["e"], ["e"]], "a node is unknown"),  # two may still come: a card of both is in neither part
        ([["l", 1, 1, [-1000, 0, 0, 0, 0, 1000]]], "not between 0 and 1"),
        ([["l", 1, 1, [0.0, 0, 0, 0, 0, 0]]], "(1)"),
        ([["l", 1.0, 1, [0] * 6]], "(1)"),
        ([["l", 1, 1, [True, 0, 0, 0, 0, -1]]], "(1)"),
        ([["d", 0], ["e"], ["e"]], "a node is unknown"),  # question 1 is not asked
    ],
)
def test_nodes_that_lose_cards_or_are_no_numbers_are_refused(tree, why, tmp_path):
    assert why in says(tmp_path, tree)


def test_a_falling_risk_is_no_card_of_the_set(tmp_path):
    card = example.card({}, -1.0, -0.4403124, "0.669487772", 6, 1, 1)
    assert "none of those" in says(tmp_path, example.tree(), card=card)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": True}, {"version": 1.0}, {"version": "1"}, {"extra": 1}, {"min_questions": False},
        {"min_questions": -1}, {"max_questions": 2.0}, {"max_questions": 1}, {"change_price": "nan"},
        {"change_price": "1e999999999"}, {"change_price": "-1/100"}, {"change_price": float("nan")},
        {"class_weights": [1, 1.0]}, {"class_weights": ["0", 1]}, {"class_weights": [1]}, {"risk_threshold": "1"},
        {"risk_threshold": 0}, {"risk_threshold": "inf"}, {"limits": [[[1], 1]]}, {"limits": [[[1, 1], 0]]},
        {"limits": [[[True, 1], 2]]}, {"alike": [[2]]}, {"alike": [[-1]]}, {"alike": [0]}, {"questions": []},
        {"missing": ["1"]}, {"complete": ["none"]}, {"target": "x1"}, {"weights": "y"}, {"positive": "2"},
        {"table": "0" * 64}, {"encoding": "none"}, {"separator": 1}, {"columns": {"x1": {"decimal": True}}},
        {"columns": {"x1": {"spellings": {"1": "2"}}}},
    ],
    ids=lambda changes: "-".join(f"{key} {value}" for key, value in changes.items())[:40],
)  # fmt: skip
def test_a_claim_that_is_bent_is_refused(changes, tmp_path):
    assert says(tmp_path, example.tree()).startswith("PROVEN")
    claim = json.loads((tmp_path / "proof.json").read_text()) | changes
    (tmp_path / "proof.json").write_text(json.dumps(claim))
    assert not tampered_says(*(tmp_path / name for name in ("table.csv", "card.json", "proof.json")))


HEAD = '{"format"'
BENT = {
    "a key stands twice": lambda text: text.replace(HEAD, '{"change_price": 1, "format"', 1),
    "NaN": lambda text: text.replace('"change_price": 0', '"change_price": NaN', 1),
    "a digit of another script": lambda text: text.replace('"min_questions": 0', '"min_questions": \u0660', 1),
    "a number of many digits": lambda text: text.replace('"min_questions": 0', '"min_questions": ' + "0" * 5000, 1),
    "too deep": lambda text: text.replace('"tree": [', '"tree": [' + "[" * 100_000, 1),
    "something behind": lambda text: text + "{}",
    "cut short": lambda text: text[:-1],
    "no JSON": lambda text: "{" + text,
}


@pytest.mark.parametrize("how", BENT)
def test_a_file_that_is_bent_is_no_proof(how, tmp_path):
    assert says(tmp_path, example.tree()).startswith("PROVEN")
    files = [tmp_path / name for name in ("table.csv", "card.json", "proof.json")]
    whole = files[2].read_text()
    bent = BENT[how](whole)
    assert bent != whole
    files[2].write_text(bent)
    done = subprocess.run([sys.executable, "-I", "-S", CHECKER, *files], capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("NOT PROVEN")) == (1, True)
