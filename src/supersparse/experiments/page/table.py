"""Table: cells of text, written as Markdown, LaTeX or CSV."""

import csv
import io
from dataclasses import dataclass

from supersparse.render.latex import escaped as latex_escaped
from supersparse.render.markdown import escaped as markdown_escaped


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
                r"\begin{table}",
                rf"\caption{{{latex_escaped(self.caption)}}}",
                rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in self._numbers())}}}",
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
