"""The engine's README: it leads through every file, and every name in its ledger exists."""

import re
from pathlib import Path

import supersparse.engine.exact as exact

ENGINE = Path(exact.__file__).parent
PAGE = (ENGINE / "README.md").read_text(encoding="utf-8")
FOLDERS = (ENGINE, ENGINE / "partition", ENGINE.parent / "kernels", ENGINE.parent / "search")


def test_the_reading_order_names_every_file_of_the_engine_and_no_other():
    order = PAGE.partition("## Reading order")[2].partition("## Units")[0]
    named = [(ENGINE / name).resolve() for name in re.findall(r"`([\w./]+\.py)`", order)]
    files = {p.resolve() for folder in FOLDERS for p in folder.glob("*.py") if p.name != "__init__.py"}
    files = {path for path in files if not path.name.startswith("risk_")}  # of the other goal
    of_certificates = {"conflicts", "box_proofs", "cover_proofs", "lines"}
    files = {path for path in files if path.stem not in {*of_certificates, "proof_lines"}}
    assert len(named) == len(set(named))
    assert files <= set(named)
    assert all(path.is_file() for path in named)
    steps = [int(n) for n in re.findall(r"^(\d+)\. ", order, flags=re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))


def test_every_name_in_the_ledger_is_a_name_in_the_code():
    files = [*ENGINE.parent.rglob("*.py"), *(ENGINE.parents[3] / "native" / "errors").iterdir()]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    ledger = PAGE.partition("## Ledger")[2]
    first_cells = [line.split("|")[1] for line in ledger.splitlines() if line.startswith("| `")]
    names = {part for cell in first_cells for name in re.findall(r"`([\w.]+)`", cell) for part in name.split(".")}
    assert len(names) > 40
    assert {name for name in names if not re.search(rf"\b{name}\b", source)} == set()
