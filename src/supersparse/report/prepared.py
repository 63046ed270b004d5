"""A card on raw columns learned again: features are made anew from the rows, and so are their constraints."""

from dataclasses import dataclass

import numpy as np

from supersparse.errors import InvalidProblemError
from supersparse.prepare.feature import Recorded
from supersparse.prepare.prepare import Prepare
from supersparse.problem.problem import Problem
from supersparse.report.data import Data, Rows
from supersparse.report.plan import Plan
from supersparse.report.question import Refitted, asked_of, solved
from supersparse.settings.settings import Settings


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prepared:
    """Features made from some rows, and the question over them."""

    prepare: Prepare
    problem: Problem


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedRefit:
    """Learns again from raw columns; nothing of other rows reaches the cut points."""

    settings: Settings  # without what the preparation itself asks of its features
    recorded: Recorded
    data: Data
    plan: Plan
    problem: Problem
    cut_points_fitted: bool = True

    def __call__(self, rows: Rows) -> Refitted:
        """Make features of some rows and solve the question on them; Ctrl-C is passed on."""
        made = prepared(self.settings, self.recorded, self.data.take(rows))
        found = solved(made.problem, self.settings, self.plan)
        return Refitted(card=made.prepare.raw_card(found.card), proven=found.proven)


def prepared_refit(settings: Settings, recorded: Recorded, data: Data, plan: Plan) -> PreparedRefit:
    """Return the way to learn again; raises where the settings cannot be asked of these rows."""
    made = prepared(settings, recorded, data)
    return PreparedRefit(settings=settings, recorded=recorded, data=data, plan=plan, problem=made.problem)


def prepared(settings: Settings, recorded: Recorded, data: Data) -> Prepared:
    """Make the features of rows, and ask the settings of them, with the constraints on features."""
    prepare = Prepare(**dict(recorded.parameters))
    raw = {name: data.columns[name] for name in recorded.columns}
    if prepare.missing == "drop":
        complete = np.flatnonzero(prepare.complete_rows(raw))
        data = data.take(complete)
        raw = {name: column[complete] for name, column in raw.items()}
    prepare.fit(raw, data.y.tolist(), data.weights)
    names = tuple(map(str, prepare.get_feature_names_out()))
    if not names:
        raise InvalidProblemError("no column of these rows tells the classes apart")
    bounds = dict(zip(names, prepare.bounds_, strict=True)) if any(prepare.bounds_) else None
    asked = settings.changed(constraints=[*settings.constraints, *prepare.constraints_], bounds=bounds)
    return Prepared(prepare=prepare, problem=asked_of(asked, data, prepare.transform(raw), names))
