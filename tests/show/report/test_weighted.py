"""What a report says of a card whose classes were weighted: the weighted error was minimised, and proven."""

import numpy as np
import pytest

from show.report.small import table, texts_of
from supersparse import Problem, ScoringSystem, frontier, solve
from supersparse.show.document.blocks import TableBlock
from supersparse.show.report import Plan, make_report

COLUMNS, Y = table()
WEIGHTS = {"ill": 4, "well": 0.5}


def section_of(problem, **given):
    system = ScoringSystem.from_solution(solve(problem), title="illness")
    plan = Plan(repeats=1, folds=0, ratios=0, bootstrap=0, larger=1)
    return make_report(system, COLUMNS, Y, plan=plan, **given).section("frontier")


def asked(**settings):
    given = {"C0": 0.02, "max_points": 2, "positive": "ill", **settings}
    return Problem.of(np.column_stack(list(COLUMNS.values())), Y, feature_names=list(COLUMNS), **given)


@pytest.mark.parametrize(
    ("settings", "threshold"),
    [({"class_weight": WEIGHTS}, "0.111"), ({"objective": "net_benefit", "risk_threshold": 0.2}, "0.2")],
)
def test_the_sizes_are_those_of_least_weighted_error_and_so_is_what_is_proven(settings, threshold, without_matplotlib):
    problem = asked(**settings)
    section = section_of(problem)
    assert section.title == "Size against weighted error"
    best = next(block for block in section.blocks if isinstance(block, TableBlock))
    assert best.header == ("points", "max. features", "weighted error", "training errors", "proven")
    wanted = frontier(problem, max_features=len(best.rows) - 1).rows
    losses = [f"{float(row.solution.evaluation.loss):.4f}" for row in wanted]
    assert [row[2] for row in best.rows] == losses
    assert losses == sorted(losses, reverse=True)
    text = " ".join(text for block in section.blocks for text in texts_of(block))
    assert "no card of that size has a lower weighted error." in text
    assert "they were not minimised, so they may rise with the size" in text
    assert f"a higher net benefit at a risk threshold of {threshold}." in text
    assert "lowest number of errors" not in text
    assert "makes fewer" not in text
    cost_yes, cost_no = (f"{float(one):.4g}" for one in reversed(problem.class_weights))
    assert f"{cost_yes} for an error on a row of class ill, {cost_no} on one of class well" in text


def test_errors_of_weighted_rows_are_said_to_count_by_weight(without_matplotlib):
    weights = [1 + k % 3 for k in range(len(Y))]
    section = section_of(asked(sample_weight=weights), sample_weight=weights)
    text = " ".join(text for block in section.blocks for text in texts_of(block))
    assert "Errors count each row by its weight." in text
    assert section.title == "Size against errors"
