"""Write docs/licences.md: the licence of everything that supersparse installs, from the installed packages.

Run it where the extras are installed: ``python docs/scripts/licences.py``. A package that is not installed
keeps the line that the page has.
"""

import platform
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "licences.md"
EXTRAS = (
    "scip", "gurobi", "cplex", "plot", "pdf", "export", "parquet", "excel", "statistics",
    "rows", "studio", "study",
)  # fmt: skip
SYSTEM = f"{platform.system()} with Python {'.'.join(platform.python_version_tuple()[:2])}"
HEAD = f"""# Licences

Everything that supersparse and its [extras](install.md) install for users, with the licence that each package
declares. `python docs/scripts/licences.py` writes this page from the packages installed on
{SYSTEM}; other systems may need a few others. supersparse itself is under
the licence in `LICENSE`. Gurobi and CPLEX are commercial; they are used only if you install them.

| package | licence | needed for |
|---|---|---|
"""


def licence(name: str) -> str | None:
    """Return what an installed package says of its licence; None where it is not installed."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    declared = about.get("License-Expression")
    if declared:
        return declared
    classes = [c.rsplit(" :: ", 1)[-1] for c in about.get_all("Classifier") or () if c.startswith("License ::")]
    written = (about.get("License") or "").strip().split("\n")[0]
    return "; ".join(classes) or written[:80] or "not declared"


def needed() -> dict[str, str]:
    """Return each package, in order, with what it is needed for: itself, or by which extra or package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = {}
    known: set[str] = set()
    queue: list[tuple[Requirement, str]] = [(Requirement(r), "supersparse") for r in project["dependencies"]]
    for extra in EXTRAS:
        queue += [(Requirement(r), f"extra `{extra}`") for r in project["optional-dependencies"][extra]]
    followed: set[tuple[str, str]] = set()
    while queue:
        asked, why = queue.pop(0)
        name = canonicalize_name(asked.name)
        if name not in known:
            known.add(name)
            found[asked.name] = why
        for extra in sorted({"", *asked.extras}):
            if (name, extra) not in followed:
                followed.add((name, extra))
                queue += [(other, asked.name) for other in required(asked.name, extra)]
    return found


def required(name: str, extra: str) -> list[Requirement]:
    """What an installed package needs on this Python, or what one of its own extras adds to that."""
    try:
        requirements = [Requirement(text) for text in metadata.requires(name) or []]
    except metadata.PackageNotFoundError:
        return []
    return [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": extra})]


def main() -> None:
    """Write the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    known = {cells[1].strip(): cells[2].strip() for line in lines if len(cells := line.split("|")) == 5}
    rows = []
    for name, why in sorted(needed().items(), key=lambda pair: pair[0].lower()):
        said = licence(name) or known.get(name) or "see the package (not installed where this was written)"
        rows.append(f"| {name} | {said.replace('|', '/')} | {why} |")
    PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
