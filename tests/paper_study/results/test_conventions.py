from dataclasses import replace

from paper_study.results.made import fits, record
from study.records import Loaded
from study.results.conventions import Ties, fits_with_zero_scores, prices_below_a_row, ties
from study.results.study import Study
from study.setting import Setting

LOW, HIGH = (Setting.of(C0=value, work=9) for value in (0.005, 0.01))


def test_fits_with_training_rows_at_0_are_counted():
    plain = fits("haberman", "SLIM", [20, 20], [2, 2], HIGH, F="1/5")
    # one row more is wrong in what is minimised than in what is predicted
    with_zero = replace(plain[0], proof=replace(plain[0].proof, training_errors=21))
    assert fits_with_zero_scores(Study(plain)) == (0, 2)
    assert fits_with_zero_scores(Study([with_zero, plain[1]])) == (1, 2)


def test_prices_below_one_row_of_a_hundred_are_named():
    lines = [
        *fits("haberman", "SLIM", [20, 20], [2, 2], HIGH),
        *fits("haberman", "SLIM", [20, 20], [3, 3], LOW),
        *fits("spambase", "SLIM", [20, 20], [2, 2], HIGH),
    ]
    assert prices_below_a_row(Study(lines)) == {"haberman": [0.005]}


def test_what_an_l1_price_changes_is_counted_where_both_are_proven():
    # 100 training rows, 4 columns: F in steps of 1/100, so safe below 2.5e-5, as the paper's range
    def contour(C1, errors, proven=True):
        line = record("haberman", "SLIM", "1/1", errors, 2, Setting.of(C0=0.01, work=1, C1=C1), F="1/5")
        return replace(line, proof=replace(line.proof, proven=proven))

    lines = [
        Loaded(dataset="haberman", fingerprint="x", rows=100, columns=4, positives=10),
        record("haberman", "SLIM", "1/1", 20, 2, HIGH, F="1/5"),
        contour(1e-5, 20),
        contour(0.001, 21),
        contour(0.01, 30, proven=False),
    ]
    assert list(ties(Study(lines, folds=1))) == [
        Ties(dataset="haberman", where="safe", fits=1, proven=1, same=1),
        Ties(dataset="haberman", where="past it", fits=2, proven=1, same=0),
    ]
