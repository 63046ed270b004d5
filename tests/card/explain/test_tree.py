"""The decision tree: it gives the card's classes, no tree is smaller, and its faces say the same."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import HOSTILE
from counts import examples
from reading_faces import label, people_for, unescaped
from supersparse import Problem, ScoringSystem, item, solve
from supersparse.card.explain import tree as finding
from supersparse.card.explain import tree as smallest
from supersparse.card.explain.tree import Smallest, state_of
from supersparse.card.rules import Domain, IsMissing
from supersparse.errors import InvalidCardError, InvalidDataError, InvalidOptionError
from supersparse.table.plain import width
from supersparse.table.values import is_missing


def mammography():
    return ScoringSystem.of(
        [
            item("OvalShape", equals=True, points=-2, question="Is the shape oval?"),
            item("CircumscribedMargin", equals=True, points=-2, question="Is the margin circumscribed?"),
        ],
        above=-1,
        classes=("benign", "malignant"),
        title="mammography",
    )


def test_the_papers_figure():
    assert str(mammography().tree()).split("\n")[-5:] == [
        "Is the shape oval?",
        "├── yes: benign",
        "└── no: Is the margin circumscribed?",
        "    ├── yes: benign",
        "    └── no: malignant",
    ]


def read(lines, depth=0):
    """Read a printed tree back: a class, or (question, yes, no)."""
    head, *rest = lines
    if not rest:
        return label(head)
    yes = next(i for i, line in enumerate(rest) if line.startswith("├── yes: "))
    no = next(i for i, line in enumerate(rest) if line.startswith("└── no: "))
    assert yes == 0
    first = [rest[0].removeprefix("├── yes: "), *(line.removeprefix("│   ") for line in rest[1:no])]
    second = [rest[no].removeprefix("└── no: "), *(line.removeprefix("    ") for line in rest[no + 1 :])]
    return unescaped(head), read(first), read(second)


def printed(tree):
    blocks = tree.to_text(columns=100_000).split("\n\n")
    return read(blocks[1].split("\n"))


def followed(node, rules, person):
    while isinstance(node, tuple):
        rule = rules[node[0]]
        value = person[rule.column]
        missing = is_missing(value)
        yes = isinstance(rule, IsMissing) if missing else rule.of_one(value, "a value") == 1
        node = node[1] if yes else node[2]
    return node


COLUMNS = ["a", "b", *(name for name in HOSTILE if name)]


@st.composite
def systems(draw):
    """Cards of yes-or-no items, several on a column, with missing values and limits."""
    items, seen = [], set()
    for column in draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=5)):
        kind = draw(st.sampled_from(["true", "text", "from", "between", "missing"]))
        bound = draw(st.integers(0, 3))
        asked = {
            "true": {"equals": True},
            "text": {"equals": draw(st.sampled_from(["F", "M"]))},
            "from": {"at_least": bound},
            "between": {"above": bound, "at_most": bound + draw(st.integers(1, 2))},
            "missing": {"is_missing": True},
        }[kind]
        points = draw(st.integers(-3, 3).filter(bool)) / draw(st.sampled_from([1, 2]))
        extra = {} if kind == "missing" else {"missing": draw(st.sampled_from([0, 0, 1, -2]))}
        made = item(column, points=points, question=f"{len(items)} {column}?", **asked, **extra)
        if made.name not in seen:
            seen.add(made.name)
            items.append(made)
    numeric = {i.column for i in items if i.rule.kind == "range"}
    texts = {i.column for i in items if i.rule.kind == "category" and isinstance(i.rule.values[0], str)}
    items = [i for i in items if i.column not in numeric & texts]
    domains = {}
    for column in numeric - texts:
        if any(i.column == column for i in items) and draw(st.booleans()):
            low = draw(st.integers(0, 2))
            domains[column] = Domain(column=column, low=low, high=low + 1, whole=True, outside="refuse")
    return ScoringSystem.of(items, above=draw(st.integers(-3, 3)) / 2, domains=domains)


@settings(max_examples=examples(60))
@given(st.data())
def test_following_the_printed_tree_gives_the_class_of_the_card(data):
    system = data.draw(systems())
    tree = system.tree(max_leaves=10_000)
    assert tree.proven_smallest
    rules = {i.asks: i.rule for i in system.card.items}
    rules |= {f"{re.sub('_', ' ', c)} not known?".lower(): IsMissing(c) for c in system.card.columns}
    root = lowered(printed(tree), rules)
    for _ in range(5):
        person = data.draw(people_for(system.card))
        try:
            expected = system.predict(person)
        except InvalidDataError:
            continue
        assert followed(root, rules, person) == expected


def lowered(node, rules):
    """Questions made for missing values begin with a capital letter."""
    if not isinstance(node, tuple):
        return node
    text = node[0] if node[0] in rules else node[0].lower()
    return text, lowered(node[1], rules), lowered(node[2], rules)


def fewest_leaves(points, threshold):
    """By brute force over all trees: items are free, and asked in any order."""

    @cache
    def leaves(answers):
        open_ones = [i for i, a in enumerate(answers) if a is None]
        outcomes = set()
        for choice in product((0, 1), repeat=len(open_ones)):
            full = list(answers)
            for i, a in zip(open_ones, choice, strict=True):
                full[i] = a
            outcomes.add(sum(p * a for p, a in zip(points, full, strict=True)) > threshold)
        if len(outcomes) == 1:
            return 1
        return min(sum(leaves((*answers[:i], a, *answers[i + 1 :])) for a in (0, 1)) for i in open_ones)

    return leaves((None,) * len(points))


@settings(max_examples=examples(60))
@given(st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=5), st.integers(-8, 8), st.sampled_from([1, 3]))
def test_no_tree_is_smaller(points, threshold, unit):
    exact = [Fraction(p, unit) for p in points]
    system = ScoringSystem.of(
        [item(f"x{i}", equals=True, points=p) for i, p in enumerate(exact)], above=Fraction(threshold, unit)
    )
    tree = system.tree()
    assert tree.leaves == fewest_leaves(tuple(points), threshold)
    assert str(tree).count("yes: ") == tree.leaves - 1


@settings(max_examples=examples(60))
@given(st.lists(st.integers(-60, 60).filter(bool), min_size=1, max_size=6), st.integers(-80, 80), st.booleans())
def test_the_largest_points_first_give_a_smallest_tree(points, threshold, search):
    cases = [(((False,), 0), ((True,), p)) for p in points]
    with pytest.MonkeyPatch.context() as patch:
        if not search:
            patch.setattr(finding, "_MOST_STATES", 0)
        system = ScoringSystem.of([item(f"x{i}", equals=True, points=p) for i, p in enumerate(points)], above=threshold)
        tree = system.tree(max_leaves=10_000)
    least = sum(p for p in points if p < 0)
    assert tree.proven_smallest
    assert tree.leaves == smallest.fewest_leaves(list(map(abs, points)), threshold - least)
    assert tree.leaves == Smallest(10**6).cost(state_of(cases, threshold))[0]


def test_twenty_items_with_different_points_have_a_smallest_tree(monkeypatch):
    monkeypatch.setattr(finding, "_MOST_STATES", 100)  # as many as one likes are too few here
    points = [97, 89, 83, 79, 73, 71, 67, 61, 59, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13]
    system = ScoringSystem.of(
        [item(f"x{i}", equals=True, points=p) for i, p in enumerate(points)], above=sum(points) - 45
    )
    tree = system.tree()
    # of the sets of items to lack, so many just change the class or just do not, by trying all
    assert (tree.leaves, tree.proven_smallest) == (54, True)
    with pytest.raises(InvalidOptionError, match=r"the smallest tree, with 54, has more"):
        system.tree(max_leaves=53)


def test_items_on_one_column_exclude_each_other():
    # who is between 65 and 75 is not asked whether 75 or older; this way asks least on average
    system = ScoringSystem.of(
        [
            item("age", at_least=75, points=2),
            item("age", at_least=65, below=75, points=1),
            item("f", equals=True, points=1),
        ],
        threshold=2,
    )
    assert printed(system.tree()) == (
        "Age 65 to under 75?", ("F?", "yes", "no"), ("Age 75 or older?", "yes", "no"),
    )  # fmt: skip


def test_a_missing_value_with_points_of_its_own_is_asked_for():
    system = ScoringSystem.of([item("x", at_least=3, points=1, missing=5)], above=2)
    assert printed(system.tree()) == ("X not known?", "yes", "no")
    assert "the answer is no, unless the question asks for that" in str(system.tree())


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
def test_a_learned_card_of_binary_columns_has_a_tree():
    problem = Problem.of(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], C0=0.01, max_points=2, feature_names=["oval", "margin"]
    )
    tree = ScoringSystem.from_solution(solve(problem, "exhaustive")).tree()
    assert printed(tree) == ("Oval?", ("Margin?", "yes", "no"), "no")


def test_two_known_numbers_are_asked_for_by_the_greater():
    system = ScoringSystem.of([item("dose", points=1)], above=3, domains={"dose": [2, 5]})
    assert printed(system.tree()) == ("Dose: 5?", "yes", "no")


def test_nothing_to_ask():
    tree = ScoringSystem.of([item("x", equals=True, points=1)], above=5).tree()
    assert (printed(tree), tree.leaves) == ("no", 1)
    assert "no" in tree.to_svg()


def test_what_is_no_tree_is_refused():
    with pytest.raises(InvalidCardError, match=r"'age' multiplies a value.*domains=\{'age': \[0, 1\]\}"):
        ScoringSystem.of([item("age", points=1)], above=0).tree()
    many = ScoringSystem.of([item(f"x{i}", equals=True, points=1) for i in range(12)], threshold=6)
    with pytest.raises(InvalidOptionError, match=r"with 1716, has more leaves than max_leaves=64"):
        many.tree()


@given(systems(), st.integers(40, 100))
@settings(max_examples=examples(30))
def test_lines_fit_and_the_picture_shows_every_node(system, columns):
    tree = system.tree(max_leaves=10_000)
    for line in tree.to_text(columns=columns).split("\n"):
        depth = (len(line) - len(line.lstrip("│├└─ "))) // 4
        assert width(line) <= columns or depth > 3
        assert all(c.isprintable() or c in "\u2068\u2069\u200c\u200d" for c in line)
    picture = ET.fromstring(tree.to_svg().encode())
    texts = [e.text for e in picture if e.tag.endswith("}text")]
    assert texts.count("yes") >= tree.leaves - 1
    assert len([e for e in picture if e.get("rx")]) == tree.leaves
    boxes = [e for e in picture if e.tag.endswith("}rect") and e.get("x")]
    places = [(float(e.get("x")), float(e.get("y")), float(e.get("height"))) for e in boxes]
    for i, (x, y, high) in enumerate(places):
        assert all(abs(x - u) > 110 or y > v + h or v > y + high for u, v, h in places[:i])
