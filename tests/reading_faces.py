"""Readers of faces: what a person takes from a card that is shown, in whatever form."""

import re
import unicodedata
import xml.etree.ElementTree as ET
from fractions import Fraction
from html.parser import HTMLParser

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from supersparse.card.rules import InRange, IsNoneOf, IsOneOf
from supersparse.show.document.blocks import Facts, Paragraph, Questions, TableBlock, Title
from supersparse.show.document.content import content_of

ESCAPE = re.compile(r"\\(?:x(..)|u(....)|U(........)|(.))")
NAMED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def unescaped(text):
    """Undo the escapes that make text visible."""

    def character(match):
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else NAMED[match[4]]

    return ESCAPE.sub(character, text.replace("\u2068", "").replace("\u2069", ""))


def unwrapped(lines):
    """Join lines: at a lone backslash without a gap, else with a space."""
    text = lines[0]
    for line in lines[1:]:
        cut_word = (len(text) - len(text.rstrip("\\"))) % 2
        text = text[:-1] + line if cut_word else f"{text} {line}"
    return text


def label(text):
    bare = text[1:-1] if text.startswith('"') and text.endswith('"') and len(text) > 1 else text
    return unescaped(bare)


def read_needs(words):
    """Read the totals of the positive class, "4 or more" or "more than 3.5", as a test of a total."""
    least, more_than = re.fullmatch(r"(\S+) or more|more than (\S+)", words).groups()
    return (lambda total: total >= Fraction(least)) if least else (lambda total: total > Fraction(more_than))


class _Html(HTMLParser):
    """The texts of a page, one for each innermost element."""

    def __init__(self):
        super().__init__()
        self.texts, self.tags, self.ids, self._skipping = [], [], [], False

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        self.ids += [value for name, value in attrs if name == "id"]
        self._skipping = tag in ("style", "script", "title")

    def handle_endtag(self, tag):
        self._skipping = False

    def handle_data(self, data):
        if not self._skipping:
            self.texts += [part.strip(" ") for part in data.split("\n") if part.strip(" ")]


def parsed_html(text):
    parser = _Html()
    parser.feed(text)
    parser.close()
    return parser


def texts_of_html(text):
    page = parsed_html(text)
    assert not set(page.tags) & {"script", "a", "img"}
    return page.texts


def texts_of_markdown(text):
    return texts_of_html(MarkdownIt("commonmark").enable("table").render(text))


def texts_of_svg(text):
    """The texts of a picture; lines below one another, in one place and size, are one text."""
    found, before = [], None
    for e in ET.fromstring(text.encode("utf-8", "strict")):
        if not e.tag.endswith("}text"):
            continue
        look = (e.get("x"), e.get("font-size"), e.get("font-weight"), e.get("text-anchor"), e.get("fill"))
        if look == before and look[3] != "end":
            found[-1].append(e.text or "")
        else:
            found.append([e.text or ""])
        before = look
    return [unwrapped(lines) for lines in found]


TEX = {
    r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\_": "_",
    r"\%": "%", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`", r"\textquotesingle{}": "'",
    r"\symbol{34}": '"', "-{}": "-", ",{}": ",", "?{}": "?", "!{}": "!", r"$\times$": "×", "$-$": "-",
    r"\allowbreak{}": "", r"\textendash{}": "\u2013",
}  # fmt: skip
TEX_TOKEN = re.compile("|".join(map(re.escape, TEX)) + "|.", re.DOTALL)


def untex(text):
    """What LaTeX prints; a special character outside of a known command is an error."""
    shown_text = []
    for token in TEX_TOKEN.findall(_in_order(text)):
        assert len(token) > 1 or token not in "\\{}$&#_%~^", text
        shown_text.append(TEX.get(token, token))
    return "".join(shown_text)


ACCENTS = dict(
    zip(
        "`'^~=u.\"rHvdcb",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331",
        strict=True,
    )
)


def _in_order(text):
    """Without the groups that name a font or turn a direction; what is mirrored there is turned back."""
    text = re.sub(r"\\cardletters\{[^{}]*\}\{([^{}]*)\}", r"\1", text)
    for direction in ("TLT", "TRT"):  # the groups of the first stand in those of the second
        group = rf"\{{\\textdir {direction} ((?:[^{{}}]|\\[{{}}]|\{{\w*\}})*)\}}"
        text = re.sub(group, lambda found: _mirrored(found[1]), text)
    return text


def _mirrored(text):
    pairs = ["()", "[]", "«»", (r"\{", r"\}"), (r"\textless{}", r"\textgreater{}")]
    other = {a: b for pair in pairs for a, b in (pair, reversed(pair))}
    return re.sub("|".join(map(re.escape, other)), lambda found: other[found[0]], text)


def texts_of_latex(text):
    """The cells and paragraphs; the small tables that a wide one was broken into are read as one."""
    tables = [[]]
    text = re.split(r"(?=\\(?:begin|end)\{center\})", text)[1]
    for letter_of_lualatex, plain in ((r"\kern0pt{}", "{}"), (r"\textquotedbl{}", r"\symbol{34}")):
        text = text.replace(letter_of_lualatex, plain)
    text = re.sub(r"\\([`'^~=u.\"rHvdcb])\{([A-Za-z])\}", lambda found: found[2] + ACCENTS[found[1]], text)
    for line in text.split("\n"):
        tables += [[]] if line.startswith((r"\begin{tabular}", r"\end{tabular}")) else []
        line = re.sub(r"^\{\\(?:small|footnotesize|scriptsize) (.*)\\par\}$", r"\1", line)
        line = re.sub(r"\\par\\medskip$", "", line)
        if line in ("}", "") or re.match(r"%|\\(begin|end|par|toprule|midrule|bottomrule)|\{\\\w+size|\{\\small", line):
            continue
        line = re.sub(r"^\\textbf\{(\w[\w ]*:)\} ", r"\1 ", line)  # the label of a fact
        cells = re.split(r"(?<!\\) ?& ?", re.sub(r"( \\\\|\\par)$", "", line))
        tables[-1].append([_latex_cell(cell) for cell in cells])
    whole = [[]]
    for rows in filter(None, tables):
        is_continued = len(rows[0]) > 1 and [row[0] for row in rows] == [row[0] for row in whole[-1]]
        whole.append([a + b[1:] for a, b in zip(whole.pop(), rows, strict=True)] if is_continued else rows)
    return [cell for rows in whole for row in rows for cell in row if cell]


def _latex_cell(text):
    bare = re.sub(r"^\\textbf\{(.*)\}$", r"\1", text)
    bare = bare.removeprefix(r"\raggedright ").removeprefix(r"\quad ")
    return "" if not bare.strip() or bare == r"$\cdots\cdots$" else untex(bare)


def texts_of_text(text):
    """The cells of the printed card, which must not have been wrapped: two spaces or more divide them."""
    found = []
    for line in text.split("\n"):
        found += re.split(" {2,}", line)
        found.append(found[-1].removesuffix(" = ......"))
    return found


READERS = {
    "to_text": texts_of_text,
    "to_markdown": texts_of_markdown,
    "to_html": texts_of_html,
    "to_latex": texts_of_latex,
    "to_svg": texts_of_svg,
}


def expected_texts(card, style="card", *, at_the_bedside=False):
    """What every face of a card must show, in this order."""
    content = content_of(card, style)
    content = content.at_the_bedside if at_the_bedside else content
    expected = []
    for block in content.blocks:
        match block:
            case Title() | Paragraph():
                expected += [block.text]
            case Questions():
                for part in block.parts:
                    for line in part.lines:
                        expected += [line.text]
                        for answer in line.answers:
                            expected += [answer.text, answer.points]
                        expected += [] if line.answers else [line.points]
                    expected += [part.adds]
                expected += [block.difference[0]] if block.difference else []
            case TableBlock():
                expected += [cell for row in (block.header[1:], *(row[1:] for row in block.rows)) for cell in row]
                expected += block.notes
            case Facts():
                expected += [text for row in block.rows for text in row]
    return expected


def assert_shows(texts, expected):
    """Whether the texts hold all that is expected, in its order; paragraphs of a picture may run together."""
    shown = "\n".join(map(_plain, texts))
    at = 0
    for wanted in map(_plain, expected):
        # a text of its own, or the end of one ("1. Age"), or a sentence of a paragraph
        found = re.compile(rf"(?<!\S){re.escape(wanted)}(?!\S)").search(shown, at)
        assert found, wanted
        at = found.end()


def _plain(text):
    text = unicodedata.normalize("NFC", text.replace("\u2068", "").replace("\u2069", ""))
    return " ".join(text.replace(" \u00d7", " x").replace("(\u00d7", "(x").split())


@st.composite
def people_for(draw, card):
    """A person with values at and around what the card names."""
    person = {}
    for column, items in card.items_by_column().items():
        near = [Fraction(0), Fraction(7, 2), None]
        for item in items:
            if isinstance(item.rule, InRange):
                ends = [b for b in (item.rule.low, item.rule.high) if b is not None]
                near += [b + d for b in ends for d in (-1, 0, 1)]
            elif isinstance(item.rule, IsOneOf | IsNoneOf):
                near += item.rule.values
        near += [v for d in card.domains if d.column == column for v in (d.values or (d.low, d.high))]
        near += ["unseen", True]
        person[column] = draw(st.sampled_from(near))
    return person
