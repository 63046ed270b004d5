"""The golden answers: what every case gave when they were stored, and the texts that people read.

    python tests/golden/answers.py            compare all (`make golden`, some minutes)
    python tests/golden/answers.py --store    store them anew, after a change that is meant
    python tests/golden/answers.py --texts    store the texts alone, after better words

A change of the structure must leave them equal: objective, card, proven or not exactly, bounds within
1e-9, node counts on x86_64 (elsewhere sums of floats may end a search a node sooner or later), and the
text of every `--help`, of the schemas and of the public signatures.
"""

import contextlib
import hashlib
import inspect
import io
import json
import os
import platform
import re
import runpy
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import supersparse
from supersparse import Settings, solve
from supersparse.errors import InfeasibleError, PenaltyRangeWarning, SolverFailedError
from supersparse.learn.settings.settings import schema as settings_schema

if __package__:
    from golden.cases import Case, Table, cases, table
else:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from golden.cases import Case, Table, cases, table

FOLDER = Path(__file__).parent / "stored"
ANSWERS = FOLDER / "answers.json"
CERTIFICATES = FOLDER / "certificates.json"
TOLERANCE = 1e-9  # of bounds
_CERTIFIED = [f"{table}: errors" for table in ("drawn 0", "drawn 6", "drawn 10", "drawn 12", "haberman")]


def answer(case: Case) -> dict[str, Any]:
    """Solve a case, asked by a settings file."""
    rows = table(case.table)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenaltyRangeWarning)  # some grids reach below one row
            found = solve(_problem(case, rows), node_limit=case.node_limit, random_state=0)
    except (InfeasibleError, SolverFailedError) as error:
        return {"refused": str(error)}
    return {
        "objective": str(found.objective),
        "card": {
            **{rows.names[j]: str(found.points.values[j]) for j in found.points.support},
            "intercept": str(found.points.intercept_value),
        },
        "proven": found.proven_optimal,
        "bound": float(found.lower_bound),
        "nodes": found.nodes,
        "stop": found.stop.name,
    }


def _problem(case: Case, rows: Table) -> supersparse.Problem:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.json"
        file.write_text(json.dumps(case.settings), encoding="utf-8")
        settings = Settings.load(file)
    return settings.problem(
        rows.X, rows.y, feature_names=rows.names, sample_weight=rows.weights, rate_groups={"g": rows.groups}
    )


def differences(name: str, stored: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Say where an answer is not the stored one."""
    for key in sorted({*stored, *now}):
        old, new = stored.get(key), now.get(key)
        if key == "nodes" and platform.machine() != "x86_64":
            continue
        near = isinstance(old, float) and isinstance(new, float) and abs(old - new) <= TOLERANCE
        if old != new and not near:
            yield f"{name}: {key} was {old}, now {new}"


def certificate(case: Case) -> str:
    """The digest of the proof of a case, as it is written, whatever the version of the program that it names."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proof.vipr"
        solve(_problem(case, table(case.table)), certificate=file)
        return hashlib.sha256(file.read_bytes().replace(supersparse.__version__.encode(), b"", 1)).hexdigest()


def texts() -> dict[str, str]:
    """What people and programs read: `--help`, the schemas, the public signatures."""
    return {
        "help.txt": "\n".join(_help()),
        "settings.schema.json": json.dumps(settings_schema(), indent=2) + "\n",
        "card.schema.json": json.dumps(supersparse.card_schema(), indent=2) + "\n",
        "signatures.txt": "\n".join(_signatures()) + "\n",
    }


def _help(*command: str) -> Iterator[str]:
    """The text of `--help`, and of all commands below."""
    text = _printed(*command, "--help")
    yield f"$ supersparse {' '.join((*command, '--help'))}\n{text}"
    for name in re.findall(r"^  ([a-z-]+) ", text.partition("\nCommands:\n")[2], flags=re.MULTILINE):
        yield from _help(*command, name)


def _printed(*arguments: str) -> str:
    """What the command line prints, a hundred letters wide."""
    out = io.StringIO()
    old = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = ["supersparse", *arguments], "100"
    try:
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            sys.modules.pop("supersparse.__main__", None)  # a test may have imported it
            runpy.run_module("supersparse", run_name="__main__")
    finally:
        sys.argv = old[0]
        if old[1] is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = old[1]
    return out.getvalue()


def _signatures() -> Iterator[str]:
    """The public names with their parameters, and the methods of the public classes."""
    for name in sorted(supersparse.__all__):
        thing = getattr(supersparse, name)
        if inspect.ismodule(thing):
            for inner in sorted(thing.__all__):
                yield f"{name}.{inner}{_signature(getattr(thing, inner))}"
            continue
        yield f"{name}{_signature(thing)}"
        for method in sorted(dir(thing)) if inspect.isclass(thing) else ():
            if not method.startswith("_"):
                yield f"{name}.{method}{_signature(inspect.getattr_static(thing, method))}"


def _signature(thing: object) -> str:
    thing = getattr(thing, "__func__", thing)
    try:
        parameters = inspect.signature(thing).parameters.values() if callable(thing) else None  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"
    if parameters is None:
        return ""
    names = [{"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(p.kind.name, "") + p.name for p in parameters]
    return f"({', '.join(names)})"


def compare(names: Iterable[str] | None = None) -> list[str]:
    """Make the answers of some cases, or of all, and say what differs."""
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    wanted = set(stored if names is None else names)
    found = []
    for case in cases():
        if case.name in wanted:
            found += differences(case.name, stored[case.name], answer(case))
    return found


def compare_texts() -> list[str]:
    """Say which of the texts are no longer the stored ones."""
    return [
        f"{name} is not as stored"
        for name, text in texts().items()
        if (FOLDER / name).read_text(encoding="utf-8") != text
    ]


def compare_certificates() -> list[str]:
    """Say which proofs are written otherwise."""
    stored = json.loads(CERTIFICATES.read_text(encoding="utf-8"))
    by_name = {case.name: case for case in cases()}
    changed = [name for name, old in stored.items() if certificate(by_name[name]) != old]
    return [f"{name}: another certificate" for name in changed]


def store() -> None:
    """Write all files anew."""
    FOLDER.mkdir(exist_ok=True)
    everything = cases()
    ANSWERS.write_text(_json({case.name: answer(case) for case in everything}), encoding="utf-8")
    proofs = {case.name: certificate(case) for case in everything if case.name in _CERTIFIED}
    CERTIFICATES.write_text(_json(proofs), encoding="utf-8")
    store_texts()


def store_texts() -> None:
    """Write the texts anew."""
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"


def main() -> int:
    """Compare all, or store them; return the exit status."""
    for option, write in {"--store": store, "--texts": store_texts}.items():
        if option in sys.argv:
            write()
            return 0
    found = [*compare(), *compare_certificates(), *compare_texts()]
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.stdout.write(f"{len(cases())} cases, {len(found)} differences\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
