"""Write docs/trust.md from the figures in docs/trust and docs/conformance.json, each made by its own command.

Run it after such a command: ``python docs/scripts/trust_page.py``. A test holds page and files together.
"""

import json
from pathlib import Path
from textwrap import fill
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "trust"
PAGE = ROOT / "docs" / "trust.md"
HEAD = """# Attempts to break it

"Optimal" is a strong word. This page counts the attempts to show that it is used wrongly, or that the tool
breaks. Every figure is in a file in `docs/trust`, or in `docs/conformance.json`, written by the command
above it; the command makes it again. `python docs/scripts/trust_page.py` writes this page
from these files.

"""
# of each file: its title, and what the figures are about
KINDS = {
    "conformance": (
        "Problems solved twice",
        "Small random problems over all coefficient sets, intercepts, weights, levels and constraints, "
        "solved by the exact engine and by brute force from the definition, which shares no code with the "
        "package.",
    ),
    "questions": (
        "Cards of questions",
        "Small random problems with all that can be asked of cards of questions, with uneven counts, labels near 0 and "
        "1 and prices near what a question gains; every card of each is tried. Of three runs on each some search for "
        "first cards and some not, some prune by one bound alone; the best card, ties, frontiers, pools and bounds "
        "where a search stopped are compared.",
    ),
    "certificates": (
        "Certificates",
        "Certificates that [two checkers](certificates.md) accept: ours, and a third party's.",
    ),
    "risk-certificates": (
        "Proofs of risk cards",
        "Proofs of cards with at most six and eight questions, blended labels, points from 0 to 10 and free "
        "directions, as `fit` learns them: leaves, file, processor seconds to write and to check, and what the checker "
        "says. Tables other than the first four stand beside the checkout. With eight questions, three tables were "
        "run so far.",
    ),
    "risk-attacks": (
        "Attacks on proofs of risk cards",
        "Small random problems of which every card is tried: the best card must be proven; no proof of another card "
        "may be accepted, whether it is the proof of the best or one that is careless where cards are better, with "
        "nodes left out, doubled, swapped or bent. Then one number of a table, card or proof gets another digit or "
        "another type: it must be refused, or the same must be said to be proven (without digests: what the file then "
        "says). Logarithms are compared with 120 digits.",
    ),
    "tampering": (
        "Tampering",
        "Random changes to a certificate, its card or its table, which both checkers must refuse; viprchk "
        "gets the certificate's lines below the claim that follows from table and card. Then the same "
        "changes with new digests: who finds them, and how many leave a proof of the same claim.",
    ),
    "mutations": (
        "Damaged and forged files",
        "Mutations of good files, given to every reader in a process with little memory and time. Each must "
        "be refused with an error of this package, or be read; files with a digest must mean what they "
        "meant. A new digest is no signature. A checkpoint or stored answer is trusted: what it says was "
        "searched or proven is not searched again, so anyone who can write such a file can have any card "
        "called proven optimal. Keep these files where only you can write. A [certificate](certificates.md) "
        "does not rely on them.",
    ),
    "kills": (
        "Kills",
        "`kill -9` at random moments, and at calls that write files. What is left must be whole, old or new; "
        "the same command then continues, and must give the same result as an uninterrupted run.",
    ),
    "faults": (
        "Faults",
        "Full disks, missing and closed folders, bytes that are not text, files that unpack to gigabytes or "
        "lie about their size.",
    ),
}


def files() -> dict[str, Path]:
    """The files of figures there are, by kind, in the order of the page."""
    found = {path.stem: path for path in sorted(FOLDER.glob("*.json"))}
    found["conformance"] = ROOT / "docs" / "conformance.json"
    order = [*KINDS, *sorted(set(found) - set(KINDS))]
    return {kind: found[kind] for kind in order if kind in found and found[kind].exists()}


def read(kind: str, path: Path) -> dict[str, Any]:
    """The content of a file in one form."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if kind == "conformance" and "figures" not in content:
        about = {name: content.pop(name) for name in ("version", "python", "machine") if name in content}
        command = (
            f"python tests/conformance/random_problems.py --problems {content['problems']} "
            f"--first {content['seeds'][0]} --store docs/conformance.json"
        )
        return {"command": command, "date": None, **about, "figures": content}
    return content


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(_section(kind, read(kind, path)) for kind, path in files().items())


def _section(kind: str, content: dict[str, Any]) -> str:
    title, about = KINDS.get(kind, (kind.capitalize(), ""))
    made = [f"version {content['version']}"]
    made += [f"on {content['date']}"] if content.get("date") else []
    made += [f"Python {content['python']}"] if content.get("python") else []
    made += [content["machine"]] if content.get("machine") else []
    lines = [
        f"## {title}",
        "",
        fill(about, 120, break_long_words=False, break_on_hyphens=False),
        "",
        f"```console\n{content['command']}\n```",
        "",
        f"{', '.join(made)}.",
        "",
    ]
    return "\n".join([*lines, *_figures(content["figures"])])


def _figures(figures: dict[str, Any]) -> list[str]:
    """The tables of a file: one of all instances; or one of single figures, and one for each group."""
    if all(isinstance(value, dict) for value in figures.values()):
        return [*_table("instance", {name: _flat(value) for name, value in figures.items()}), ""]
    plain = {name: value for name, value in figures.items() if not isinstance(value, dict)}
    lines = ["| | |", "|---|---|", *(f"| {name} | {_single(name, value)} |" for name, value in plain.items()), ""]
    for name, value in figures.items():
        if isinstance(value, dict) and value:
            lines += [*_table(name, value), ""]
    return lines


def _flat(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of an instance in one row, those of each checker by its name."""
    found: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            found |= {f"{name}: {inner}": figure for inner, figure in value.items()}
        else:
            found[name] = value
    return {name.replace("_", " "): value for name, value in sorted(found.items(), key=lambda pair: ":" in pair[0])}


def _table(name: str, rows: dict[str, Any]) -> list[str]:
    cells = {row: value if isinstance(value, dict) else {"": value} for row, value in rows.items()}
    columns = list(dict.fromkeys(column for row in cells.values() for column in row))
    head = [f"| {name} | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    return head + [
        f"| {row} | {' | '.join(_shown(found.get(column, '-')) for column in columns)} |"
        for row, found in cells.items()
    ]


def _single(name: str, value: object) -> str:
    if name == "seeds" and isinstance(value, list):
        return " to ".join(map(_shown, value))
    return _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int):
        return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)
    return f"{value:,}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
