"""A constraint on the largest score."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from supersparse.decimals import exact, shown
from supersparse.errors import InvalidProblemError
from supersparse.problem.limits import Constraint, ScoreLimit
from supersparse.problem.naming import names_or_patterns, per_feature
from supersparse.problem.rows import Rows

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True)
class MaxTotalScore(Constraint):
    """The largest sum of points within the ranges of the features."""

    most: Fraction
    ranges: tuple[tuple[str, Range], ...]

    def in_words(self) -> str:
        """Say what is asked."""
        return f"a total score of at most {shown(self.most)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[ScoreLimit, ...]:
        """One limit; a feature without a declared range has the one observed."""
        observed = {
            name: (Fraction(int(column.min()), scale), Fraction(int(column.max()), scale))
            for name, column, scale in zip(rows.names, rows.columns, rows.scales, strict=True)
        }
        declared = dict(self.ranges)

        def read(value: object, name: str) -> Range:
            return _read_range(value, name)

        pairs = per_feature(
            declared, rows.names, what="max_total_score: ranges", read=read, default=observed.__getitem__
        )
        return (
            ScoreLimit(
                low=tuple(low for low, _ in pairs),
                high=tuple(high for _, high in pairs),
                at_most=self.most,
                source=self,
            ),
        )


def max_total_score(
    most: float | Fraction, *, ranges: Mapping[str, tuple[float, float]] | None = None
) -> MaxTotalScore:
    """No row within the ranges reaches a sum of points above a limit, the intercept not counted.

    Ranges are given by feature name or pattern; a feature without one has the least and the
    greatest value of its column.

    >>> max_total_score(20, ranges={"age": (0, 100)}).in_words()
    'a total score of at most 20'
    """
    if ranges is not None and not isinstance(ranges, Mapping):
        raise InvalidProblemError(
            f"max_total_score: ranges is {ranges!r}; give {{feature or pattern: (low, high)}}"
        )
    read = tuple(
        (names_or_patterns(name, "max_total_score: ranges")[0], _read_range(pair, name))
        for name, pair in (ranges or {}).items()
    )
    return MaxTotalScore(most=exact(most, "max_total_score: the limit"), ranges=read)


def _read_range(pair: object, name: str) -> Range:
    what = f"max_total_score: the range of {name!r}"
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidProblemError(f"{what} is {pair!r}; give a pair (low, high)")
    low, high = (exact(v, what) for v in pair)
    if high < low:
        raise InvalidProblemError(f"{what} ends at {pair[1]}, below its start {pair[0]}; swap them")
    return low, high
