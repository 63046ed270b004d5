"""What a reader must know of the numbers: rows with the score 0, prices below a row, what C1 changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from study.contour_grid import paper_end, safe_end
from study.records import Record
from study.results.study import Study

RANGES = ("safe", "in the paper's range", "past it")  # of C1


def fits_with_zero_scores(study: Study) -> tuple[int, int]:
    """Of SLIM's fits: those with training rows of the score 0 that predict counts right, and all."""
    records = [
        record for dataset in study.datasets for result in study.results(dataset, "SLIM") for record in result.records
    ]
    of_zero = [r for r in records if r.proof is not None and r.proof.training_errors > r.train.errors]
    return len(of_zero), len(records)


def prices_below_a_row(study: Study) -> dict[str, list[float]]:
    """The C0 of SLIM's grid below 1/N of the training rows, by dataset; where there are none, no entry."""
    found = {}
    for dataset in study.datasets:
        results = study.results(dataset, "SLIM")
        low = [r.setting.number("C0") for r in results if _is_below_a_row(r.records, r.setting.number("C0"))]
        if low:
            found[dataset] = sorted(low)
    return found


def _is_below_a_row(records: tuple[Record, ...], C0: float) -> bool:
    return all(Fraction(str(C0)) < Fraction(1, record.train.rows) for record in records)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """Fits of one dataset with C1 in one range, beside those where C1 breaks ties only."""

    dataset: str
    where: str  # one of RANGES
    fits: int
    proven: int  # and so is the other
    same: int  # of the proven ones, with the same F


def ties(study: Study) -> Iterator[Ties]:
    """Hold each fit with a numeric C1 against that of the same fold and C0 where C1 is "auto"."""
    for dataset in study.datasets:
        alone = {
            (record.split, result.setting.number("C0")): record
            for result in study.results(dataset, "SLIM")
            for record in result.records
        }
        counts = {where: [0, 0, 0] for where in RANGES}
        columns = study.tables[dataset].columns if dataset in study.tables else None
        for result in study.results(dataset, "SLIM", contour=True):
            C0, C1 = result.setting.number("C0"), result.setting.number("C1")
            for record in result.records:
                other = alone.get((record.split, C0))
                if columns is None or other is None or record.proof is None or other.proof is None:
                    continue
                count = counts[where_is(C1, record.train.rows, columns, C0)]
                count[0] += 1
                if record.proof.proven and other.proof.proven:
                    count[1] += 1
                    count[2] += _objective(record, C0) == _objective(other, C0)
        for where, (fits, proven, same) in counts.items():
            if fits:
                yield Ties(dataset=dataset, where=where, fits=fits, proven=proven, same=same)


def where_is(C1: float, rows: int, columns: int, C0: float) -> str:
    """Say in which of the ranges a value lies.

    >>> [where_is(C1, 546, 10, 0.006) for C1 in (1e-9, 1e-6, 1e-3)]
    ['safe', "in the paper's range", 'past it']
    """
    value = Fraction(str(C1))
    if value < safe_end(rows, columns, C0):
        return RANGES[0]
    return RANGES[1] if value <= paper_end(rows, columns, C0) else RANGES[2]


def _objective(record: Record, C0: float) -> Fraction:
    """F of the paper's formulation without C1: the intercept is one of the terms."""
    assert record.proof is not None
    errors = Fraction(record.proof.training_errors, record.train.rows)
    return errors + Fraction(str(C0)) * record.size_with_intercept
