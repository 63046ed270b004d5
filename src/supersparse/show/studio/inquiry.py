"""From what people chose and ask to a question about rows: the studio's way into the library."""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from supersparse.engine.options import DEFAULT_OPTIONS
from supersparse.learn.doubts import doubts
from supersparse.learn.prepare.prepare import Prepare
from supersparse.learn.recipe import PreparedProblem, Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import PREPARE, Settings
from supersparse.learn.splits import Split, divided, fewer_folds, possible_folds
from supersparse.show.studio.choices import no_choices
from supersparse.show.studio.texts import refused, text
from supersparse.table.files import read_table
from supersparse.table.reading import Reading
from supersparse.table.roles import why_no_feature
from supersparse.table.training import Roles, read_training

_KEPT = 3  # questions in memory

Found = TypeVar("Found")
_remembered: OrderedDict[str, Any] = OrderedDict()


def remembered(key: str, make: Callable[[], Found]) -> Found:
    """Return what was made for a key before, or make it; a few are kept."""
    if key in _remembered:
        _remembered.move_to_end(key)
    else:
        _remembered[key] = make()
        while len(_remembered) > 2 * _KEPT:
            _remembered.popitem(last=False)
    value: Found = _remembered[key]
    return value


@dataclass(frozen=True, eq=False, kw_only=True)
class Inquiry:
    """A question, the rows that it is about, and how they are divided for cross-validation."""

    question: PreparedProblem
    rows: TrainingRows
    notes: tuple[str, ...]
    validate: Mapping[str, int] | None

    def splits(self) -> list[Split]:
        """Divide the rows as asked; no splits if no rows shall be left out, or too few can be."""
        return [] if self.folds is None else divided(self.rows, self.folds, self.repeats)

    @property
    def folds(self) -> int | None:
        """Into how many parts the rows are divided; None if no rows are left out."""
        if self.validate is None:
            return None
        folds = possible_folds(self.rows, self.validate["cv"])
        return None if folds < 2 else folds

    def notes_on_folds(self) -> list[str]:
        """Say if the rows are divided into fewer folds than asked, or into none."""
        if self.validate is None or self.folds == self.validate["cv"]:
            return []
        if self.folds is None:
            return [text("notes.no_folds")]
        return [fewer_folds(self.folds, self.validate["cv"], self.rows.groups)]

    @property
    def repeats(self) -> int:
        return 1 if self.rows.times is not None or self.validate is None else self.validate["repeats"]


def reading_of(choices: Mapping[str, Any]) -> Reading:
    return Reading.of(**{**choices["reading"], "as_written": tuple(choices["reading"]["as_written"])})


def settings_of(plan: Mapping[str, Any], choices: Mapping[str, Any]) -> Settings:
    """Read the settings of a plan; the positive class is the one that was chosen for the table.

    Cards are of features unless the plan says otherwise.
    """
    content = dict(plan["settings"])
    if content.get("goal") == "risk":
        content = {"questions": "max_questions" in content, **content}
    if choices["positive"] is not None:
        content["positive"] = choices["positive"]
    return Settings.from_dict(content)


def prepare_section(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return how columns become questions, as the section `prepare` says it; what is usual is left out."""
    usual = no_choices()
    cut_points = {name: cuts for name, cuts in choices["cut_points"].items() if cuts}
    chosen = {**usual, **choices, "cut_points": cut_points}
    return {name: chosen[name] for name in PREPARE.fields if chosen[name] != usual[name]}


def prepare_of(choices: Mapping[str, Any]) -> Prepare:
    return Prepare(**prepare_section(choices))


def uncut(choices: Mapping[str, Any]) -> list[str]:
    """The columns without any cut, of which no question is asked."""
    return [name for name, cuts in choices["cut_points"].items() if not cuts]


def roles_of(choices: Mapping[str, Any], settings: Settings, columns_kept: tuple[str, ...] = ()) -> Roles:
    if choices["target"] is None:
        raise refused("input", "no_target", thing="target")
    groups = choices["cv_groups"]
    return Roles(
        target=choices["target"],
        positive=choices["positive"],
        drop=[*choices["drop"], *uncut(choices)],
        keep=columns_kept,
        category=choices["category"],
        weights=settings.sample_weight,
        rate_groups=settings.rate_groups,
        split_groups=None if groups == "none" else groups,
        split_times=choices["cv_time"],
        find_groups=groups is None,
    )


def asked_of(job: Mapping[str, Any]) -> Inquiry:
    """Return the question of a request: ``path``, ``choices`` and ``plan``."""
    key = json.dumps(["asked", job["path"], job["choices"], job["plan"]], sort_keys=True)
    return remembered(key, lambda: _asked(job))


def _asked(job: Mapping[str, Any]) -> Inquiry:
    choices, plan = job["choices"], job["plan"]
    settings = settings_of(plan, choices)
    recipe = Recipe(settings=settings, prepare=prepare_of(choices), options={**DEFAULT_OPTIONS, **settings.solve})
    recipe.check()
    rows, notes = _rows(job, settings)
    rows = recipe.complete(rows)
    question = recipe.settled(rows).question(rows)
    prepared = () if question.prepare is None else tuple(question.prepare.notes_)
    asked = Inquiry(
        question=question, rows=rows, notes=(*notes, *prepared, *doubts(question, rows)), validate=plan["validate"]
    )
    return replace(asked, notes=(*asked.notes, *asked.notes_on_folds()))


def _rows(job: Mapping[str, Any], settings: Settings) -> tuple[TrainingRows, tuple[str, ...]]:
    choices = job["choices"]
    parts = [job["path"], choices, settings.sample_weight, settings.rate_groups]
    return remembered(json.dumps(["rows", *parts], sort_keys=True), lambda: _read_rows(job, settings))


def _read_rows(job: Mapping[str, Any], settings: Settings) -> tuple[TrainingRows, tuple[str, ...]]:
    choices, notes = job["choices"], list[str]()
    path = Path(job["path"])
    columns_kept = _kept(path, choices) if choices["keep"] else ()
    table = read_training(path, reading_of(choices), roles_of(choices, settings, columns_kept), notes.append)
    return TrainingRows.of_table(table, prepared=True), tuple(notes)


def _kept(path: Path, choices: Mapping[str, Any]) -> tuple[str, ...]:
    """Name every column that is used where some are used though they look like identifiers."""
    table = read_table(path, reading_of(choices))
    gone = {choices["target"], *choices["drop"], *uncut(choices)}
    return tuple(
        name
        for name, column in table.columns.items()
        if name not in gone and (name in choices["keep"] or why_no_feature(column, table.n_rows) is None)
    )
