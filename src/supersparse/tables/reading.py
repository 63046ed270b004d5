"""Reading: how the cells of a file are to be understood."""

from dataclasses import dataclass

from supersparse.errors import InvalidOptionError

USUALLY_MISSING = frozenset({"NA", "NaN", "nan", "null", "NULL"})  # beside blank cells

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t", "bar": "|", "pipe": "|", "space": " "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is read; None stands for what the file itself shows.

    `missing` are the texts that stand for a missing value, beside blank cells.

    >>> Reading.of(na="?,n/a", decimal=",").missing >= {"?", "n/a", "NA"}
    True
    """

    missing: frozenset[str] = USUALLY_MISSING
    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    strips: bool = True  # whether spaces around a cell are no part of it

    @classmethod
    def of(
        cls,
        *,
        na: str | None = None,
        default_na: bool = True,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str = ".",
    ) -> "Reading":
        """Read words: `na` is a list with commas, `separator` a character or its name."""
        own = frozenset(text.strip() for text in (na or "").split(",")) - {""}
        return cls(
            missing=own | (USUALLY_MISSING if default_na else frozenset()),
            separator=None if separator is None else _separator(separator),
            encoding=encoding,
            decimal=decimal,
        )

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise InvalidOptionError(f"decimal is {self.decimal!r}; give '.' or ','")
        if self.decimal == self.separator:
            raise InvalidOptionError(
                f"decimal and separator are both {self.decimal!r}; cells could not be told apart"
            )
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise InvalidOptionError(
                    f"unknown encoding {self.encoding!r}; usual ones are utf-8, cp1252, latin-1 and utf-16"
                ) from None

    def plain(self, cell: str) -> str:
        """Return the text of a cell, empty where it is missing."""
        text = cell.strip(" \t") if self.strips else cell
        return "" if text in self.missing else text


def _separator(word: str) -> str:
    character = _NAMED.get(word.casefold(), word)
    if len(character) != 1 or character in '"\r\n':
        raise InvalidOptionError(
            f"separator is {word!r}; give one character, or comma, semicolon, tab, bar or space"
        )
    return character


def separator_name(character: str) -> str:
    """Name a separator in the plural."""
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
