"""Small random problems of questions with all options, and what the engine says of each beside every card.

``python tests/engine/questions/random_problems.py COUNT SEED [JOBS] [--store]`` checks so many and counts; with
``--store`` the counts go to docs/trust/questions.json.
"""

from __future__ import annotations

import collections
import itertools
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from supersparse.engine.questions.search import BOUNDS, QuestionProblem, SearchOptions, search
from supersparse.problem.questions import SHAPES, Question

sys.path.insert(0, str(Path(__file__).parents[2]))

from engine.questions import brute_force
from robustness.trust import record

MOST_CARDS = 1500
FORCED = (("dual", "fit", "minorant"), ("dual",), ("fit",), ("minorant",), ())


def random_labels(rng, cells):
    """Labels of cells: blended, near 0 and 1, or hard."""
    logits = rng.normal(rng.normal(0, 2), rng.choice([0.5, 2.0, 4.0]), cells)
    labels = 1 / (1 + np.exp(-logits))
    labels = np.round(labels * 2**20) / 2**20
    if rng.random() < 0.15:
        labels = (rng.random(cells) < labels).astype(float)
        labels[:2] = 0.0, 1.0
    elif rng.random() < 0.9:
        labels = np.clip(labels, 2**-20, 1 - 2**-20)
    if not 0 < labels.mean() < 1:
        labels[0] = 0.5
    return labels


def random_question(rng):
    """Two to six answers, perhaps one outside the order, points mostly up to 3."""
    answers = int(rng.choice([2, 2, 2, 3, 3, 3, 4, 6]))
    missing = answers > 2 and rng.random() < 0.2
    ordered = 0 if rng.random() < 0.05 else answers - int(missing)
    most = int(rng.integers(1, {2: 4, 3: 4, 4: 3, 6: 2}[answers]))
    points, kind = tuple(range(most + 1)), rng.random()
    if kind < 0.25 and answers < 6:  # gaps, up to the largest points that there are
        points = (0, *sorted(rng.choice(np.arange(1, [8, 64][kind < 0.05]), 2, replace=False).tolist()))
    elif kind < 0.35 and answers < 4:
        points = tuple(range(11))
    return Question(answers, ordered, str(rng.choice(SHAPES)), bool(rng.random() < 0.15), points)


def random_questions(rng):
    """Questions with at most ``MOST_CARDS`` cards; now and then many, of which at most two are asked."""
    while True:
        is_wide = rng.random() < 0.1
        count = int(rng.integers(8, 16)) if is_wide else int(rng.integers(1, 5))
        questions = tuple(
            Question(2, shape=str(rng.choice(SHAPES)), points=(0, 1)) if is_wide else random_question(rng)
            for _ in range(count)
        )
        shapes = [1 + len(brute_force.points_of(question)) for question in questions]
        if is_wide or np.prod(shapes) <= MOST_CARDS:
            return questions, 2 if is_wide else count


def random_problem(rng):
    """A problem with all that can be asked."""
    questions, asked = random_questions(rng)
    count = len(questions)
    if count < 8 and rng.random() < 0.5:  # every pattern, with uneven counts
        patterns = np.array(list(itertools.product(*(range(question.answers) for question in questions))), np.uint8)
        weight = np.maximum(1, 10 ** rng.uniform(0, 3, len(patterns))).round()
    else:
        patterns = np.stack([rng.integers(0, q.answers, 30) for q in questions], 1)
        weight = np.ones(len(patterns)) if rng.random() < 0.5 else rng.integers(1, 9, len(patterns)).astype(float)
        if count > 1 and rng.random() < 0.3:  # the same column twice, or nearly
            patterns[:, 1] = np.minimum(patterns[:, 0], questions[1].answers - 1)
    labels = random_labels(rng, len(patterns))
    most = int(rng.integers(0, asked + 1)) if rng.random() < 0.2 else int(rng.integers(1, asked + 1))
    problem = QuestionProblem(
        questions,
        np.ascontiguousarray(patterns.T.astype(np.uint8)),
        labels,
        weight,
        class_weights=(1.0, 1.0) if rng.random() < 0.7 else (float(rng.uniform(0.3, 3)), 1.0),
        min_questions=int(rng.integers(0, most + 1)) if rng.random() < 0.2 else 0,
        max_questions=most,
        change_price=float(rng.choice([0, 0, 0, 1e-3, 1e-2])),
        effect_limit=float(rng.choice([30.0, 30.0, 30.0, 1.5])),
    )
    return with_rules(rng, with_prices(rng, problem))


def with_prices(rng, problem):
    """Prices of questions, sometimes near what a question gains."""
    kind = rng.random()
    if kind < 0.3:
        return problem
    if kind < 0.5:
        prices = [float(rng.choice([1e-4, 1e-3, 1e-2]))] * len(problem.questions)
    elif kind < 0.8:
        single = replace(problem, max_questions=1, min_questions=0, change_price=0.0)
        losses = [loss for loss, _, _ in brute_force.cards(single)]
        gain = max(losses[0] - min(losses), 1e-9)
        prices = [float(gain * rng.uniform(0.3, 1.05))] * len(problem.questions)
    else:
        prices = rng.uniform(0, 0.02, len(problem.questions)).tolist()
    questions = tuple(replace(each, price=price) for each, price in zip(problem.questions, prices, strict=True))
    return replace(problem, questions=questions)


def indicator(count, members, most):
    """At most so many of the members."""
    return tuple(int(j in members) for j in range(count)), most


def with_rules(rng, problem):
    """Must, must not, groups, conditions, budgets, a given card."""
    count = len(problem.questions)
    numbers = rng.permutation(count).tolist()
    if rng.random() < 0.15:
        problem = replace(problem, must=frozenset(numbers[:1]))
    if count > 1 and rng.random() < 0.15:
        problem = replace(problem, must_not=frozenset(numbers[1:2]))
    limits = []
    if count > 2 and rng.random() < 0.25:  # at most so many of some, and not all
        limits = [indicator(count, numbers[:2], int(rng.integers(0, 2))), indicator(count, [0, 1, 2], 2)]
    if count > 1 and rng.random() < 0.2:  # one only if another is asked
        first, second = numbers[:2]
        limits.append((tuple((j == first) - (j == second) for j in range(count)), 0))
    if rng.random() < 0.2:  # a budget, or at least so much
        limits.append((tuple(rng.integers(-3, 4, count).tolist()), int(rng.integers(-3, 4))))
    problem = replace(problem, limits=tuple(limits))
    if rng.random() < 0.15:
        chosen = [brute_force.points_of(question) for question in problem.questions]
        reference = tuple(
            own[int(rng.integers(len(own)))][0] if own and rng.random() < 0.5 else (0,) * question.answers
            for own, question in zip(chosen, problem.questions, strict=True)
        )
        problem = replace(
            problem,
            reference=reference,
            most_questions_changed=int(rng.integers(0, 3)) if rng.random() < 0.6 else None,
            most_answers_changed=int(rng.integers(0, 4)) if rng.random() < 0.6 else None,
        )
    return problem


def random_judge(rng):
    """What a caller refuses, as a limit on rates does: some cards, by their points alone; or nothing."""
    if rng.random() < 0.85:
        return None
    factor, rest = int(rng.integers(1, 5)), int(rng.integers(0, 3))

    def judge(points):
        flat = [value for own in points for value in own]
        return sum((factor * place + 1) * value for place, value in enumerate(flat)) % 3 != rest

    return judge


def faults(problem, options, every, by_size, judge=None):
    """What the engine says wrongly of a problem, and whether it proved its answer."""
    if judge is not None:
        every = [card for card in every if judge(card[2])]
    outcome = solved(problem, options, judge, least=min((objective for _, objective, _ in every), default=None))
    if isinstance(outcome, str):
        return [outcome], False
    found = []
    if by_size:
        for size in range(min(problem.max_questions, len(problem.questions)) + 1):
            losses = [loss for loss, _, points in every if sum(map(any, points)) <= size]
            ours = outcome.best_of_size(size)
            if not losses or ours is None:
                found += [f"size {size}: {ours} of {len(losses)} cards"] * (bool(losses) != (ours is not None))
            elif abs(ours.loss - min(losses)) > 2e-9:
                found.append(f"size {size}: {ours.loss!r} beside {min(losses)!r}")
            elif outcome.bounds[size] > min(losses) + 2e-9:
                found.append(f"size {size}: bound {outcome.bounds[size]!r} above {min(losses)!r}")
        return found, outcome.proven
    if not every:
        return ["a card where none is allowed"] * (outcome.best is not None), outcome.proven
    least = min(objective for _, objective, _ in every)
    best = outcome.best
    if best is None or abs(best.objective - least) > 2e-9:
        found.append(f"objective {best} beside {least!r}")
    if best is not None and is_clear(every, least) and best.points != first_of_ties(every, least):
        found.append(f"of the ties {best.points}, not {first_of_ties(every, least)}")
    if outcome.bound > least + 2e-9:
        found.append(f"bound {outcome.bound!r} above {least!r}")
    if options.slack:
        limit = least * (1 + options.slack)
        wanted = {points for _, objective, points in every if objective <= limit - 2e-9}
        pool = [card.points for card in outcome.cards]
        missing = wanted - set(pool)
        if missing:
            found.append(f"{len(missing)} of {len(wanted)} cards missing from the pool")
        beyond = set(pool) - {points for _, objective, points in every if objective <= limit + 2e-9}
        if beyond or len(set(pool)) < len(pool):
            found.append(f"{len(beyond)} cards in the pool that are not within the factor, or cards twice")
    return found, outcome.proven


def solved(problem, options, judge, least):
    """The outcome of a search; without one for the first cards it is stopped once and goes on from its checkpoint."""
    asked = {"judge": None if judge is None else lambda card: judge(card.points)}
    if options.search_incumbent:
        return search(problem, options, **asked)
    outcome = search(problem, replace(options, work_limit=300), **asked)
    if least is not None and not options.by_size and outcome.bound > least + 2e-9:
        return f"bound {outcome.bound!r} above {least!r} where it stopped"
    return outcome if outcome.proven else search(problem, options, checkpoint=outcome.checkpoint, **asked)


def is_clear(every, least):
    """Whether every card is a tie with the best, or certainly none."""
    return not any(0.9e-9 < objective - least < 1.1e-9 for _, objective, _ in every)


def first_of_ties(every, least):
    """Of the best cards: fewer questions, the smaller largest total, the order of columns, then of points."""

    def order(points):
        asked = [j for j, own in enumerate(points) if any(own)]
        return len(asked), sum(map(max, points)), asked, [points[j] for j in asked]

    return min((points for _, objective, points in every if objective <= least + 1e-9), key=order)


def random_options(rng):
    kind = rng.random()
    return SearchOptions(
        search_incumbent=bool(rng.random() < 0.5),
        bounds=FORCED[int(rng.integers(len(FORCED)))],
        threads=2 if rng.random() < 0.1 else 1,
        by_size=kind < 0.15,
        slack=0.02 if kind > 0.8 else 0.0,
        most_kept=100_000,
        seconds=60.0,
    )


def check_one(seed, number):
    """Solve one problem in three ways; count what happened."""
    tally, rng = collections.Counter(), np.random.default_rng([seed, number])
    problem = random_problem(rng)
    every = list(brute_force.cards(problem))
    for _ in range(3):
        options, judge = random_options(rng), random_judge(rng)
        found, proven = faults(problem, options, every, options.by_size, judge)
        tally["runs"] += 1
        tally["wrong"] += bool(found)
        tally["unproven"] += not proven
        tally["by size"] += options.by_size
        tally["pools"] += options.slack > 0
        tally["cards refused by the caller"] += judge is not None
        tally["stopped, and gone on"] += not options.search_incumbent
        tally["without incumbent search"] += not options.search_incumbent
        for name in BOUNDS:
            tally[f"{name} bound alone"] += options.bounds == (name,)
        tally["no bound at all"] += not options.bounds
        if found or not proven:
            print("problem", seed, number, options, found, flush=True)
    tally["problems with a given card"] += problem.reference is not None
    tally["problems with groups, conditions or budgets"] += bool(problem.limits)
    tally["problems with hard labels"] += bool(np.isin(problem.label, (0, 1)).all())
    tally["cards"] += len(every)
    tally["problems"] += 1
    return tally


def check(count, seed, jobs=1):
    """How many runs on so many problems were wrong, or proved nothing, and what they were."""
    if jobs == 1:
        tallies = [check_one(seed, number) for number in range(count)]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            tallies = list(pool.map(partial(check_one, seed), range(count), chunksize=50))
    return dict(sum(tallies, collections.Counter()))


def main():
    asked = [argument for argument in sys.argv[1:] if argument != "--store"]
    counted = check(*map(int, asked))
    wrong = {name: counted.pop(name, 0) for name in ("wrong", "unproven")}
    figures = {name: counted.pop(name) for name in ("problems", "cards", "runs")} | wrong | {"seed": int(asked[1])}
    figures["among the runs"] = dict(sorted(counted.items()))
    print(json.dumps(figures))
    if "--store" in sys.argv:
        command = f"python tests/engine/questions/random_problems.py {' '.join(asked[:2])} --store"  # for any JOBS
        record("questions", command, figures)
    sys.exit(bool(sum(wrong.values())))


if __name__ == "__main__":
    main()
