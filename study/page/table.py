"""Table: cells of text, written as Markdown, LaTeX or CSV."""

import csv
import io
from dataclasses import dataclass

from supersparse.show.document.latex import latex_escaped as latex_escaped
from supersparse.show.document.text import markdown_escaped as markdown_escaped

_LONG_TEXT = 30  # letters beyond which a column of words is broken into lines


@dataclass(frozen=True, slots=True)
class Table:
    """A caption, a header and rows; columns of words stand to the left, of numbers to the right."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"a row of {len(row)} cells under a header of {len(self.header)}: {row}")

    def markdown(self) -> str:
        """Write a table of GitHub's Markdown."""
        ruler = tuple("---:" if number else "---" for number in self._numbers())
        lines = [self.header, ruler, *self.rows]
        # the line under the header is markup, everything else is text
        texts = [row if k == 1 else tuple(map(markdown_escaped, row)) for k, row in enumerate(lines)]
        return "\n".join("| " + " | ".join(row) + " |" for row in texts)

    def latex(self) -> str:
        """Write a booktabs table."""
        body = [" & ".join(map(latex_escaped, row)) + r" \\" for row in self.rows]
        return "\n".join(
            [
                r"\begin{table}\centering\footnotesize\setlength{\tabcolsep}{3pt}",  # as wide as a page of A4
                rf"\caption{{{latex_escaped(self.caption)}}}",
                rf"\begin{{tabular}}{{{self._latex_columns()}}}",
                r"\toprule",
                " & ".join(map(latex_escaped, self.header)) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def _latex_columns(self) -> str:
        """Numbers to the right, words to the left; columns of long texts share most of a line's width."""
        columns = zip(self.header, *self.rows, strict=True)
        long = [max(map(len, column)) > _LONG_TEXT for column in columns]
        share = rf"p{{{0.75 / max(sum(long), 2):.2f}\linewidth}}"
        kinds = zip(self._numbers(), long, strict=True)
        return "".join("r" if number else share if wraps else "l" for number, wraps in kinds)

    def _numbers(self) -> list[bool]:
        """Whether each column holds numbers, as far as it holds anything."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.header)
        return [all(not cell or cell.lstrip("+-")[:1].isdigit() for cell in column) for column in columns]

    def csv(self) -> str:
        """Write comma-separated values."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return text.getvalue()
