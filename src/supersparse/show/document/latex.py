r"""The LaTeX face of a card: a booktabs table like the paper's figures."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from supersparse.card.card import Card
from supersparse.show.document.blocks import CardBlock, Facts, Paragraph, Questions, Row, TableBlock, Title
from supersparse.show.document.content import Content, Style, content_of
from supersparse.show.document.html import template
from supersparse.show.document.text import in_blocks
from supersparse.table.plain import width

_LONG_WORD = 24
_SEPARATORS = "_/.-"
_PIECE = 8  # letters of a long word between two places where it may be broken
_QUOTE = r"\symbol{34}"  # babel makes the character itself a command in some languages
_NOT_AS_IT_IS = re.compile(r"-(?=-)|,(?=,)|[?!](?=`)|_|[^\w\s\-,?!]")

_LETTERS = json.loads(template("letters.json"))
_SPECIAL: dict[str, str] = _LETTERS["special"]  # with no ligatures
_IN_LUALATEX: list[tuple[str, str]] = _LETTERS["in_lualatex"]  # it joins across empty groups, and curls lone quotes
_ACCENTS: dict[str, str] = _LETTERS["accents"]
# Scripts whose letters depend on their neighbours, or that have fonts of their own: OpenType's names.
_TAGS: dict[str, str] = _LETTERS["scripts"]
_COMMON_FONTS, _EAST_ASIAN_FONTS, _SYMBOL_FONTS = map(tuple, _LETTERS["fonts"].values())

_ISOLATED = re.compile("\u2068([^\u2069]*)\u2069")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")

# What pdfLaTeX knows in its oldest encoding, and what only T1 has (as it has straight quotation marks).
_LATIN, _LATIN_IN_T1 = frozenset(_LETTERS["latin"]), frozenset(_LETTERS["latin_in_t1"])
_NOT_ASCII = re.compile(r"[A-Za-z]?[^\x00-\x7f]+")

_ALONE, _FONTENC, _T1, _FONTS = (template(f"{name}.tex").rstrip("\n") for name in ("alone", "t1_fonts", "t1", "fonts"))
_REFUSAL = r"\ifdefined\directlua\else\errmessage{pdfLaTeX lacks letters of this card: use lualatex}\fi"
_USE = r"% alone, or by \input in a document with \usepackage{booktabs}"


@dataclass(frozen=True, slots=True)
class _Fonts:
    """Where letters are looked for: fonts in order, OpenType's script, a Debian package with the first."""

    names: tuple[str, ...]
    script: str
    package: str


def latex_file(card: str) -> str:
    """Return a card, made of escaped texts, as a file; its first line names the engine that typesets it."""
    card = unicodedata.normalize("NFC", card)
    known = _for_pdflatex(card)
    if known is None:
        known, definitions = _for_lualatex(card)
        lines = ["% compile with lualatex", _USE, _REFUSAL, _ALONE.replace("%s", "")]
    else:
        wants_t1 = _QUOTE in known or not _LATIN_IN_T1.isdisjoint(known)
        definitions = _T1 if wants_t1 else ""
        lines = ["% compile with pdflatex", _USE, _ALONE.replace("%s", f"\n{_FONTENC}")]
    if definitions:
        known = "\n".join([r"\par\begingroup", definitions, known, r"\endgroup"])
    return "\n".join([*lines, known, r"\supersparseend", ""])


def _for_pdflatex(card: str) -> str | None:
    """Write accents as commands where pdfLaTeX does not know the letter; None if there are other letters."""
    made, end = [], 0
    for match in _NOT_ASCII.finditer(card):
        made.append(card[end : match.start()])
        end = match.end()
        for cluster in _clusters(match[0]):
            if cluster.isascii() or cluster in _LATIN or cluster in _LATIN_IN_T1:
                made.append(cluster)
                continue
            letter, *marks = list(unicodedata.normalize("NFD", cluster))
            if len(marks) != 1 or marks[0] not in _ACCENTS or not letter.isascii():
                return None
            made.append(rf"{_ACCENTS[marks[0]]}{{{letter}}}")
    return "".join([*made, card[end:]])


def _for_lualatex(card: str) -> tuple[str, str]:
    """Mark the letters that need another font; return the card and the definitions that it needs."""
    wanted: dict[str, tuple[_Fonts, set[str]]] = {}

    def marked(match: re.Match[str]) -> str:
        made = []
        for key, run in groupby(_clusters(match[0]), _key):
            text = "".join(run)
            if key is not None:
                name, fonts = key
                wanted.setdefault(name, (fonts, set()))[1].update(text)
                text = rf"\cardletters{{{name}}}{{{text}}}"
            made.append(text)
        return "".join(made)

    for plain, without_ligature in _IN_LUALATEX:
        card = card.replace(plain, without_ligature)
    card = _NOT_ASCII.sub(marked, card)
    lines = [_FONTS]  # \cardfont takes the font if it has all that \cardneeds names
    for name, (fonts, letters) in sorted(wanted.items()):
        codes = "".join(rf"\cardhas{{{ord(c):04X}}}" for c in sorted(letters) if not _joins(c))
        lines.append(rf"\def\cardneeds{{{codes}}}")
        lines += [rf"\cardfont{{{name}}}{{{fonts.script}}}{{{font}}}" for font in fonts.names]
        lines.append(rf"\cardcodes{{{name}}}{{{fonts.names[0]}}}{{{fonts.package}}}")
    return card, "\n".join(lines)


def _clusters(text: str) -> list[str]:
    """Letters, each with its marks; what a joiner joins is one."""
    clusters: list[str] = []
    for c in text:
        if clusters and (_joins(c) or unicodedata.category(c)[0] == "M" or clusters[-1].endswith("\u200d")):
            clusters[-1] += c
        else:
            clusters.append(c)
    return clusters


def _joins(c: str) -> bool:
    """Whether it has no shape: joiners, and what selects a shape or the colour of a skin."""
    return c in "\u200c\u200d" or "\ufe00" <= c <= "\ufe0f" or "\U0001f3fb" <= c <= "\U0001f3ff"


def _key(cluster: str) -> tuple[str, _Fonts] | None:
    """The key of its fonts; None for what the document's own font has."""
    if cluster.isascii() or cluster in _LATIN or cluster in _LATIN_IN_T1:
        return None
    first, plane = cluster[0], ord(cluster[0]) >> 16
    script = re.split("[ -]", unicodedata.name(first, "").removeprefix("EXTENDED "))[0]
    is_east_asian = "\u2e80" <= first <= "\uffef" and unicodedata.east_asian_width(first) in "WFH"
    if is_east_asian or plane in (2, 3):
        return f"CJK {plane}", _Fonts(_EAST_ASIAN_FONTS, "hani", "fonts-noto-cjk")
    if script in _TAGS or unicodedata.category(first)[0] in "LMN":
        package = "fonts-dejavu-core"
        fonts: tuple[str, ...] = _COMMON_FONTS
        if script not in ("CYRILLIC", "GREEK", "LATIN"):
            fonts = (f"Noto Serif {script.title()}", f"Noto Sans {script.title()}", *fonts)
            package = "fonts-noto-core"
        tag = _TAGS.get(script, "latn")
        return f"{script} {ord(first) >> 8:X}", _Fonts(fonts, tag, package)
    codes = " ".join(f"{ord(c):04X}" for c in cluster)
    return f"U+{codes}", _Fonts(_SYMBOL_FONTS, "latn", "fonts-dejavu-core")


def latex_escaped(text: str) -> str:
    r"""Return visible text so that LaTeX prints it as it is.

    >>> latex_escaped("heart_failure > 50 %")
    'heart\\_failure \\textgreater{} 50 \\%'
    """
    shown, end = [], 0
    for isolated in _ISOLATED.finditer(text):
        shown.append(_directed(text[end : isolated.start()], "L"))
        shown.append(_directed(isolated[1], next((d for d in map(_direction, isolated[1]) if d in "LR"), "L")))
        end = isolated.end()
    return "".join([*shown, _directed(text[end:], "L")])


def _direction(c: str) -> str:
    """L and R for letters, N for digits, a space, and - for what follows its neighbours."""
    direction = unicodedata.bidirectional(c)
    return {"L": "L", "R": "R", "AL": "R", "EN": "N", "AN": "N", "WS": " "}.get(direction, "-")


def _directed(text: str, base: str) -> str:
    """Escape text whose direction is `base`; runs of the other direction are groups of their own."""
    directions = "".join(map(_direction, text))
    if base == "L":
        if "R" not in directions:
            return _escaped(text)
        return _runs(text, re.finditer("R(?:[^L]*[RN])?", directions), _escaped, _right_to_left)
    return _right_to_left(text)


def _right_to_left(text: str) -> str:
    directions = "".join(map(_direction, text))
    runs = re.finditer("L(?:[^R]*[LN])?|N(?:[^LR ]*N)?", directions)
    turned = _runs(
        text, runs, lambda part: _escaped(part.translate(_MIRRORED)), lambda part: rf"{{\textdir TLT {_escaped(part)}}}"
    )
    return rf"{{\textdir TRT {turned}}}"


def _runs(
    text: str, matches: Iterator[re.Match[str]], outside: Callable[[str], str], inside: Callable[[str], str]
) -> str:
    made, end = [], 0
    for run in matches:
        made += [outside(text[end : run.start()]), inside(text[run.start() : run.end()])]
        end = run.end()
    return "".join([*made, outside(text[end:])])


def _escaped(text: str) -> str:
    words = (
        [_NOT_AS_IT_IS.sub(lambda c: _SPECIAL.get(c[0], c[0]), piece) for piece in _pieces(w)] for w in text.split(" ")
    )
    return " ".join(map(r"\allowbreak{}".join, words))


def _pieces(word: str) -> list[str]:
    """A long word may be broken between them: after its separators, or anywhere."""
    if width(word) <= _LONG_WORD:
        return [word]
    pieces, letters = [""], 0
    for cluster in _clusters(word):
        if cluster not in _SEPARATORS and (letters == _PIECE or pieces[-1].endswith(tuple(_SEPARATORS))):
            pieces.append("")
            letters = 0
        pieces[-1] += cluster
        letters += cluster not in _SEPARATORS
    return pieces


_BLANK = r"$\cdots\cdots$"
_LONG = 60  # characters from which on the lines of a table are wrapped
_SMALL_PRINT = 90  # characters of the facts that fit a line of the article class
_GRID = 74  # characters of a small table, with two for each gap


@dataclass(frozen=True, slots=True)
class _Size:
    """Letters: their command, and what fits a page of the article class with the other columns."""

    command: str
    small: str  # the command for the facts
    width: str  # of wrapped lines, as a share of the page's
    characters: int  # in such a line
    lines: int


_SIZES = (
    _Size("", r"\footnotesize", "0.6", 40, 36),
    _Size(r"\small", r"\footnotesize", "0.62", 44, 40),
    _Size(r"\footnotesize", r"\scriptsize", "0.65", 49, 46),
    _Size(r"\scriptsize", r"\scriptsize", "0.68", 55, 55),
)


def card_latex(card: Card, *, style: Style = "card") -> str:
    r"""Return the card as a LaTeX file, complete, or for a document with ``\usepackage{booktabs}``.

    Its first line names the engine: ``% compile with pdflatex``, or lualatex where the letters need it.
    """
    content = content_of(card, style)
    size = _size(content)
    blocks = [line for block in content.blocks for line in _block(block, size)]
    return latex_file("\n".join([rf"\begin{{center}}{size.command}", *blocks, r"\end{center}"]))


def _block(block: CardBlock, size: _Size) -> list[str]:
    match block:
        case Title():
            return [rf"\textbf{{{latex_escaped(block.text)}}}\par\medskip"]
        case Paragraph(look="note"):
            return [rf"{{{size.small} {latex_escaped(block.text)}\par}}"]
        case Paragraph():
            return [latex_escaped(block.text) + r"\par"]
        case Questions():
            return [*_table(block, size), r"\par\medskip"]
        case TableBlock():
            notes = [latex_escaped(note) + r"\par" for note in block.notes]
            rows = [block.header, *block.rows]
            return [r"\par\medskip", latex_escaped(block.caption) + r"\par", *_grid(rows), *notes]
        case Facts():
            facts = [rf"{latex_escaped(name)} & {latex_escaped(text)} \\" for name, text in block.rows]
            return [r"\par\medskip", r"\begin{tabular}{ll}", *facts, r"\end{tabular}\par\smallskip"]


def _grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """A small table, its first row ruled off, in several below one another where a page is too narrow."""
    made = [r"{\small\setlength{\tabcolsep}{4pt}"]
    for block in in_blocks(rows, _GRID):
        lines = [" & ".join(map(latex_escaped, row)) + r" \\" for row in block]
        made += [
            rf"\begin{{tabular}}{{l{'r' * (len(block[0]) - 1)}}}",
            r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule",
            r"\end{tabular}\par\smallskip",
        ]  # fmt: skip
    return [*made, "}"]


def _size(content: Content) -> _Size:
    """Return the largest letters in which the card fits a page, else the smallest."""
    answers = [answer.text for line in content.lines for answer in line.answers]
    texts = [
        *(line.text for line in content.lines),
        *answers,
        content.how,
        content.rule,
        content.risk_note or "",
        *content.notes,
    ]
    facts = [fact for _, fact in content.facts]

    def fits(size: _Size) -> bool:
        used = sum(1 + width(text) // size.characters for text in texts)
        return used + sum(1 + width(fact) // _SMALL_PRINT for fact in facts) <= size.lines

    return next(filter(fits, _SIZES), _SIZES[-1])


def _table(content: Questions, size: _Size) -> list[str]:
    is_long = any(width(t) > _LONG for line in content.lines for t in (line.text, *(a.text for a in line.answers)))
    text, ragged = (rf"p{{{size.width}\linewidth}}", r"\raggedright ") if is_long else ("l", "")
    rows = [rf"\begin{{tabular}}{{r{text}rc}}", r"\toprule", r" & & points & \\", r"\midrule"]
    before: Row | None = None
    for row in content.rows:
        if row.is_total or (before is not None and before.is_total):
            rows.append(r"\midrule")
        rows.append(_row(row, ragged))
        before = row
    return [*rows, r"\bottomrule", r"\end{tabular}"]


def _row(row: Row, ragged: str) -> str:
    blank = f" {_BLANK}" if row.blank else ""
    if row.is_total:
        return rf" & \textbf{{{row.text}}} & \textbf{{{row.points}}} &{blank} \\"
    text, points = latex_escaped(row.text), row.points.replace("-", "$-$")
    if row.is_answer:
        return rf" & {ragged}\quad {text} & {points} &{blank} \\"
    times = r" $\times$" if row.times else ""
    return rf"{row.number}) & {ragged}{text} &{times}{points and f' {points}'} &{blank} \\"
