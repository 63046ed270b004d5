"""Settings: everything that defines a scoring system except the data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from supersparse.base.errors import InvalidOptionError, InvalidSettingsError
from supersparse.base.exact import Number, whole
from supersparse.base.schema.scalars import Either, Null, NumberForm, Real, Schema, TextForm, Truth, Word, suggest
from supersparse.base.schema.setting import Option, fields_of, keywords, keywords_of, names_of, setting, show, taken
from supersparse.base.schema.shapes import NamesForm, Record
from supersparse.base.schema.tree import (
    ByName,
    FileMapping,
    FileNode,
    Format,
    file_format,
    file_text,
    json_tree,
    scalars,
    tree_of,
    yaml_tree,
)
from supersparse.base.schema.yaml_text import yaml_text
from supersparse.base.writing import write_file
from supersparse.engine.options import SolverKeywords, SolverOptions
from supersparse.learn.prepare.settings import PrepareSettings
from supersparse.learn.settings.edit_forms import EDITS
from supersparse.learn.settings.unit import asks_questions, read_unit, refuse_questions_for_errors
from supersparse.learn.settings.with_data import AnswersOf, make_problem
from supersparse.learn.splits import ValidationSettings
from supersparse.problem.asked import MAX_POINTS, SYNONYMS, Asked, by_position
from supersparse.problem.constraints.forms import KINDS
from supersparse.problem.constraints.support import MaxFeatures, MinFeatures
from supersparse.problem.limits import Constraint
from supersparse.problem.losses import Loss, loss_called
from supersparse.problem.penalties import Levels
from supersparse.problem.points import CoefficientSet, integers
from supersparse.problem.problem import Problem
from supersparse.problem.questions import SizeInQuestions
from supersparse.problem.set_forms import LevelsForm, SetForm
from supersparse.table.reading import ColumnSettings, ReadingSettings
from supersparse.table.small_table import SmallTable, Tabular

_SOLVE = fields_of(SolverOptions)
SOLVE = Record({"solver": _SOLVE["solver"], **_SOLVE})
TABLE = Record({**fields_of(ColumnSettings), **fields_of(ReadingSettings)})
PREPARE = Record(fields_of(PrepareSettings))
VALIDATE = Record(fields_of(ValidationSettings))


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that settings come from, and where each text first stands in it."""

    source: str
    places: Mapping[str, str]
    notes: tuple[str, ...] = ()  # on what the file leaves open


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings(Tabular, SizeInQuestions, Asked):
    """All settings of a scoring system, without the data.

    Create them with `of`, `from_dict` or `load`. Besides the settings of `Problem.of`, they name the
    columns of `sample_weight` and `rate_groups`, and hold the options of `solve`. Classes and groups are
    named by their text. To save values by feature, give them as a mapping.

    A file may hold a whole way from a table to a card: `table`, `prepare`, `validate` and `edits` are what
    ``supersparse fit`` otherwise takes as options. `problem` has its features already and uses none of them.

    >>> settings = Settings.of(C0=0.1, points={"*": range(-5, 6), "age": [0, 0.5]}, max_features=3)
    >>> settings.to_dict()
    {'C0': 0.1, 'points': {'*': '-5..5', 'age': [0, 0.5]}, 'max_features': 3}
    >>> settings.problem([[30], [40]], ["no", "yes"], feature_names=["age"]).sets
    (CoefficientSet(0, 1/2),)
    """

    __module__ = "supersparse"

    sample_weight: str | None = setting(
        None,
        TextForm("the name of a column", widget="column"),
        "Column of sample weights; default: equal weights.",
        option=Option(name="weights", metavar="NAME"),
        group="rows",
    )
    rate_groups: tuple[str, ...] = setting(
        (),
        NamesForm("the name of a column, or a list of them", widget="columns"),
        "Columns of groups, for constraints on rates; not used as features.",
        accepts=Sequence[str] | str | None,
        group="wishes",
    )
    tie_break: Literal["points", "log_loss"] = setting(
        "points",
        Word("points", "log_loss"),
        "Of equally good cards, the one with the smallest points, or with the least log loss of its risks.",
        option=Option(),
        group="goal",
        doc="""{"points", "log_loss"}
        Which of the best models to choose: "points", the one with the smallest sum of points, or "log_loss", the one
        whose totals tell most about the risk; see ``tie_break_``. It lists all of them, which takes longer, and may
        take very long if points are large and features many.""",
    )
    slack: Number = setting(
        0,
        NumberForm(0),
        "With tie_break log_loss, how much larger the objective may be than the least, such as 0.01.",
        option=Option(),
        group="goal",
        doc="""float
        With ``tie_break="log_loss"``: how much larger the objective may be than the least. 0.01 is one row in a
        hundred.""",
    )
    questions: bool | None = setting(
        None,
        Either(Truth(), Null()),
        "Whether the unit of size is the question, a column with points for each answer, or the yes/no feature; "
        "default: true for goal risk with prepared columns.",
        option=Option(
            name="features", flag=False, help="With goal risk, learn a card of yes/no features instead of questions."
        ),
        group="size",
        doc="""bool or None
        Whether the card asks questions. None means yes, unless ``prepare=None``.""",
    )
    teacher: str | None = setting(
        None,
        Either(Word("auto", "ridge", "none"), TextForm("the name of a column")),
        "Model of all columns with whose risks the labels are blended: auto (ridge and boosted stumps), ridge, "
        "none, or a column of risks; default: auto for questions, none for features.",
        option=Option(metavar="auto|ridge|none|COLUMN"),
        accepts=Any,
        group="size",
        doc=""""auto", "ridge", "none", None, classifier, str or array-like
        The model of all columns with whose risks labels are blended: "auto" is the mean of ridge regression and
        boosted stumps; a fitted classifier is asked, another one is fitted to the training rows; a name is that of a
        column of risks, an array holds a risk for each row; "none" or None: labels as they are.""",
    )
    blend: float = setting(
        0.85,
        Real(0, 1),
        "Weight of the teacher's risks in the labels, up to 1.",
        option=Option(),
        group="size",
        doc="""float
        Weight of the teacher's risks in the labels, from 0 to 1.""",
    )
    solve: SolverKeywords = setting(ByName(()), SOLVE, "Options of the solver.")
    table: Mapping[str, Any] = setting(
        ByName(()), TABLE, "How `fit` reads the file, and what its columns are for; like the options."
    )
    prepare: Mapping[str, Any] = setting(
        ByName(()),
        PREPARE,
        "How `fit` makes features of columns; the arguments of `Prepare`.",
        option=Option(name="no_prepare", flag=False, help="Use the numeric columns as they are."),
    )
    validate: Mapping[str, Any] | bool = setting(
        True,
        Either(Truth(), VALIDATE),
        "How `fit` judges the card on held-out rows; false: not at all.",
        option=Option(read=bool, help="Judge the card on held-out rows, and give it risks."),
    )
    edits: tuple[Mapping[str, Any], ...] = setting(
        (),
        EDITS,
        "Changes that `fit` makes by hand to the card it learned, one after another.",
        accepts=Sequence[Mapping[str, Any]],
    )
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, **asked: "Unpack[SettingsKeywords]") -> "Settings":
        """Create settings from the arguments of `Problem.of`, with the options of `solve` as a mapping."""
        known = names_of(cls)
        for name in asked:
            if name not in known:
                raise InvalidOptionError(f"unknown setting {name!r}", suggest(name, known, SYNONYMS), subject=name)
        values: dict[str, Any] = {**asked}
        listed: dict[str, Any] = {n: tuple(v) for n, v in values.items() if by_position(n, v)}
        largest = asked.get("max_points", "auto")
        named = {n: _as_in_a_file(n, v, largest) for n, v in values.items() if n not in listed}
        read = taken(cls, named)
        if "goal" not in read and asks_questions(read):
            read["goal"] = "risk"
        refuse_questions_for_errors(read)
        fold_sizes(read)
        return cls(**read, **listed)

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> "Settings":
        """Read the form that `to_dict` returns and files have."""
        return cls.from_tree(tree_of(content))

    @classmethod
    def from_tree(
        cls, tree: FileNode, source: str | None = None, *, goal: str | None = None, usual_goal: str = "errors"
    ) -> "Settings":
        """Read a tree; `source` names the file it comes from.

        `goal` overrides that of the file, and `usual_goal` is that of a file without one that does not speak of
        features.
        """
        if not isinstance(tree, FileMapping):
            tree.fail(f"settings must be keys with values, such as 'C0: 0.01'; this is {tree.shown}")
        values: dict[str, Any] = dict(SETTINGS.read(tree, "the settings"))
        notes = read_unit(values, goal, usual_goal)
        try:
            refuse_questions_for_errors(values)
        except InvalidOptionError as error:
            raise InvalidSettingsError.of(error, "" if source is None else f"{source}: ") from None
        fold_sizes(values)
        if source is not None:
            places: dict[str, str] = {}
            for scalar in scalars(tree):
                places.setdefault(scalar.text, scalar.where)
            values["origin"] = Origin(source, places, tuple(notes))
        return cls(**values)

    @classmethod
    def of_card(cls, content: Mapping[str, object]) -> "Settings":
        """Read the settings that a card keeps, in which a card for goal risk says it if it asks questions."""
        silent = content.get("goal") == "risk" and "questions" not in content
        return cls.from_dict({**content, "questions": False} if silent else content)

    @classmethod
    def load(cls, path: str | Path) -> "Settings":
        """Read a YAML (.yaml, .yml) or JSON (.json) file."""
        return load_settings(path)

    def save(self, path: str | Path) -> None:
        """Write a YAML (.yaml, .yml) or JSON (.json) file; `load` gives the same settings."""
        save_settings(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, ready for JSON, in a fixed order."""
        pairs = tuple(
            (f.name, getattr(self, f.name)) for f in fields(self) if f.compare and getattr(self, f.name) != f.default
        )
        for name, value in pairs:
            if by_position(name, value):
                raise InvalidSettingsError(
                    f"{name} is a list in the order of the features", "use a mapping by name to save it", subject=name
                )
        content = SETTINGS.write(ByName(pairs))
        assert isinstance(content, dict)
        return content

    def changed(self, **changes: "Unpack[SettingsKeywords]") -> "Settings":
        """Return a copy with some settings changed.

        >>> Settings.of(C0=0.1, max_features=3).changed(C0=0.2).to_dict()
        {'C0': 0.2, 'max_features': 3}
        """
        now = {f.name: getattr(self, f.name) for f in fields(self) if f.compare}
        return replace(Settings.of(**{**now, **changes}), origin=self.origin)

    def problem(
        self,
        X: object,
        y: object,
        *,
        sample_weight: object = None,
        rate_groups: object = None,
        feature_names: Any = None,
        soft_labels: object = None,
        answers: AnswersOf | None = None,
    ) -> Problem:
        """Return the problem for some data with these settings.

        Of a data frame, the columns that `sample_weight` and `rate_groups` name are taken out and
        used as such, unless they are given here. With `answers`, columns hold the numbers of answers to questions.
        """
        return make_problem(
            self,
            X,
            y,
            sample_weight=sample_weight,
            rate_groups=rate_groups,
            feature_names=feature_names,
            soft_labels=soft_labels,
            answers=answers,
        )

    @property
    def asks_questions(self) -> bool:
        """Whether the unit of size is the question; a recipe decides it where settings leave it open."""
        return asks_questions(vars(self))

    @property
    def leaves_penalty(self) -> bool:
        """Whether C0 is left to cross-validation."""
        return self.levels is None and self.C0 is None and not self.asks_questions

    @property
    def loss(self) -> Loss:
        """What is minimised first."""
        return loss_called(self.goal)

    @property
    def taught_by(self) -> str | None:
        """The teacher whose risks are blended with the labels; None for the labels as they are."""
        usual = "auto" if self.asks_questions else None
        if self.teacher is None or (self.teacher == "auto" and self.loss.gives_risks):
            return usual
        return None if self.teacher == "none" else self.teacher

    @property
    def source(self) -> str | None:
        """The file that the settings come from."""
        return None if self.origin is None else self.origin.source

    def place(self, text: str) -> str:
        """Say where a text stands in the file, as the beginning of a message."""
        if self.origin is None:
            return ""
        return f"{self.origin.places.get(text, self.origin.source)}: "

    def _brief(self) -> str:
        return ", ".join(f"{name} {text}" for name, text in self._changed_texts()) or "defaults"

    def _small_table(self) -> SmallTable:
        return SmallTable((), self._changed_texts() or [("all settings", "default")])

    def _changed_texts(self) -> list[tuple[str, str]]:
        """The settings that differ from the defaults, as a file has them."""
        texts = []
        for f in fields(self):
            value = getattr(self, f.name)
            if not f.compare or value == f.default:
                continue
            if by_position(f.name, value):
                texts.append((f.name, f"one for each of {len(value)} features"))
                continue
            content = SETTINGS.write(ByName(((f.name, value),)))
            assert isinstance(content, dict)
            text = content[f.name]
            texts.append((f.name, text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)))
        return texts


if TYPE_CHECKING:
    from supersparse.learn.settings.keywords import SettingsKeywords as SettingsKeywords
else:
    SettingsKeywords = keywords("SettingsKeywords", keywords_of(Settings))
show(Settings.of.__func__, keywords_of(Settings))  # type: ignore[attr-defined]
show(Settings.changed, keywords_of(Settings))


def _as_in_a_file(name: str, value: object, max_points: object) -> object:
    """Bring Python's looser ways to say a value to those of a file."""
    if value is None:
        return None
    if name == "constraints" and isinstance(value, Constraint):
        return [value]
    if name == "levels":
        return _each(value, lambda one: one if one is None else Levels.of(one))
    if name == "points":
        return _each(value, lambda one: _as_set(one, MAX_POINTS if max_points == "auto" else max_points))
    return value


def _each(value: object, make: Any) -> object:
    """Make one value, or each value of a mapping."""
    return {name: make(v) for name, v in value.items()} if isinstance(value, Mapping) else make(value)


def _as_set(value: object, max_points: object) -> object:
    """None for the default, a number for the integers up to it."""
    if isinstance(value, str | CoefficientSet):
        return value
    largest = whole(max_points if value is None else value)
    return value if largest is None else integers(largest)


def fold_sizes(values: dict[str, Any]) -> None:
    """Let limits on the size be said in one place, and each constraint once."""
    asked = dict.fromkeys(values.get("constraints", ()))
    most = [c.most for c in asked if isinstance(c, MaxFeatures)]
    least = [c.least for c in asked if isinstance(c, MinFeatures)]
    if most:
        values["max_features"] = min([*most, *(n for n in [values.get("max_features")] if isinstance(n, int))])
    if least:
        values["min_features"] = max([*least, *(n for n in [values.get("min_features")] if n is not None)])
    if asked:
        values["constraints"] = tuple(c for c in asked if not isinstance(c, MaxFeatures | MinFeatures))


def load_settings(path: str | Path, *, goal: str | None = None, usual_goal: str = "errors") -> Settings:
    """Read a file; errors name the line and column. For goals see `Settings.from_tree`."""
    form = file_format(path)
    return Settings.from_tree(_tree(file_text(path), form, str(path)), str(path), goal=goal, usual_goal=usual_goal)


def save_settings(settings: Settings, path: str | Path) -> None:
    """Write a file that reads back as the same settings."""
    write_file(path, write_settings(settings, file_format(path)))


def read_settings(text: str, form: Format = "yaml", *, source: str = "the text") -> Settings:
    """Read settings from text; `source` names it in messages.

    >>> read_settings("C0: 0.02").to_dict()
    {'C0': 0.02}
    """
    return Settings.from_tree(_tree(text, form, source), source)


def _tree(text: str, form: Format, source: str) -> FileNode:
    return (json_tree if form == "json" else yaml_tree)(text, source)


def write_settings(settings: Settings, form: Format = "yaml") -> str:
    r"""Write settings as text, in a fixed order, and the goal in any case: `fit` has another default.

    >>> write_settings(Settings.of(max_features=5, C0=0.02))
    'goal: errors\nC0: 0.02\nmax_features: 5\n'
    """
    content = {"goal": settings.goal, **settings.to_dict()}
    return json.dumps(content, indent=2) + "\n" if form == "json" else yaml_text(content)


_AT_THE_TOP = {
    **{name: f"it is about the columns; write it under 'prepare': {name}: ..." for name in PREPARE.fields},
    **{name: f"it is about the table; write it under 'table': {name}: ..." for name in TABLE.fields},
    **{name: f"it is about the held-out rows; write it under 'validate': {name}: ..." for name in VALIDATE.fields},
    **{name: f"it is an option of the solver; write it under 'solve': {name}: ..." for name in SOLVE.fields},
    **{name: f"it is a constraint; write it under 'constraints': - {name}: ..." for name in KINDS},
    "seed": "it is an option of the solver; write it under 'solve': random_state: ...",
}
SETTINGS = Record(
    fields_of(Settings), synonyms={**SYNONYMS, "groups": "rate_groups", "options": "solve"}, elsewhere=_AT_THE_TOP
)


def schema() -> Schema:
    """The JSON Schema (2020-12) of a settings file.

    It allows every file that can be read. What no schema can say (that the levels do not
    overlap, that a range begins below its end) is said by the reader.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "supersparse settings",
        "description": "Settings of a scoring system: everything except the data.",
        **SETTINGS.schema(),
        "$defs": {
            "set": SetForm().definition(),
            "levels": LevelsForm().definition(),
            **{name: kind.record.schema() for name, kind in KINDS.items()},
        },
    }
