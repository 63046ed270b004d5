"""`fit --engine duckdb`: rows counted in their files."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("narwhals", minversion="2.14")
polars = pytest.importorskip("polars")
pytest.importorskip("duckdb")

QUICK = ["--target", "state", "--C0", "0.05", "--max-points", "2"]


@pytest.fixture
def rows(tmp_path):
    """A folder of two Parquet files, and all rows as CSV and Parquet."""
    draw = np.random.default_rng(1)
    age = draw.integers(20, 90, 800)
    smoker = draw.choice(np.array(["yes", "Yes", "no", None], dtype=object), 800, p=[0.3, 0.02, 0.58, 0.1])
    lab = np.where(draw.random(800) < 0.05, -99, draw.integers(0, 40, 800))
    yes = np.array([str(value).lower() == "yes" for value in smoker])
    ill = draw.random(800) < 0.05 + 0.6 * (age >= 60) + 0.3 * yes
    table = polars.DataFrame(
        {
            "id": np.arange(800),
            "age": age,
            "smoker": smoker.tolist(),
            "lab": lab,
            "seen": polars.date_range(polars.date(2020, 1, 1), polars.date(2022, 3, 10), eager=True)[:800],
            "state": np.where(ill, "ill", "well"),
        }
    )
    table.write_parquet(tmp_path / "all.parquet")
    table.write_csv(tmp_path / "all.csv")
    (tmp_path / "rows").mkdir()
    table[:500].write_parquet(tmp_path / "rows" / "a.parquet")
    table[500:].write_parquet(tmp_path / "rows" / "b.parquet")
    return tmp_path


def notes(done):
    return [line for line in done.stderr.splitlines() if line.startswith(("  ", "note: '"))]


@pytest.mark.parametrize("source", ["rows", pytest.param("all.csv", marks=pytest.mark.long)])
def test_the_card_is_that_of_the_rows_in_memory(run, rows, source):
    usual = run(
        "fit",
        "all.csv" if source == "all.csv" else "all.parquet",
        "--goal",
        "errors",
        *QUICK,
        "--no-validate",
        "--json",
        check=True,
    )
    done = run("fit", source, "--goal", "errors", *QUICK, "--no-validate", "--json", "--engine", "duckdb", check=True)
    card, expected = (json.loads(one.stdout)["card"] for one in (done, usual))
    for part in ("items", "threshold", "performance", "seen"):
        assert card.get(part) == expected.get(part)
    assert card["provenance"]["objective"] == expected["provenance"]["objective"]
    assert [n for n in notes(done) if " s left" not in n] == [n for n in notes(usual) if " s left" not in n]
    assert "within 2GB of memory" in done.stderr
    assert "800 rows" in done.stderr


@pytest.mark.long
def test_folds_judge_the_card_and_give_it_risks(run, rows):
    done = run(
        "fit", "rows/*.parquet", "--goal", "errors", *QUICK, "--engine", "duckdb", "--out", "card.json", check=True
    )
    card = json.loads((rows / "card.json").read_text())
    assert {one["on"] for one in card["performance"]} == {"training", "cross-validation"}
    assert card["risk"] is not None
    assert "the questions were made from all rows" in done.stderr
    scored = run("predict", "card.json", "all.csv", check=True)
    assert len(scored.stdout.splitlines()) == 801


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--engine", "duckdb"], "does not exist"),
        (["rows", "--engine", "sqlite"], "give memory or duckdb"),
        (["rows", "--engine", "duckdb", "--missing", "drop"], "--missing drop needs the rows in memory"),
        (["rows", "--engine", "duckdb", "--weights", "age"], "--weights needs the rows in memory"),
        (["rows", "--engine", "duckdb", "--memory", "little"], "give a size such as 2GB"),
        (["rows", "--engine", "duckdb", "--target", "age"], "different value"),
        (["rows", "--engine", "duckdb", "--target", "stat"], "did you mean 'state'"),
        (["rows", "all.csv", "--engine", "duckdb"], "files of one kind"),
        (["all.parquet", "rows"], "--engine duckdb"),
    ],
)
def test_what_cannot_be_done_is_said(run, rows, arguments, message):
    done = run("fit", *QUICK, "--goal", "errors", *arguments)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


def written(tmp_path, header, cells, name="t.csv", encoding="utf-8"):
    """Write a table of two columns, and whether the second is large as the class."""
    draw = np.random.default_rng(2)
    x = draw.integers(0, 8, 400)
    state = np.where(x + draw.normal(0, 1, 400) > 4, "ill", "well")
    lines = [header, *(cells(k, one, own) for k, (one, own) in enumerate(zip(x, state, strict=True)))]
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding=encoding)


def test_decimal_commas_are_not_read_as_categories(run, tmp_path):
    written(tmp_path, "x;state", lambda k, x, own: f"{x},{k % 2 * 5};{own}")
    done = run("fit", "t.csv", "--goal", "errors", *QUICK, "--engine", "duckdb")
    assert done.returncode == 2
    assert "column 'x' has decimal commas, such as '0,0'; use --decimal ," in done.stderr
    told = [
        json.loads(
            run(
                "fit",
                "t.csv",
                "--goal",
                "errors",
                *QUICK,
                "--no-validate",
                "--json",
                "--decimal",
                ",",
                *more,
                check=True,
            ).stdout
        )["card"]
        for more in ([], ["--engine", "duckdb"])
    ]
    assert told[0]["items"] == told[1]["items"]
    assert told[0]["items"][0]["rule"] == "range"
    assert [one["reading"]["columns"] for one in told] == [{"x": {"decimal": ","}}] * 2

    written(tmp_path, "x;state", lambda k, x, own: f"{x + 1},{100 + k};{own}")
    done = run("fit", "t.csv", "--goal", "errors", *QUICK, "--engine", "duckdb")
    assert "could mean decimals or thousands; use --decimal . or --decimal ," in done.stderr


def test_thousands_mean_the_same_for_a_card_of_either_engine(run, tmp_path):
    written(tmp_path, "x,y,state", lambda k, x, own: f'"{x + 1},{100 + k}",{k % 3}.5,{own}')
    (tmp_path / "new.csv").write_text('x,y\n"9,508",1\n"1,508",1\n')
    for engine in ("memory", "duckdb"):
        ask = ["--no-validate", "--engine", engine, "--out", f"{engine}.json"]
        done = run("fit", "t.csv", "--goal", "errors", *QUICK, *ask, check=True)
        assert re.search(r"numbers have thousands separators: '(\d),(\d+)' in 'x' is \1\2", done.stderr)
        reading = json.loads((tmp_path / f"{engine}.json").read_text())["reading"]
        assert reading["columns"] == {"x": {"decimal": "."}}
        assert reading["found"]["separator"] == "commas"
        assert run("predict", f"{engine}.json", "new.csv", check=True).stdout.split()[1:]


def test_limits_among_the_numbers_of_their_column_are_refused(run, tmp_path):
    written(tmp_path, "x,state", lambda k, x, own: f"{'<5' if k % 9 == 0 else x},{own}")
    done = run("fit", "t.csv", "--goal", "errors", *QUICK, "--engine", "duckdb")
    assert "column 'x' has 45 values with a limit that can lie among its numbers (0 to 7): '<5' (45)" in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_differ_in_case_only_are_refused(run, tmp_path, suffix):
    written(tmp_path, "BP,bp,state", lambda k, x, own: f"{k % 5},{x},{own}")
    if suffix == "parquet":
        polars.read_csv(tmp_path / "t.csv").write_parquet(tmp_path / "t.parquet")
    done = run("fit", f"t.{suffix}", "--goal", "errors", *QUICK, "--engine", "duckdb")
    assert done.returncode == 2
    assert f"t.{suffix}: columns 'BP' and 'bp' differ in case only" in done.stderr


def test_names_are_those_of_the_file(run, tmp_path):
    written(tmp_path, "a,a,state", lambda k, x, own: f"{k % 5},{x},{own}")
    done = run("fit", "t.csv", "--goal", "errors", *QUICK, "--engine", "duckdb")
    assert done.returncode == 2
    assert "columns 1 and 2 are both called 'a'; rename one" in done.stderr

    written(tmp_path, "a, ,state", lambda k, x, own: f"{k % 5},{x},{own}")
    run(
        "fit",
        "t.csv",
        "--goal",
        "errors",
        *QUICK,
        "--no-validate",
        "--engine",
        "duckdb",
        "--out",
        "card.json",
        check=True,
    )
    items = json.loads((tmp_path / "card.json").read_text())["items"]
    assert [one["column"] for one in items] == ["column 2"]
    assert len(run("predict", "card.json", "t.csv", check=True).stdout.splitlines()) == 401


def test_what_duckdb_cannot_read_has_a_remedy(run, tmp_path):
    cases = [
        ("größe,state", lambda k, x, own: f"{x},{own}", "latin-1", "is not UTF-8 text; save it as 'CSV UTF-8'"),
        ("x,state", lambda k, x, own: f"{x},{own}" + ",9" * (k == 300), "utf-8", "--engine memory"),
        ("x,state", lambda k, x, own: f"{'inf' if k % 20 == 0 else x / 2},{own}", "utf-8", "are none: 'inf'"),
    ]
    for header, cells, encoding, message in cases:
        written(tmp_path, header, cells, encoding=encoding)
        done = run("fit", "t.csv", "--goal", "errors", *QUICK, "--engine", "duckdb")
        assert done.returncode == 2
        assert message in done.stderr


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]], ids=["memory", "duckdb"])
@pytest.mark.parametrize("places", [0, 6], ids=["few numbers", "many numbers"])
def test_a_number_that_stands_for_a_missing_value_does_so_in_every_file(run, tmp_path, suffix, engine, places):
    random = np.random.default_rng(0)
    x = np.round(random.normal(50, 15, 2500), places)
    y = np.where(x > 55, "ill", "well")
    x[:250], y[:250] = -7, "ill"  # in a CSV file as -7.0
    table, names = polars.DataFrame({"x": x, "y": y}), {".csv": "t.csv", ".parquet": "t.parquet"}
    table.write_csv(tmp_path / names[".csv"])
    table.write_parquet(tmp_path / names[".parquet"])
    asked = ["--target", "y", "--positive", "ill", "--na=-7", "--no-validate", "--out", "card.json"]
    run("fit", names[suffix], "--goal", "errors", *engine, *asked, check=True)
    for name in names.values():
        run("predict", "card.json", name, "--out", "scores.csv", check=True)
        found = polars.read_csv(tmp_path / "scores.csv")["prediction"]
        assert set(found[:250]) == {"ill"}, name
        assert (found == y).mean() > 0.95
