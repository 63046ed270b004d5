"""The table of the criminology application, from the public file.

    supersparse datasets fetch recidivism
    python examples/applications/make_recidivism.py

The file is that of https://github.com/propublica/compas-analysis, the data behind ProPublica's "Machine
Bias"; a copy of yours can be named instead of fetching it. Two tables are written to the data folder: the
4,020 rows that ProPublica's own analysis keeps, and 558 of them with 106 positives, the size and the
imbalance of the paper's survey. `datasets.recidivism` says what is asked of a person and what
is left out.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersparse.errors import InvalidDataError, MissingDataError, SupersparseError
from supersparse.table.datasets.originals import RECIDIVISM_VIOLENT, data_folder, stored_text
from supersparse.table.datasets.recidivism import people, table

PUBLISHED = "compas-scores-two-years-violent.csv"
WHERE = "https://github.com/propublica/compas-analysis"
ALL_ROWS, SAMPLE = "recidivism_violent.csv", "recidivism_violent_558.csv"
# of the texts with line feeds, so that a copy with other line ends is the same file
SHA256 = {
    PUBLISHED: RECIDIVISM_VIOLENT.sha256,
    ALL_ROWS: "fb567ec3847faa50227760c312c63c242b3dd389c1a12dc1cf566ed0f01ed4a2",
    SAMPLE: "4e506608907f29fbbf80975832c8034eec3c1d7cc5433fda48e5a538252a63c5",
}
POSITIVE, NEGATIVE = 106, 452  # of the sample: the paper has 558 rows, 19 % of them positive


def sample(target: NDArray[np.int64]) -> NDArray[np.intp]:
    """Draw the rows of the small table, the same everywhere: numpy has promised that of `RandomState`."""
    draw = np.random.RandomState(POSITIVE + NEGATIVE)
    parts = [
        draw.choice(np.flatnonzero(target == value), count, replace=False)
        for value, count in ((1, POSITIVE), (0, NEGATIVE))
    ]
    return np.sort(np.concatenate(parts))


def text_of(header: Sequence[str], rows: np.ndarray) -> str:
    """Write a table as CSV."""
    return "\n".join([",".join(header), *(",".join(map(str, row)) for row in rows.tolist())]) + "\n"


def make(published: Path | None) -> dict[str, str]:
    """Make the two tables, by file name; the file and what became of it are held against their checksums."""
    if published is None:
        text, published = stored_text(RECIDIVISM_VIOLENT), data_folder() / RECIDIVISM_VIOLENT.file
    elif not published.is_file():
        raise MissingDataError(f"{str(published)!r} is not there; download {PUBLISHED} from {WHERE}")
    else:
        text = RECIDIVISM_VIOLENT.text(published.read_bytes())
    _check(
        PUBLISHED,
        text,
        f"{str(published)!r} is not the {PUBLISHED} known here; "
        f"download the raw file of {WHERE}, not the page that shows it",
    )
    header, rows = table(people(text))
    made = {ALL_ROWS: text_of(header, rows), SAMPLE: text_of(header, rows[sample(rows[:, 0])])}
    for name, content in made.items():
        _check(name, content, f"{name} came out other than expected, which is a mistake of this script")
    return made


def _check(name: str, text: str, complaint: str) -> None:
    found = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if found != SHA256[name]:
        raise InvalidDataError(f"{complaint} (SHA-256 {found}, expected {SHA256[name]})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make the criminology application's table.")
    parser.add_argument("file", type=Path, nargs="?", help=f"your copy of {PUBLISHED}, from {WHERE} (what was fetched)")
    parser.add_argument("--out", type=Path, help="folder to write to (that of `supersparse datasets path`)")
    given = parser.parse_args(arguments)
    folder = data_folder() if given.out is None else given.out
    try:
        made = make(given.file)
    except SupersparseError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
        print(folder / name)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
