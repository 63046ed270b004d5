"""Every reader of files: a good file, how it is read, and what must hold where a change is accepted."""

import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from robustness.mutations import mutated, mutated_json
from supersparse import Problem, ScoringSystem, solve
from supersparse.errors import VerificationError

SETTINGS = """\
C0: 0.02
max_features: 5
max_points: 5
points: {age: [0, 1, 2]}
class_weight: {"yes": 2, "no": 1}
intercept: [-10, 10]
constraints:
  - min_sensitivity: 0.9
solve:
  time_limit: 5
  checkpoint: open.tree
"""
CSV = 'age,sex,"a, b",y\n' + '61,f,0.5,yes\n45,m,<0.01,no\n70,"f",1e3,yes\n-99,m,NA,no\n' * 3


@dataclass(frozen=True)
class Reader:
    """A good file, its reader, the ways to change it, and the share of all mutations that it gets."""

    name: str
    good: bytes
    read: Callable[[bytes], object]
    share: int
    ways: tuple[Callable[[bytes, Random], bytes], ...] = (mutated,)
    must_equal: bool = False  # what is accepted after a change means what it meant before


def small_problem() -> Problem:
    """Seven rows, three columns."""
    X = [[0, 1, 3], [1, 0, 4], [1, 1, 5], [0, 0, 1], [1, 1, 0], [0, 1, 2], [1, 0, 3]]
    return Problem.of(X, ["no", "yes", "yes", "no", "yes", "no", "yes"], C0=0.01, max_points=3)


def all_readers(folder: Path) -> Iterator[Reader]:
    """Every reader; those of packages that are not installed are left out."""
    yield from _tables(folder)
    yield from _cards(folder)
    yield from _searches(folder)
    yield from _questions(folder)
    yield from _counts(folder)
    yield from _certificates(folder)
    yield from _study(folder)


def _file(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def act(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return act


def _tables(folder: Path) -> Iterator[Reader]:
    from supersparse.table.files import read_table

    yield Reader("CSV", CSV.encode(), _file(folder / "table.csv", read_table), 18)
    columns = {"age": [61, 45, 70, None] * 5, "sex": ["f", "m", None, "f"] * 5, "x": [0.5, 1e-3, 2.0, 7.25] * 5}
    with contextlib.suppress(ImportError):
        import pyarrow
        from pyarrow import parquet

        for packing in ("snappy", "none"):
            held = io.BytesIO()
            parquet.write_table(pyarrow.table(columns), held, compression=packing)
            read = _file(folder / "table.parquet", read_table)
            yield Reader(f"Parquet ({packing})", held.getvalue(), read, 6)
    with contextlib.suppress(ImportError):
        import python_calamine  # noqa: F401
        import xlsxwriter

        held = io.BytesIO()
        book = xlsxwriter.Workbook(held, {"in_memory": True})
        sheet = book.add_worksheet("rows")
        for j, (name, values) in enumerate(columns.items()):
            sheet.write_column(0, j, [name, *("" if v is None else v for v in values)])
        book.close()
        yield Reader("Excel", held.getvalue(), _file(folder / "table.xlsx", read_table), 6)


def _cards(folder: Path) -> Iterator[Reader]:
    from supersparse.card.file import from_json, to_json
    from supersparse.learn.settings.settings import read_settings

    def text(data: bytes) -> str:
        return data.decode("utf-8", "replace")

    card = ScoringSystem.from_solution(solve(small_problem())).card
    signed = to_json(card).encode()
    content = json.loads(signed)
    del content["digest"]
    unsigned = json.dumps(content).encode()
    yield Reader("card", signed, lambda data: from_json(text(data)), 16, must_equal=True)
    yield Reader(
        "card without a digest",
        unsigned,
        lambda data: str(ScoringSystem(from_json(text(data)))),
        10,
        (mutated, mutated_json),
    )
    yield Reader("settings", SETTINGS.encode(), lambda data: read_settings(text(data)), 8)
    from supersparse.learn.settings.settings import write_settings

    written = write_settings(read_settings(SETTINGS), "json").encode()
    yield Reader(
        "settings in JSON", written, lambda data: read_settings(text(data), "json"), 6, (mutated_json, mutated)
    )
    with contextlib.suppress(ImportError):
        import skops.io  # noqa: F401

        from supersparse import SLIMClassifier
        from supersparse.card.export.estimator import load_estimator, save_estimator

        model = SLIMClassifier(C0=0.2, max_points=2, solver="exhaustive").fit([[0], [0], [1], [1]], [0, 0, 1, 1])
        path = folder / "model.skops"
        save_estimator(model, path)
        yield Reader("estimator", path.read_bytes(), _file(path, load_estimator), 2)


def _searches(folder: Path) -> Iterator[Reader]:
    from supersparse.engine.answers.penalty_grid import keep, recalled

    tree = folder / "open.tree"
    solve(small_problem(), checkpoint=tree, node_limit=0)
    whole = tree.read_bytes()
    head, _, body = whole.partition(b"\n")
    name = head.decode().rpartition(" ")[0]
    best = solve(small_problem()).objective

    def resume(data: bytes) -> object:
        tree.write_bytes(data)
        return solve(small_problem(), checkpoint=tree, node_limit=0)

    def finish(data: bytes) -> object:
        tree.write_bytes(data)
        found = solve(small_problem(), checkpoint=tree)
        assert found.objective == best, "a damaged checkpoint was believed"
        return found.objective

    def signed(data: bytes) -> bytes:
        return f"{name} {hashlib.sha256(data).hexdigest()}\n".encode() + data

    yield Reader("checkpoint", whole, finish, 3, must_equal=True)
    yield Reader("checkpoint with a new digest", body, lambda data: resume(signed(data)), 3, (mutated, mutated_json))
    place = folder / "answers"
    place.mkdir()
    keep(place, solve(small_problem()))
    [stored] = place.iterdir()

    def recall(data: bytes) -> object:
        stored.write_bytes(data)
        return recalled(place, small_problem()).points

    answer = stored.read_bytes()
    first = answer.partition(b"\n")[0].decode().rpartition(" ")[0]

    def recall_signed(data: bytes) -> object:
        stored.write_bytes(f"{first} {hashlib.sha256(data).hexdigest()}\n".encode() + data)
        return recalled(place, small_problem()).points

    yield Reader("stored answer", answer, recall, 2, must_equal=True)
    yield Reader(
        "stored answer with a new digest", answer.partition(b"\n")[2], recall_signed, 3, (mutated, mutated_json)
    )


def _questions(folder: Path) -> Iterator[Reader]:
    from engine.questions.stopped import body_of, stopped, with_digests
    from supersparse.engine.questions.search import search

    form, options, checkpoint = stopped()
    best = search(form, options).best

    def finish(data: bytes) -> object:
        found = search(form, options, checkpoint=data).best
        assert found == best, "a damaged checkpoint was believed"
        return found

    yield Reader("search for questions", checkpoint, finish, 3, must_equal=True)
    yield Reader(
        "search for questions with new digests",
        body_of(checkpoint),
        lambda data: search(form, options, checkpoint=with_digests(checkpoint, data)),
        3,
    )


def _counts(folder: Path) -> Iterator[Reader]:
    from supersparse.learn.counts import CountTable, pooled
    from supersparse.learn.prepare.questions import Questions

    path = folder / "counts.csv"
    draw = np.random.default_rng(0)
    rows = folder / "rows.csv"
    age, town = draw.integers(20, 90, 200), draw.choice(["a", "b"], 200)
    lines = [f"{a},{t},{'ill' if a > 60 else 'well'}" for a, t in zip(age, town, strict=True)]
    rows.write_text("age,town,state\n" + "\n".join(lines) + "\n")
    _command(folder, "counts", "rows.csv", "--target", "state", "--out", "counts.csv", "--save-questions", "q.json")
    yield Reader("counts", path.read_bytes(), _file(path, CountTable.load), 5)
    yield Reader("pooled counts", path.read_bytes(), _file(path, lambda p: pooled([p, p])), 2)
    asked = folder / "q.json"
    yield Reader("questions", asked.read_bytes(), _file(asked, Questions.load), 5, (mutated_json, mutated))


def _command(folder: Path, *arguments: str) -> None:
    from supersparse.show.cli.app import main

    before = sys.argv
    sys.argv = ["supersparse", *arguments]
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as told,
            contextlib.suppress(SystemExit),
        ):
            main()
    finally:
        sys.argv = before
    assert (folder / arguments[arguments.index("--out") + 1]).exists(), told.getvalue()


def _certificates(folder: Path) -> Iterator[Reader]:
    from engine.certify.certificates import checker

    program = checker()
    (folder / "few.csv").write_text("a,b,y\n" + "0,1,no\n1,0,yes\n1,1,yes\n0,0,no\n1,1,no\n0,1,yes\n" * 2)
    _command(
        folder, "fit", "few.csv", "--goal", "errors", "--target", "y", "--C0", "0.05", "--max-points", "2",
        "--no-validate", "--no-prepare", "--out", "few.json", "--certificate", "few.vipr",
    )  # fmt: skip
    proof, card, table = folder / "few.vipr", folder / "few.json", folder / "few.csv"
    signed, rows, lines = card.read_bytes(), table.read_bytes(), proof.read_bytes()

    def check(which: Path) -> Callable[[bytes], object]:
        def act(data: bytes) -> object:
            for path, good in ((proof, lines), (card, signed), (table, rows)):
                path.write_bytes(data if path is which else good)
            return _checked(program, table, card, proof)

        return act

    yield Reader("certificate", lines, check(proof), 6, must_equal=True)
    yield Reader("card of a certificate", signed, check(card), 3, (mutated, mutated_json), must_equal=True)
    yield Reader("table of a certificate", rows, check(table), 2, must_equal=True)


def _checked(program: Any, table: Path, card: Path, proof: Path) -> object:
    """What the checker says is proven; its refusal is an error of ours."""
    before = sys.argv
    sys.argv = ["supersparse-check", str(table), str(card), str(proof)]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = program.main()
    finally:
        sys.argv = before
    if code:
        raise VerificationError("refused")
    return told.getvalue().partition("\n")[0]


def _study(folder: Path) -> Iterator[Reader]:
    from study.record_file import from_line, read_records
    from supersparse.errors import InvalidDataError

    def line(data: bytes) -> object:
        try:
            return from_line(data.decode("utf-8", "replace"))
        except ValueError as error:  # what it promises; the file's reader makes an error of ours of it
            if type(error) is not ValueError and not isinstance(error, json.JSONDecodeError):
                raise
            raise InvalidDataError(str(error)) from None

    record = b'{"kind":"Loaded","dataset":"a","fingerprint":"f","rows":3,"columns":2,"positives":1}'
    from paper_study.test_running import load, quick
    from study.running import run

    path = folder / "records.jsonl"
    run(quick(), load, path)
    lines = path.read_bytes().split(b"\n")
    fit = next(found for found in lines if b'"kind":"Record"' in found)
    yield Reader("study record", record, line, 5, (mutated, mutated_json))
    yield Reader("study fit", fit, line, 5, (mutated, mutated_json))
    yield Reader("study file", b"\n".join([*lines[:4], fit]) + b"\n", _file(path, lambda p: list(read_records(p))), 4)
