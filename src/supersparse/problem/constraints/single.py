"""Constraints on single features, their signs and the largest score, and reading the list of constraints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import Number, exact, read_whole, shown
from supersparse.problem.constraints.support import FixedAnswers, MaxFeatures, MinFeatures, Names
from supersparse.problem.limits import Constraint, ScoreLimit, SignLimit, ValueLimit
from supersparse.problem.naming import matching, names_or_patterns, per_feature
from supersparse.problem.rows import Rows


@dataclass(frozen=True, kw_only=True, repr=False)
class Values(Constraint):
    """Features with a nonzero coefficient (`equals` is None) or with a fixed value."""

    of: tuple[str, ...]
    equals: Fraction | None
    asked_as: str

    def in_words(self) -> str:
        names = ", ".join(self.of)
        return f"{names} = {shown(self.equals)}" if self.equals else f"{names} {self.asked_as}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[ValueLimit, ...]:
        return tuple(
            ValueLimit(name=rows.names[j], equals=self.equals, source=self)
            for j in matching(self.of, rows.names, repr(self.in_words()))
        )


def must_use(names: str | Sequence[str]) -> Values:
    """Use all of these features.

    >>> must_use(["age", "lab*"]).in_words()
    'age, lab* used'
    """
    return Values(of=names_or_patterns(names, "must_use"), equals=None, asked_as="used")


def must_not_use(names: str | Sequence[str]) -> Values:
    """Use none of these features.

    >>> must_not_use("zip*").in_words()
    'zip* not used'
    """
    return Values(of=names_or_patterns(names, "must_not_use"), equals=Fraction(0), asked_as="not used")


def fixed(name: str | Sequence[str], value: Number | Sequence[int | None]) -> Values | FixedAnswers:
    """Fix the points of a feature, or those of each answer of a question; None leaves an answer free.

    >>> fixed("age", 2).in_words(), fixed("age", [0, None, 5]).in_words()
    ('age = 2', 'age = 0/any/5')
    """
    of = names_or_patterns(name, "fixed")
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(of) != 1:
            raise InvalidProblemError(f"fixed: {', '.join(of)} are given points by answer", "name one question")
        what = f"fixed: the points of {of[0]!r}"
        return FixedAnswers(
            question=of[0], points=tuple(None if point is None else read_whole(point, what) for point in value)
        )
    points = exact(value, f"fixed: the value of {', '.join(of)}")
    return Values(of=of, equals=points, asked_as="fixed at 0")


Range = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True, repr=False)
class MaxTotalScore(Constraint):
    """A maximum sum of points within the ranges of the features."""

    most: Fraction
    ranges: tuple[tuple[str, Range], ...]

    def in_words(self) -> str:
        return f"a total score of at most {shown(self.most)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[ScoreLimit, ...]:
        """One limit; features without a declared range use the observed one."""
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
    """Limit the total points that any row can reach, without the intercept.

    `ranges` gives the range of each feature by name or pattern; the default is the range of its column.

    >>> max_total_score(20, ranges={"age": (0, 100)}).in_words()
    'a total score of at most 20'
    """
    if ranges is not None and not isinstance(ranges, Mapping):
        raise InvalidProblemError(f"max_total_score: ranges is {ranges!r}", "give {feature or pattern: (low, high)}")
    read = tuple(
        (names_or_patterns(name, "max_total_score: ranges")[0], _read_range(pair, name))
        for name, pair in (ranges or {}).items()
    )
    return MaxTotalScore(most=exact(most, "max_total_score: the limit"), ranges=read)


def _read_range(pair: object, name: str) -> Range:
    what = f"max_total_score: the range of {name!r}"
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidProblemError(subject=what, value=pair, remedy="give a pair (low, high)")
    low, high = (exact(v, what) for v in pair)
    if high < low:
        raise InvalidProblemError(f"{what} ends at {pair[1]}, below its start {pair[0]}", "swap them")
    return low, high


def read_constraints(constraints: object, max_features: object, min_features: object) -> tuple[Constraint, ...]:
    """Return all constraints, each once, with the two size limits first."""
    asked: list[Constraint] = []
    if max_features is not None and not (isinstance(max_features, str) and max_features == "auto"):
        asked.append(MaxFeatures(most=read_whole(max_features, "max_features", otherwise=", or None")))
    if min_features is not None:
        asked.append(MinFeatures(least=read_whole(min_features, "min_features", otherwise=", or None")))
    if constraints is None:
        return tuple(asked)
    listed = [constraints] if isinstance(constraints, Constraint) else constraints
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise InvalidProblemError(subject="constraints", value=listed, remedy="give a list of supersparse.constraints")
    for constraint in listed:
        if not isinstance(constraint, Constraint):
            raise InvalidProblemError(
                f"constraints contains {constraint!r}",
                "use the functions of supersparse.constraints, such as min_sensitivity(0.9)",
            )
        asked.append(constraint)
    return tuple(dict.fromkeys(asked))


@dataclass(frozen=True, kw_only=True, repr=False)
class SameSign(Constraint):
    """The features of each group, such as a raw variable, have points of one sign, all >= 0 or all <= 0."""

    variables: tuple[tuple[str, tuple[str, ...]], ...]

    def in_words(self) -> str:
        named = ", ".join(name for name, _ in self.variables)
        return f"points of one sign for {f'{named} together' if self.is_list else f'each of {named}'}"

    @property
    def is_list(self) -> bool:
        """Whether it is one group that was given as a list, without a name."""
        return len(self.variables) == 1 and self.variables[0] == _listed(self.variables[0][1])

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SignLimit, ...]:
        limits = []
        for variable, of in self.variables:
            members = set(matching(of, rows.names, f"same_sign: {variable!r}"))
            together = tuple(j in members for j in range(rows.n_features))
            limits.append(SignLimit(together=together, source=self))
        return tuple(limits)


def same_sign(variables: Mapping[str, Names] | Names) -> SameSign:
    """Give features points of one sign, all 0 or more or all 0 or less; the solver chooses which.

    A list of names and patterns is one group; a mapping has a group for each raw variable. If the features
    of a group are thresholds of one variable, ``age >= 40`` and ``age >= 60``, its points then only rise with
    the variable, or only fall.

    >>> same_sign(["age >= 40", "age >= 60"]).in_words()
    'points of one sign for age >= 40, age >= 60 together'
    >>> same_sign({"age": ["age >= 40", "age >= 60"], "bmi": "bmi >=*"}).in_words()
    'points of one sign for each of age, bmi'
    """
    if isinstance(variables, Mapping):
        if not variables:
            raise InvalidProblemError("same_sign names no variable", "give {variable: its features}")
        read = tuple((str(name), names_or_patterns(of, f"same_sign: {name!r}")) for name, of in variables.items())
    else:
        read = (_listed(names_or_patterns(variables, "same_sign")),)
    return SameSign(variables=read)


def _listed(of: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The group of a list, which has no name of its own."""
    return ", ".join(of), of
