"""Readers of faces: what a person takes from a card that is shown, in whatever form."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser

from hypothesis import strategies as st

from supersparse.card.checks import outside_values
from supersparse.card.rules import InRange, IsMissing, IsNoneOf, IsOneOf
from supersparse.card.scoring import predicted_label, score_person
from supersparse.card.tables import read_card_table
from supersparse.data.plain import width
from supersparse.data.values import is_missing
from supersparse.errors import InvalidDataError

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


@dataclass
class Needs:
    """The totals of the positive class: "4 or more", or "more than 3.5"."""

    least: int | None = None
    more_than: Fraction | None = None

    def __call__(self, total):
        return total > self.more_than if self.least is None else total >= self.least


def read_needs(words):
    """Read the totals of the positive class."""
    least, more_than = re.fullmatch(r"(-?\d+) or more|more than (\S+)", words).groups()
    return Needs(least=int(least)) if least else Needs(more_than=Fraction(more_than))


@dataclass
class Shown:
    """What a reader takes from a card: lines (text, whether it multiplies, points), their signs, the rule."""

    lines: list
    signs: list
    needs: Needs
    positive: str
    negative: str
    missing: dict = field(default_factory=dict)  # line -> signed points


def understood(rows, sentences):
    """Read table rows (number, text, points) and the sentences below them."""
    nothing = [re.fullmatch(r"No feature is used: predict (.*) for everyone\.", s) for s in sentences]
    if any(nothing):
        always = label(next(m for m in nothing if m)[1])
        return Shown([], [], Needs(least=0), always, always)
    lines, signs, totals = [], [], []
    for number, text, points in rows:
        if number:
            assert re.fullmatch(rf"{len(lines) + 1}[.)]", number)
            times = re.fullmatch(r"× (\S+)", points)
            lines.append((unescaped(text), bool(times), Fraction(times[1] if times else points)))
        else:
            totals.append(points)
            signs += [-1 if points == "Total B" else 1] * (len(lines) - len(signs))
    assert totals in (["Total"], ["Total A", "Total B", "Total C"])
    rule = r"Predict (.*) if (the total|Total C) is (\S+ or more|more than \S+), otherwise (.*)\."
    said = next(m for m in (re.fullmatch(rule, s) for s in sentences) if m)
    assert (said[2] == "Total C") == (len(totals) == 3)
    shown = Shown(lines, signs, read_needs(said[3]), label(said[1]), label(said[4]))
    shown.missing = missing_notes(sentences, signs)
    return shown


def missing_notes(sentences, signs):
    found = {}
    for sentence in sentences:
        said = re.fullmatch(r"A missing value counts as (\S+) in lines? ([\d, and]+)\.", sentence)
        for n in map(int, re.findall(r"\d+", said[2])) if said else ():
            found[n - 1] = signs[n - 1] * Fraction(said[1])
    return found


class _Html(HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.sentences, self.tags, self._text, self._cells = [], [], set(), None, None

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag == "tr":
            self._cells = []
        elif tag in ("td", "th", "p", "h1", "h3", "caption", "dd"):
            self._text = ""

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cells.append(self._text)
            self._text = None
        elif tag == "tr":
            self.rows.append(self._cells)
        elif tag in ("p", "h1", "h3", "caption", "dd"):
            self.sentences += self._text.split("\n")
            self._text = None


def parsed_html(text):
    parser = _Html()
    parser.feed(text)
    parser.close()
    return parser


def read_html(text):
    """The card in HTML."""
    page = parsed_html(text)
    assert not page.tags & {"script", "b", "a", "img"}
    return understood([row[:3] for row in page.rows[1:]], page.sentences)


BLANK = " = ......"


def read_text(text):
    """The card in plain text: its table, and the sentences below it."""
    table, *others = (part.split("\n") for part in text.split("\n\n")[1:])
    if table[0].split() != ["feature", "points"]:
        return understood([], sentences(table))
    header, *lines = table
    start = header.index("feature")
    filled = [line for line in lines if width(line) == len(header) + len(BLANK)]  # the others break a name
    ends = [re.search(r"(Total(?: [ABC])?|[^ ]+) = \.{6}$", line)[1] for line in filled]
    room = max(len("points"), *(len(end) + 2 * (not end.startswith("Total")) for end in ends))
    rows, chunks, number = [], [], ""
    for line in lines:
        assert not (chunks and line[:start].strip()), "only the first line of an item has a number"
        number = number or line[:start].strip()
        if width(line) < len(header) + len(BLANK):
            chunks.append(line[start:])
            continue
        value = line.removesuffix(BLANK)[-room:]
        name = line.removesuffix(BLANK)[start:-room].rstrip(" ")
        points = value.replace("x", "\u00d7", 1) if value.startswith("x") else value
        rows.append((number, unwrapped([*chunks, name]), " ".join(points.split())))
        chunks, number = [], ""
    assert not chunks
    return understood(rows, sentences(others[0]))


def read_svg(text):
    """The card in SVG, read by where its texts stand."""
    texts = [e for e in ET.fromstring(text.encode("utf-8", "strict")) if e.tag.endswith("}text")]
    header = next((e for e in texts if e.text == "feature" and e.get("font-weight")), None)
    if header is None:
        return understood([], sentences([e.text for e in texts]))
    points = next(e for e in texts[texts.index(header) :] if e.text == "points")
    rows, chunks, number = [], [], ""
    below = texts[texts.index(points) + 1 :]
    left = float(below[-1].get("x"))
    last = 0
    for i, e in enumerate(below):
        if e.get("x") == header.get("x"):
            chunks.append(e.text or "")
        elif e.get("x") == points.get("x") and e.get("text-anchor") == "end":
            rows.append((number, unwrapped(chunks), e.text))
            chunks, number, last = [], "", i
        elif float(e.get("x")) > left and e.get("text-anchor") == "end" and (e.text or "").endswith("."):
            number = e.text
    return understood(rows, sentences([e.text for e in below[last + 1 :]]))


def sentences(lines):
    """Join lines: a sentence ends where the next line is the beginning of another."""
    found = []
    for line in lines:
        starts = re.match(
            r"(Predict|A missing|A value|Every|Risk of|Source:|Proof:|Errors:|No feature|Multiply|Take)",
            line,
        )
        if found and not starts:
            found[-1].append(line)
        else:
            found.append([line])
    return [unwrapped(joined) for joined in found]


TEX = {
    r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\_": "_",
    r"\%": "%", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`", r"\textquotesingle{}": "'",
    r"\symbol{34}": '"', "-{}": "-", ",{}": ",", "?{}": "?", "!{}": "!", r"$\times$": "×", "$-$": "-",
    r"\allowbreak{}": "",
}  # fmt: skip
TEX_TOKEN = re.compile("|".join(map(re.escape, TEX)) + "|.", re.DOTALL)


def untex(text):
    """What LaTeX prints; a special character outside of a known command is an error."""
    shown = []
    for token in TEX_TOKEN.findall(text):
        assert len(token) > 1 or token not in "\\{}$&#_%~^", text
        shown.append(TEX.get(token, token))
    return "".join(shown)


def read_latex(text):
    """The card in LaTeX, row by row."""
    rows = []
    for line in text.split("\n"):
        cells = (
            re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) if line.endswith(r" $\cdots\cdots$ \\") else []
        )
        if cells:
            assert len(cells) == 4
            number, name, points = (re.sub(r"^\\textbf\{(.*)\}$", r"\1", c) for c in cells[:3])
            rows.append((number.strip(), untex(name.removeprefix(r"\raggedright ")), untex(points)))
    sentences = [untex(line.removesuffix(r"\par")) for line in text.split("\n") if line.endswith(r"\par")]
    return understood(rows, [s for s in sentences if s])


def ordered(card):
    """The items in the order of the faces: with points of both signs, the positive ones first."""
    up = [i for i in card.items if i.points > 0]
    down = [i for i in card.items if i.points < 0]
    return [*up, *down] if up and down else list(card.items)


def tells(text, item):
    """Whether a line asks what the item asks."""
    if not item.is_yes_no:
        return text == (item.column or '""') or text.startswith(item.column + " (")
    return text in (item.asks, f"{item.asks} ({item.name})", '""')


def assert_same(card, shown, people):
    """Follow what is shown, and get what the card predicts."""
    items = ordered(card)
    assert len(shown.lines) == len(items)
    assert all(tells(text, item) for (text, _, _), item in zip(shown.lines, items, strict=True))
    assert [times for _, times, _ in shown.lines] == [not item.is_yes_no for item in items]
    for person in people:
        try:
            expected = str(predicted_label(card, score_person(card, person)))
        except InvalidDataError:
            continue
        total = Fraction(0)
        for n, (item, sign, line) in enumerate(zip(items, shown.signs, shown.lines, strict=True)):
            value = person[item.column]
            if not is_missing(value):
                total += sign * line[2] * item.rule.of_one(value, "a value")
            elif isinstance(item.rule, IsMissing):
                total += sign * line[2]
            else:
                total += shown.missing[n]
        if shown.needs.least is not None and total.denominator > 1:
            assert outside_values(card, read_card_table(card, {name: [v] for name, v in person.items()}))
            continue  # only values that the card does not know give a total that it does not speak of
        assert (shown.positive if shown.needs(total) else shown.negative) == expected


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
