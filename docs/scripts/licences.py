"""Write docs/licences.md: the licence of everything that supersparse installs, from the installed packages.

Run it where the extras are installed: ``python docs/scripts/licences.py``. A package that is not installed
keeps the line that the page has.
"""

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "licences.md"
EXTRAS = (
    "scip", "cpsat", "gurobi", "cplex", "plot", "pdf", "export", "parquet", "excel", "statistics",
)  # fmt: skip
HEAD = """# Licences

Everything that `pip install supersparse` and its extras install, with the licence that each package declares.
`python docs/scripts/licences.py` writes this page from the installed packages. supersparse itself is under
the licence in `LICENSE`. Gurobi and CPLEX are commercial; they are used only if you install them.

| package | licence | needed for |
|---|---|---|
"""


def name_of(requirement: str) -> str:
    """Return the name in a requirement."""
    return re.split(r"[\[<>=~!; (]", requirement.strip())[0]


def licence(name: str) -> str | None:
    """Return what an installed package says of its licence; None where it is not installed."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    declared = about.get("License-Expression")
    if declared:
        return declared
    classes = [
        c.rsplit(" :: ", 1)[-1] for c in about.get_all("Classifier") or () if c.startswith("License ::")
    ]
    written = (about.get("License") or "").strip().split("\n")[0]
    return "; ".join(classes) or written[:80] or "not declared"


def needed() -> dict[str, str]:
    """Return each package, in order, with what it is needed for: itself, or by which extra or package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {name_of(r): "supersparse" for r in project["dependencies"]}
    for extra in EXTRAS:
        for requirement in project["optional-dependencies"][extra]:
            found.setdefault(name_of(requirement), f"extra `{extra}`")
    queue = list(found)
    while queue:
        name = queue.pop(0)
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for requirement in requirements:
            other = name_of(requirement)
            if ";" not in requirement and other.lower() not in {known.lower() for known in found}:
                found[other] = name
                queue.append(other)
    return found


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
