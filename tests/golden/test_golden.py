"""Twelve of the golden answers, a proof, and the texts; `make golden` compares all."""

import json

import pytest

from golden import answers
from golden.cases import KINDS, cases, table, table_names

TWELVE = (
    "drawn 0: errors", "drawn 7: risk", "drawn 11: levels", "drawn 13: rates", "drawn 19: groups",
    "drawn 22: errors",
    "drawn 24: risk", "drawn 28: levels", "drawn 31: rates", "haberman: errors", "mammography: groups",
    "breast-cancer weighted: risk",
)  # fmt: skip


@pytest.mark.parametrize("name", TWELVE)
def test_a_golden_answer_is_what_it_was(name):
    assert answers.compare([name]) == []


def test_every_case_has_an_answer_and_every_table_every_kind():
    stored = json.loads(answers.ANSWERS.read_text(encoding="utf-8"))
    assert set(stored) == {case.name for case in cases()}
    assert len(table_names()) == 40
    assert len(stored) == 40 * len(KINDS)


def test_the_cases_reach_all_that_matters():
    stored = json.loads(answers.ANSWERS.read_text(encoding="utf-8"))
    found = [answer for answer in stored.values() if "refused" not in answer]
    assert 0 < sum(not answer["proven"] for answer in found) < len(found)
    assert sum(len(answer["card"]) > 1 for answer in found) > 100
    assert any(table(name).weights for name in table_names())


def test_a_changed_answer_is_seen():
    old = {"objective": "1/2", "bound": 0.25, "nodes": 3}
    assert list(answers.differences("a", old, {**old, "bound": 0.25 + 1e-10})) == []
    assert list(answers.differences("a", old, {**old, "bound": 0.2501})) == ["a: bound was 0.25, now 0.2501"]
    assert list(answers.differences("a", old, {**old, "objective": "1/3"})) != []


def test_the_texts_that_people_and_programs_read_are_as_stored():
    assert answers.compare_texts() == []
