"""PrepareSettings: how raw columns become features, each setting declared once, and checked."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from supersparse.base.errors import InvalidCardError, InvalidOptionError, InvalidProblemError
from supersparse.base.schema.scalars import (
    NOTHING,
    Either,
    LabelForm,
    Null,
    NumberForm,
    Plain,
    TextForm,
    Truth,
    Whole,
    Word,
)
from supersparse.base.schema.setting import BY_COLUMN, NOWHERE, Option, setting, taken
from supersparse.base.schema.shapes import ListOf, TableOf
from supersparse.card.card import Card
from supersparse.card.file import from_json, load, to_json
from supersparse.card.words import Wording
from supersparse.table.cells import is_number
from supersparse.table.values import Category, declared_category, nearest_column

CutMethod = Literal["optimal", "quantile", "tree", "none"]
Direction = Literal["+", "-"]
MissingRule = Literal["item", "median", "mode", "drop"]
Shape = Literal["monotone", "rising", "falling", "any"]
_NAME_COLUMNS = ("cut_points", "direction", "shape", "keep", "categorical", "ordered", "units")
_MOST_TRIED = 6
OF_FEATURES = {
    "cuts": "remove it, or use questions=False (--features); answers are chosen on the teacher's shape of each column",
    "per_variable": "use max_cuts, or questions=False (--features)",
    "intervals": "remove it, or use questions=False (--features); a question has an answer for each band",
    "candidates": "remove it, or use questions=False (--features); every column is one question",
    "keep": "remove it, or use questions=False (--features); numbers are cut into answers",
}
_DIRECTION_OF: Mapping[str, Direction] = {"rising": "+", "falling": "-"}


_ENTRY = re.compile(r"\s*(?P<name>.+?)\s*[=:]\s*(?P<numbers>[^=:]*)")


def read_cut_points(source: str, what: str = "cut points") -> dict[str, list[float]]:
    """Read ``age=40,60;bmi=25,30``, or a file with one such entry per line, or JSON.

    `what` names it in messages.

    >>> read_cut_points("age=40,60;bmi=18.5")
    {'age': [40.0, 60.0], 'bmi': [18.5]}
    """
    path = Path(source)
    text = path.read_text(encoding="utf-8-sig") if _is_file(path) else source
    if text.lstrip().startswith("{"):
        return _of_json(text, what)
    cut_points: dict[str, list[float]] = {}
    for entry in re.split(r"[;\n]", text):
        bare = entry.partition("#")[0].strip()
        if bare:
            name, numbers = _entry(bare, what)
            cut_points[name] = numbers
    if not cut_points:
        raise _unclear(source, what)
    return cut_points


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for a name
        return False


def _entry(text: str, what: str) -> tuple[str, list[float]]:
    parts = _ENTRY.fullmatch(text)
    cells = [] if parts is None else re.split(r"[,\s]+", parts["numbers"].strip())
    if parts is None or not all(map(is_number, cells)):
        raise _unclear(text, what)
    return parts["name"], [float(cell) for cell in cells]


def _of_json(text: str, what: str) -> dict[str, list[float]]:
    try:
        content = json.loads(text)
        return {name: [float(number) for number in numbers] for name, numbers in content.items()}
    except (ValueError, TypeError):
        raise InvalidOptionError(
            f'{what}: the JSON must map each column to a list of numbers, such as {{"age": [40, 60]}}'
        ) from None


def _unclear(text: str, what: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"{what}: {text!r} is neither a file nor cut points",
        "write 'age=40,60;bmi=25,30', or name a file with one such line per column",
    )


class CardForm(TextForm):
    """A card: the path of its file; in Python, a card or the content of its file as well."""

    def __init__(self) -> None:
        super().__init__("the path of a card that `fit --out` wrote")

    def convert(self, value: object) -> Any:
        """Whatever is a card is one already."""
        if isinstance(value, Path):
            return str(value)
        card = getattr(value, "card", value)
        if isinstance(card, Mapping):
            return from_json(json.dumps(card), source="update")
        return card if self.holds(card) else NOTHING

    def holds(self, value: object) -> bool:
        return isinstance(value, str | Card)

    def write(self, value: str | Card) -> Plain:
        """A path as it is; a card as the content of its file, without how it was made."""
        return value if isinstance(value, str) else json.loads(to_json(without_origin(value)))


def without_origin(card: Card) -> Card:
    """The questions, points and classes of a card alone."""
    return replace(
        card, provenance=None, risk=None, seen=None, learned=None, performance=(), reading=None, wording=Wording()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareSettings:
    """The parameters of `Prepare`, checked; the section `prepare` of a settings file but for two."""

    cuts: CutMethod = setting(
        "optimal",
        Word(*get_args(CutMethod)),
        "How to cut numbers; none to use the values.",
        option=Option(),
        accepts=str,
        doc="""{"optimal", "quantile", "tree", "none"}
        How to cut numbers. "optimal": the best single cut, the best two, the best three and so on, by class entropy.
        "tree": the splits of a decision tree on the column. "quantile": quantiles, without using the class. "none": no
        cuts; points multiply the numbers.""",
    )
    cut_points: Mapping[str, tuple[Fraction, ...]] = setting(
        {},
        TableOf(ListOf(NumberForm(), "a list of numbers", least=1), "cut points by column"),
        "Your own cut points by column, such as {age: [45, 60]}.",
        option=Option(
            metavar="FILE OR TEXT", help="Your own cut points: 'age=40,60;bmi=25,30', or a file.", read=read_cut_points
        ),
        group=BY_COLUMN,
        accepts=Mapping[str, Sequence[float]] | None,
        doc="""dict of lists
        Cut points by column, such as ``{"age": [45, 60]}``. They replace `cuts` there.""",
    )
    max_cuts: int | Literal["auto"] = setting(
        "auto",
        Either(Word("auto"), Whole(1)),
        "Maximum number of cut points per column: 6 to try for features, 3 of a question.",
        option=Option(metavar="N", read=int),
        accepts=int | str,
        doc="""int or "auto"
        Maximum number of cut points per column. "auto" means 6 for features, and 3 for a question.""",
    )
    per_variable: int | None = setting(
        2,
        Either(Whole(1), Null()),
        "Maximum number of cut points per column on one card; default: 2, null for no limit.",
        option=Option(metavar="N"),
        doc="""int or None
        Maximum number of cut points per column in one scoring system. None means no limit.""",
    )
    intervals: bool = setting(
        False,
        Truth(),
        "Also offer intervals such as 45 <= age < 60.",
        option=Option(),
        doc="""bool
        Also offer intervals such as "45 <= age < 60", for the most informative pairs of cut points.""",
    )
    rare: Fraction | Literal["auto"] = setting(
        "auto",
        Either(Word("auto"), NumberForm(0, below=Fraction(1, 2), wanted="a share of the rows from 0 to below 0.5")),
        "Minimum share of the rows in every answer; default: auto.",
        group=NOWHERE,
        accepts=float | str,
        doc=""""auto" or float
        Smallest share of the rows that an answer may hold: each side of a cut, each part between two cuts, each
        category. "auto" means 10 rows or 2 %, whichever is more, and a fifth of a table with fewer than 50 rows; where
        most answers are rarer and fewer than ten are left, it means 10 rows. A feature that singles out fewer could
        not save more errors than that, so nothing is lost if C0 is as large as this share.""",
    )
    missing: MissingRule = setting(
        "item",
        Word(*get_args(MissingRule)),
        "Missing values: a question of their own, replaced, or their rows dropped.",
        option=Option(),
        accepts=str,
        doc="""{"item", "drop", "median", "mode"}
        "item": missing values get their own feature and count 0 in the others. "median", "mode": replaced by that
        value (always the mode for categories). "drop": refused; classifiers skip such rows when fitting.""",
    )
    direction: Mapping[str, Direction] = setting(  # of a rising or falling shape, too
        {},
        TableOf(Word(*get_args(Direction)), "signs by column"),
        "Columns whose points may only rise (+) or only fall (-) with their values.",
        option=Option(metavar="NAME=SIGN"),
        group=BY_COLUMN,
        accepts=Mapping[str, str] | None,
        doc="""dict
        ``{"age": "+"}`` forbids negative points for the features of age; "-" forbids positive ones.""",
    )
    shape: Mapping[str, Shape] = setting(
        {},
        TableOf(Word(*get_args(Shape)), "shapes by column"),
        "How the points of a column change with its values: monotone (the default: they rise or fall), "
        "rising, falling, or any.",
        option=Option(metavar="NAME=SHAPE"),
        group=BY_COLUMN,
        accepts=Mapping[str, str] | None,
        doc="""dict
        How the points of a column change with its values, such as ``{"age": "any"}``: "monotone" (the default, and
        part of what is proven) lets them rise or fall, "rising" and "falling" are the same as a `direction` of "+" and
        "-", and "any" allows everything. With `intervals`, "any" is the default.""",
    )
    keep: frozenset[str] = setting(
        (),
        ListOf(LabelForm(), "a list of column names"),
        "Numeric columns to use as they are.",
        in_files=False,
        accepts=Sequence[str],
        doc="""list of str
        Numeric columns to use as they are.""",
    )
    categorical: frozenset[str] = setting(
        (),
        ListOf(LabelForm(), "a list of column names"),
        "Columns whose numbers are categories.",
        in_files=False,
        accepts=Sequence[str],
        doc="""list of str
        Columns whose numbers are categories.""",
    )
    ordered: Mapping[str, tuple[Category, ...]] = setting(
        {},
        TableOf(ListOf(LabelForm(), "at least two levels, lowest first", least=2), "levels by column"),
        "Levels of ordered categories by column, lowest first, such as {grade: [I, II, III]}.",
        option=Option(
            name="order", metavar="NAME=LEVEL,...", help="Levels of ordered categories, lowest first: 'grade=I,II,III'."
        ),
        group=NOWHERE,
        accepts=Mapping[str, Sequence[object]] | None,
        doc="""dict of lists
        Levels of ordered categories, lowest first. Features ask for "this level or higher". Columns of pandas with
        ordered categories of text bring their own, unless they are in `categorical`.""",
    )
    units: Mapping[str, str] = setting(
        {},
        TableOf(TextForm(), "units by column"),
        "Units by column, for the card.",
        option=Option(metavar="NAME=UNIT"),
        group=BY_COLUMN,
        accepts=Mapping[str, str] | None,
        doc="""dict of str
        Units by column, for the questions of the card.""",
    )
    candidates: int | Literal["auto"] | None = setting(
        "auto",
        Either(Word("auto"), Whole(1), Null()),
        "How many questions the search may choose from: null for no limit, auto for 60 (8 for counts), or "
        "fewer above 333,333 rows; default: auto.",
        option=Option(metavar="N"),
        accepts=int | str | None,
        doc=""""auto", int or None
        Maximum number of features: the best of each column first, then the second best of each, and so on. "auto"
        means 60, or fewer above 333,333 rows (20 for a million), so that a scoring system is proven optimal, or
        nearly, within a minute. None means no limit. The card says how many there were.""",
    )

    update: Card | None = setting(
        None,
        CardForm(),
        "Card in use to update: its questions keep its answers, and few points change.",
        option=Option(metavar="CARD"),
        group=NOWHERE,
        accepts=Any,
        doc="""Card, ScoringSystem, path or None
        A card in use. Its questions keep their answers, and the best card that differs from it in at most `changes` of
        them is learned. None means a new card.""",
    )
    changes: int = setting(
        2,
        Whole(0),
        "With an update, how much of the card may change.",
        option=Option(metavar="N"),
        group=NOWHERE,
        doc="""int
        With `update`: the maximum number of questions, or answers, whose points change. A question that is added or
        dropped counts.""",
    )
    changes_of: Literal["questions", "answers"] = setting(
        "questions",
        Word("questions", "answers"),
        "What a change is of: a question with all its points, or one answer.",
        option=Option(),
        group=NOWHERE,
        accepts=str,
        doc="""{"questions", "answers"}
        What `changes` counts: questions with any other points, or single answers.""",
    )

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "PrepareSettings":
        """Read and check the parameters of `Prepare`."""
        read: dict[str, Any] = {
            name: dict(value) if isinstance(value, Mapping) else value for name, value in taken(cls, parameters).items()
        }
        read |= {name: frozenset(read.get(name, ())) for name in ("keep", "categorical")}
        read["ordered"] = {name: _levels(name, parameters["ordered"][name]) for name in read.get("ordered", ())}
        read["direction"] = _directions(read.get("direction", {}), read.get("shape", {}))
        if isinstance(read.get("update"), str):
            read["update"] = load(read["update"])
        settings = cls(**read)
        _check_one_use(settings)
        return settings

    @property
    def least_share(self) -> Fraction | None:
        """The share that every answer must hold; None: as `Enough` says."""
        return None if isinstance(self.rare, str) else self.rare

    @property
    def most_cuts(self) -> int:
        """How many cut points of a column are tried as features."""
        return _MOST_TRIED if self.max_cuts == "auto" else self.max_cuts

    def shape_of_answers(self, column: str) -> str:
        """How the points of a question may run along its answers, as a `Problem` says it."""
        if column in self.direction:
            return {"+": "up", "-": "down"}[self.direction[column]]
        return "free" if self.shape.get(column) == "any" else "either"

    def refuse_what_features_have(self) -> None:
        """Raise for settings that questions, whose answers are bands of values, do not have."""
        if self.update is None and (self.changes, self.changes_of) != (2, "questions"):
            raise InvalidProblemError("changes are of a card in use, and none is named", "add update, or --update CARD")
        for name, remedy in OF_FEATURES.items():
            one = next(f for f in fields(self) if f.name == name)
            if getattr(self, name) not in (one.default, frozenset()):
                raise InvalidProblemError(f"{name} is for yes/no features, and this card asks questions", remedy)

    def refuse_update(self) -> None:
        """Raise for the update of a card of questions, where features are made."""
        if self.update is not None:
            raise InvalidProblemError(
                "update is of a card of questions, and this card is of yes/no features", "remove it, or --features"
            )

    def has_shape(self, column: str) -> bool:
        """Whether the user asked that the points of a column rise or fall."""
        return column in self.direction or self.shape.get(column, "any") != "any"

    def is_monotone(self, column: str) -> bool:
        """Whether the points of a column rise or fall, in a direction that is open."""
        default = "any" if self.intervals else "monotone"
        return column not in self.direction and self.shape.get(column, default) == "monotone"

    @property
    def named(self) -> frozenset[str]:
        """The columns that a parameter names."""
        return frozenset(name for what in _NAME_COLUMNS for name in getattr(self, what))

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise if a parameter names a column that the table does not have."""
        known = set(names)
        for what in _NAME_COLUMNS:
            for name in getattr(self, what):
                if name not in known:
                    raise InvalidProblemError(
                        f"{what}: there is no column {name!r}", nearest_column(name, names), subject=what
                    )


def with_orders(settings: PrepareSettings, orders: Mapping[str, tuple[str, ...]]) -> PrepareSettings:
    """Take over the order of categories that the table knows, unless a parameter says how to use them."""
    used = {*settings.cut_points, *settings.keep, *settings.categorical, *settings.ordered}
    known = {name: levels for name, levels in orders.items() if name not in used}
    return replace(settings, ordered={**settings.ordered, **known}) if known else settings


def ordered_levels(column: str) -> str:
    """How the levels of a column are put in order, in Python and on the command line."""
    return f"ordered={{{column!r}: [lowest, ..., highest]}}, or --order {column}=lowest,...,highest"


def _check_one_use(settings: PrepareSettings) -> None:
    uses = {name: getattr(settings, name) for name in ("cut_points", "keep", "categorical", "ordered")}
    for (what, names), (other, others) in combinations(uses.items(), 2):
        for name in names:
            if name in others:
                raise InvalidProblemError(
                    f"column {name!r} is in both {what} and {other}", "use only one of them", subject=name
                )
    for name in (*settings.direction, *settings.shape):
        if name in settings.categorical:
            what = "a direction" if name in settings.direction else "a shape"
            raise InvalidProblemError(
                f"column {name!r} has {what}, but categories have no order",
                f"list its levels in order with {ordered_levels(name)}",
            )
    for name, levels in settings.ordered.items():
        if len(set(levels)) < len(levels):
            raise InvalidProblemError(f"ordered of {name!r} lists a level twice: {levels!r}", "list each once")


def _levels(column: str, levels: Iterable[object]) -> tuple[Category, ...]:
    """The levels of a column as the column has them, which are not only texts."""
    try:
        return tuple(declared_category(level, f"ordered: a level of {column!r}") for level in levels)
    except InvalidCardError as error:
        raise InvalidProblemError.of(error) from None


def _directions(direction: Mapping[str, Direction], shape: Mapping[str, Shape]) -> dict[str, Direction]:
    """The directions asked for, by themselves or as a rising or falling shape."""
    directions = dict(direction)
    for name, asked in shape.items():
        of_shape = _DIRECTION_OF.get(asked)
        if name in directions and asked != "monotone" and directions[name] != of_shape:
            raise InvalidProblemError(
                f"column {name!r} has the direction {directions[name]!r} and the shape {asked!r}", "give one of them"
            )
        if of_shape is not None:
            directions[name] = of_shape
    return directions
