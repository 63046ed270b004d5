"""The worked example of a risk card's proof: six rows, two questions, six cards; and its files."""

import csv
import json
from fractions import Fraction
from math import lcm

ROWS = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
LABELS = [Fraction(p) for p in ("1/10", "1/4", "1/2", "1/4", "1/2", "3/4")]


def rule(column, number):
    return {"rule": "category", "column": column, "values": [{"number": number}]}


def question(column, answers, top, **changes):
    return {
        "column": column,
        "answers": [rule(column, k) for k in range(answers)],
        "missing": None,
        "ordered": answers,
        "shape": "up",
        "equal_steps": False,
        "points": list(range(top + 1)),
        "price": "1/100",
    } | changes


def claim(questions, labels, tree, **changes):
    """A claim about rows with labels in twentieths, and its tree."""
    return {
        "format": "supersparse-risk-proof", "version": 1, "target": "y", "positive": "1", "weights": None,
        "table": None, "encoding": "utf-8", "separator": ",", "missing": [], "columns": {}, "complete": [],
        "class_weights": [1, 1], "risk_threshold": "1/2", "change_price": 0, "labels": labels, "questions": questions,
        "min_questions": 0, "max_questions": len(questions), "limits": [], "alike": [], "tree": tree,
    } | changes  # fmt: skip


def card(points, slope, offset, objective, n_rows, errors, threshold):
    """A card with points by column and answer."""
    items = [
        {**rule(column, k), "points": worth, "missing": "refuse"}
        for column, values in points.items()
        for k, worth in enumerate(values)
        if worth
    ]
    made = {"training_errors": errors, "n_rows": n_rows, "total_weight": n_rows, "size": len(points),
            "objective": str(objective), "lower_bound": str(objective)}  # fmt: skip
    return {
        "format": "supersparse-card", "version": 3, "classes": {"positive": 1, "negative": 0}, "items": items,
        "domains": [], "threshold": threshold, "intercept": str(Fraction(1, 2) - threshold), "provenance": made,
        "risk": {"kind": "logistic", "slope": slope, "offset": offset},
    }  # fmt: skip


def write(folder, rows, classes, card, claim):
    """Table, card and proof as files."""
    places = folder / "table.csv", folder / "card.json", folder / "proof.json"
    with places[0].open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(one["column"] for one in claim["questions"]), "y"])
        writer.writerows([*row, y] for row, y in zip(rows, classes, strict=True))
    places[1].write_text(json.dumps(card))
    places[2].write_text(json.dumps(claim))
    return places


def leaf(theta, groups, kind="l"):
    """A leaf with these θ for groups of rows, in order of their first."""
    t = [
        (Fraction(one) * len(group) - sum(LABELS[i] for i in group)) * 20
        for one, group in zip(theta, groups, strict=True)
    ]
    finer = lcm(*(x.denominator for x in t))
    return [kind, 1, finer, [int(x * finer) for x in t]]


CARD_A = leaf(["0.1672275", "0.42703", "0.734455"], [[0, 1], [2, 3, 4], [5]], "t")
FREE = leaf(["1/10", "3/8", "3/8", "1/4", "5/8", "5/8"], [[k] for k in range(6)])
LOW = leaf(["11/40", "5/8"], [[0, 1, 3, 4], [2, 5]], "t")
HIGH = leaf(["7/40", "1/2"], [[0, 3], [1, 2, 4, 5]], "t")
SECOND = leaf(["17/60", "1/2"], [[0, 1, 2], [3, 4, 5]])
EMPTY = leaf(["47/120"], [[0, 1, 2, 3, 4, 5]])


def tree():
    """The whole tree: six leaves."""
    return [
        ["q", 0], ["q", 1], ["r", 0, 1, 0], CARD_A, FREE, ["r", 0, 1, 0], LOW, HIGH, ["q", 1], SECOND, EMPTY
    ]  # fmt: skip
