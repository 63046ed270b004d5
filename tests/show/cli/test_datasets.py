"""`supersparse datasets` as a user meets it."""

import csv
import json

import pytest

from shared_data import SHARED, needs_shared_data
from supersparse.datasets import load_breast_cancer, load_mammography
from supersparse.table.datasets.loaders import ENTRIES


@pytest.fixture
def datasets(run, tmp_path, monkeypatch):
    """Run ``supersparse datasets ...`` in `tmp_path`, with a data folder of its own."""
    monkeypatch.setenv("SUPERSPARSE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *arguments: run("datasets", *arguments)


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("arguments", [[], ["list"]])
def test_the_list_names_every_dataset_and_what_must_be_fetched(arguments, tmp_path, datasets):
    done = datasets(*arguments)
    assert done.returncode == 0, done.stderr
    header, *lines = done.stdout.splitlines()
    assert header.split() == ["dataset", "variant", "rows", "features", "positive", "where"]
    for entry, line in zip(ENTRIES, lines, strict=True):
        assert line.split()[:3] == [entry.name, entry.variant, str(entry.size.rows)]
        assert line.endswith("supersparse datasets fetch" if entry.originals else "bundled")


def test_the_list_as_json_says_the_same(tmp_path, datasets):
    listed = json.loads(datasets("list", "--json").stdout)
    assert [(d["name"], d["rows"], d["features"] + 1, d["available"]) for d in listed] == [
        (e.name, e.size.rows, e.size.columns, not e.originals) for e in ENTRIES
    ]
    assert all(d["licence"] == "CC BY 4.0" for d in listed if d["bundled"])
    assert {d["licence"] for d in listed} == {"CC BY 4.0", "no licence stated"}


def test_export_writes_the_raw_table_with_blanks(tmp_path, datasets):
    done = datasets("export", "breast-cancer", "out.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Wrote 699 rows and 11 columns to out.csv. The class is in column 'diagnosis'.\n"
    assert "Wolberg" in done.stderr
    assert "CC BY 4.0" in done.stderr
    header, *rows = rows_of(tmp_path / "out.csv")
    assert header == list(load_breast_cancer().raw)
    assert sum("" in row for row in rows) == 16


def test_export_writes_the_papers_features_when_asked(tmp_path, datasets):
    datasets("export", "mammography", "out.csv", "--processed")
    header, *rows = rows_of(tmp_path / "out.csv")
    data = load_mammography()
    assert header == [*data.feature_names, "severity"]
    assert [[*map(int, row[:-1])] for row in rows] == data.X.tolist()


def test_path_shows_the_folder_that_is_used(tmp_path, datasets):
    assert datasets("path").stdout == f"{tmp_path / 'data'}\n"


@needs_shared_data
def test_fetching_from_a_copy_makes_the_papers_variant_available(tmp_path, datasets):
    done = datasets("fetch", "mammography", "--from", SHARED)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": copied\n") == 2
    assert datasets("fetch", "mammography").stdout.count(": already there\n") == 2  # no network used
    done = datasets("export", "mammography", "out.csv", "--variant", "paper")
    assert done.stdout.startswith("Wrote 961 rows and 6 columns")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["export", "habermann", "out.csv"], 2, "did you mean 'haberman'?"),
        (["export", "haberman", "nowhere/out.csv"], 2, "the folder 'nowhere' does not exist"),
        (["export", "mammography", "out.csv", "--variant", "papers"], 2, "did you mean 'paper'?"),
        (["export", "mammography", "out.csv", "--variant", "paper"], 1, "supersparse datasets fetch"),
        (["fetch", "haberman"], 2, "comes with the package"),
        (["fetch", "mammography", "--from", "."], 1, "contains none of raw/mammo_raw.csv"),
    ],
)
def test_what_cannot_be_done_is_one_line_with_a_remedy(arguments, code, said, tmp_path, datasets):
    done = datasets(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("command", [[], ["list"], ["path"], ["fetch"], ["export"]])
def test_help_fits_80_columns_and_its_example_runs(command, tmp_path, datasets):
    text = datasets(*command, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    example = next(line.split() for line in text.splitlines() if line.startswith("    supersparse datasets "))
    if command != ["fetch"]:  # needs the network
        assert datasets(*example[2:]).returncode == 0


def test_export_and_path_print_json_for_scripts(tmp_path, datasets):
    written = json.loads(datasets("export", "haberman", "out.csv", "--json").stdout)
    assert (written["path"], written["rows"], written["target"]) == ("out.csv", 306, "survived 5 years or longer")
    assert written["columns"] == rows_of(tmp_path / "out.csv")[0]
    assert json.loads(datasets("path", "--json").stdout) == {"path": str(tmp_path / "data")}


def test_quiet_leaves_out_what_is_not_the_result(tmp_path, datasets):
    done = datasets("export", "haberman", "out.csv", "--quiet")
    assert done.stderr == ""
    assert done.stdout.startswith("Wrote 306 rows")
