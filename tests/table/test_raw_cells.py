"""Cells as people write them: signs of numbers, limits, codes for missing values, spellings and dates."""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersparse.card.build import item
from supersparse.card.entries import Place
from supersparse.card.format import READING
from supersparse.errors import InvalidCardError, InvalidDataError, InvalidOptionError
from supersparse.show.document import ScoringSystem
from supersparse.table import collecting, csv_file
from supersparse.table.cells import plain_number
from supersparse.table.files import read_table
from supersparse.table.reading import ColumnReading, Reading
from supersparse.table.roles import fitting_orders, sortable_date, sortable_dates
from supersparse.table.table import Kind
from supersparse.table.tidying import codes_among, codes_among_texts
from supersparse.table.training import Roles, read_training


@pytest.fixture
def write(tmp_path):
    def write(lines, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes("\n".join(lines).encode(encoding))
        return path

    return write


def values(table, name):
    return table.columns[name].values.tolist()


GROUPS = {".": [",", " ", "'", "\u00a0", "\u202f"], ",": [".", " ", "’", "\u2009"]}


@given(number=st.decimals(-(10**9), 10**9, places=2), decimal=st.sampled_from(".,"), data=st.data())
def test_grouped_numbers_mean_what_they_meant_before_they_were_grouped(number, decimal, data):
    group = data.draw(st.sampled_from(["", *GROUPS[decimal]]))
    text = f"{number:,.2f}".replace(",", "_").replace(".", decimal).replace("_", group)
    found = plain_number(text, decimal)
    assert found is not None
    assert Fraction(found) == Fraction(number)


@pytest.mark.parametrize("text", ["1,23,456", "12,34.5", "1.234.5", "0,123.4", "1,234,56", "1 23", "", "x", "1,2,3"])
def test_what_is_grouped_wrongly_is_no_number(text):
    assert plain_number(text, ".") is None


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,234.5", "12"], [1234.5, 12.0]),
        (["1.234,5", "1.234"], [1234.5, 1234.0]),
        (["1 234,5", "950"], [1234.5, 950.0]),
        (["1'234.50", "0.25"], [1234.5, 0.25]),
        (["1,234,567", "1,000"], [1234567, 1000]),
        (["\u22121,5", "2"], [-1.5, 2.0]),
        (["12,5", "1.000.000"], [12.5, 1e6]),
    ],
)
def test_a_column_has_the_decimal_sign_that_its_cells_show(write, cells, expected):
    assert values(read_table(write(["x|y", *(f"{cell}|1" for cell in cells)])), "x") == expected


def test_a_column_that_shows_no_sign_has_that_of_the_others_else_somebody_must_decide(write):
    german = read_table(write(["cost;height", "1.234;1,80", "2.500;1,65"]))
    assert values(german, "cost") == [1234, 2500]
    american = read_table(write(["cost,height", '"1,234",1.80', '"2,500",1.65']))
    assert values(american, "cost") == [1234, 2500]
    unclear = write(["cost;n", "1.234;1", "2.500;2"])
    with pytest.raises(InvalidDataError, match=r"column 'cost' has '1\.234', which could mean 1\.234 or 1234"):
        read_table(unclear)
    assert values(read_table(unclear, Reading.of(decimal=",")), "cost") == [1234, 2500]
    assert values(read_table(unclear, Reading.of(decimal=".")), "cost") == [1.234, 2.5]
    assert values(read_table(write(["cost,n", "1.234,1", "2.500,2"])), "cost") == [1.234, 2.5]
    mixed = write(["a;b;c", "1,5;1.5;1.500", "2,5;2.5;2.500"])
    with pytest.raises(InvalidDataError, match=r"column 'c' has '1\.500'"):
        read_table(mixed)


def test_the_sign_that_a_card_remembers_holds_for_files_that_are_written_alike(write):
    german = read_table(write(["x;z", "1,5;2,5", "2,5;1.000"])).reading
    assert german.columns["x"].decimal == german.columns["z"].decimal == ","
    assert values(read_table(write(["x;z", "3.500;7", "1;8"]), german), "x") == [3500, 1]
    assert values(read_table(write(["x;z", "3.500;2.5", "1;8"]), german), "x") == [3.5, 1]
    assert values(read_table(write(["x,z", "3.500,7", "3.250,8"]), german), "x") == [3.5, 3.25]
    assert values(read_table(write(["x,z", "3.500,7", "3.25,8"]), german), "x") == [3.5, 3.25]
    with pytest.raises(InvalidDataError, match=r"'3,500', which could mean 3500 or 3\.500; use --decimal"):
        read_table(write(["x,z", '"3,500",7']), german)


def test_both_signs_in_one_column_are_a_fault(write):
    with pytest.raises(InvalidDataError, match=r"'2,5' \(1\), the first in line 3 \(decimal commas among"):
        read_table(write(["x;y", "1.5;1", "2,5;0", "3.5;1"]))


def test_everything_to_decide_stands_in_one_message(write):
    path = write(["cost;bmi;y", "1.234;n/a;1", "2.500;21;0", "3.000;22;1", "1.000;23;0"])
    with pytest.raises(InvalidDataError, match=r"2 things to decide: \(1\) column 'cost'.*\(2\) column 'bmi'"):
        read_table(path)


@pytest.mark.parametrize("most_different", [2**16, 1])
def test_limits_are_ordered_coded_or_parsed(write, monkeypatch, most_different):
    monkeypatch.setattr(collecting, "MOST_DIFFERENT", most_different)
    monkeypatch.setattr(collecting, "_FEW", 1)
    monkeypatch.setattr(csv_file, "_CHUNK", 3)
    cells = ["0.5", "<0.01", "≤ 0.02", "12.25", ">1,000", "", "1,000", ">= 2000", "0.75"]
    table = read_table(write(["x|y", *(f"{cell}|1" for cell in cells)]))
    inf = np.inf
    expected = [0.5, -inf, -inf, 12.25, inf, np.nan, 1000, inf, 0.75]
    np.testing.assert_array_equal(table.columns["x"].values, expected)
    assert table.columns["x"].n_missing == 1
    assert "'<0.01' (1 row), '≤ 0.02' (1 row) counts as lower than any measured value" in table.column_notes["x"][0]


@pytest.mark.parametrize("most_different", [2**16, 1])
def test_limits_among_the_numbers_of_their_column_are_refused(write, monkeypatch, most_different):
    monkeypatch.setattr(collecting, "MOST_DIFFERENT", most_different)
    monkeypatch.setattr(collecting, "_FEW", 1)
    monkeypatch.setattr(csv_file, "_CHUNK", 3)
    cells = ["1", "<1", "99", "<80", "7", "<80", ">99", "≤ 1", "3"]
    path = write(["x|y", *(f"{cell}|1" for cell in cells)])
    with pytest.raises(InvalidDataError) as caught:
        read_table(path)
    assert str(caught.value) == (
        f"{path}: column 'x' has 3 values with a limit that can lie among its numbers (1 to 99): "
        "'<80' (2), '≤ 1' (1), the first in line 5; correct them"
    )
    kept = read_table(path, Reading.of(na="<80,≤ 1")).columns["x"]
    assert (kept.n_missing, np.isinf(kept.values).sum()) == (3, 2)


def test_limits_may_lie_between_the_numbers_and_a_code_for_a_missing_value(write):
    table = read_table(write(["x,y", *(f"{x},1" for x in [*range(20, 60), -99, "<20", ">59", 999])]))
    assert table.columns["x"].n_missing == 2
    assert table.columns["x"].values[[41, 42]].tolist() == [-np.inf, np.inf]


def test_what_cannot_be_a_word_of_na_is_not_offered_as_one(tmp_path, write):
    cells = ["1,5", "2,5", "<2,0", "3,5"]
    roles = Roles(target="y")
    with pytest.raises(InvalidDataError, match=r"'<2,0' \(1\), the first in line 4; treat as missing with na under"):
        read_training(write(["x;y", *(f"{c};{k % 2}" for k, c in enumerate(cells))]), Reading(), roles, print)


def test_bands_of_ages_are_categories_and_not_limits(write):
    table = read_table(write(["x,y", "<18,1", "18-65,1", ">65,0", "<18,1"]))
    assert table.columns["x"].kind is Kind.TEXT


def test_a_card_orders_what_is_below_every_number_and_multiplies_no_such_value():
    card = ScoringSystem.of([item("x", at_least=0.01, points=1)], above=0)
    rows = {"x": [-np.inf, 0.01, np.inf, 0.001]}
    assert card.predict(rows).tolist() == ["no", "yes", "yes", "no"]
    assert [card.predict({"x": value}) for value in rows["x"]] == ["no", "yes", "yes", "no"]
    below = ScoringSystem.of([item("x", below=0.01, points=1)], above=0)
    assert below.predict(rows).tolist() == ["yes", "no", "no", "yes"]
    product = ScoringSystem.of([item("x", points=1)], above=0)
    with pytest.raises(InvalidDataError, match="infinite in row 1"):
        product.predict(rows)


CODED = [
    ([*range(18, 90), -99, -99], [-99]),
    ([*range(18, 90), 999], [999]),
    ([*range(18, 90), 99], []),  # people of 99 years there are
    ([0, 1] * 10 + [9], [9]),
    ([1, 2, 3, 4, 5] * 4 + [9], []),
    ([1, 2, 3, 4, 5] * 4 + [99], [99]),
    ([*range(-20, 20), -99], []),  # other numbers are below 0, too
    ([*range(30), -9, -99, 999], [-99, -9, 999]),
    ([1, 2] * 4 + [-9], []),  # too few rows to tell
    ([1, 2] * 10 + [-9] * 30, []),  # more codes than values
    ([5] * 20 + [-9], []),
    ([*np.linspace(0.1, 4, 40).tolist(), 99.9], []),
]


@pytest.mark.parametrize(("numbers", "codes"), CODED)
def test_codes_stand_apart(numbers, codes):
    assert codes_among(np.array(numbers, dtype=float)) == codes
    shuffled = random.Random(0).sample(numbers, len(numbers))
    assert codes_among(np.array([*shuffled, np.nan, -np.inf], dtype=float)) == codes


def test_codes_among_texts():
    assert codes_among_texts(Counter({"a": 9, "b": 9, "-99": 3, "99": 1})) == ["-99", "99"]
    assert codes_among_texts(Counter({"a": 9, "b": 9, "-99": 3, "4": 1})) == []
    assert codes_among_texts(Counter({"0": 9, "1": 9, "9": 3})) == ["9"]


def test_codes_become_missing_with_a_note_and_can_be_kept(write):
    path = write(["age,sex,y", *(f"{-99 if i % 9 == 0 else 20 + i},{'fm'[i % 2]},1" for i in range(40))])
    table = read_table(path)
    assert table.columns["age"].n_missing == 5
    assert np.isnan(table.columns["age"].values[0])
    assert table.column_notes["age"] == (
        "'age': -99 (5 rows) stands apart from the other numbers (21 to 59) and is read as missing; "
        "use --as-written age if that is wrong",
    )
    assert table.reading.columns == {"age": ColumnReading(missing=("-99",))}
    for reading in (Reading.of(as_written=("a*",)), Reading(settled=True)):
        assert read_table(path, reading).columns["age"].n_missing == 0
    with pytest.raises(InvalidDataError, match="--as-written: there is no column 'agee'; did you mean 'age'"):
        read_table(path, Reading.of(as_written=("agee",)))


def test_spellings_are_one_category_and_the_most_frequent_is_kept(write):
    cells = ["ja", "Ja", "ja", " JA ", "nein", "not  known", "Not known", "not  known"]
    path = write(["x;y", *(f"{cell};1" for cell in cells)])
    table = read_table(path)
    assert values(table, "x") == ["ja"] * 4 + ["nein"] + ["not  known"] * 3
    assert table.reading.columns["x"].spellings == {"Ja": "ja", "JA": "ja", "Not known": "not  known"}
    assert "'Ja', 'JA' read as 'ja'" in table.column_notes["x"][0]
    kept = read_table(path, Reading.of(as_written=("x",)))
    assert len(set(values(kept, "x"))) == 6
    assert read_table(path, verbatim=["x"]).reading.columns == {}


def test_a_reading_survives_a_card():
    reading = Reading(
        missing=frozenset({"?"}),
        separator=";",
        encoding="cp1252",
        dates="dmy",
        sheet="Data",
        as_written=("id*",),
        found={"encoding": "cp1252"},
        columns={"x": ColumnReading(missing=("-99",), spellings={"Ja": "ja"}, decimal=",")},
        settled=True,
    )
    place = Place("'reading'", 3)
    assert READING.read_at(READING.write(reading), place) == reading
    for damage in ({"missing": "?"}, {"odd": 1}, {"columns": {"x": {"decimal": ";"}}}, {"columns": [1]}):
        with pytest.raises(InvalidCardError, match=r"'reading'|'columns'"):
            READING.read(damage, "reading", place)
    with pytest.raises(InvalidOptionError, match="dates is 'ymd'"):
        Reading.of(dates="ymd")


@pytest.mark.parametrize(
    ("cell", "order", "expected"),
    [
        ("2024-03-05", "mdy", "2024-03-05T00:00:00"),
        ("2024/3/5 7:05", "dmy", "2024-03-05T07:05:00"),
        ("05.03.2024", "mdy", "2024-03-05T00:00:00"),
        ("05/03/2024", "dmy", "2024-03-05T00:00:00"),
        ("05/03/2024", "mdy", "2024-05-03T00:00:00"),
        ("5-3-99", "dmy", "1999-03-05T00:00:00"),
        ("5/3/24 12:30:15 am", "dmy", "2024-03-05T00:30:15"),
        ("31/02/2024", "dmy", None),
        ("05/13/2024", "dmy", None),
        ("5.3.2024 25:00", "dmy", None),
    ],
)
def test_dates_in_national_orders(cell, order, expected):
    assert sortable_date(cell, order) == expected


def test_the_order_of_dates_is_seen_or_asked_for():
    assert fitting_orders(["01/02/2024", "13/02/2024"]) == {"dmy"}
    assert sortable_dates(["01/02/2024", "1/31/2024"], "t", None) == ["2024-01-02T00:00:00", "2024-01-31T00:00:00"]
    with pytest.raises(InvalidDataError, match="--dates dmy or --dates mdy"):
        sortable_dates(["01/02/2024"], "t", None)
    with pytest.raises(InvalidDataError, match=r"'13/02/2024', which is not a date if read with the month first"):
        sortable_dates(["13/02/2024"], "t", "mdy")


def test_text_that_is_not_utf_8_is_read_as_western_european(write):
    table = read_table(write(["größe,y", "1,ä", "2,ß"], encoding="cp1252"))
    assert (table.names[0], values(table, "y")) == ("größe", ["ä", "ß"])
    assert "read as cp1252" in table.notes[0]
    assert table.reading.found["encoding"] == "cp1252"
