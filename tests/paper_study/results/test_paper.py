"""The figures typed in from the paper, against its source where that stands beside the checkout."""

import re
from pathlib import Path

import pytest

from shared_data import SHARED
from study.plan import DATASETS, PAPER_METHODS
from study.results.paper import PAPER_DATASETS, paper_result

ROOT = Path(__file__).parents[3]
OURS = {"safe"}  # a word that the page defines itself
PAPER = SHARED.parent / "paper" / "slim-paper.tex"
NAMES = {paper.name: name for name, paper in PAPER_DATASETS.items()}


def needs_paper(test):
    """Mark a test that reads the paper, and say so where it is skipped."""
    reason = "reads shared/paper, which stands beside a development checkout only"
    return pytest.mark.shared_data(pytest.mark.skipif(not PAPER.is_file(), reason=reason)(test))


@needs_paper
@pytest.mark.parametrize(("rule", "number"), [("best", 0), ("one_sd", 1)])
def test_every_figure_of_appendix_c_is_typed_in_right(rule, number):
    source = PAPER.read_text(encoding="utf-8")
    appendix = source[source.index(r"\label{Appendix::TableOfExperimentalResults}") :]
    body = re.findall(r"\\midrule(.*?)\\bottomrule", appendix, re.DOTALL)[number]
    seen = 0
    for block in re.split(r"\\multirow\{4\}\{\*\}\{\s*\\", body)[1:]:
        dataset = NAMES[block[: block.index("}")]]
        metrics = [[cell.strip() for cell in row.split("&")[-10:]] for row in block.split(r"\\")[:4]]
        for method, *cells in zip(PAPER_METHODS, *metrics, strict=True):
            test, train, size, span = ([float(n) for n in re.findall(r"[\d.]+", c)] for c in cells)
            typed = paper_result(rule, dataset, method)
            assert [typed.test, typed.test_sd] == test
            assert [typed.train, typed.train_sd] == train
            assert [typed.size] == size
            assert [typed.least, typed.most] == span
            seen += 1
    assert seen == 60


@needs_paper
def test_the_datasets_are_typed_in_right():
    source = PAPER.read_text(encoding="utf-8")
    rows = re.findall(r"^\\(\w+) & (\d+) & (\d+) &", source, re.MULTILINE)
    assert {(name, int(N), int(P)) for name, N, P in rows} == {(p.name, p.N, p.P) for p in PAPER_DATASETS.values()}


def test_there_is_a_figure_for_each_method_and_dataset_of_the_paper():
    for rule in ("best", "one_sd"):
        for dataset in DATASETS:
            for method in PAPER_METHODS:
                found = paper_result(rule, dataset, method)
                assert found.least <= found.size <= found.most
    assert paper_result("best", "haberman", "FasterRisk") is None
    assert paper_result("one_se", "haberman", "SLIM") is None


@needs_paper
def test_what_stands_in_quotation_marks_is_the_papers_own():
    source = " ".join(PAPER.read_text(encoding="utf-8").split())
    page = (ROOT / "docs" / "study" / "results.md").read_text(encoding="utf-8")
    how = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", f"{page}\n{how}", flags=re.M | re.S)
    quoted = set(re.findall(r'"([^"\n]+)"', prose)) - OURS
    assert len(quoted) >= 8  # the six claims and what is said of C0
    assert [words for words in quoted if words not in source] == []
