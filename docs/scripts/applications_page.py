"""Write what the scripts of examples/applications print into docs/applications.md; takes some minutes.

    python docs/scripts/applications_page.py [NAME ...]

The card itself, which says how long it took, and the path of the picture are left out.
"""

import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "applications.md"
STARTS = {  # where the part after the card begins
    "breast_cancer": "On the same rows",
    "mammography": "On the same rows",
    "criminology": "A score of 0 is wrong",
}


def findings(name: str) -> str:
    """Run one application without a limit on time; return its report from the card's end on."""
    module = importlib.import_module(name)
    from paper_application import Options

    printed = "\n".join(module.report(Options(time_limit=None)))
    kept = printed[printed.index(STARTS[name]) :]
    return re.sub(r"^(Picture   |No picture: ).*$", "", kept, flags=re.MULTILINE).rstrip()


def shown(name: str, page: str) -> str:
    """Return what the page shows of an application."""
    return page.partition(_begin(name))[2].partition(_end(name))[0]


def with_findings(name: str, text: str, page: str) -> str:
    """Put the findings between the application's marks."""
    before, mark, rest = page.partition(_begin(name))
    _, end, after = rest.partition(_end(name))
    if not (mark and end):
        raise ValueError(f"{PAGE.name} has no place for {name}: {_begin(name)!r} and {_end(name)!r}")
    return before + mark + text + end + after


def _begin(name: str) -> str:
    return f"<!-- {name}: begin -->\n```text\n"


def _end(name: str) -> str:
    return f"\n```\n<!-- {name}: end -->"


def main(names: Sequence[str]) -> None:
    """Renew what the page shows of these applications; one whose data are missing stays as it is."""
    from supersparse.errors import MissingDataError

    for name in names:
        try:
            text = findings(name)
        except MissingDataError as error:
            print(error, file=sys.stderr)  # noqa: T201
        else:
            PAGE.write_text(with_findings(name, text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "examples" / "applications"))
    main(sys.argv[1:] or tuple(STARTS))
