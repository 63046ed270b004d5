import polars as pl

from supersparse.show.estimators import reading
from supersparse.table.sources import as_frame


# Releases before 1.9 read names by this protocol alone.
def test_an_older_scikit_learn_is_told_the_names_of_any_frame(monkeypatch):
    monkeypatch.setattr(reading, "_READS_ANY_FRAME", False)
    people = pl.DataFrame({"bmi": [20.5], "age": [40]})
    told = reading._with_names(people, as_frame(people))
    assert list(told.__dataframe__().column_names()) == ["bmi", "age"]
    assert told.shape == (1, 2)
