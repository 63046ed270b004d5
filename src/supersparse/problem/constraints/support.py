"""Constraints on which features are used together: counts, conditions, budgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from supersparse.base.errors import InvalidProblemError
from supersparse.base.exact import counted, read_non_negative, read_whole, shown
from supersparse.problem.limits import Constraint, SupportLimit, ValueLimit
from supersparse.problem.naming import matching, names_or_patterns, per_feature
from supersparse.problem.rows import Rows

Names = str | Sequence[str]


def _indicator(at: Sequence[int], n: int, weight: int = 1) -> tuple[int, ...]:
    return tuple(weight if j in at else 0 for j in range(n))


@dataclass(frozen=True, kw_only=True, repr=False)
class Count(Constraint):
    """A minimum or maximum number of features from a list."""

    of: tuple[str, ...]
    least: int | None
    most: int | None

    def in_words(self) -> str:
        names = ", ".join(self.of)
        if self.least == self.most:
            return f"exactly {self.most} of {names}"
        return f"at least {self.least} of {names}" if self.most is None else f"at most {self.most} of {names}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        at = matching(self.of, rows.names, repr(self.in_words()))
        limits = []
        if self.most is not None:
            ones = _indicator(at, rows.n_features)
            limits.append(SupportLimit(weights=ones, at_most=Fraction(self.most), source=self))
        if self.least is not None:
            negated = _indicator(at, rows.n_features, -1)
            limits.append(SupportLimit(weights=negated, at_most=Fraction(-self.least), source=self))
        return tuple(limits)


def at_most(k: int, *, of: Names) -> Count:
    """Use at most k of these features.

    >>> at_most(2, of=["age*", "sex"]).in_words()
    'at most 2 of age*, sex'
    """
    return Count(of=names_or_patterns(of, "at_most: of"), least=None, most=read_whole(k, "at_most: the number"))


def at_least(k: int, *, of: Names) -> Count:
    """Use at least k of these features.

    >>> at_least(1, of="lab*").in_words()
    'at least 1 of lab*'
    """
    return Count(of=names_or_patterns(of, "at_least: of"), least=read_whole(k, "at_least: the number"), most=None)


def exactly(k: int, *, of: Names) -> Count:
    """Use exactly k of these features.

    >>> exactly(1, of=["a", "b"]).in_words()
    'exactly 1 of a, b'
    """
    number = read_whole(k, "exactly: the number")
    return Count(of=names_or_patterns(of, "exactly: of"), least=number, most=number)


@dataclass(frozen=True, kw_only=True, repr=False)
class ThresholdsPerVariable(Constraint):
    """At most `most` features of each raw variable."""

    most: int
    variables: tuple[tuple[str, tuple[str, ...]], ...]

    def in_words(self) -> str:
        names = ", ".join(name for name, _ in self.variables)
        each = "each of " if len(self.variables) > 1 else ""
        return f"at most {counted(self.most, 'cut point')} for {each}{names}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        return tuple(
            SupportLimit(
                weights=_indicator(matching(of, rows.names, f"thresholds_per_variable: {variable!r}"), rows.n_features),
                at_most=Fraction(self.most),
                source=self,
            )
            for variable, of in self.variables
        )


def thresholds_per_variable(most: int, variables: Mapping[str, Names] | Names) -> ThresholdsPerVariable:
    """Use at most `most` features of each raw variable.

    In a list of patterns, each pattern stands for one variable.

    >>> thresholds_per_variable(1, {"age": ["age>=40", "age>=60"], "bmi": "bmi>=*"}).in_words()
    'at most 1 cut point for each of age, bmi'
    """
    what = "thresholds_per_variable"
    if isinstance(variables, Mapping):
        if not variables:
            raise InvalidProblemError(f"{what} names no variable", "give {variable: its features}")
        read = tuple((str(name), names_or_patterns(of, f"{what}: {name!r}")) for name, of in variables.items())
    else:
        read = tuple((pattern, (pattern,)) for pattern in names_or_patterns(variables, what))
    return ThresholdsPerVariable(most=read_whole(most, f"{what}: the number"), variables=read)


@dataclass(frozen=True, kw_only=True, repr=False)
class OnlyIf(Constraint):
    """Features that are used only with others."""

    used: tuple[str, ...]
    needs: tuple[str, ...]

    def in_words(self) -> str:
        return f"{', '.join(self.used)} only if {' or '.join(self.needs)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        """α_a - Σ α_b <= 0 for each feature a."""
        needed = _indicator(matching(self.needs, rows.names, "only_if"), rows.n_features, -1)
        return tuple(
            SupportLimit(weights=tuple(w + (j == a) for j, w in enumerate(needed)), at_most=Fraction(0), source=self)
            for a in matching(self.used, rows.names, "only_if")
        )


def only_if(used: Names, needs: Names) -> OnlyIf:
    """Use a feature only if another is used; if `needs` lists several, one of them is enough.

    >>> only_if("age*sex", "age").in_words()
    'age*sex only if age'
    """
    return OnlyIf(used=names_or_patterns(used, "only_if"), needs=names_or_patterns(needs, "only_if"))


@dataclass(frozen=True, kw_only=True, repr=False)
class Budget(Constraint):
    """The maximum total cost of the features used."""

    costs: tuple[tuple[str, Fraction], ...]
    most: Fraction

    def in_words(self) -> str:
        costs = ", ".join(f"{name} {shown(cost)}" for name, cost in self.costs)
        return f"features for at most {shown(self.most)} ({costs})"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        weights = per_feature(
            dict(self.costs),
            rows.names,
            what="budget",
            read=lambda cost, _: read_non_negative(cost, "budget"),
            default=lambda _: Fraction(0),
        )
        return (SupportLimit(weights=weights, at_most=self.most, source=self),)


def budget(costs: Mapping[str, float | Fraction], *, at_most: float | Fraction) -> Budget:
    """Limit the total cost of the features used; features without a cost are free.

    >>> budget({"lab": 30, "ct*": 99.5}, at_most=100).in_words()
    'features for at most 100 (lab 30, ct* 99.5)'
    """
    if not isinstance(costs, Mapping) or not costs:
        raise InvalidProblemError(f"budget: the costs are {costs!r}", "give {feature or pattern: cost}")
    read = tuple(
        (names_or_patterns(name, "budget")[0], read_non_negative(cost, f"budget: the cost of {name!r}"))
        for name, cost in costs.items()
    )
    return Budget(costs=read, most=read_non_negative(at_most, "budget: at_most"))


@dataclass(frozen=True, kw_only=True, repr=False)
class MaxFeatures(Constraint):
    """The argument `max_features`; the problem stores the limit."""

    unit: ClassVar[str] = "feature"
    most: int

    def in_words(self) -> str:
        return f"at most {counted(self.most, self.unit)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        """No limits here; see `Problem.max_features`."""
        return ()


@dataclass(frozen=True, kw_only=True, repr=False)
class MinFeatures(Constraint):
    """The argument `min_features`."""

    unit: ClassVar[str] = "feature"
    least: int

    def in_words(self) -> str:
        return f"at least {counted(self.least, self.unit)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        """One limit, which includes the intercept if it counts towards the size."""
        return (
            SupportLimit(
                weights=(-1,) * rows.n_features,
                at_most=Fraction(-self.least),
                source=self,
                intercept_weight=-1 if counts_intercept else 0,
            ),
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class MaxQuestions(MaxFeatures):
    """The argument `max_questions`."""

    unit = "question"


@dataclass(frozen=True, kw_only=True, repr=False)
class MinQuestions(MinFeatures):
    """The argument `min_questions`."""

    unit = "question"


class OfAnswers(Constraint):
    """A constraint on the points of answers, which only a card of questions can satisfy."""

    def allows(self, names: Sequence[str], answers: Sequence[Sequence[int]] | None) -> bool:
        """Whether a card with these points by question and answer obeys; no other card does."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, repr=False)
class FixedAnswers(OfAnswers):
    """A question whose answers have these points; None leaves an answer free."""

    question: str
    points: tuple[int | None, ...]

    def in_words(self) -> str:
        return f"{self.question} = {'/'.join('any' if value is None else str(value) for value in self.points)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[ValueLimit, ...]:
        """One limit: the question is asked, or not; the evaluator compares points."""
        j = matching((self.question,), rows.names, repr(self.in_words()))[0]
        answers = max(int(rows.columns[j].max()) + 1, 2)
        if len(self.points) != answers:
            raise InvalidProblemError(
                f"{self.in_words()!r} has {len(self.points)} points, but {self.question!r} has {answers} answers",
                "give points for each, null for an answer that is free",
            )
        if not any(self.points) and None in self.points:
            return ()
        asked = None if any(self.points) else Fraction(0)
        return (ValueLimit(name=rows.names[j], equals=asked, source=self),)

    def allows(self, names: Sequence[str], answers: Sequence[Sequence[int]] | None) -> bool:
        if answers is None:
            return False
        points = answers[names.index(self.question)] if self.question in names else (0,) * len(self.points)
        return all(value in (None, actual) for value, actual in zip(self.points, points, strict=True))


@dataclass(frozen=True, kw_only=True, repr=False)
class CloseTo(OfAnswers):
    """A maximum number of questions, or of answers, whose points differ from those of a given card."""

    card: tuple[tuple[str, tuple[int, ...]], ...]  # points by answer of the questions that it asks
    questions: int | None
    answers: int | None

    def in_words(self) -> str:
        most = [
            counted(number, what)
            for number, what in ((self.questions, "question"), (self.answers, "answer"))
            if number is not None
        ]
        named = ", ".join(name for name, _ in self.card) or "nothing"
        return f"at most {' and '.join(most)} different from a card that asks {named}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[SupportLimit, ...]:
        """No limits: the evaluator compares points."""
        for name, points in self.card:
            j = matching((name,), rows.names, "close_to")[0]
            most = int(rows.columns[j].max())
            if len(points) < max(most + 1, 2):
                raise InvalidProblemError(
                    f"close_to: {name!r} has {len(points)} points, but answers up to {most}", "give one each"
                )
        return ()

    def allows(self, names: Sequence[str], answers: Sequence[Sequence[int]] | None) -> bool:
        if answers is None:
            return False
        points_of = dict(self.card)
        changed = [
            sum(a != b for a, b in zip(actual, points_of.get(name, (0,) * len(actual))[: len(actual)], strict=True))
            for name, actual in zip(names, answers, strict=True)
        ]
        return (self.questions is None or sum(map(bool, changed)) <= self.questions) and (
            self.answers is None or sum(changed) <= self.answers
        )


def close_to(card: Mapping[str, Sequence[int]], *, questions: int | None = None, answers: int | None = None) -> CloseTo:
    """Change at most this many questions, or this many answers, of a card of questions: its points by answer.

    >>> close_to({"age": (0, 1, 3)}, questions=1).in_words()
    'at most 1 question different from a card that asks age'
    """
    if not isinstance(card, Mapping):
        raise InvalidProblemError(f"close_to: the card is {card!r}", "give {question: points by answer}")
    if questions is None and answers is None:
        raise InvalidProblemError("close_to sets no limit", "give questions, answers, or both")
    return CloseTo(
        card=tuple(
            (str(name), tuple(read_whole(point, f"close_to: the points of {name!r}") for point in points))
            for name, points in card.items()
        ),
        questions=None if questions is None else read_whole(questions, "close_to: questions"),
        answers=None if answers is None else read_whole(answers, "close_to: answers"),
    )
