"""Cards as JSON: what a page draws, and how a model is kept between processes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from supersparse.base.exact import int_or_float, shown
from supersparse.base.stop import Stop
from supersparse.card.card import Card
from supersparse.card.provenance import CardEdit
from supersparse.card.rules import Rule, ValueOf
from supersparse.card.words import answer, readable
from supersparse.card.words import question as question_in_words
from supersparse.engine.solution import Solution, Trace
from supersparse.learn.edited_answers import cuts_of
from supersparse.learn.editing import cut_of, with_edits
from supersparse.learn.training_performance import by_classes
from supersparse.problem.losses import loss_of
from supersparse.problem.near_totals import integer_totals, step_of
from supersparse.problem.objective import evaluate
from supersparse.problem.points import Points
from supersparse.problem.problem import Problem
from supersparse.problem.variants import of_classes
from supersparse.show.document.content import content_of
from supersparse.show.studio.inquiry import Inquiry
from supersparse.show.studio.texts import refused

Model = dict[str, Any]  # {"points": {question: "2"}, "intercept": "-7/2", "slope": None}; questions: "answers", too
_MOST_TOTALS = 40


def model_of(problem: Problem, points: Points) -> Model:
    names, answers = problem.rows.names, points.answers
    return {
        "points": {names[j]: str(points.values[j]) for j in points.support},
        "intercept": str(points.intercept_value),
        "slope": None if points.slope is None else str(points.slope),
        **({} if answers is None else {"answers": {names[j]: list(answers[j]) for j in points.support}}),
    }


def points_of(problem: Problem, model: Model) -> Points:
    """Read what `model_of` returned; a question that the problem does not have is refused."""
    names = {name: j for j, name in enumerate(problem.rows.names)}
    values = [Fraction(0)] * len(names)
    for name, text in model["points"].items():
        if name not in names:
            raise refused("input", "no_question", thing="question", value=name)
        values[names[name]] = Fraction(text)
    unit = lcm(problem.unit, *(value.denominator for value in values))
    answers = tuple(
        tuple(model.get("answers", {}).get(name, (0,) * question.answers))
        for name, question in zip(names, problem.questions, strict=False)
    )
    return Points(
        tuple(int(value * unit) for value in values),
        Fraction(model["intercept"]) * unit,
        unit,
        None if model.get("slope") is None else Fraction(model["slope"]),
        answers if problem.questions else None,
    )


def solution_of(problem: Problem, model: Model, proof: Mapping[str, Any]) -> Solution:
    """Return a kept model as a solution; `proof` has what a search proved, said and took."""
    points = points_of(problem, model)
    evaluation = evaluate(problem, points)
    bound = Fraction(proof.get("lower_bound") or 0)
    return Solution(
        problem=problem,
        solver=proof.get("solver", "exact"),
        points=points,
        evaluation=evaluation,
        lower_bound=min(bound, evaluation.objective),
        smallest=bool(proof.get("smallest")) and bound == evaluation.objective,
        stop=Stop.__members__.get(proof.get("stop", ""), Stop.SEARCH_ENDED),
        nodes=int(proof.get("nodes", 0)),
        seconds=float(proof.get("seconds", 0.0)),
        trace=Trace(),
        seed=0,
    )


def found_of(solution: Solution) -> dict[str, Any]:
    """Return what a search proved, said and took, for `solution_of`."""
    return {
        "lower_bound": str(solution.lower_bound),
        "smallest": solution.smallest,
        "solver": solution.solver,
        "stop": solution.stop.name,
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def measure_of(problem: Problem) -> str:
    """The measure that a search minimises, besides the cost of questions: one of the names in `numbers_of`.

    The weighted error is the mean cost over the rows, the first term of the objective.
    """
    name = loss_of(problem).name(problem)
    return "error" if name == "errors" else name.replace(" ", "_")


def numbers_of(solution: Solution, auc: float | None) -> dict[str, Any]:
    evaluation = by_classes(solution).evaluation
    total, measure = evaluation.rows, measure_of(solution.problem)
    false_positive = evaluation.wrong_negative - evaluation.zero_negative
    return {
        "rows": int_or_float(total),
        "errors": int_or_float(evaluation.training_errors),
        "error": float(evaluation.training_errors / total),
        "sensitivity": float(evaluation.sensitivity),
        "specificity": float(evaluation.specificity),
        "size": evaluation.size,
        "l1": int_or_float(evaluation.l1),
        "weighted_error": None,
        "log_loss": None,
        **({} if measure == "error" else {measure: float(evaluation.loss)}),
        "auc": auc,
        "objective": float(solution.objective),
        "true_positive": int_or_float(evaluation.positive - evaluation.wrong_positive),
        "false_negative": int_or_float(evaluation.wrong_positive),
        "true_negative": int_or_float(evaluation.negative - false_positive),
        "false_positive": int_or_float(false_positive),
    }


_AS_THEY_ARE = (
    *("heading", "how", "rule", "always", "example", "risk_note"),
    *("baseline", "warning", "positive", "negative"),
)


def card_view(asked: Inquiry, solution: Solution, card: Card, ids: Mapping[str, Any]) -> dict[str, Any]:
    seen = content_of(card)
    training = next((p for p in card.performance if p.on == "training"), None)
    return {
        **ids,
        **{name: getattr(seen, name) for name in _AS_THEY_ARE},
        "lines": [
            {
                "number": line.number,
                "text": line.text,
                "points": line.points,
                "times": line.times,
                "answers": [{"text": a.text, "points": a.points} for a in line.answers],
            }
            for line in seen.lines
        ],
        "results": [list(pair) for pair in seen.results],
        "risks": [
            {
                "total": column.totals,
                "risk": column.percent,
                "value": column.middle,
                "rows": None if column.cases is None else int_or_float(column.cases),
                "predicts_positive": column.positive,
            }
            for column in seen.risks
        ],
        "observed": _observed(solution, card),
        "compared": [asdict(one) for seen_on in card.performance[-1:] for one in seen_on.compared],
        "notes": list(seen.notes),
        "facts": [list(fact) for fact in seen.facts],
        "items": _items(asked, solution),
        "threshold": threshold_of(card),
        "goal": solution.problem.goal,
        "numbers": numbers_of(solution, None if training is None else training.auc),
        "cross_validated": None,
        "proof": {
            "proven": solution.proven_optimal,
            "objective": float(solution.objective),
            "bound": float(solution.lower_bound),
            "gap": solution.gap,
            "text": dict(seen.facts).get("Proof"),
        },
    }


def threshold_of(card: Card) -> int | float:
    return int_or_float(card.threshold)


def _items(asked: Inquiry, solution: Solution) -> list[dict[str, Any]]:
    problem = solution.problem
    rules = rules_of(asked)
    items = []
    for j in solution.points.support:
        name = problem.rows.names[j]
        allowed = problem.given_sets[j]
        rule = rules.get(name)
        items.append(
            {
                "question": name,
                "column": name if rule is None else rule.column,
                "points": int_or_float(solution.points.values[j]),
                "allowed": [int_or_float(allowed.least), int_or_float(allowed.greatest)],
                "cut": cut_of(rule),
                "multiplies": isinstance(rule, ValueOf),
                **_answers_for(asked, solution, j),
            }
        )
    return items


def _answers_for(asked: Inquiry, solution: Solution, j: int) -> dict[str, Any]:
    """The answers of a question with their points, and its cuts."""
    answers, prepare = solution.points.answers, asked.question.prepare
    if answers is None or prepare is None:
        return {}
    question = prepare.questions_[j]
    of_column = {domain.column: domain for domain in prepare.raw_questions.domains}
    domain = of_column.get(question.column)
    whole = domain is not None and domain.whole
    texts = [answer(rule, question.unit, whole=whole) for rule in question.rules]
    return {
        "answers": [{"text": text, "points": one} for text, one in zip(texts, answers[j], strict=True)],
        "cuts": [float(cut) for cut in cuts_of(question)],
    }


def rules_of(asked: Inquiry) -> dict[str, Rule]:
    prepare = asked.question.prepare
    return {} if prepare is None else {feature.name: feature.rule for feature in prepare.features_}


def wordings(asked: Inquiry) -> dict[str, str]:
    """Each question as a card asks it, by its name."""
    prepare = asked.question.prepare
    features = () if prepare is None else prepare.features_
    if prepare is not None and prepare.questions_:
        of_column = {one.column: "" if one.unit is None else f" ({one.unit})" for one in prepare.questions_}
        return {column: readable(column) + unit for column, unit in of_column.items()}
    return {feature.name: question_in_words(feature.rule, feature.unit) for feature in features}


def _observed(solution: Solution, card: Card) -> list[dict[str, Any]]:
    """How many training rows of each class have each total of the printed card."""
    problem = of_classes(solution.problem)
    rows, points = problem.rows, solution.points
    totals = integer_totals(problem, points.coefficients, points.answers)
    scale = points.denominator * step_of(problem, points.coefficients)
    distinct, codes = np.unique(totals, return_inverse=True)
    if not 0 < len(distinct) <= _MOST_TOTALS:
        return []
    weights = rows.weights.astype(float) * float(rows.weight_unit)
    both = np.bincount(codes.reshape(-1), weights, len(distinct))
    positive = np.bincount(codes.reshape(-1), weights * rows.positive, len(distinct))
    shift, cutoff = card.as_learned.intercept - card.intercept, card.cutoff
    return [
        {
            "total": shown(Fraction(int(total), scale) + shift),
            "rows": float(all_rows),
            "positive": float(of_positive),
            "predicts_positive": cutoff.includes(Fraction(int(total), scale) + shift),
        }
        for total, all_rows, of_positive in zip(distinct.tolist(), both, positive, strict=True)
    ]


def made_card(asked: Inquiry, solution: Solution, *, remembers: bool = False) -> Card:
    """Return the card of a solution; one that remembers can later tell whether other rows differ."""
    return asked.question.card(solution, asked.rows.title, asked.rows if remembers else None)


def with_steps(card: Card, steps: Sequence[Mapping[str, Any]]) -> Card:
    """Return the card with what people changed by hand in its provenance."""
    return with_edits(card, [CardEdit(change=s["text"], reason=s["reason"], at=s.get("at")) for s in steps])
