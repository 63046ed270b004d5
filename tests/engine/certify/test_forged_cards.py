"""Cards whose printed lines, threshold or classes are not the proven ones: the checker refuses them."""

import copy
import json
import random
from contextlib import chdir
from dataclasses import replace
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from engine.certify.certificates import checker, written
from supersparse import ScoringSystem, item
from supersparse.card.card import Card
from supersparse.card.entries import Place
from supersparse.card.format import CARD, ITEM
from supersparse.card.printed import printed
from supersparse.card.scoring import score_person
from supersparse.errors import InvalidCardError, InvalidDataError
from supersparse.show.cli.app import app

MODULE = checker()


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """A table with numbers, categories and gaps; a prepared card of it, and its certificate."""
    folder = tmp_path_factory.mktemp("proven")
    rng = random.Random(4)
    lines = ["age,sex,lab,y"]
    for _ in range(40):
        age, sex, lab = rng.randint(20, 80), rng.choice("fm"), rng.choice(["0.5", "1.5", "2.5", "3.5", ""])
        ill = age / 20 + (sex == "m") * 1.2 + float(lab or 1) + rng.gauss(0, 0.8) > 5.3
        lines.append(f"{age},{sex},{lab},{'ill' if ill else 'well'}")
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    asked = ["--target", "y", "--goal", "errors", "--max-features", "3", "--max-points", "3", "--C0", "0.01"]
    made = ["--no-validate", "-q", "--out", "card.json", "--certificate", "proof.vipr.gz"]
    with chdir(folder):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked, *made], catch_exceptions=False)
    assert done.exit_code == 0
    card = json.loads((folder / "card.json").read_text())
    assert [one["column"] for one in card["items"]] == ["age", "sex", "lab"]
    assert [one["points"] for one in card["learned"]["items"]] != [one["points"] for one in card["items"]]
    return folder, card


def said_of(proven, tmp_path, change):
    """The checker's words on the card after a change of its content."""
    folder, card = proven
    card = copy.deepcopy(card)
    card.pop("digest")
    change(card)
    (tmp_path / "forged.json").write_text(json.dumps(card))
    return MODULE.check(folder / "data.csv", tmp_path / "forged.json", folder / "proof.vipr.gz")


def test_the_card_is_printed_line_by_line_and_the_last_line_says_what_was_not_checked(proven, tmp_path):
    lines = said_of(proven, tmp_path, lambda card: None).splitlines()
    start = lines.index("  the card as printed, without its own words:")
    items = proven[1]["items"]
    for shown, own in zip(lines[start + 1 :], items, strict=False):
        assert shown.startswith(f"    {own['points']} points if '{own['column']}'")
    assert lines[start + 1 + len(items)].startswith("    'ill' with a total of ")
    assert lines[start + 1 + len(items)].endswith(" or more, else 'well'")
    assert lines[-1] == "  not checked: texts, risks, rates and counts on the card, and how it reads other tables"


def test_words_that_only_say_it_otherwise_are_left_to_the_reader(proven, tmp_path):
    def reword(card):
        card["title"], card["items"][0]["question"] = "anything", "Old?"
        card["wording"] = {"classes": {"positive": "has it"}, "columns": []}

    assert said_of(proven, tmp_path, reword).startswith("PROVEN")


def line(column="age", **more):
    return {"rule": "range", "column": column, "points": 100, "missing": "refuse", **more}


def add(**more):
    return lambda card: card["items"].append(line(**more))


def set_item(k, **more):
    return lambda card: card["items"][k].update(more)


def set_top(**more):
    return lambda card: card.update(more)


def set_classes(**more):
    return lambda card: card["classes"].update(more)


def reworded(**more):
    return lambda card: card.update(wording={"classes": more})


def both(*changes):
    def change(card):
        for one in changes:
            one(card)

    return change


def learned(change):
    return lambda card: change(card["learned"])


def on_all(**more):
    return lambda card: [one.update(more) for one in card["items"]]


def limited(column, **more):
    def change(card):
        card["domains"] = [one for one in card["domains"] if one["column"] != column]
        card["domains"].append({"column": column, "outside": "refuse"} | more)

    return change


FORGED = {
    "a line that no row of the table answers with yes": (add(at_least=81), "lines on 'age'"),
    "a line from below": (add(below=20), "lines on 'age'"),
    "two lines that cancel out where the table has rows": (
        both(add(at_least=0, points=7), add(above=0, points=-7)),
        "lines on 'age'",
    ),
    "two lines that cancel out": (both(add(at_least=1, points=7), add(at_least=1, points=-7)), "ask the same"),
    "one answer spelled twice": (both(add(at_least=81), add(at_least="81", points=-100)), "lines on 'age'"),
    "a line on a column that is not on the card": (add(column="y", above=5), "lines on 'y'"),
    "a line on no column of the table": (add(column="none", above=5), "none"),
    "a category that the table lacks": (add(column="sex", rule="category", values=["x"]), "lines on 'sex'"),
    "a line for a gap": (add(column="sex", rule="missing"), "lines on 'sex'"),
    "a line for a gap that the table has none of": (add(rule="missing"), "lines on 'age'"),
    "points multiplied by the value": (add(rule="value", points=1), "lines on 'age'"),
    "points for a gap on a printed line": (set_item(0, missing=50), "lines on 'age'"),
    "points for a gap on printed and learned lines": (
        both(set_item(0, missing=50), learned(set_item(0, missing=50))),
        "for a gap in 'age'",
    ),
    "a learned line of 0 points": (learned(add(at_least=81, points=0)), "gives 0 points"),
    "a printed line of 0 points": (add(at_least=81, points=0), "gives 0 points"),
    "another end": (set_item(0, at_least=80), "lines on 'age'"),
    "both ends included": (set_item(0, at_most=80), "lines on 'age'"),
    "other points": (set_item(0, points=17), "lines on 'age'"),
    "points as true": (set_item(0, points=True), "as this program knows it"),
    "a key that this program does not read": (set_item(0, or_more=3), "as this program knows it"),
    "another threshold that parts the rows alike": (
        lambda card: card.update(intercept=str(Fraction(card["intercept"]) + Fraction(1, 100))),
        "threshold must be",
    ),
    "another printed threshold": (lambda card: card.update(threshold=card["threshold"] + 1), "threshold must be"),
    "a threshold that must be exceeded": (
        lambda card: card.update(threshold={"above": card["threshold"]}),
        "threshold must be",
    ),
    "all points and the threshold moved along": (
        both(add(rule="other", values=[], points=1), lambda card: card.update(threshold=99, intercept=-99)),
        "lines on 'age'",
    ),
    "the negative class renamed": (set_classes(negative="dead"), "another negative class"),
    "the positive class renamed": (set_classes(positive="dead"), "another positive class"),
    "classes swapped": (set_classes(negative="ill", positive="well"), "another positive class"),
    "one name for both classes": (set_classes(negative="ill"), "another negative class"),
    "a class that is no label": (set_classes(positive={"number": "1"}), "is no label"),
    "words that swap the classes": (reworded(positive="well", negative="ill"), "one for the other"),
    "a word that is the other class": (reworded(positive="well"), "one for the other"),
    "one word for both classes": (reworded(positive="so", negative="so"), "one for the other"),
    "rows of the table that the card refuses": (limited("sex", values=["f"]), "refuses values of 'sex'"),
    "categories of the table that are unknown to the card": (
        limited("sex", values=["f"], outside="near"),
        "refuses values of 'sex'",
    ),
    "rows of the table that are far from the range of the card": (
        limited("age", low=70, high=71, whole=True, outside="near"),
        "refuses values of 'age'",
    ),
    "two domains of one column": (
        lambda card: card["domains"].append(card["domains"][0]),
        "what the columns of the card may hold",
    ),
    "a domain of another kind": (limited("sex", anything=1), "what the columns of the card may hold"),
    "another version of the format": (set_top(version=1), "unknown format"),
    "another format": (set_top(format="card"), "unknown format"),
    "a learned line with another end": (learned(set_item(0, at_least=20)), "lines on 'age'"),
    "printed and learned lines with another end": (
        both(learned(set_item(0, at_least=20)), lambda card: card.update(card["learned"])),
        "other points than",
    ),
    "no learned model, so that the printed lines are the learned ones": (
        lambda card: card.pop("learned"),
        "other points than",
    ),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_card_is_refused(kind, proven, tmp_path):
    change, why = FORGED[kind]
    with pytest.raises((MODULE.Refused, KeyError), match=why):
        said_of(proven, tmp_path, change)


def test_a_key_that_stands_twice_is_refused(proven, tmp_path):
    folder, card = proven
    text = json.dumps({key: value for key, value in card.items() if key != "digest"})
    (tmp_path / "forged.json").write_text(text.replace('"threshold"', '"threshold": 99, "threshold"'))
    with pytest.raises(MODULE.Refused, match="a key stands twice"):
        MODULE.check(folder / "data.csv", tmp_path / "forged.json", folder / "proof.vipr.gz")


ENDS = [1, 2, 3.5]
NAMES = ["F", "M", 7, True]


def random_card(rng):
    """A learned card over columns of numbers, of categories, and of 0 and 1, and its printed form."""
    items, domains = {}, {}
    for column in "abc"[: rng.randint(1, 3)]:
        kind = rng.choice(["ranges", "ranges", "categories", "question", "times"])
        missing = rng.choice(["refuse", "refuse", 0, 1, -2])
        asks_gap = missing != "refuse" and rng.random() < 0.5
        for _ in range(rng.randint(1, 3) if kind in ("ranges", "categories") else 1):
            if kind == "ranges":
                low, high = sorted(rng.sample(range(3), 2))
                test = rng.choice([{"at_least": ENDS[low]}, {"below": ENDS[low]}, {"above": ENDS[low]},
                                   {"above": ENDS[low], "at_most": ENDS[high]}])  # fmt: skip
            elif kind == "categories":
                test = {"one_of": rng.sample(NAMES, rng.randint(1, 2))}
            else:
                test = {}
            points = rng.choice([-3, -1, 1, 2, 0.5])
            made = item(column, points=points, missing=missing, **test)
            items[made.name] = made
        if asks_gap:
            made = item(column, points=rng.choice([-2, 3]), is_missing=True)
            items[made.name] = made
        if kind == "question":
            domains[column] = [0, 1]
        if kind == "categories" and rng.random() < 0.5:
            domains[column] = NAMES
    outside = "refuse" if "question" in domains or rng.random() < 0.5 else "accept"
    threshold = rng.randint(-3, 3)
    card = ScoringSystem.of(items.values(), above=threshold, domains=domains, outside=outside).card
    return printed(replace(card, learned=None))


def forged(rng, content):
    """The content of a card with one to three changes of its printed lines."""
    content = copy.deepcopy(content)
    items = content["items"]
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["points", "end", "missing", "drop", "add", "copy", "threshold", "values"])
        one = rng.choice(items) if items else None
        if kind == "threshold" or one is None:
            intercept = Fraction(content["intercept"]) + rng.choice([-1, 1, Fraction(1, 2)])
            content["intercept"] = str(intercept)
        elif kind == "points":
            one["points"] = rng.choice([1, 2, 3, "0.5", -1])
        elif kind == "end" and one["rule"] == "range":
            name = rng.choice(["at_least", "above", "at_most", "below"])
            one[name] = rng.choice([1, 2, "3.5", 9])
        elif kind == "missing" and one["rule"] != "missing":
            one["missing"] = rng.choice([0, 1, "refuse"])
        elif kind == "drop":
            items.remove(one)
        elif kind == "values" and "values" in one:
            one["values"] = rng.sample(NAMES, rng.randint(1, 3))
        elif kind in ("add", "copy"):
            extra = copy.deepcopy(one)
            if kind == "add":
                extra = {"rule": "range", "column": one["column"], rng.choice(["at_least", "below"]): 9}
                extra |= {"points": 1, "missing": one.get("missing", 0)}
            items.append(extra)
    return content


PEOPLE = [None, 0, 1, 2, 7, 9, Fraction(7, 2), 1.5, 2.5, 3, 5, 8, -4, 40, "F", "M", "other"]


def scores(card, column, others):
    """The score of each person who differs in one column; "refused" where the card refuses it."""
    found = []
    for value in PEOPLE:
        try:
            found.append(score_person(card, {**others, column: value}))
        except InvalidDataError:
            found.append("refused")
    return found


def accepts(content):
    try:
        MODULE.check_lines(content, content["learned"], [])
    except (MODULE.Refused, ValueError, KeyError):
        return False
    return True


@pytest.mark.parametrize("seed", range(24))
def test_printed_cards_are_accepted_and_changed_ones_only_where_they_score_everybody_alike(seed):
    rng = random.Random(seed)
    card = random_card(rng)
    content = {"intercept": str(card.intercept), **json.loads(json.dumps(CARD.write(card)))}
    assert accepts(content)
    domains = {one.column: one for one in card.domains}
    others = {c: (1 if domains.get(c) is None or domains[c].values is None else domains[c].values[-1]) for c in "abc"}
    for _ in range(30):
        changed = forged(rng, content)
        if not accepts(changed):
            continue
        try:
            read = Card(
                items=tuple(ITEM.read_at(one, Place("an item", 2)) for one in changed["items"]),
                intercept=Fraction(changed["intercept"]),
                negative=0,
                positive=1,
                domains=tuple(d for d in card.domains if any(i["column"] == d.column for i in changed["items"])),
            )
        except InvalidCardError:
            continue  # nobody can use it
        for column in "abc":
            mine, theirs = scores(read, column, others), scores(card, column, others)
            assert all(a == b for a, b in zip(mine, theirs, strict=True) if b != "refused"), changed


def three_classes(folder):
    rng = random.Random(2)
    ages = [rng.randint(20, 80) for _ in range(24)]
    stages = ["III" if age > 60 else rng.choice(["I", "II"]) for age in ages]
    lines = [f"{stage},{age}" for stage, age in zip(stages, ages, strict=True)]
    (folder / "data.csv").write_text("\n".join(["y,age", *lines]) + "\n")


def test_one_class_against_all_others_is_proven(tmp_path):
    three_classes(tmp_path)
    asked = ["--target", "y", "--positive", "III", "--goal", "errors", "--max-points", "2", "--C0", "0.05"]
    made = ["--no-validate", "-q", "--out", "card.json", "--certificate", "proof.vipr.gz"]
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fit", "data.csv", "--goal", "errors", *asked, *made], catch_exceptions=False)
    assert done.exit_code == 0
    files = tmp_path / "data.csv", tmp_path / "card.json", tmp_path / "proof.vipr.gz"
    assert "'III' with a total of " in MODULE.check(*files)
    card = json.loads(files[1].read_text())
    assert card["classes"]["negative"] == "not III"
    for other in ("I", "not I", "III", "not not III"):
        card["classes"]["negative"] = other
        files[1].write_text(json.dumps(card))
        with pytest.raises(MODULE.Refused, match="another negative class"):
            MODULE.check(*files)


@pytest.mark.parametrize("domain", [{"low": 1, "high": 3, "whole": True}, {"values": [1, 2]}])
def test_totals_are_not_whole_because_the_card_says_so(tmp_path, domain):
    X = [[1.2], [1.4], [1.6], [1.8], [2.2], [1.3]]
    files = written(tmp_path, X, [0, 0, 1, 1, 1, 0], None, {"C0": 0.1, "max_points": 3})
    card = json.loads(files[1].read_text())
    assert "with a total of 3/2 or more" in MODULE.check(*files)
    card["domains"] = [{"column": "x0", "outside": "accept", **domain}]
    card["threshold"] = 2  # of 1.6 and 1.8, which are positive, the printed card would say negative
    files[1].write_text(json.dumps(card))
    with pytest.raises(MODULE.Refused, match="printed threshold must be 3/2 by the card's intercept"):
        MODULE.check(*files)
