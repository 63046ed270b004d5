"""The paper's sizes come out of the raw files, and the rows are those that others published."""

from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from shared_data import SHARED, clean_table, needs_shared_data
from supersparse import Problem
from supersparse.datasets import (
    load,
    load_breast_cancer,
    load_internet_ads,
    load_mammography,
    load_spambase,
    load_tic_tac_toe,
)
from supersparse.errors import InvalidDataError, InvalidOptionError, MissingDataError
from supersparse.table.datasets.loaders import ENTRIES, find
from supersparse.table.numeric import positive_of

BUNDLED = [entry for entry in ENTRIES if not entry.originals]
FETCHED = [entry for entry in ENTRIES if entry.originals]


def entry_id(entry):
    return f"{entry.name}-{entry.variant}"


def size(data):
    return (*data.X.shape, int(data.y.sum()))


@pytest.mark.parametrize("entry", BUNDLED, ids=entry_id)
def test_what_comes_with_the_package_has_the_size_that_is_listed(entry):
    data = entry.load(None)
    assert size(data) == (entry.size.rows, entry.size.columns - 1, entry.size.positive)
    assert len(data.feature_names) == len(set(data.feature_names)) == data.X.shape[1]
    assert (data.labels == data.classes[1]).sum() == data.y.sum()
    assert entry.is_here()
    assert data.licence == "CC BY 4.0"
    assert data.source.endswith("UCI") or "UCI; " in data.source
    assert not np.isnan(data.X.astype(float)).any()


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_id)
def test_fit_takes_the_class_that_loader_and_list_call_positive(entry):
    negative, positive = entry.about.classes
    counts = {negative: entry.size.rows - entry.size.positive, positive: entry.size.positive}
    assert positive_of(dict(sorted(counts.items()))).label == positive


@pytest.mark.parametrize("name", ["haberman", "tic-tac-toe"])
def test_words_and_codes_of_the_classes_give_the_same_positive_rows(name):
    data = load(name)
    by_word, by_code = (Problem.of(data.X, labels) for labels in (data.labels, data.y))
    assert by_word.rows.classes[1] == "yes"
    assert np.array_equal(by_word.rows.positive, by_code.rows.positive)


@pytest.mark.parametrize(
    ("name", "paper"),
    [("breast-cancer", (683, 10)), ("haberman", (306, 4)), ("spambase", (4601, 58)), ("tic-tac-toe", (958, 28))],
)
def test_the_bundled_data_have_the_papers_size(name, paper):
    rows, features = load(name).X.shape
    assert (rows, features + 1) == paper  # the paper counts the intercept


@needs_shared_data
@pytest.mark.parametrize(("name", "paper"), [("internet-ads", (2359, 1431)), ("mammography", (961, 12))])
def test_the_fetched_data_have_the_papers_size(name, paper):
    rows, features = load(name, "paper", folder=SHARED).X.shape
    assert (rows, features + 1) == paper


@needs_shared_data
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("breast-cancer", "breastcancer.csv"),
        ("haberman", "haberman.csv"),
        pytest.param("internet-ads", "internetad.csv.gz", marks=pytest.mark.long),
        ("mammography", "mammo.csv"),
        ("spambase", "spambase.csv"),
        ("tic-tac-toe", "tictactoe.csv"),
    ],
)
def test_the_processed_rows_are_those_of_the_clean_files(name, file):
    data = load(name, "paper", folder=SHARED)
    names, X, y = clean_table(file)
    assert data.feature_names == names
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)


@needs_shared_data
def test_the_complete_mammograms_are_the_complete_rows_of_all():
    few, all_rows = load_mammography(), load_mammography("paper", folder=SHARED)
    complete = [row for row in zip(*all_rows.raw.values(), strict=True) if all(v is not None and v == v for v in row)]
    assert Counter(complete) == Counter(zip(*few.raw.values(), strict=True))


def test_the_papers_figure_makes_23_errors():
    # section 4.1: the figure has cell size, the equation cell shape (35 errors); a score of 0 is an error
    data = load_breast_cancer()
    column = data.columns
    score = column["ClumpThickness"] + column["UniformityOfCellSize"] + column["BareNuclei"] - 10
    assert (np.where(data.y == 1, score, -score) <= 0).sum() == 23


@needs_shared_data
def test_the_papers_mammography_model_makes_its_20_8_percent():
    data = load_mammography("paper", folder=SHARED)
    score = 1 - 2 * data.columns["OvalShape"] - 2 * data.columns["CircumscribedMargin"]
    assert (np.where(data.y == 1, score, -score) <= 0).sum() == 200  # 20.8 % of 961


def test_the_raw_table_keeps_what_the_processing_leaves_out():
    data = load_breast_cancer()
    assert data.raw.n_rows == 699
    assert np.isnan(data.raw["BareNuclei"]).sum() == 16
    assert "Id" in data.raw
    assert "Id" not in data.feature_names
    assert np.array_equal(data.raw["BareNuclei"][data.kept], data.columns["BareNuclei"])
    assert Counter(data.raw["diagnosis"]) == {"benign": 458, "malignant": 241}


def test_mammograms_have_words_for_codes():
    raw = load_mammography().raw
    assert set(raw["Shape"]) == {"round", "oval", "lobular", "irregular"}
    assert raw["Margin"][0] == "spiculated"  # the code 5
    assert "BIRADS" not in load_mammography().feature_names


def test_every_finished_game_is_there_once_and_was_played_by_the_rules():
    raw = load_tic_tac_toe().raw
    boards = ["".join(marks) for marks in zip(*list(raw.values())[:9], strict=True)]
    assert len(set(boards)) == 958
    assert {board.count("x") - board.count("o") for board in boards} == {0, 1}
    assert Counter(raw["x won"]) == {"yes": 626, "no": 332}
    assert sum("b" not in board for board in boards) == 62 + 16  # full: won by x with the ninth mark, or drawn


def test_a_part_takes_its_raw_rows_along():
    data = load_breast_cancer()
    few = data.part(np.array([682, 0, 40]))  # row 40 of X is not row 40 of the raw table
    assert np.array_equal(few.X, data.X[[682, 0, 40]])
    assert np.array_equal(few.raw["ClumpThickness"], few.columns["ClumpThickness"])
    assert np.array_equal(few.raw["diagnosis"], few.labels)
    assert np.array_equal(few.part(np.array([1])).raw["Id"], [1000025])


def test_the_data_cannot_be_changed():
    data = load_breast_cancer()
    for array in (data.X, data.y, data.kept, data.raw["Mitoses"], data.columns["Mitoses"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3


def test_decimals_are_read_as_they_are_written():
    assert load_spambase().X[0, 1] == 0.64
    assert load_spambase().raw["capital_run_length_total"].dtype == np.int64


def test_every_bundled_file_names_its_source():
    folder = files("supersparse.datasets") / "data"
    notes = (folder / "README.md").read_text(encoding="utf-8")
    for file in folder.iterdir():
        assert file.name == "README.md" or f"| {file.name} |" in notes


@pytest.mark.parametrize("entry", FETCHED, ids=entry_id)
def test_data_that_must_be_fetched_say_so(entry, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPERSPARSE_DATA", str(tmp_path))
    assert not entry.is_here()
    with pytest.raises(MissingDataError, match=r"supersparse datasets fetch.*SUPERSPARSE_DATA") as caught:
        load(entry.name, entry.variant)
    assert str(tmp_path) in str(caught.value)


def test_a_file_of_another_size_is_refused_with_the_papers(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "internetad_raw.csv.gz").write_text("height,local,Class\n1,0,ad\n2,1,nonad\n?,1,ad\n")
    with pytest.raises(InvalidDataError, match=r"gives 2 rows, 3 columns .* expected are 2359, 1431 and 381"):
        load_internet_ads(folder=tmp_path)


def test_unknown_names_and_variants_are_refused_with_a_hint():
    with pytest.raises(InvalidOptionError, match="did you mean 'haberman'"):
        find("habermann")
    with pytest.raises(InvalidOptionError, match="did you mean 'paper'"):
        find("mammography", "papers")
    with pytest.raises(InvalidOptionError, match="no variant 'all'"):
        load_mammography("all")
    with pytest.raises(InvalidOptionError, match="the only one is 'paper'"):
        load_internet_ads("all")
