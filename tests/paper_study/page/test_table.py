import csv
import io

import pytest

from study.page.table import Table

TABLE = Table("A & B", ("name", "5 %"), (("x_1 | y", "3.5 ± 1 %"), ("a,b", "")))


def test_markdown_escapes_what_would_split_a_cell():
    lines = TABLE.markdown().splitlines()
    assert lines[1] == "| --- | ---: |"  # words, numbers
    assert lines[2].count("|") == 3
    assert len(lines) == 4


def test_latex_escapes_its_special_characters():
    text = TABLE.latex()
    assert r"\caption{A \& B}" in text
    assert r"5 \% \\" in text
    assert r"x\_1" in text
    assert text.count(r"\\") == 3


def test_latex_breaks_long_texts_into_lines():
    table = Table("", ("name", "words", "5 %"), (("x", "long " * 9, "3"), ("y", "", "4")))
    assert r"\begin{tabular}{lp{0.38\linewidth}r}" in table.latex()
    assert r"\begin{tabular}{lr}" in TABLE.latex()


def test_csv_comes_back():
    assert list(csv.reader(io.StringIO(TABLE.csv()))) == [list(TABLE.header), *map(list, TABLE.rows)]


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="a row of 1 cells under a header of 2"):
        Table("", ("a", "b"), (("x",),))
