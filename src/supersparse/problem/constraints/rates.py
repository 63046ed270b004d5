"""Constraints on rates of errors: over all rows, within groups, and between groups.

Rates weight rows by sample weights, never by class weights. A score of 0 is wrong for
both classes, as in the objective.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import floor, lcm

import numpy as np

from supersparse.base.errors import InvalidProblemError, did_you_mean
from supersparse.base.exact import read_share, shown
from supersparse.base.integer_arrays import Flags
from supersparse.problem.limits import Constraint, RateLimit
from supersparse.problem.rows import Grouping, Rows

GroupName = str | tuple[str, object] | None

# The rows that a rate refers to, and whether it counts correct or wrong ones.
CLASS_OF = {"sensitivity": True, "specificity": False, "false positive rate": False, "error": None}
RIGHT = ("sensitivity", "specificity")


@dataclass(frozen=True, kw_only=True, repr=False)
class RateConstraint(Constraint):
    """A bound on one rate: a minimum for sensitivity and specificity, otherwise a maximum."""

    rate: str
    bound: Fraction
    group: GroupName

    def in_words(self) -> str:
        side = "at least" if self.rate in RIGHT else "at most"
        return f"{self.rate} of {side} {shown(self.bound)}{_among(self.group)}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[RateLimit, ...]:
        """One limit per group: the weight of wrong rows is at most a share of all."""
        wrong = 1 - self.bound if self.rate in RIGHT else self.bound
        limits = []
        for words, members in _members(self.group, rows, self.rate):
            of_rate = _counted(self.rate, rows, members, words)
            weights = np.where(of_rate, rows.weights.astype(object), 0)
            limits.append(RateLimit.of(weights, floor(wrong * int(weights.sum())), self))
        return tuple(limits)


@dataclass(frozen=True, kw_only=True, repr=False)
class Difference(Constraint):
    """A maximum difference of a rate between any two groups."""

    rate: str
    group: str
    bound: Fraction

    def in_words(self) -> str:
        return f"a difference in {self.rate} of at most {shown(self.bound)} between the groups of {self.group}"

    def limits(self, rows: Rows, *, counts_intercept: bool) -> tuple[RateLimit, ...]:
        """One limit per ordered pair of groups; shares of correct and of wrong rows differ equally."""
        parts = [
            np.where(_counted(self.rate, rows, members, words), rows.weights.astype(object), 0)
            for words, members in _members(self.group, rows, self.rate)
        ]
        if len(parts) < 2:
            raise InvalidProblemError(
                f"{self.in_words()}: all rows are in one group", "use two or more, or remove the constraint"
            )
        limits = []
        for first, second in permutations(parts, 2):
            totals = int(first.sum()), int(second.sum())
            whole = lcm(*totals)
            weights = first * (whole // totals[0]) - second * (whole // totals[1])
            limits.append(RateLimit.of(weights, floor(self.bound * whole), self))
        return tuple(limits)


def _among(group: GroupName) -> str:
    if group is None:
        return ""
    return f" in every group of {group}" if isinstance(group, str) else f" among {group[0]} = {group[1]}"


def _members(group: GroupName, rows: Rows, what: str) -> Iterable[tuple[str, Flags]]:
    """The rows of each group in question, with a description of the group."""
    if group is None:
        return [("", np.ones(rows.n_rows, dtype=bool))]
    name = group if isinstance(group, str) else group[0]
    grouping = _grouping(name, rows, what)
    if isinstance(group, str):
        return [(f"{name} = {label}", grouping.of(label)) for label in grouping.labels]
    label = group[1]
    if label not in grouping.labels:
        raise InvalidProblemError(
            f"{what}: no row has {name} = {label!r}",
            f"the groups of {name!r} are " + ", ".join(repr(known) for known in grouping.labels),
            subject=name,
            value=label,
        )
    return [(f"{name} = {label}", grouping.of(label))]


def _grouping(name: str, rows: Rows, what: str) -> Grouping:
    for grouping in rows.groupings:
        if grouping.name == name:
            return grouping
    remedy = f"give rate_groups={{{name!r}: labels, one per row}}"
    if rows.groupings:
        remedy = did_you_mean(name, [g.name for g in rows.groupings])
    raise InvalidProblemError(f"{what}: there is no grouping {name!r}", remedy, subject=name)


def _counted(rate: str, rows: Rows, members: Flags, words: str) -> Flags:
    of_class = CLASS_OF[rate]
    counted_rows = members if of_class is None else members & (rows.positive == of_class)
    if not counted_rows.any():
        missing = rows.classes[1 if of_class else 0]
        raise InvalidProblemError(
            f"{rate}: the group {words} has no rows of class {missing!r}", "remove that group, or merge it with another"
        )
    return counted_rows


def _rate(rate: str, bound: object, group: object) -> RateConstraint:
    what = f"the bound on the {rate}"
    return RateConstraint(rate=rate, bound=read_share(bound, what), group=_read_group(group, rate))


def _read_group(group: object, what: str) -> GroupName:
    if group is None or isinstance(group, str):
        return group
    if isinstance(group, tuple | list) and len(group) == 2 and isinstance(group[0], str):
        label = group[1].item() if isinstance(group[1], np.generic) else group[1]
        if isinstance(label, Hashable):
            return group[0], label
    raise InvalidProblemError(f"{what}: group is {group!r}", "give a name, or a pair such as ('sex', 'F')")


def min_sensitivity(bound: float | Fraction, *, group: GroupName = None) -> RateConstraint:
    """Require at least this sensitivity: the share of positive rows with a score above 0.

    `group` is a pair ``("sex", "F")`` for one group, or ``"sex"`` for every group.

    >>> min_sensitivity(0.9, group=("sex", "F")).in_words()
    'sensitivity of at least 0.9 among sex = F'
    """
    return _rate("sensitivity", bound, group)


def min_specificity(bound: float | Fraction, *, group: GroupName = None) -> RateConstraint:
    """Require at least this specificity: the share of negative rows with a score below 0.

    >>> min_specificity(0.8, group="sex").in_words()
    'specificity of at least 0.8 in every group of sex'
    """
    return _rate("specificity", bound, group)


def max_false_positive_rate(bound: float | Fraction, *, group: GroupName = None) -> RateConstraint:
    """Allow at most this false positive rate: the share of negative rows with a score of 0 or more.

    >>> max_false_positive_rate(0.2).in_words()
    'false positive rate of at most 0.2'
    """
    return _rate("false positive rate", bound, group)


def max_error(bound: float | Fraction, *, group: GroupName = None) -> RateConstraint:
    """Allow at most this error rate.

    >>> max_error(0.1).in_words()
    'error of at most 0.1'
    """
    return _rate("error", bound, group)


def max_difference(rate: str, *, group: str, at_most: float | Fraction) -> Difference:
    """Allow a rate to differ by at most `at_most` between any two groups.

    The rate is "sensitivity", "specificity", "false positive rate" or "error".

    >>> max_difference("sensitivity", group="sex", at_most=0.05).in_words()
    'a difference in sensitivity of at most 0.05 between the groups of sex'
    """
    if rate not in CLASS_OF:
        raise InvalidProblemError(f"max_difference: there is no rate {rate!r}", did_you_mean(str(rate), CLASS_OF))
    if not isinstance(group, str):
        raise InvalidProblemError(f"max_difference: group is {group!r}", "give the name of the groups")
    return Difference(rate=rate, group=group, bound=read_share(at_most, "max_difference: at_most"))
