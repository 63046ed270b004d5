"""Every card of a small problem of questions, one by one, in plain Python: the definition, read slowly.

Nothing of the engine is used: rules of points and cards are checked as they are worded; slope and offset are
fitted in two dimensions, each step taken only if the loss falls, until none does.
"""

from __future__ import annotations

import itertools
import math


def points_of(question):
    """All allowed points of a question that is asked."""
    found = []
    for points in itertools.product(sorted(set(question.points)), repeat=question.answers):
        if min(points) != 0 or max(points) == 0:
            continue
        order = points[: question.ordered]
        steps = [b - a for a, b in itertools.pairwise(order)]
        rises, falls = all(step >= 0 for step in steps), all(step <= 0 for step in steps)
        fits = {"free": True, "up": rises, "down": falls, "either": rises or falls}[question.shape]
        if fits and (not question.equal_steps or len(set(steps)) <= 1):
            found.append((points, sum(step != 0 for step in steps)))
    return found


def admits(problem, asked):
    """Whether a card may ask exactly these questions."""
    return (
        problem.min_questions <= len(asked) <= problem.max_questions
        and problem.must <= asked
        and not problem.must_not & asked
        and all(sum(weights[j] for j in asked) <= most for weights, most in problem.limits)
    )


def admits_changes(problem, points):
    """Whether a card keeps close enough to the given one."""
    if problem.reference is None:
        return True
    changed = [
        sum(a != b for a, b in zip(own, other, strict=True))
        for own, other in zip(points, problem.reference, strict=True)
    ]
    questions, answers = problem.most_questions_changed, problem.most_answers_changed
    return (questions is None or sum(map(bool, changed)) <= questions) and (answers is None or sum(changed) <= answers)


def softplus(z):
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def least_loss(totals, weight, positive, limit):
    """Infimum over 0 <= slope <= limit and offsets, and these; rows collected by total."""
    cells = {}
    for total, w, p in zip(totals, weight, positive, strict=True):
        a, b = cells.get(total, (0.0, 0.0))
        cells[total] = a + w, b + p
    cells = [(t, w, p) for t, (w, p) in cells.items() if w > 0]
    cases = sum(p for _, _, p in cells)

    mean = sum(t * w for t, w, _ in cells) / sum(w for _, w, _ in cells)
    cells = [(t - mean, w, p) for t, w, p in cells]
    whole = sum(w for _, w, _ in cells)

    def loss(a, b):
        return math.fsum(w * softplus(a * t + b) - p * (a * t + b) for t, w, p in cells)

    def step(a, b):
        """Newton's, around the mean weighted by curvature, where slope and offset decouple; what it gains."""
        rows = []
        for t, w, p in cells:
            z = a * t + b
            risk = 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
            rows.append((t, w * risk - p, w * math.exp(-abs(z)) / (1 + math.exp(-abs(z))) ** 2))
        across = sum(h for _, _, h in rows)
        pivot = sum(t * h for t, _, h in rows) / across
        by_slope = sum((t - pivot) * r for t, r, _ in rows)
        along = sum((t - pivot) ** 2 * h for t, _, h in rows)
        held = (a == 0 and by_slope >= 0) or (a == limit and by_slope <= 0) or along == 0
        da, residual = 0.0 if held else -by_slope / along, sum(r for _, r, _ in rows)
        return da, -residual / across - pivot * da, residual**2 / across - da * by_slope

    def rises(a, b, by_slope=False):
        """The derivative by the offset, or by the slope."""
        return math.fsum(
            (t if by_slope else 1) * (w * (0.5 + 0.5 * math.tanh((a * t + b) / 2)) - p) for t, w, p in cells
        )

    def root(of, low, high):
        for _ in range(90):
            middle = (low + high) / 2
            low, high = (middle, high) if of(middle) < 0 else (low, middle)
        return low

    def best_offset(a):
        return root(lambda b: rises(a, b), -1e4, 1e4)

    a, b = 0.0, math.log(cases / (whole - cases))
    value = loss(a, b)
    for _ in range(200):
        da, db, gain = step(a, b)
        if gain < 1e-15:
            return value, a, b - a * mean
        size, moved = 1.0, False
        while size > 1e-14 and not moved:
            next_a = min(max(a + size * da, 0.0), limit)
            part = (next_a - a) / da if da else size
            trial = loss(next_a, b + part * db)
            moved = trial < value
            if not moved:
                size /= 2
        if not moved:
            break
        a, b, value = next_a, b + part * db, trial
    # The steps stall, as where the classes are separated: the loss of the best offset is convex in the slope.
    steepest = root(lambda a: rises(a, best_offset(a), by_slope=True), 0.0, limit)
    ends = [(a, b), *((slope, best_offset(slope)) for slope in (steepest, limit))]
    return min((loss(a, b), a, b - a * mean) for a, b in ends)


def cards(problem):
    """(loss, objective, points) of every allowed card; points in lowest terms where these are allowed."""
    count = len(problem.questions)
    choices = [points_of(question) for question in problem.questions]
    empty = [(0,) * question.answers for question in problem.questions]
    weight, positive = problem.total.tolist(), problem.positive.tolist()
    rows = {}
    for number, pattern in enumerate(zip(*problem.answer.tolist(), strict=True)):
        w, p = rows.get(pattern, (0.0, 0.0))
        rows[pattern] = w + weight[number], p + positive[number]
    patterns, weight, positive = list(rows), [w for w, _ in rows.values()], [p for _, p in rows.values()]
    for size in range(problem.min_questions, min(problem.max_questions, count) + 1):
        for asked in itertools.combinations(range(count), size):
            if not admits(problem, set(asked)):
                continue
            for chosen in itertools.product(*(choices[j] for j in asked)):
                points = list(empty)
                for j, (own, _) in zip(asked, chosen, strict=True):
                    points[j] = own
                if not admits_changes(problem, points):
                    continue
                divisor = math.gcd(*(value for own in points for value in own)) if asked else 1
                if divisor > 1:
                    lower = [tuple(value // divisor for value in own) for own in points]
                    if all(set(lower[j]) <= set(problem.questions[j].points) for j in asked) and admits_changes(
                        problem, lower
                    ):
                        continue
                price = sum(problem.questions[j].price for j in asked)
                price += problem.change_price * sum(changes for _, changes in chosen)
                limit = 1e9
                for j in asked:
                    own = [points[j][pattern[j]] for pattern in patterns]
                    mean = sum(w * v for w, v in zip(weight, own, strict=True))
                    square = sum(w * (v - mean) ** 2 for w, v in zip(weight, own, strict=True))
                    if square > 0:
                        limit = min(limit, problem.effect_limit / math.sqrt(square))
                totals = [sum(points[j][pattern[j]] for j in asked) for pattern in patterns]
                loss, _, _ = least_loss(totals, weight, positive, min(limit, 1e3))
                yield loss, loss + price, tuple(points)
