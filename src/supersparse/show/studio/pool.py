"""Choosing among cards: the pool of almost equally good ones, and where favourites disagree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersparse.base.exact import shown
from supersparse.engine.answers.pool import Pool, pool
from supersparse.engine.options import SolverKeywords
from supersparse.engine.solution import Solution
from supersparse.engine.verify import VerifiedModel
from supersparse.learn.progress import Clock
from supersparse.learn.training_performance import by_classes
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import integer_totals, step_of
from supersparse.problem.objective import classified, evaluate
from supersparse.problem.variants import of_classes
from supersparse.show.studio.card_view import model_of, numbers_of, rules_of, wordings
from supersparse.show.studio.edited_card import kept_card
from supersparse.show.studio.inquiry import Inquiry, asked_of
from supersparse.show.studio.progress import Progress, Talk
from supersparse.show.studio.texts import refused

_VERSIONS = 8  # of models with the same predictions that are kept
_EXAMPLES = 10  # rows that are shown of each group
_TELLING = 5  # questions that say for whom cards disagree


def learn_pool(job: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """Find all cards whose objective is within a share of the best one's."""
    asked = asked_of(job)
    problem = asked.question.problem
    progress = Progress(asked, talk, dict(job["ids"]))
    recipe = Clock.of(asked.question.recipe).limited(asked.question.recipe)
    progress.stage("pool")
    options: SolverKeywords = {**recipe.options, "cancel": talk.stopped, "on_progress": progress, "checkpoint": None}
    good_models = pool(problem, within=job["within"], max_models=job["max_models"], **options)
    progress.flush()
    costs = costs_of(job["plan"], problem.rows.names)
    return {
        "goal": problem.goal,
        "plan": job["plan"],
        "within": float(good_models.within),
        "best": float(good_models.best),
        "found": {"lower_bound": str(good_models.best) if good_models.complete else None, "solver": good_models.solver},
        "complete": good_models.complete,
        "left_out": good_models.left_out,
        "always": list(good_models.always()),
        "never": list(good_models.never()),
        "questions": _questions(good_models),
        "texts": {name: text for name, text in wordings(asked).items() if name in good_models.in_some},
        "costs": costs,
        "models": [_versions(asked, alike) for alike in good_models.by_support],
        "notes": list(asked.notes),
        "proven": good_models.complete,
        "stop": good_models.stop.value,
        "interrupted": talk.stopped(),
    }


def _questions(good_models: Pool) -> list[dict[str, Any]]:
    used = Counter(
        name for model in good_models.models for name in [good_models.names[j] for j in model.points.support]
    )
    return [
        {"name": name, "cards": used[name], "smallest": float(low), "largest": float(high)}
        for name, (low, high) in good_models.ranges().items()
        if name in good_models.in_some
    ]


def _versions(asked: Inquiry, alike: Sequence[VerifiedModel]) -> dict[str, Any]:
    problem, rules = asked.question.problem, rules_of(asked)
    evaluated = [(one, evaluate(of_classes(problem), one.points)) for one in alike[:_VERSIONS]]
    return {
        "versions": [
            {
                "model": model_of(problem, model.points),
                "errors": float(counted.training_errors),
                "error": float(counted.training_errors / counted.rows),
                "log_loss": None if loss_of(problem).counts_rows else float(counted.loss),
                "size": counted.size,
                "objective": float(model.evaluation.objective),
                "sensitivity": float(counted.sensitivity),
                "specificity": float(counted.specificity),
                "l1": float(counted.l1),
                "monotone": _is_monotone(problem.rows.names, model, rules),
            }
            for model, counted in evaluated
        ]
    }


def _is_monotone(names: Sequence[str], model: VerifiedModel, rules: Mapping[str, Any]) -> bool:
    """Whether the points of each column rise or fall with its values: its questions have one sign."""
    signs: dict[str, set[bool]] = {}
    for j in model.points.support:
        rule = rules.get(names[j])
        signs.setdefault(names[j] if rule is None else rule.column, set()).add(model.points.coefficients[j] > 0)
    return all(len(of_column) == 1 for of_column in signs.values())


def costs_of(plan: Mapping[str, Any], names: Sequence[str]) -> dict[str, float] | None:
    """The cost of each question, where the plan gives one: in a budget, or as C0 by question."""
    settings = plan["settings"]
    listed: Mapping[str, Any] = settings["C0"] if isinstance(settings.get("C0"), Mapping) else {}
    for constraint in settings.get("constraints", ()):
        if isinstance(constraint, Mapping) and isinstance(constraint.get("costs"), Mapping):
            listed = constraint["costs"]
    if not listed:
        return None
    costs = {}
    for name in names:
        for word, cost in listed.items():
            if name == word or fnmatchcase(name, word):
                costs[name] = float(cost)
                break
    return costs


def compare(job: dict[str, Any], _talk: Talk) -> dict[str, Any]:
    """Say where some cards of one table disagree, and for whom."""
    compared = [kept_card(one) for one in job["cards"]]
    first = compared[0][0]
    n_rows = len(first.rows.y)
    if any(len(asked.rows.y) != n_rows for asked, _, _ in compared):
        raise refused("input", "cards_rows", thing="cards")
    compared = [(asked, by_classes(solution), card) for asked, solution, card in compared]
    says = np.column_stack([classified(s.problem, s.points)[0] for _, s, _ in compared])
    positive = compared[0][1].problem.rows.positive
    same = (says == says[:, :1]).all(axis=1)
    names = [str(label) for label in (compared[0][2].negative, compared[0][2].positive)]
    return {
        "cards": [
            {"id": one["ids"]["id"], "numbers": numbers_of(solution, None)}
            for one, (_, solution, _) in zip(job["cards"], compared, strict=True)
        ],
        "agree": int(same.sum()),
        "disagree": int((~same).sum()),
        "pairs": [_pair(says, positive, a, b) for a, b in combinations(range(len(compared)), 2)],
        "groups": _groups(compared, says, positive, same, names),
        "for_whom": _for_whom(first, ~same),
    }


def _pair(says: NDArray[np.bool_], positive: NDArray[np.bool_], a: int, b: int) -> dict[str, Any]:
    differ = says[:, a] != says[:, b]
    return {
        "cards": [a, b],
        "disagree": int(differ.sum()),
        "first_right": int((differ & (says[:, a] == positive)).sum()),
        "second_right": int((differ & (says[:, b] == positive)).sum()),
    }


def _groups(
    compared: Sequence[tuple[Inquiry, Solution, Any]],
    says: NDArray[np.bool_],
    positive: NDArray[np.bool_],
    same: NDArray[np.bool_],
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """Rows by what the cards say of them, with a few examples of each."""
    patterns = Counter(map(tuple, says[~same].tolist()))
    totals = [_Totals(solution, card) for _, solution, card in compared]
    columns = list(dict.fromkeys(column for _, _, card in compared for column in card.columns))
    raw = compared[0][0].rows.X
    groups = []
    for pattern, _ in patterns.most_common(20):
        rows = np.flatnonzero((says == np.array(pattern)).all(axis=1))
        verdicts = [names[one] for one in pattern]
        groups.append(
            {
                "says": verdicts,
                "positive": int(positive[rows].sum()),
                "negative": int((~positive[rows]).sum()),
                "rows": [
                    {
                        "row": int(row) + 1,
                        "label": names[bool(positive[row])],
                        "totals": [one[row] for one in totals],
                        "says": verdicts,
                        "values": {name: _cell(raw[name][row]) for name in columns if name in raw},
                    }
                    for row in rows[:_EXAMPLES].tolist()
                ],
            }
        )
    return groups


class _Totals:
    """The totals of a printed card, row by row, as text."""

    def __init__(self, solution: Solution, card: Any) -> None:
        points = solution.points
        self._totals = integer_totals(solution.problem, points.coefficients, points.answers)
        self._scale = points.denominator * step_of(solution.problem, points.coefficients)
        self._shift = card.as_learned.intercept - card.intercept

    def __getitem__(self, row: int) -> str:
        return shown(Fraction(int(self._totals[row]), self._scale) + self._shift)


def _cell(value: object) -> str | None:
    if value is None or value != value:
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)


def _for_whom(asked: Inquiry, differ: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The questions whose answer is most unusual among the rows on which cards disagree."""
    if not differ.any() or asked.question.prepare is None:
        return []
    rows = of_classes(asked.question.problem).rows
    shares, texts = [], wordings(asked)
    for j, name in enumerate(rows.names):
        column = np.asarray(rows.columns[j])
        if column.dtype == object or column.min() < 0 or column.max() > 1:
            continue
        share, of_all = float(column[differ].mean()), float(column.mean())
        shares.append((abs(share - of_all), {"text": texts.get(name, name), "share": share, "share_of_all": of_all}))
    shares.sort(key=lambda pair: -pair[0])
    return [one for _, one in shares[:_TELLING]]
