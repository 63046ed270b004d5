"""What `ScoringSystem` does beside scoring: other words, and people of whom something is not known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from supersparse.card.card import Card
from supersparse.card.checks import accepting
from supersparse.card.tables import is_person
from supersparse.card.unknown import PossibleTotal, possible_person, possible_rows


class Worded:
    """Methods that change what a card says, and not what it does."""

    __slots__ = ()

    card: Card

    def worded(self, names: Mapping[str, Any] | str | Path) -> Self:
        """Return the same card with other words: a mapping, or a YAML or JSON file of the same form.

        Keys are `title`, `classes` (texts by class) and `columns`: for each of them `label`, `unit`,
        `question` and `answers` (texts by value). Columns that the card does not use are ignored.

        >>> from supersparse import ScoringSystem, item
        >>> system = ScoringSystem.of([item("sex", equals="F", points=2)], threshold=1, classes=("n", "y"))
        >>> words = {"classes": {"y": "ill"}, "columns": {"sex": {"answers": {"F": "female"}}}}
        >>> system.worded(words).card.wording.positive
        'ill'
        """
        from supersparse.learn.settings.names import read_names, worded

        return replace(self, card=worded(self.card, read_names(names)))  # type: ignore[type-var]


class Unknown:
    """Methods for rows in which a value is not known, or nothing like those of the training rows."""

    __slots__ = ()

    card: Card

    def accepting_unknown(self) -> Self:
        """Return the same system without the refusal of values that are far from those of the training rows.

        A learned system refuses a number further from the range of the training rows than that range is wide,
        and a category that they did not have. The one returned scores them by its rules as they stand.
        """
        return replace(self, card=accepting(self.card))  # type: ignore[type-var]

    def possible(
        self, data: object, *, names: Sequence[str] | None = None
    ) -> PossibleTotal | tuple[PossibleTotal, ...]:
        """Return the least and the greatest total of one person, or of each row of a table; see `total`.

        A missing value that the card has no rule for may be any value that the card accepts, and within the
        domain of its column where points multiply it. The class is None if it depends on such a value.

        >>> from supersparse import ScoringSystem, item
        >>> items = [item("age", at_least=65, points=3), item("sex", equals="F", points=1)]
        >>> system = ScoringSystem.of(items, threshold=2)
        >>> found = system.possible({"age": None, "sex": "F"})
        >>> int(found.low), int(found.high), found.prediction
        (1, 4, None)
        >>> system.possible({"age": 70, "sex": None}).prediction
        'yes'
        """
        if is_person(data):
            return possible_person(self.card, data)  # type: ignore[arg-type]
        return possible_rows(self.card, data, names)
