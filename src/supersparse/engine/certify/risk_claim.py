"""The claim of a risk card's proof: all that decides which cards are compared and by what, as plain data for JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from supersparse.base.errors import UnsupportedProblemError
from supersparse.engine.certify.risk_questions import alike, questions_of
from supersparse.engine.certify.statement import TableNames
from supersparse.problem.constraints.support import MinFeatures
from supersparse.problem.limits import in_whole_numbers
from supersparse.problem.problem import Problem
from supersparse.problem.rows import LABEL_UNIT
from supersparse.problem.sets import NOTHING_ALLOWED_BUT_ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRules:
    """How the answers of a question are read from a raw column: a rule of each, as cards write it."""

    column: str
    rules: tuple[Mapping[str, Any], ...]
    missing: int | None  # the answer that a missing value gives; None where it is refused

    @classmethod
    def of_numbers(cls, column: str, answers: int) -> "AnswerRules":
        """The rules of a column that holds the numbers of the answers."""
        rules = tuple({"rule": "category", "column": column, "values": [k]} for k in range(answers))
        return cls(column=column, rules=rules, missing=None)


def claim_of(
    problem: Problem, table: TableNames, answers: Sequence[AnswerRules] | None, blend: float | Fraction
) -> dict[str, Any]:
    """The claim about a problem, as the file has it, without a tree."""
    rows, questions = problem.rows, questions_of(problem)
    if answers is None:
        asked = zip(rows.names, questions, strict=True)
        answers = [AnswerRules.of_numbers(name, question.answers) for name, question in asked]
    for rules, question in zip(answers, questions, strict=True):
        if len(rules.rules) != question.answers:
            raise UnsupportedProblemError(
                f"certificates need rows for every answer, and an answer about {rules.column!r} has none",
                "choose other cut points",
            )
    labels = None
    if rows.soft_labels is not None:
        labels = {"unit": LABEL_UNIT, "blend": str(blend), "values": [int(p) for p in rows.soft_labels]}
    count = problem.n_features
    limits = [in_whole_numbers(limit.weights, limit.at_most) for limit in problem.support_limits]
    limits += [(tuple(-(k == j) for k in range(count)), -1) for j in sorted(problem.forced)]
    forbidden = [j for j, rules in enumerate(problem.sets) if rules == NOTHING_ALLOWED_BUT_ZERO]
    limits += [(tuple(int(k == j) for k in range(count)), 0) for j in forbidden]
    return {
        "format": "supersparse-risk-proof",
        "version": 1,
        **table.content(),
        "positive": str(rows.classes[1]),
        "class_weights": [str(weight) for weight in problem.class_weights],
        "risk_threshold": str(problem.risk_threshold),
        "labels": labels,
        "change_price": str(problem.change_price),
        "min_questions": max((c.least for c in problem.asked if isinstance(c, MinFeatures)), default=0),
        "max_questions": problem.n_features if problem.max_features is None else problem.max_features,
        "limits": limits,
        "alike": alike(problem),
        "questions": [
            {
                "column": rules.column,
                "answers": [dict(rule) for rule in rules.rules],
                "missing": rules.missing,
                "ordered": question.ordered,
                "shape": question.shape,
                "equal_steps": question.equal_steps,
                "points": sorted(set(question.points)),
                "price": str(question.price),
            }
            for rules, question in zip(answers, questions, strict=True)
        ],
    }
