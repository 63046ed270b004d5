"""Table: cells of text, written as Markdown, LaTeX or CSV."""

import csv
import io
from dataclasses import dataclass

from supersparse.render.latex import escaped as latex_escaped
from supersparse.render.markdown import escaped as markdown_escaped


@dataclass(frozen=True, slots=True)
class Table:
    """A caption, a header and rows; the first column stands to the left, the others to the right."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"a row of {len(row)} cells under a header of {len(self.header)}: {row}")

    def markdown(self) -> str:
        """Write a table of GitHub's Markdown."""
        lines = [self.header, ("---", *["---:"] * (len(self.header) - 1)), *self.rows]
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
                rf"\begin{{tabular}}{{l{'r' * (len(self.header) - 1)}}}",
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

    def csv(self) -> str:
        """Write comma-separated values."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return text.getvalue()
