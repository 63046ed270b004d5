"""An update: the questions of a card in use, with its answers, among those of a new table.

The answers of a question that the card asks are those of the card; other columns are prepared as ever. A card learned
from them differs from the card in use in a few questions, or a few answers, at most.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supersparse.base.errors import InvalidDataError
from supersparse.base.exact import shown
from supersparse.card.bands import bands_of
from supersparse.card.card import Card
from supersparse.card.rules import InRange, IsMissing
from supersparse.learn.prepare.bands import ColumnQuestion
from supersparse.learn.prepare.fitting import PreparedColumns
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.problem.constraints.support import close_to
from supersparse.problem.questions import LARGEST_POINT
from supersparse.table.sources import CellTable
from supersparse.table.values import nearest_column


def with_card_in_use(found: PreparedColumns, table: CellTable, settings: PrepareSettings) -> PreparedColumns:
    """Ask the questions of the card in use with its answers, and limit how many of them may change."""
    card = settings.update
    if card is None:
        return found
    names = list(table.columns)
    kept = {column: _asked(card, column, names) for column in card.columns}
    for column, (question, _) in kept.items():
        if len(np.unique(question.of_cells(table.columns[column]))) < 2:
            raise InvalidDataError(
                f"update: every row gives the same answer to {column!r}, so nothing tells its points",
                "give rows that differ in it, or drop it from the card",
            )
    questions = {one.column: one for one in found.questions} | {name: one for name, (one, _) in kept.items()}
    most = {settings.changes_of: settings.changes}
    limit = close_to({name: points for name, (_, points) in kept.items()}, **most)
    closed = {one.column: one for one in card.domains if one.values is not None and one.outside == "refuse"}
    return replace(
        found,
        questions=tuple(questions[name] for name in names if name in questions),
        constraints=(*found.constraints, limit),
        domains={**found.domains, **closed},
        notes=(*found.notes, f"answers as on the card in use: {', '.join(kept)}"),
        update=card,
    )


def _asked(card: Card, column: str, names: Sequence[str]) -> tuple[ColumnQuestion, tuple[int, ...]]:
    """A question as the card asks it, on a table of these columns, and the points of its answers, the least 0."""
    if column not in names:
        raise InvalidDataError(
            f"update: the table lacks {column!r}, which the card asks", nearest_column(column, names)
        )
    items = card.items_by_column()[column]
    bands = list(bands_of(items, card.domain(column)) or ())
    if not bands:
        raise _refused(column, "multiplies its value, or mixes ranges and categories")
    missing = None
    if isinstance(bands[-1].rule, IsMissing):
        alike = [k for k, band in enumerate(bands[:-1]) if band.points == bands[-1].points]
        missing = len(bands) - 1
        if alike and not any(isinstance(item.rule, IsMissing) for item in items):
            missing = alike[0]  # it counts as this answer
            bands.pop()
    points = [band.points - min(band.points for band in bands) for band in bands]
    if any(value.denominator > 1 or value > LARGEST_POINT for value in points):
        raise _refused(column, f"has the points {', '.join(map(shown, points))}")
    ordered = points[: len(bands) - isinstance(bands[-1].rule, IsMissing)]
    is_monotone = ordered in (sorted(ordered), sorted(ordered, reverse=True))
    question = ColumnQuestion(
        column=column,
        position=names.index(column),
        rules=tuple(band.rule for band in bands),
        missing=missing,
        shape="either" if is_monotone and isinstance(bands[0].rule, InRange) else "free",
        unit=next((item.unit for item in items if item.unit), None),
    )
    return question, tuple(map(int, points))


def _refused(column: str, why: str) -> InvalidDataError:
    return InvalidDataError(
        f"update: the question about {column!r} {why}",
        f"an update is of cards whose answers have whole points up to {LARGEST_POINT}",
    )
