"""Worded: the part of `ScoringSystem` that gives a card the words of its readers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from supersparse.card.card import Card


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
        from supersparse.settings.names import read_names, worded

        return replace(self, card=worded(self.card, read_names(names)))  # type: ignore[type-var]
