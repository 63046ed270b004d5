"""Every bound, and the loss of a card, beside 40-digit arithmetic."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest

from engine.questions import brute_force
from engine.questions.probes import bounds_of
from engine.questions.random_problems import random_problem
from supersparse.engine.questions.search import QuestionProblem, SearchOptions, search
from supersparse.problem.questions import Question

DIGITS = 40
ROUNDING = Decimal("1e-10")  # what solver.py takes off a bound of the core, in the core's unit


def softplus(z):
    return max(z, Decimal(0)) + (1 + (-abs(z)).exp()).ln()


def loss_of(rows, heights):
    """The loss of heights: (values of the heights, weight, positive) by row."""
    logits = [sum((h * x for h, x in zip(heights, row, strict=True)), Decimal(0)) for row, _, _ in rows]
    return sum((w * softplus(z) - p * z for z, (_, w, p) in zip(logits, rows, strict=True)), Decimal(0))


def least_loss(rows, size, heights):
    """The least loss over all real heights, by Newton's method in decimals from heights that are close."""
    heights = [Decimal(h) for h in heights]
    for _ in range(60):
        gradient, hessian = [Decimal(0)] * size, [[Decimal(0)] * size for _ in range(size)]
        for row, w, p in rows:
            z = sum((h * x for h, x in zip(heights, row, strict=True)), Decimal(0))
            risk = 1 / (1 + (-z).exp())
            for i in range(size):
                gradient[i] += (w * risk - p) * row[i]
                for k in range(size):
                    hessian[i][k] += w * risk * (1 - risk) * row[i] * row[k]
        step, gain = solved(hessian, gradient)
        if gain < Decimal("1e-45"):
            return loss_of(rows, heights)
        # self-concordance: a step shortened like this never raises the loss
        size_of_step = 1 / (1 + max(abs(sum(s * x for s, x in zip(step, row, strict=True))) for row, _, _ in rows))
        size_of_step = Decimal(1) if size_of_step > Decimal("0.6") else size_of_step
        heights = [h - size_of_step * s for h, s in zip(heights, step, strict=True)]
    raise AssertionError("Newton's method did not end")


def solved(matrix, side):
    """The solution of a symmetric system, dependent rows left out, and its product with the side."""
    size = len(side)
    rows = [[*line, value] for line, value in zip(matrix, side, strict=True)]
    used = []
    for column in range(size):
        place = max((r for r in range(size) if r not in used), key=lambda r: abs(rows[r][column]), default=None)
        if place is None or abs(rows[place][column]) < Decimal("1e-25"):
            used.append(None)
            continue
        used.append(place)
        for other in range(size):
            if other != place:
                factor = rows[other][column] / rows[place][column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[place], strict=True)]
    found = [Decimal(0) if place is None else rows[place][size] / rows[place][c] for c, place in enumerate(used)]
    return found, sum((a * b for a, b in zip(found, side, strict=True)), Decimal(0))


def soft_problem(rng):
    """A random problem whose labels lie between 0 and 1, at uneven counts."""
    while True:
        problem = random_problem(rng)
        label = np.clip(problem.label, 2**-20, 1 - 2**-20)
        if problem.answer.shape[1] <= 60:
            return replace(problem, label=label, effect_limit=1000.0, class_weights=(1.0, 1.0))


def patterns_of(problem):
    """The rows by pattern of answers, exact: weights and labels are whole numbers over a common one."""
    rows = {}
    for pattern, weight, label in zip(
        problem.answer.T.tolist(), problem.weight.tolist(), problem.label.tolist(), strict=True
    ):
        w, p = rows.get(tuple(pattern), (Decimal(0), Decimal(0)))
        rows[tuple(pattern)] = w + Decimal(weight), p + Decimal(weight) * Decimal(label)
    whole = sum(w for w, _ in rows.values())
    return {pattern: (w / whole, p / whole) for pattern, (w, p) in rows.items()}


@pytest.mark.parametrize("seed", range(6))
def test_no_bound_passes_what_it_bounds_and_losses_are_exact_to_1e_12(seed):
    rng = np.random.default_rng([40, seed])
    with localcontext() as context:
        context.prec = DIGITS + 10
        for _ in range(4):
            problem = soft_problem(rng)
            patterns = patterns_of(problem)
            every = list(brute_force.cards(problem))
            if not every:
                continue
            all_asked = tuple((*[0] * (question.answers - 1), 1) for question in problem.questions)
            for points in [all_asked, *(every[int(k)][2] for k in rng.integers(0, len(every), 2))]:
                asked = [j for j, own in enumerate(points) if any(own)]
                if not asked:
                    continue
                found = {name: Decimal(value) for name, value in bounds_of(problem, points, 0.05).items()}
                additive = []
                for pattern, (w, p) in patterns.items():
                    row = [Decimal(1)]
                    for j in asked:
                        row += [Decimal(pattern[j] == b) for b in range(1, problem.questions[j].answers)]
                    additive.append((row, w, p))
                offset = math.log(float(sum(p for _, _, p in additive)) / float(sum(w - p for _, w, p in additive)))
                size = len(additive[0][0])
                least = least_loss(additive, size, [offset] + [0] * (size - 1))
                assert found["dual"] <= least
                assert found["fit"] <= least
                assert least - found["fit"] < Decimal("1e-9")
                if points == all_asked:  # the step has length 0: nothing but what is taken off for rounding
                    assert least - found["dual"] < Decimal("1e-9")
                line = [
                    ([Decimal(1), Decimal(sum(points[j][pattern[j]] for j in asked))], w, p)
                    for pattern, (w, p) in patterns.items()
                ]
                if found["slope"] > 0:
                    of_card = least_loss(line, 2, [found["offset"], found["slope"]])
                    assert abs(found["loss"] - of_card) < Decimal("1e-12")
                at = loss_of(line, [found["offset"], found["slope"]])
                if at < least + Decimal("0.04"):
                    assert found["minorant"] <= at + ROUNDING
                assert found["loss"] >= least - Decimal("1e-12")


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_a_search_is_at_most_the_optimum_in_forty_digits_however_it_prunes(seed):
    # one yes/no question with a free slope: the fit, the dual bound and the card have the same loss, its entropy
    rng = np.random.default_rng([41, seed])
    label = np.round(rng.random(2) ** 3 * 2**20).clip(1, 2**20 - 1) / 2**20
    weight = 10 ** rng.uniform(0, 6, 2)
    problem = QuestionProblem(
        (Question(2, shape="free", points=(0, 1)),), np.array([[0, 1]], np.uint8), label, weight, max_questions=1,
        min_questions=1, effect_limit=1000.0,
    )  # fmt: skip
    with localcontext() as context:
        context.prec = DIGITS
        shares = [Decimal(w) / sum(map(Decimal, weight.tolist())) for w in weight.tolist()]
        labels = list(map(Decimal, label.tolist()))
        exact = -sum(
            (w * (p * p.ln() + (1 - p) * (1 - p).ln()) for w, p in zip(shares, labels, strict=True)), Decimal(0)
        )
    for bounds in (("dual",), ("fit",), ("minorant",), ("dual", "fit", "minorant")):
        for work in (1, 2**40):
            outcome = search(problem, SearchOptions(search_incumbent=False, bounds=bounds, work_limit=work))
            assert Decimal(outcome.bound) - ROUNDING <= exact
            if outcome.best is not None:
                assert abs(Decimal(outcome.best.loss) - exact) < Decimal("1e-12")
