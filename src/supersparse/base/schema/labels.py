"""Labels by their text: settings name classes and groups as they are written, data hold any values."""

from collections.abc import Iterable
from fractions import Fraction

from supersparse.base.errors import InvalidProblemError, did_you_mean
from supersparse.base.schema.tree import Scalar, scalar_text


def label_text(label: object) -> str:
    """How settings write a label.

    >>> label_text("yes"), label_text(1), label_text(True)
    ('yes', '1', 'true')
    """
    return label if isinstance(label, str) else scalar_text(label) or str(label)


def find_label(text: str, labels: Iterable[object], what: str) -> object:
    """Return the label that a text stands for: the same text, or the same number.

    >>> find_label("1", [0.0, 1.0], "positive")
    1.0
    """
    known = list(labels)
    for same in (_same_text, _same_value):
        fitting = [label for label in known if same(text, label)]
        if len(fitting) > 1:
            raise InvalidProblemError(f"{what}: {text!r} stands for each of {fitting}", "rename one of them")
        if fitting:
            return fitting[0]
    raise InvalidProblemError(
        f"{what}: no row has the label {text!r}", did_you_mean(text, map(label_text, known)), subject=what
    )


def _same_text(text: str, label: object) -> bool:
    return label_text(label) == text


def _same_value(text: str, label: object) -> bool:
    if isinstance(label, str):
        return False  # "01" and "1" are different texts
    number = _number(label_text(label))
    if isinstance(label, bool):
        return text.casefold() == label_text(label) or _number(text) == int(label)
    return number is not None and number == _number(text)


def _number(text: str) -> Fraction | None:
    return Scalar(where="", text=text, quoted=False).number
