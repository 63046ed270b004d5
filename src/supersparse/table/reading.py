"""Reading: how a file is read, what was found out about its columns, and how a card keeps both."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from supersparse.base.errors import InvalidOptionError, did_you_mean
from supersparse.base.schema.scalars import LabelForm, NumberForm, TextForm, Truth, Whole, Word
from supersparse.base.schema.setting import NOWHERE, Option, keywords, keywords_of, setting, show
from supersparse.base.schema.shapes import NamesForm
from supersparse.table.cells import is_number

USUALLY_MISSING = frozenset({"NA", "NaN", "nan", "null", "NULL"})  # besides blank cells
DATE_ORDERS = {"dmy": "day first", "mdy": "month first"}

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t", "bar": "|", "pipe": "|", "space": " "}


_COLUMNS = NamesForm("a column's name, a pattern such as lab*, or a list of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSettings:
    """Which columns of a training table are used, and for what; in the section `table` of a settings file."""

    target: str | None = setting(
        None, TextForm("the name of a column"), "Column to predict.", option=Option(metavar="NAME")
    )
    drop: tuple[str, ...] = setting(
        (), _COLUMNS, "Columns to leave out, by name or by a pattern such as 'lab*'.", option=Option()
    )
    keep: tuple[str, ...] = setting((), _COLUMNS, "Columns or patterns to use, and no others.", option=Option())
    category: tuple[str, ...] = setting((), _COLUMNS, "Columns whose numbers are categories.", option=Option())
    event: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column that says what ended the follow-up, in place of a target: the event, or a loss.",
        option=Option(metavar="NAME"),
        group=NOWHERE,
    )
    time: str | None = setting(
        None,
        TextForm("the name of a column"),
        "Column of the time of follow-up.",
        option=Option(metavar="NAME"),
        group=NOWHERE,
    )
    horizon: Fraction | None = setting(
        None,
        NumberForm(above=0, wanted="a number above 0"),
        "Time within which the risk of the event is learned.",
        option=Option(metavar="TIME"),
        group=NOWHERE,
    )
    censored: str | None = setting(
        None,
        LabelForm(),
        "Value of the event's column for who was lost to follow-up, where it has more than two; others than that and "
        "the positive one rule the event out.",
        option=Option(metavar="VALUE"),
        group=NOWHERE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    """How a file of raw columns is read: the rest of the section `table`; see `Reading.of`."""

    na: tuple[str, ...] = setting(
        (),
        NamesForm("a word, or a list of them"),
        "More words for missing values.",
        option=Option(
            metavar="WORDS",
            help="More words for missing values, separated by commas: '?,n/a'.",
            read=lambda text: [word.strip() for word in text.split(",") if word.strip()],
        ),
        accepts=str | Sequence[str] | None,
    )
    default_na: bool = setting(True, Truth(), "Treat NA, NaN and null as missing. Blanks always are.", option=Option())
    separator: str | None = setting(
        None, TextForm(), "Column separator; default: detected.", option=Option(metavar="CHARACTER")
    )
    encoding: str | None = setting(
        None,
        TextForm(),
        "Text encoding; default: from the byte order mark, else UTF-8, else cp1252.",
        option=Option(metavar="NAME"),
    )
    decimal: str | None = setting(None, Word(".", ","), "Decimal sign; the other may group thousands.", option=Option())
    dates: str | None = setting(
        None, Word(*DATE_ORDERS), "Whether 03/05/2024 has the day or the month first.", option=Option()
    )
    sheet: str | None = setting(
        None, TextForm(), "Sheet of a workbook; default: the first.", option=Option(metavar="NAME")
    )
    header_row: int | None = setting(
        None,
        Whole(1),
        "Row of a workbook that names the columns, from 1; default: found.",
        option=Option(metavar="ROW"),
    )
    as_written: tuple[str, ...] = setting(
        (),
        _COLUMNS,
        "Columns or patterns to read as they are written: -99 is a number, and 'ja' and 'Ja' are two categories.",
        option=Option(),
    )


if TYPE_CHECKING:
    from supersparse.table.keywords import ReadingKeywords as ReadingKeywords
else:
    ReadingKeywords = keywords("ReadingKeywords", keywords_of(ReadingSettings))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReading:
    """The codes, spellings and decimal sign of one column.

    `missing` are numbers that stand for a missing value, `spellings` say for a variant of a category which
    spelling is kept, and `decimal` is the decimal sign.
    """

    missing: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)
    decimal: str | None = None

    @property
    def is_plain(self) -> bool:
        return not self.missing and not self.spellings and self.decimal is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is read; None stands for what the file itself shows.

    `missing` are the texts that stand for a missing value, besides blank cells. Columns whose names fit a pattern of
    `as_written` are not tidied: codes such as -99 stay numbers, spellings stay distinct. A reading that is `settled`
    comes from a card: `columns` says how each column was read, and nothing else is recognised, except in the columns
    `anew`, of which the card keeps nothing. `found` is what the file showed, for people to read.

    >>> Reading.of(na="?,n/a", decimal=",").missing >= {"?", "n/a", "NA"}
    True
    """

    __module__ = "supersparse"

    missing: frozenset[str] = USUALLY_MISSING
    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    dates: str | None = None  # the order of days and months: a key of DATE_ORDERS
    sheet: str | None = None  # of a workbook
    header_row: int | None = None  # of a workbook, from 1
    as_written: tuple[str, ...] = ()
    strips: bool = True  # whether spaces around a cell are no part of it
    settled: bool = False
    anew: frozenset[str] = frozenset()
    columns: Mapping[str, ColumnReading] = field(default_factory=dict)
    found: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, **words_by_name: "Unpack[ReadingKeywords]") -> "Reading":
        """Read words: `na` is a list, or text with commas, `separator` a character or its name."""
        asked: dict[str, Any] = {
            one.name: words_by_name.get(one.name, one.default) for one in keywords_of(ReadingSettings)
        }
        for name in words_by_name:
            if name not in asked:
                raise TypeError(f"Reading.of() got an unexpected keyword argument {name!r}")
        words, is_usual = asked.pop("na"), asked.pop("default_na")
        extra = frozenset(text.strip() for text in (words.split(",") if isinstance(words, str) else words or ())) - {""}
        if asked["separator"] is not None:
            asked["separator"] = _separator(asked["separator"])
        return cls(missing=extra | (USUALLY_MISSING if is_usual else frozenset()), **asked)

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InvalidOptionError(subject="decimal", value=self.decimal, remedy="give '.' or ','")
        if self.decimal is not None and self.decimal == self.separator:
            raise InvalidOptionError(
                f"decimal and separator are both {self.decimal!r}", "cells could not be told apart"
            )
        if self.dates is not None and self.dates not in DATE_ORDERS:
            raise InvalidOptionError(subject="dates", value=self.dates, remedy=did_you_mean(self.dates, DATE_ORDERS))
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise InvalidOptionError(
                    f"unknown encoding {self.encoding!r}", "usual ones are utf-8, cp1252, latin-1 and utf-16"
                ) from None

    def plain(self, cell: str) -> str:
        """Return the text of a cell, empty where it is missing."""
        text = cell.strip(" \t") if self.strips else cell
        return "" if text in self.missing else text

    @property
    def missing_numbers(self) -> list[float]:
        """The numbers among the texts that stand for a missing value: -7 also stands for -7.0."""
        return [float(text) for text in self.missing if is_number(text)]

    def tidies(self, column: str) -> bool:
        """Whether codes for missing values are looked for in a column, and spellings are merged."""
        return not any(fits(column, word) for word in self.as_written)

    def of_column(self, name: str) -> ColumnReading:
        return self.columns.get(name, _PLAIN)

    def about(self, used: Collection[str]) -> "Reading":
        """Return what a card that uses some columns may keep: of the others, no value, only decimal signs."""
        columns = {
            name: one if name in used else ColumnReading(decimal=one.decimal) for name, one in self.columns.items()
        }
        return replace(self, columns={name: one for name, one in columns.items() if not one.is_plain})

    def finding(self, columns: Collection[str]) -> "Reading":
        """Return a reading that looks again for codes and spellings in columns that this one has none of."""
        known = {name for name, one in self.columns.items() if one.missing or one.spellings}
        return replace(self, anew=frozenset(columns) - known)

    def over(self, base: "Reading") -> "Reading":
        """Return the reading of a card with what was asked here in its place."""
        asked: dict[str, Any] = {
            name: value
            for name in ("separator", "encoding", "decimal", "dates", "sheet", "header_row")
            if (value := getattr(self, name)) is not None
        }
        if self.missing != USUALLY_MISSING:
            asked["missing"] = self.missing
        if self.as_written:
            asked["as_written"] = self.as_written
        if not self.strips:
            asked["strips"] = False
        return replace(base, **asked)


show(Reading.of.__func__, keywords_of(ReadingSettings))  # type: ignore[attr-defined]


_MISSING_WORDS = re.compile(
    r"[?.*#-]|--|n/?a|n\.a\.?|n/?d|n\.d\.|k\. ?a\.?|n\.b\.|n/v|n\.v\.|s/d|s\.d\.|n\.?r\.?|missing|unknown|"
    r"pending|refused|"
    r"not (?:done|available|known|recorded|measured|tested|applicable)|unbekannt|keine angabe|fehlt|fehlend|"
    r"nicht (?:bekannt|erhoben|gemacht|durchgeführt|gemessen)|inconnue?|manquante?|"
    r"non (?:fait|réalisé|disponible|renseigné)|"
    r"desconocid[oa]|no (?:disponible|realizado|consta)|sin datos?|sconosciut[oa]|ignot[oa]|mancante|"
    r"non (?:disponibile|eseguito|noto)|desconhecid[oa]|ignorado|não (?:disponível|realizado)|sem dados|"
    r"onbekend|ontbreekt|"
    r"niet (?:bekend|gedaan|beschikbaar)"
)


def means_missing(text: str) -> bool:
    """Whether a text is a usual word for a missing value in the main European languages.

    >>> [means_missing(text) for text in ("k.A.", "n/d", "?", "not done", "5 mg")]
    [True, True, True, True, False]
    """
    return _MISSING_WORDS.fullmatch(text.strip().casefold()) is not None


def fits(column: str, word: str) -> bool:
    """Whether a column is meant by a word: its name, or a pattern."""
    return column == word or fnmatchcase(column, word)


_PLAIN = ColumnReading()


def _separator(word: str) -> str:
    character = _NAMED.get(word.casefold(), word)
    if len(character) != 1 or character in '"\r\n':
        raise InvalidOptionError(
            subject="separator", value=word, remedy="give one character, or comma, semicolon, tab, bar or space"
        )
    return character


def separator_name(character: str) -> str:
    return _SEPARATORS.get(character, f"{character!r}")


def found_separator(header: str, row: str) -> str:
    """Return the separator that a header line and the line below it show, a comma if they show none.

    It is the one that occurs most often in the header, outside of quotes, and as often in the row.

    >>> found_separator('"a;b",c', "1,2"), found_separator("R&amp;D|x", "1|2")
    (',', '|')
    """

    def occurs(character: str) -> tuple[bool, int, bool]:
        above, below = ("".join(line.split('"')[::2]).count(character) for line in (header, row))
        return above == below > 0, above, character == ","

    return max(_SEPARATORS, key=occurs)
