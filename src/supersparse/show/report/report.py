"""Reports: from a card and labelled rows to sections, and these as one HTML page, which prints as a PDF."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from html import escape
from itertools import count as counting
from pathlib import Path

from supersparse.base.errors import InvalidOptionError, PackageNotInstalledError
from supersparse.base.exact import counted
from supersparse.card.card import Card
from supersparse.card.lines import heading
from supersparse.show.document import ScoringSystem
from supersparse.show.document.blocks import Block, Bullets, CardFace, Facts, Figure, Paragraph, Section, TableBlock
from supersparse.show.document.drawing import write
from supersparse.show.document.figures import picture_svg
from supersparse.show.document.html import PAPER_NAMES, block_html, card_html, page, printed_pdf, template
from supersparse.show.document.pictures import paper_size
from supersparse.show.report.data import read_data
from supersparse.show.report.evidence import gather
from supersparse.show.report.phrases import CITATION
from supersparse.show.report.plan import Plan, Tell, silent
from supersparse.show.report.sections.checklists import probast, tripod
from supersparse.show.report.sections.model import limits, making, missing_parts, model, summary
from supersparse.show.report.sections.performance import calibration, performance, subgroups
from supersparse.show.report.sections.proof import proof, sizes, theory
from supersparse.show.report.sections.resampling import stability, trade_offs, validation
from supersparse.show.report.sections.source import repeat, source
from supersparse.table.plain import visible
from supersparse.table.small_table import SmallTable, Tabular

NO_PICTURE = "This picture needs matplotlib: pip install matplotlib"
_PAPER = """\
@page{{size:{paper};margin:18mm 16mm 20mm;
@bottom-right{{content:"Page " counter(page) " of " counter(pages);font:8pt sans-serif;color:#555}}}}
"""


def report_html(title: str, subtitle: str, sections: Iterable[Section], footer: str, paper: str = "a4") -> str:
    """Return sections as one page, which prints on A4 or Letter."""
    paper_size(paper)
    sections = list(sections)
    numbers = counting(1), counting(1)  # of figures and tables
    links = "\n".join(f'<li><a href="#{s.name}">{escape(s.title)}</a></li>' for s in sections)
    body = [
        f"<header>\n<h1>{escape(title)}</h1>",
        f'<p class="subtitle">{escape(subtitle)}</p>\n</header>',
        f'<nav aria-label="Contents">\n<ol>\n{links}\n</ol>\n</nav>',
        *(_section(section, numbers) for section in sections),
        f"<footer>{escape(footer)}</footer>",
    ]
    style = _PAPER.format(paper=PAPER_NAMES[paper.lower()]) + template("report.css").rstrip()
    return page(title, "\n".join(body), style)


_Numbers = tuple["counting[int]", "counting[int]"]
_SHORT = 24  # characters; longer cells may wrap
_WORD = 16  # characters; longer words may break anywhere


def _section(section: Section, numbers: _Numbers) -> str:
    items = ", ".join(section.tripod)
    tripod = f' <span class="tripod">TRIPOD+AI {items}</span>' if items else ""
    blocks = "\n".join(_block(block, numbers) for block in section.blocks)
    title = f'<h2 id="{section.name}-title">{escape(section.title)}{tripod}</h2>'
    return f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n{title}\n{blocks}\n</section>'


def _block(block: Block, numbers: _Numbers) -> str:
    match block:
        case Paragraph():
            look = "" if block.look == "plain" else f' class="{block.look}"'
            return f"<p{look}>{escape(block.text)}</p>"
        case Bullets():
            items = "\n".join(f"<li>{escape(item)}</li>" for item in block.items)
            return f"<ul>\n{items}\n</ul>"
        case Facts():
            return block_html(block)
        case TableBlock():
            return _table(block, next(numbers[1]))
        case Figure():
            return _figure(block, next(numbers[0]))
        case CardFace():
            return f'<div class="face">\n{card_html(block.card)}</div>'


def _table(table: TableBlock, number: int) -> str:
    def kinds(k: int, text: str, *, heading: bool = False) -> str:
        classes = []
        if k >= table.text_columns:
            classes.append("number")
            if not heading and len(text) <= _SHORT:
                classes.append("short")
        if max(map(len, text.split()), default=0) <= _WORD:
            classes.append("whole")  # break between words only
        return f' class="{" ".join(classes)}"' if classes else ""

    head = "".join(
        f'<th scope="col"{kinds(k, name, heading=True)}>{escape(name)}</th>' for k, name in enumerate(table.header)
    )
    rows = []
    for first, *others in table.rows:
        cells = "".join(f"<td{kinds(k, cell)}>{escape(cell)}</td>" for k, cell in enumerate(others, start=1))
        rows.append(f'<tr><th scope="row"{kinds(0, first)}>{escape(first)}</th>{cells}</tr>')
    body = "\n".join(rows)
    notes = "".join(f'\n<p class="note">{escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="wide">\n<table>\n<caption>Table {number}. {escape(table.caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}\n</div>"
    )


def _figure(figure: Figure, number: int) -> str:
    caption = f"<figcaption>Figure {number}. {escape(figure.caption)}</figcaption>"
    try:
        drawn = picture_svg(figure.picture, alt=figure.alt, number=number)
    except PackageNotInstalledError:
        drawn = f'<p>{escape(figure.alt)}</p>\n<p class="note">{NO_PICTURE}</p>'
    return f"<figure>\n{drawn}\n{caption}\n</figure>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Tabular):
    """A complete report; `save` writes it. The same report gives the same bytes."""

    __module__ = "supersparse"

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    missing: tuple[str, ...] = field(default=())  # missing parts, and why they are missing

    def section(self, name: str) -> Section:
        """Return a section by its name."""
        for section in self.sections:
            if section.name == name:
                return section
        known = ", ".join(s.name for s in self.sections)
        raise InvalidOptionError(f"the report has no section {name!r}", f"it has {known}")

    def to_html(self, paper: str = "a4") -> str:
        """Return a self-contained HTML page that prints on A4 or Letter."""
        return report_html(self.title, self.subtitle, self.sections, CITATION, paper)

    def to_pdf(self, paper: str = "a4") -> bytes:
        """Return the page as a browser on this machine prints it, on A4 or Letter; matplotlib draws the figures."""
        return printed_pdf(self.to_html(paper))

    def save(self, path: str | Path, paper: str = "a4") -> None:
        """Write the report as HTML or PDF, by the suffix of the path (.html or .pdf)."""
        write({".html": lambda: self.to_html(paper), ".pdf": lambda: self.to_pdf(paper)}, path)

    def _brief(self) -> str:
        missing = f"; {len(self.missing)} parts missing" if self.missing else ""
        return f"{self.title}, {len(self.sections)} sections{missing}"

    def _small_table(self) -> SmallTable:
        return SmallTable(("section", "TRIPOD+AI"), [(s.title, ", ".join(s.tripod)) for s in self.sections])


def make_report(
    system: ScoringSystem | Card,
    X: object,
    y: object,
    *,
    sample_weight: object = None,
    by: str | Sequence[str] = (),
    target: str | None = None,
    cv_groups: str | None = None,
    plan: Plan | None = None,
    date: str | None = None,
    command: str | None = None,
    progress: Tell = silent,
    executor: Executor | None = None,
) -> Report:
    """Evaluate a card on labelled data, refit it on parts of the data, and report on both.

    X is a data frame or a mapping of columns. It needs the columns of the card, the subgroup columns in
    `by` and, for refits, every column that the card was learned from. `target` is the name of the outcome, as
    shown in the report. `plan` sets the number of refits and the time for all of them; ``Plan.nothing()``
    skips them. `cv_groups` is a column, such as the patient, whose rows stay in one fold and are sampled
    together. `date` and `command`, how the report was asked for, are printed as written; without a date, the
    report is the same file every day. `progress` is called with each step and an estimate of the time left.
    `executor` is where the proofs of the refits run, as in `solve`.

    >>> from supersparse import ScoringSystem, item
    >>> system = ScoringSystem.of([item("age", at_least=65, points=1)], threshold=1)
    >>> report = make_report(system, {"age": [50, 60, 70, 80]}, ["no", "no", "yes", "yes"])
    >>> [section.title for section in report.sections][:3]
    ['Summary', 'The scoring system', 'Source of data']
    >>> print(report.missing[0])
    the check of the claims: the card was written by hand, so it cannot be learned again
    """
    card = system if isinstance(system, Card) else system.card
    evidence = gather(
        card,
        read_data(card, X, y, sample_weight, cv_groups),
        by=(by,) if isinstance(by, str) else tuple(by),
        plan=plan or Plan(),
        target=target,
        cv_groups=cv_groups,
        progress=progress,
        executor=executor,
    )
    missing = missing_parts(evidence)
    answered: list[Section] = [summary(evidence, missing)]
    answered += [
        write(evidence)
        for write in (
            model, source, making, proof, sizes, validation, performance, calibration, trade_offs,
            stability, subgroups, theory, limits,
        )
    ]  # fmt: skip
    answered.append(repeat(evidence, command))
    dated = "" if date is None else f"{visible(date)}. "
    return Report(
        title=heading(card),
        subtitle=f"{dated}Report on a scoring system, following TRIPOD+AI, on {counted(len(evidence.data), 'row')}.",
        sections=(*answered, tripod(answered), probast(evidence)),
        missing=missing,
    )


def write_report(
    system: ScoringSystem | Card, X: object, y: object, path: str | Path, *, paper: str = "a4", **options: object
) -> Report:
    """Make a report and write it to an .html or .pdf file; the options are those of `make_report`."""
    report = make_report(system, X, y, **options)  # type: ignore[arg-type]
    report.save(path, paper)
    return report
