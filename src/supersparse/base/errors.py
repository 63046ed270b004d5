"""Every exception and warning of the package, in one tree.

::

    SupersparseError
    ├── InvalidInputError (ValueError)        invalid input
    │   ├── InvalidDataError                  rows, labels, weights
    │   ├── InvalidProblemError               coefficient sets, penalties, limits
    │   │   └── InvalidSettingsError          the same written as settings, or their file
    │   ├── InvalidOptionError                a solver, or an option of one
    │   │   └── UnknownParameterError (TypeError)  a keyword that a class does not take
    │   └── InvalidCardError                  a scoring system or its file
    │       └── UnsupportedCardError          an export that cannot express the card
    ├── InfeasibleError (ValueError)          no scoring system satisfies all constraints
    ├── PackageNotInstalledError (ImportError)  an export needs a package that is missing
    ├── MissingDataError (FileNotFoundError)  a dataset that has not been fetched
    ├── DownloadError (ConnectionError)       a dataset that could not be downloaded
    ├── SolverError (RuntimeError)            a solver failed
    │   ├── SolverNotInstalledError (ImportError)
    │   ├── UnsupportedProblemError           the solver cannot express this problem
    │   │   └── TooLargeError                 for the memory there is
    │   ├── SolverLimitError                  a size-limited licence was exceeded
    │   └── SolverFailedError                 the solver stopped without a usable answer
    └── VerificationError (RuntimeError)      a claim that exact arithmetic refutes

    SupersparseWarning (UserWarning)
    ├── PenaltyRangeWarning                   a penalty outside its useful range
    ├── SeparatedClassesWarning               a risk model whose slope is at its limit
    ├── WeightedRisksWarning                  a risk model that was learned with class weights
    ├── NotProvenWarning                      a limit, Ctrl-C or rounding errors left the proof open
    ├── SkippedFoldsWarning                   a time limit that left no time for some folds
    ├── NotSavedWarning                       a checkpoint that could not be written; the search goes on
    ├── MissingCodesWarning                   numbers such as -99 that look like codes for missing values
    ├── UnreadableColumnsWarning              columns left out, such as dates and intervals
    ├── SinglePrecisionWarning                numbers on the other side of a cut than in single precision
    └── NoBetterThanBaselineWarning           a card no better than the same answer for all
"""

import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self


class SupersparseError(Exception):
    """Base of all errors raised on purpose by this package.

    The text says what is wrong and, after the last semicolon, what to do: `remedy`. Where they are known,
    `subject` is the thing that is wrong (a setting, an option, a column, a file) and `value` what it is; a
    message that is not given is made of these two.

    >>> error = InvalidOptionError(subject="gap", value=-1, remedy="give a number of at least 0")
    >>> str(error), error.subject
    ('gap is -1; give a number of at least 0', 'gap')
    """

    def __init__(
        self, message: str | None = None, remedy: str | None = None, *, subject: object = None, value: object = None
    ) -> None:
        if message is None:
            message = f"{subject} is {value!r}"
        super().__init__(message if remedy is None else f"{message}; {remedy}")
        self.subject = None if subject is None else str(subject)
        self.value = value
        self.remedy = remedy

    @classmethod
    def of(cls, error: BaseException, before: str = "") -> Self:
        """Return another error as one of this class, with its fields, and words before its text."""
        made = cls(f"{before}{error}")
        if isinstance(error, SupersparseError):
            made.subject, made.value, made.remedy = error.subject, error.value, error.remedy
        return made


class InvalidInputError(SupersparseError, ValueError):
    """Invalid input; the message says what to change."""


class InvalidDataError(InvalidInputError):
    """Rows, labels or weights that cannot be read as a two-class problem."""


class InvalidProblemError(InvalidInputError):
    """Coefficient sets, penalties or limits that contradict each other or themselves."""


class InvalidSettingsError(InvalidProblemError):
    """Settings, or a file of them, that cannot be read; the message names the line."""


class InvalidOptionError(InvalidInputError):
    """An unknown solver, an unknown option, or a value outside an option's range."""


class UnknownParameterError(InvalidOptionError, TypeError):
    """A keyword that a class does not take; a TypeError as well, as from any function of Python."""


class InvalidCardError(InvalidInputError):
    """An invalid scoring system or scoring-system file."""


class UnsupportedCardError(InvalidCardError):
    """A card that the target of an export cannot express; the message names the item or column."""


class PackageNotInstalledError(SupersparseError, ImportError):
    """An optional package is not installed; the message says how to install it."""


class MissingDataError(SupersparseError, FileNotFoundError):
    """A dataset has not been fetched; the message says how to fetch it."""


class DownloadError(SupersparseError, ConnectionError):
    """A download failed, or the file is not the expected one."""


class InfeasibleError(SupersparseError, ValueError):
    """No scoring system satisfies all constraints; `constraints` are those that are known to conflict."""

    constraints: tuple[Any, ...] = ()

    def blaming(self, constraints: Iterable[Any]) -> Self:
        """Return the error with constraints that conflict."""
        self.constraints = tuple(dict.fromkeys(constraints))
        return self


class SolverError(SupersparseError, RuntimeError):
    """A solver failed."""


class SolverNotInstalledError(SolverError, ImportError):
    """The package behind an optional solver is missing."""


class UnsupportedProblemError(SolverError):
    """A solver cannot express the problem or an option; raised before any solving."""


class TooLargeError(UnsupportedProblemError):
    """Solving all rows would take more memory than there is; the message says how much, and what helps."""


class SolverLimitError(SolverError):
    """The problem exceeds what a size-limited licence allows."""


class SolverFailedError(SolverError):
    """A solver stopped without a usable answer; `interrupted` says whether the user made it stop."""

    def __init__(
        self,
        message: str | None = None,
        remedy: str | None = None,
        *,
        subject: object = None,
        value: object = None,
        interrupted: bool = False,
    ) -> None:
        super().__init__(message, remedy, subject=subject, value=value)
        self.interrupted = interrupted


class VerificationError(SupersparseError, RuntimeError):
    """A solver's claim that exact arithmetic does not confirm."""


class SupersparseWarning(UserWarning):
    """Base of all warnings of this package."""


class PenaltyRangeWarning(SupersparseWarning):
    """A penalty outside its useful range."""


class SeparatedClassesWarning(SupersparseWarning):
    """A risk model whose slope is at its limit, because its features separate the classes, or nearly."""


class WeightedRisksWarning(SupersparseWarning):
    """A risk model was learned with different class weights, so its risks are not those of the rows."""


class NotProvenWarning(SupersparseWarning):
    """The search ended before the card was proven optimal; the message has the gap and a remedy."""


class SkippedFoldsWarning(SupersparseWarning):
    """A time limit left no time for some folds of a cross-validation."""


class NotSavedWarning(SupersparseWarning):
    """A checkpoint could not be written; the search goes on without it."""


class MissingCodesWarning(SupersparseWarning):
    """Numbers such as -99 that look like codes for missing values were taken as numbers."""


class UnreadableColumnsWarning(SupersparseWarning):
    """Columns were left out because they contain neither numbers nor text, such as dates and intervals."""


class SinglePrecisionWarning(SupersparseWarning):
    """Numbers that were converted from single precision lie on the other side of a cut than before."""


class WorkerLostWarning(SupersparseWarning):
    """An executor lost a worker, or takes no more work; the solve goes on and loses a slice at most."""


class NoBetterThanBaselineWarning(SupersparseWarning):
    """A card that is no better than the same answer for everyone, by what it was learned for."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the tail of a message: the nearest known word, or all of them."""
    names = sorted(known)
    near = get_close_matches(word, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if names else "there are none"


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code, outside this package and scikit-learn's wrapper of fit."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("supersparse", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


__all__ = [name for name, one in list(globals().items()) if isinstance(one, type) and one.__module__ == __name__]
for _name in __all__:  # as people import them
    globals()[_name].__module__ = "supersparse.errors"
