"""The questions of a table: one for each column that can be asked, with answers chosen on soft labels."""

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from supersparse.learn.prepare.additive import Floats, additive_shapes
from supersparse.learn.prepare.bands import (
    BandedColumn,
    BinnedColumn,
    bin_column,
    bins_effect,
    choose_answers,
    log_odds,
)
from supersparse.learn.prepare.columns import numbers_the_rows
from supersparse.learn.prepare.cuts import ClassTarget
from supersparse.learn.prepare.fitting import NoFeatureError, PreparedColumns, unusable
from supersparse.learn.prepare.raw import RawColumn, kind_of_column, stand_in
from supersparse.learn.prepare.sample import MOST_ROWS, sampled_rows
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.prepare.update import with_card_in_use
from supersparse.table.sources import CellTable

MOST_QUESTIONS = 60  # to choose from


def prepare_questions(
    table: CellTable, labels: Floats, guide: Floats, weights: Floats, settings: PrepareSettings
) -> PreparedColumns:
    """Choose the answers of all columns; `guide` are the risks by which columns are chosen where they are many."""
    settings.check_columns(list(table.columns))
    settings.refuse_what_features_have()
    notes: dict[str, str] = {}
    about_rows: list[str] = []
    positions = {name: position for position, name in enumerate(table.columns)}
    kept = np.flatnonzero(weights > 0)
    if len(kept) > MOST_ROWS:
        some = sampled_rows(table.take(kept), ClassTarget(weights[kept], None), MOST_ROWS, settings.named)
        about_rows = [f"answers chosen on a sample of {len(some)} of {len(kept)} rows"]
        kept = kept[some]
    if len(kept) < table.n_rows:
        table, labels, guide, weights = table.take(kept), labels[kept], guide[kept], weights[kept]
    binned: list[BinnedColumn] = []
    for name, cells in table.columns.items():
        kind = kind_of_column(cells)
        column = RawColumn(name=name, position=positions[name], cells=cells)
        result = unusable(kind) or binned_column(column, kind, weights, settings)
        if isinstance(result, str):
            notes[name] = result
        else:
            binned.append(result)
    n_candidates = len(binned)
    if n_candidates > MOST_QUESTIONS:
        binned = _most_telling(binned, log_odds(guide), weights)
        about_rows.append(f"{MOST_QUESTIONS} of {n_candidates} columns tried: those that tell most of the risk")
    with threadpool_limits(1):  # so that sums have one order
        shapes = additive_shapes([column.bins for column in binned], labels, weights) if binned else None
    banded: dict[str, BandedColumn] = {}
    for k, one in enumerate(binned):
        assert shapes is not None
        banded[one.raw.name] = choose_answers(one, shapes.effects[k], shapes, weights, settings)
    notes |= {name: one.note for name, one in banded.items()}
    questions = tuple(one.question for one in banded.values() if one.question is not None)
    if not questions and settings.update is None:
        raise NoFeatureError.about("question", notes)
    prepared = PreparedColumns(
        questions=questions,
        domains={name: one.domain for name, one in banded.items() if one.domain is not None},
        notes=(*about_rows, *(f"{name}: {notes[name]}" for name in positions if name in notes)),
        n_candidates=n_candidates,
    )
    return with_card_in_use(prepared, table, settings)


def binned_column(column: RawColumn, kind: str, weights: Floats, settings: PrepareSettings) -> BinnedColumn | str:
    """Put the values of a usable column into bins, or say why it is left out."""
    name = column.name
    if kind == "numbers" and name not in settings.named and numbers_the_rows(column):
        return "left out: it numbers the rows"
    has_order = kind == "numbers" and name not in settings.categorical and name not in settings.ordered
    filling = stand_in(column, ClassTarget(weights, None), settings.missing, has_order=has_order)
    return bin_column(column, kind, settings, weights, filling)


def _most_telling(binned: list[BinnedColumn], guide: Floats, weights: Floats) -> list[BinnedColumn]:
    effects = np.array([bins_effect(one.bins, guide, weights) for one in binned])
    best: NDArray[np.intp] = np.sort(np.argsort(-effects, kind="stable")[:MOST_QUESTIONS])
    return [binned[k] for k in best.tolist()]
