r"""The LaTeX face of a card: a booktabs table like the paper's figures."""

from dataclasses import dataclass

from supersparse.card.card import Card
from supersparse.show.document.content import Content, ShownLine, Style, content_of
from supersparse.show.document.latex_letters import latex_escaped, latex_file
from supersparse.show.document.text import in_blocks
from supersparse.table.plain import width

_BLANK = r"$\cdots\cdots$"
_LONG = 60  # characters from which on the lines of a table are wrapped
_SMALL_PRINT = 90  # characters of the facts that fit a line of the article class
_GRID = 74  # characters of a small table, with two for each gap


@dataclass(frozen=True, slots=True)
class _Size:
    """Letters: their command, and what fits a page of the article class beside the other columns."""

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
    blocks = [rf"\begin{{center}}{size.command}"]
    blocks.append(rf"\textbf{{{latex_escaped(content.heading)}}}")
    if content.parts:
        blocks += [r"\par\medskip", *_table(content, size)]
    blocks.append(r"\par\medskip")
    blocks += [latex_escaped(s) + r"\par" for s in content.sentences]
    if content.risks:
        blocks += [r"\par\medskip", latex_escaped(f"Risk ({content.positive})") + r"\par", *_grid(content.risk_rows)]
    if content.risk_note:
        blocks.append(latex_escaped(content.risk_note) + r"\par")
    if content.judgements:
        blocks += [r"\par\medskip", *_grid(content.judgement_rows)]
    blocks += [latex_escaped(sentence) + r"\par" for sentence in content.remarks]
    if content.facts:
        blocks += [r"\par\medskip", rf"{{{size.small}", *map(_fact, content.facts), "}"]
    return latex_file("\n".join([*blocks, r"\end{center}"]))


def _fact(labelled: tuple[str, str]) -> str:
    label, fact = labelled
    return rf"\textbf{{{label}:}} {latex_escaped(fact)}\par"


def _grid(rows: list[list[str]]) -> list[str]:
    """A small table, its first row set apart, in several below one another where a page is too narrow."""
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
    facts = [f"{label}: {fact}" for label, fact in content.facts]

    def fits(size: _Size) -> bool:
        used = sum(1 + width(text) // size.characters for text in texts)
        return used + sum(1 + width(fact) // _SMALL_PRINT for fact in facts) <= size.lines

    return next(filter(fits, _SIZES), _SIZES[-1])


def _table(content: Content, size: _Size) -> list[str]:
    is_long = any(width(t) > _LONG for line in content.lines for t in (line.text, *(a.text for a in line.answers)))
    text, ragged = (rf"p{{{size.width}\linewidth}}", r"\raggedright ") if is_long else ("l", "")
    rows = [rf"\begin{{tabular}}{{r{text}rc}}", r"\toprule", r" & & points & \\", r"\midrule"]
    for part in content.parts:
        rows += [row for line in part.lines for row in _rows(line, ragged)]
        rows += [r"\midrule", _total(part.adds, part.total)]
        if content.difference is not None:
            rows.append(r"\midrule")
    if content.difference is not None:
        rows.append(_total(*content.difference))
    return [*rows, r"\bottomrule", r"\end{tabular}"]


def _rows(line: ShownLine, ragged: str) -> list[str]:
    name = f"{line.number}) & {ragged}{latex_escaped(line.text)}"
    if not line.answers:
        times = r"$\times$ " if line.times else ""
        return [rf"{name} & {times}{_points(line.points)} & {_BLANK} \\"]
    *first, last = (
        rf" & {ragged}\quad {latex_escaped(answer.text)} & {_points(answer.points)} &" for answer in line.answers
    )
    return [rf"{name} & & \\", *(rf"{row} \\" for row in first), rf"{last} {_BLANK} \\"]


def _points(points: str) -> str:
    return points.replace("-", "$-$")


def _total(what: str, name: str) -> str:
    return rf" & \textbf{{{what}}} & \textbf{{{name}}} & {_BLANK} \\"
