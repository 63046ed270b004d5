"""Small random problems of questions as claims of risk proofs, with every card of each.

``python tests/engine/certify/risk_problems.py COUNT SEED`` proves so many, bends the proofs of claims that are
false, and counts what the checker says.
"""

from __future__ import annotations

import collections
import copy
import json
import random
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from engine.certify.certificates import checker
from engine.questions import brute_force
from engine.questions.random_problems import random_problem
from supersparse.base.errors import VerificationError
from supersparse.engine.certify.risk_claim import AnswerRules
from supersparse.engine.certify.risk_proof import RiskTree
from supersparse.engine.certify.risk_sets import Sets, logistic, softplus

CHECK = checker()
UNIT = 2**20


@dataclass
class Small:
    """A claim about a few rows, and its cards from the best on: (objective, points, slope, offset)."""

    claim: dict[str, Any]
    answers: list[list[int]]
    classes: list[bool]
    weights: list[Fraction]
    every: list[tuple[float, dict[int, tuple[int, ...]], Fraction, Fraction]]

    def cards(self):
        """The set of cards as the checker has it."""
        asked = [CHECK.Asked(one) for one in self.claim["questions"]]
        return CHECK.Cards(self.claim, asked, self.answers, self.classes, self.weights)

    def bound(self, card):
        """What a claim about this card is that no card is below."""
        return self.cards().objective(*card[1:]) - CHECK.TOLERANCE

    def says(self, tree, card):
        """What the checker says of a tree for a card: "" if it accepts it."""
        cards = self.cards()
        try:
            cards.cover(tree, self.bound(card))
        except CHECK.Refused as error:
            return str(error)
        except Exception as error:
            return type(error).__name__
        return ""


def small(seed):
    """A random problem; None where no card reaches its loss, as where the classes are separated."""
    rng = np.random.default_rng(seed)
    while True:
        problem = random_problem(rng)
        if problem.total.min() > 0 and problem.reference is None:
            break
    problem = replace(problem, effect_limit=1e4, class_weights=(1.0, 1.0))
    weights = [Fraction(w) for w in problem.weight.tolist()]
    soft = [round(p * UNIT) for p in problem.label.tolist()]
    is_hard = set(soft) <= {0, UNIT}
    classes = [p == UNIT for p in soft] if is_hard else [k % 2 == 0 for k in range(len(soft))]
    claim = {
        "format": "supersparse-risk-proof", "version": 1, "target": "y", "positive": "1", "weights": "weight",
        "table": None, "encoding": "utf-8", "separator": ",", "missing": [], "columns": {}, "complete": [],
        "class_weights": [1, 1], "risk_threshold": "1/2", "change_price": str(Fraction(problem.change_price)),
        "labels": None if is_hard else {"unit": UNIT, "blend": 1, "values": soft},
        "min_questions": problem.min_questions, "max_questions": problem.max_questions,
        "limits": [[[int(w) for w in ws], most] for ws, most in problem.limits]
        + [[[-(k == j) for k in range(len(problem.questions))], -1] for j in problem.must]
        + [[[int(k == j) for k in range(len(problem.questions))], 0] for j in problem.must_not],
        "alike": [], "questions": [
            {
                "column": f"x{j}", "answers": list(AnswerRules.of_numbers(f"x{j}", one.answers).rules), "missing": None,
                "ordered": one.ordered, "shape": one.shape, "equal_steps": one.equal_steps,
                "points": sorted(set(one.points)), "price": str(Fraction(one.price)),
            }
            for j, one in enumerate(problem.questions)
        ],
    }  # fmt: skip
    every = []
    for _, objective, points in brute_force.cards(problem):
        own = {j: f for j, f in enumerate(points) if any(f)}
        slope, offset, loss = fitted(problem, own)
        price = sum(problem.questions[j].price for j in own)
        price += problem.change_price * sum(problem.questions[j].changes(f) for j, f in own.items())
        every.append((loss + price, own, Fraction(slope), Fraction(offset), objective))
    every.sort(key=lambda card: card[0])
    found = Small(claim, [column.tolist() for column in problem.answer], classes, weights, [c[:4] for c in every])
    least = min((card[4] for card in every), default=None)
    return None if least is None or every[0][0] > least + 5e-10 else found


def fitted(problem, points):
    """Slope, offset and loss of a card by Newton's method with halved steps; the slope is at least 0."""
    totals = np.zeros(len(problem.label))
    for j, own in points.items():
        totals += np.array(own, float)[problem.answer[j]]
    values, place = np.unique(totals, return_inverse=True)
    w, p = np.bincount(place, problem.total), np.bincount(place, problem.positive)
    mean = p.sum() / w.sum()
    best = np.array([0.0, np.log(mean / (1 - mean))])
    middle = float(values @ w / w.sum())
    design = np.column_stack([values - middle, np.ones(len(values))])

    def loss(z):
        return float((w * softplus(design @ z) - p * (design @ z)).sum())

    for _ in range(200 if len(values) > 1 else 0):
        risk = logistic(design @ best)
        gradient = design.T @ (w * risk - p)
        hessian = (design * (w * risk * (1 - risk))[:, None]).T @ design + 1e-14 * np.eye(2)
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while size > 1e-9 and not loss(best - size * step) < loss(best):
            size /= 2
        if size <= 1e-9:
            break
        best = best - size * step
    if best[0] < 0:
        best = np.array([0.0, np.log(mean / (1 - mean))])
    return best[0], best[1] - best[0] * middle, loss(best)


def proof(problem, card):
    """The tree of a proof that no card is better than this one; a VerificationError if one is."""
    cards, nodes = problem.cards(), []
    sets = Sets(np.array(cards.columns, np.int64), cards.P, cards.W, cards.D, float(cards.N))
    RiskTree(cards, CHECK.Refused, problem.bound(card), sets, nodes.append).write()
    return nodes


class Careless(RiskTree):
    """Writes a tree for a claim that is false: a card that is better gets θ = p, for which only (3) fails."""

    def _ranges(self, boxes, least, warm, slope):
        kept = self.keep
        if all(box and box[1] == box[2] for box in boxes.values()):
            nodes = []
            self.keep = nodes.append
            try:
                super()._ranges(boxes, least, warm, slope)
            except VerificationError:
                decided = self.cards.totals({j: box[1] for j, box in boxes.items()})
                nodes[:] = [["t", 1, 1, [0] * len(set(decided))]]
            self.keep = kept
            for node in nodes:
                kept(node)
        else:
            super()._ranges(boxes, least, warm, slope)


def careless_proof(problem, card):
    """A tree that proves a false claim but for the cards that are better."""
    cards, nodes = problem.cards(), []
    sets = Sets(np.array(cards.columns, np.int64), cards.P, cards.W, cards.D, float(cards.N))
    Careless(cards, CHECK.Refused, problem.bound(card), sets, nodes.append).write()
    return nodes


def bent(tree, draw, problem):
    """The tree with one to three changes."""
    tree = copy.deepcopy(tree)
    count = len(problem.answers)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        at = draw.randrange(len(tree))
        node, kind = tree[at], draw.random()
        j = draw.randrange(count)
        if kind < 0.12:
            tree[at] = ["e"]
        elif kind < 0.2:
            del tree[at]
        elif kind < 0.28:
            tree.insert(at, copy.deepcopy(draw.choice(tree)))
        elif kind < 0.36:
            tree[at] = copy.deepcopy(draw.choice(tree))
        elif kind < 0.42:
            tree[at : at + 1] = [["x"], ["e"], node]
        elif kind < 0.48:
            tree[at : at + 1] = [["p", *draw.sample(range(count), draw.randint(0, count))], node, ["e"]]
        elif kind < 0.54:
            tree[at : at + 1] = [["q", j], *draw.choice([[["e"], node], [node, ["e"]], [node, node]])]
        elif kind < 0.6:
            tree[at : at + 1] = [["d", j], *draw.choice([[["e"], node], [node, ["e"]], [node, node]])]
        elif kind < 0.68:
            split = ["r", j, draw.randint(-1, 4), draw.randint(-1, 8)]
            tree[at : at + 1] = [split, *draw.choice([[["e"], node], [node, ["e"]], [node, node]])]
        elif node[0] in "lt":
            bend_residuals(node, draw)
        elif node[0] == "c":
            bend_effects(node, draw)
        elif len(node) > 1:
            node[draw.randrange(1, len(node))] += draw.choice([-1, 1])
        if not tree:
            return [["e"]]
    return tree


def bend_residuals(node, draw):
    how, t = draw.random(), node[3]
    if not t or not all(type(x) is int for x in (node[1], node[2], *t)):
        return  # bent already
    a, b = draw.randrange(len(t)), draw.randrange(len(t))
    if how < 0.4:
        size = draw.choice([1, 5, 50, 1000, 10**6])
        t[a] += size
        t[b] -= size
    elif how < 0.5:
        node[1] = draw.choice([-node[1], 0, node[1] * 2, True, 1.0])
    elif how < 0.65:
        node[2] = draw.choice([-node[2], 0, node[2] + 1, node[2] * 3, float(node[2])])
    elif how < 0.75:
        t[a] = draw.choice([True, 1e300, 0.5, None, "1"])
    elif how < 0.85:
        node[0] = "t" if node[0] == "l" else "l"
    else:
        t[a], t[b] = t[b], t[a]


def bend_effects(node, draw):
    how = draw.random()
    if not all(type(x) is int for x in (*node[1:4], *node[4])):
        return
    if how < 0.3:
        node[draw.choice([2, 3])] += draw.choice([-1, 1, 7, -50, 10**30])
    elif how < 0.6 and node[4]:
        node[4][draw.randrange(len(node[4]))] += draw.choice([-1, 1, 5, -40])
    elif how < 0.7:
        node[1] = draw.choice([-1, 0, 60, 61, node[1] + 1])
    elif how < 0.8:
        node[3] = -node[3]
    elif how < 0.9:
        node[4].append(0)
    else:
        node[2] = draw.choice([True, 0.5, None])


def cheated(seed, trials):
    """Prove a problem; then bend proofs of false claims about it: a tally."""
    problem, tally = small(seed), collections.Counter()
    if problem is None:
        return collections.Counter({"no attained optimum": 1})
    best, draw = problem.every[0], random.Random(str(seed))
    tree = proof(problem, best)
    assert problem.says(tree, best) == ""
    tally["proven"] += 1
    tally["leaves"] += sum(node[0] in "ltc" for node in tree)
    worse = [card for card in problem.every if card[0] > best[0] + 2e-9]
    for card in worse[:3]:
        tally["true trees of false claims"] += 1
        assert problem.says(tree, card), (seed, card)
    for card in worse[:2]:
        false = careless_proof(problem, card)
        for k in range(trials):
            says = problem.says(bent(false, draw, problem) if k else false, card)
            assert says, (seed, card, k)
            tally["bent trees of false claims"] += 1
            tally[f"  refused: {says}"] += 1
    for _ in range(trials):
        tally["bent trees of a true claim, accepted" if problem.says(bent(tree, draw, problem), best) == ""
              else "bent trees of a true claim, refused"] += 1  # fmt: skip
    return tally


def main(count, seed):
    tally = collections.Counter()
    for k in range(count):
        tally += cheated((seed, k), 60)
    print(json.dumps(tally, indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
