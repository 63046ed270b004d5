"""Refit: how a card is learned again on some of the rows. The one seam to the way it was made."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supersparse.card.card import Card
from supersparse.errors import SupersparseError
from supersparse.prepare.feature import taken_apart
from supersparse.problem.problem import Problem
from supersparse.report.data import Data, Rows
from supersparse.report.plan import Missing, Plan
from supersparse.report.prepared import prepared_refit
from supersparse.report.question import Refitted, asked_of, solved
from supersparse.settings.settings import Settings, read_settings


class Refit(Protocol):
    """Learns a card again, with the settings of the first one, on rows given by their positions.

    Where features are prepared from raw columns, they are prepared anew from the given rows, so that
    nothing of the others reaches their cut points.
    """

    @property
    def settings(self) -> Settings:
        """What is asked, without the data."""

    @property
    def problem(self) -> Problem:
        """The question on all rows."""

    @property
    def cut_points_fitted(self) -> bool:
        """Whether the features themselves were learned from the rows."""

    def __call__(self, rows: Rows) -> Refitted:
        """Learn again from some rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainRefit:
    """Learns again from columns that are the features themselves."""

    settings: Settings
    data: Data
    features: tuple[str, ...]
    plan: Plan
    problem: Problem
    cut_points_fitted: bool = False

    def __call__(self, rows: Rows) -> Refitted:
        """Solve the question on some of the rows; Ctrl-C is passed on."""
        part = self.data.take(rows)
        return solved(
            asked_of(self.settings, part, _matrix(part, self.features), self.features),
            self.settings,
            self.plan,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The columns that a card was learned from, and those among them that hold text."""

    columns: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def learned_from(card: Card) -> Sources:
    """Return the columns that learning again needs; none where it cannot be."""
    made = card.provenance
    if made is None or made.settings is None or made.features is None:
        return Sources()
    try:
        text, recorded = taken_apart(made.settings)
        groups = read_settings(text, "json", source="the settings of the card").rate_groups
    except SupersparseError:
        return Sources()  # `refit_of` says why
    if recorded is None:
        return Sources(columns=(*made.features, *groups), texts=groups)
    return Sources(columns=(*recorded.columns, *groups), texts=(*recorded.texts, *groups))


def refit_of(card: Card, data: Data, plan: Plan) -> Refit | Missing:
    """Return the way to learn the card again, or why there is none."""
    made = card.provenance
    if made is None:
        return Missing("the card was written by hand: there is no question that could be asked again")
    if made.settings is None or made.features is None:
        return Missing(
            "the card does not hold the settings that it was learned with; learn it again with this release"
        )
    try:
        text, recorded = taken_apart(made.settings)
        columns = made.features if recorded is None else recorded.columns
        lacking = [name for name in columns if name not in data.columns]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            return Missing(
                f"the table lacks the column {lacking[0]!r}{more}, from which the card was learned"
            )
        settings = read_settings(text, "json", source="the settings of the card")
        if recorded is not None:
            return prepared_refit(settings, recorded, data, plan)
        problem = asked_of(settings, data, _matrix(data, columns), columns)
    except SupersparseError as error:
        return Missing(f"the question of the card cannot be asked of these rows: {error}")
    return PlainRefit(settings=settings, data=data, features=columns, plan=plan, problem=problem)


def _matrix(data: Data, features: tuple[str, ...]) -> NDArray[Any]:
    """Columns side by side; as objects where one type would round some of them."""
    columns = [data.columns[name] for name in features]
    kinds = {column.dtype.kind for column in columns}
    wide = any(c.dtype.kind in "iu" and len(c) and np.abs(c).max() > 2**53 for c in columns)
    if kinds <= set("biuf") and not (wide and "f" in kinds):
        return np.column_stack(columns)
    return np.column_stack([column.astype(object) for column in columns])
