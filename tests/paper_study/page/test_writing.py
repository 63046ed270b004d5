"""The page, from the records of a small run."""

import csv
import gzip
import io
import random
import re
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from paper_study.tiny import tiny_data, tiny_plan
from seen import assert_same_picture, assert_same_text
from study.__main__ import main
from study.applications import BREAST, biopsy
from study.page.result_tables import results_table
from study.page.writing import not_on_record, page_text, tables, write_page
from study.record_file import append_records, in_order, read_records, store
from study.records import Machine, Skipped
from study.results.demands import demands
from study.results.study import Study
from study.running import run, run_applications

ROOT = Path(__file__).parents[3]
STORED = ROOT / "study" / "stored" / "full.jsonl.gz"  # what the page in the docs is made of

pytestmark = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "records.jsonl"
    # under the name of one of the paper's, so that its figures stand beside
    run(tiny_plan(datasets=("haberman",), contour=("haberman",), methods=methods()), renamed, path)
    append_records(path, [Skipped(dataset="spambase", reason="its file is not here")])
    return path


def methods():
    plan = tiny_plan()
    slim = type(plan.methods[3])({"haberman": 200}, values=(0.01, 0.05))
    return (*plan.methods[:3], slim)


def renamed(name):
    return tiny_data(name=name)


@pytest.fixture(scope="module")
def page(records, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["page", str(records), str(folder)]) == 0
    assert said.getvalue() == f"{folder / 'results.md'}\n"
    return folder


def study_of(path):
    return Study(in_order(read_records(path)))


@pytest.mark.long
def test_the_same_records_give_the_same_bytes(records, page, tmp_path):
    store([records], tmp_path / "stored.jsonl.gz")
    again = {path.name: path.read_bytes() for path in write_page(tmp_path / "stored.jsonl.gz", tmp_path)}
    assert again == {path.name: path.read_bytes() for path in page.iterdir()}


@pytest.mark.long
def test_the_order_in_which_records_came_does_not_show(records, page, tmp_path):
    first, *others = records.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(1).shuffle(others)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join([first, *others]), encoding="utf-8")
    study = study_of(mixed)
    for name, text in {"results.md": page_text(study), **tables(study)}.items():
        assert text == (page / name).read_text(encoding="utf-8"), name


@pytest.mark.long
def test_the_tables_say_what_the_records_say(records, page):
    study = study_of(records)
    rows = list(csv.DictReader(io.StringIO((page / "results-best.csv").read_text(encoding="utf-8"))))
    assert [row["method"] for row in rows] == ["LR", "CART", "Lasso", "SLIM"]
    for row in rows:
        result = study.chosen("haberman", row["method"], "best")
        rates = [100 * r.test.errors / (r.test.negatives + r.test.positives) for r in result.records]
        assert float(row["test_error"]) == pytest.approx(sum(rates) / len(rates), abs=1e-4)
        assert float(row["size_with_intercept"]) == result.size
    assert (float(rows[-1]["paper_test_error"]), int(rows[-1]["paper_size"])) == (23.2, 3)
    slim = results_table(study, "haberman", "best").rows[-1]
    assert slim[2] == "23.2 ± 6.5"  # the paper's
    ours = study.chosen("haberman", "SLIM", "best").test.mean
    assert slim[3] == f"{ours - 23.2:+.1f}"


def test_the_papers_lr_sizes_leave_the_intercept_out_and_its_slim_sizes_do_not(records):
    table = results_table(study_of(records), "haberman", "best")
    rows = {row[0]: row for row in table.rows}
    assert rows["LR"][7:] == ("4 (4–4)", "3", "3 (3–3)", "0")
    with_intercept, paper, difference = (rows["SLIM"][k] for k in (7, 9, 10))
    assert difference == f"{float(with_intercept.split()[0]) - int(paper.split()[0]):+g}"


def test_columns_for_programs_have_names_of_their_own_and_numbers(page):
    words = {"dataset", "rule", "method", "setting"}
    for name in ("results-best", "results-one-sd", "results-one-se", "nested"):
        header, *rows = csv.reader(io.StringIO((page / f"{name}.csv").read_text(encoding="utf-8")))
        assert len(set(header)) == len(header)
        assert rows
        for row in rows:
            for column, cell in zip(header, row, strict=True):
                assert column in words or cell == "" or np.isfinite(float(cell)), (name, column, cell)


def test_the_page_names_what_it_rests_on(page):
    text = (page / "results.md").read_text(encoding="utf-8")
    assert "These records are from the small plan" in text
    assert "- spambase: its file is not here" in text
    words = "(held|did not hold|not decided)"
    for claim in ("(i)", "(ii)", "(iii)", "(iv)", "(v)", "(6.4)"):
        assert re.search(rf'^\| {re.escape(claim)} ".*" \| .+ \| {words} \| .+ \|$', text, re.M)
        assert re.search(rf"^\*\*{re.escape(claim)}.*: {words}\.\*\*$", text, re.M)
    for link in re.findall(r"\]\(([\w.-]+)\)", text):
        assert (page / link).is_file(), link


def test_a_full_run_is_not_called_small(records, tmp_path):
    copy = tmp_path / "full.jsonl"
    copy.write_bytes(records.read_bytes())
    append_records(copy, [Machine.here("full")])
    assert "small plan" in page_text(study_of(records))
    assert "small plan" not in page_text(study_of(copy))


def test_the_figures_are_whole_and_name_their_datasets(page):
    for name in ("accuracy-sparsity", "slim-lasso", "over-time", "contours"):
        text = (page / f"{name}.svg").read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        assert "haberman" in text
        assert "dc:date" not in text


def test_the_tables_are_tex_that_balances(page):
    text = (page / "results-best.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    assert not re.search(r"(?<!\\)%", text)


def test_a_damaged_file_is_one_line_and_exit_code_two(tmp_path, capsys):
    broken = tmp_path / "broken.jsonl"
    broken.write_text("nothing\n")
    assert main(["page", str(broken), str(tmp_path)]) == 2
    assert "line 1" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")  # 48 rows are few for its C0
def test_applications_that_are_on_record_are_not_made_again(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    append_records(path, [Machine.here("tiny")])
    made = []

    def make(data, seed):
        made.append(data.name)
        yield from biopsy(data, seed)

    monkeypatch.setattr("study.running.APPLICATIONS", {BREAST: ("breast-cancer", make)})
    for _ in range(2):
        run_applications(renamed, path, 0)
    assert made == ["breast-cancer"]
    shown = Study(read_records(path)).shown
    assert [s.model for s in shown] == ["SLIM", "Lasso"]
    assert shown[1].text.startswith("Score = ")


@pytest.fixture(scope="module")
def stored_study():
    return Study(in_order(read_records(STORED)))


def in_the_docs(name):
    return (ROOT / "docs" / "study" / name).read_text("utf-8")


@pytest.mark.long  # `make study-check` does the same
def test_the_page_in_the_docs_is_that_of_the_stored_records(stored_study):
    assert STORED.stat().st_size < 5_000_000
    for name, text in {"results.md": page_text(stored_study), **tables(stored_study)}.items():
        assert_same_text(text, in_the_docs(name))


@pytest.mark.long
def test_the_figures_in_the_docs_are_those_of_the_stored_records(tmp_path):
    figures = [path for path in write_page(STORED, tmp_path) if path.suffix == ".svg"]
    assert {path.name for path in figures} == {p.name for p in (ROOT / "docs" / "study").glob("*.svg")}
    for path in figures:  # releases of matplotlib leave two points more or less for a label
        assert_same_picture(path.read_text("utf-8"), in_the_docs(path.name), within=3)


@pytest.mark.long
def test_the_stored_study_meets_what_is_asked_of_it(stored_study):
    asked = demands(stored_study)
    assert [verdict.claim for verdict in asked if not verdict.held] == []


@pytest.mark.long
def test_the_stored_study_is_whole(stored_study):
    assert list(not_on_record(stored_study)) == []
    assert "Not on record" not in (ROOT / "docs" / "study" / "results.md").read_text("utf-8")


def test_cards_and_formulas_fit_the_width_of_the_page():
    text = (ROOT / "docs" / "study" / "results.md").read_text("utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    assert sum(block.startswith("Score = ") for block in blocks) == 2  # our lasso and the paper's
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 96


def test_stored_records_are_readable_text():
    text = gzip.decompress(STORED.read_bytes()).decode("utf-8")
    assert "/work/" not in text
    assert "/home/" not in text
