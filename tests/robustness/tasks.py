"""What is killed: each task has inputs, does something that writes files, and has a meaning to compare."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Task:
    """Inputs, what is done in their folder, and what the files mean at the end."""

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[], None]
    meaning: Callable[[Path], object]


def all_tasks() -> Iterator[Task]:
    """Every command and function that writes files."""
    fit = ["fit", "rows.csv", "--goal", "errors", "--target", "ill", "--max-points", "3", "--n-jobs", "1", "--cv", "2"]
    fit += ["--time-limit", "100000"]
    yield Task("fit", _rows, _command(*fit, "--C0", "0.02", "--out", "card.json"), _card)
    yield Task(
        "fit --out-dir",
        _rows,
        _command(*fit[:8], "--C0", "0.02", "--no-validate", "--out-dir", "out"),
        lambda folder: (_card(folder, "out/card.json"), _names(folder / "out")),
    )
    yield Task("solve with a checkpoint", _nothing, _solve, lambda folder: _read(folder / "answer.json"))
    yield Task("questions with a checkpoint", _nothing, _solve_questions, lambda folder: _read(folder / "answer.json"))
    quick = ["--cv", "2", "--n-ratios", "1", "--bootstrap", "2", "--larger", "1", "--time-limit", "100000"]
    yield Task(
        "report",
        _rows_and_card,
        _command("report", "card.json", "rows.csv", "--target", "ill", *quick, "--out", "report.html"),
        lambda folder: _digest(folder / "report.html"),
    )
    yield Task(
        "counts",
        _rows,
        _command("counts", "rows.csv", "--target", "ill", "--out", "counts.csv", "--save-questions", "asked.json"),
        lambda folder: (_digest(folder / "counts.csv"), _digest(folder / "asked.json")),
    )
    yield Task(
        "certify",
        _rows_and_card,
        _command("certify", "card.json", "rows.csv", "--target", "ill", "--out", "proof.vipr.gz"),
        lambda folder: _digest(folder / "proof.vipr.gz"),
    )
    yield Task(
        "predict",
        _rows_and_card,
        _command("predict", "card.json", "rows.csv", "--out", "scores.csv"),
        lambda folder: _digest(folder / "scores.csv"),
    )
    yield Task("study", _nothing, _study, _records)
    yield Task("saving", _rows_and_card, _save, lambda folder: _names(folder / "saved"))


def load(folder: Path, *, everything: bool) -> None:
    """Load what the tasks use, so that their processes, which are forked, need not.

    With `everything`, also what pictures, validation and proofs load when they are first made.
    """
    import importlib
    import pkgutil

    import supersparse

    for module in pkgutil.walk_packages(supersparse.__path__, "supersparse."):
        # solvers that may be missing, what starts servers, and the core, a library that is no module
        left_out = ("supersparse.engine.mip.", "supersparse.show.studio", "supersparse.engine.libsupersparse")
        if not module.name.startswith(left_out):
            importlib.import_module(module.name)
    import xlsxwriter  # noqa: F401

    from paper_study import test_running  # noqa: F401

    if not everything:
        return
    place = folder / "loading"
    place.mkdir()
    with chdir(place), _quiet():
        _rows(place)
        fit = (
            "fit",
            "rows.csv",
            "--goal",
            "errors",
            "--target",
            "ill",
            "--C0",
            "0.02",
            "--max-points",
            "3",
            "--cv",
            "2",
        )
        for arguments in (
            (*fit, "--time-limit", "100000", "--n-jobs", "1", "--out-dir", "out"),
            ("certify", "out/card.json", "rows.csv", "--target", "ill"),
        ):
            try:
                _command(*arguments)()
            except SystemExit as ended:
                if ended.code:
                    raise


@contextmanager
def _quiet() -> Iterator[None]:
    """Send what is printed nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, old in zip((1, 2), kept, strict=True):
            os.dup2(old, stream)
            os.close(old)
        os.close(nowhere)


def _command(*arguments: str) -> Callable[[], None]:
    def act() -> None:
        from supersparse.show.cli.app import main

        sys.argv = ["supersparse", *arguments]
        main()

    return act


def _nothing(folder: Path) -> None:
    pass


def _rows(folder: Path) -> None:
    draw = np.random.default_rng(1)
    age, smoker = draw.integers(20, 90, 120), draw.integers(0, 2, 120)
    other = draw.integers(0, 4, 120)
    ill = (age > 55).astype(int) + smoker + (draw.random(120) < 0.1) > 1
    lines = [
        f"{a},{'smokes' if s else 'does not'},{o},{'yes' if i else 'no'}"
        for a, s, o, i in zip(age, smoker, other, ill, strict=True)
    ]
    (folder / "rows.csv").write_text("age,smoker,other,ill\n" + "\n".join(lines) + "\n")


def _rows_and_card(folder: Path) -> None:
    import subprocess

    _rows(folder)
    code = "from supersparse.show.cli.app import main; main()"
    done = subprocess.run(
        [
            sys.executable, "-c", code, "fit", "rows.csv", "--goal", "errors", "--target", "ill", "--C0", "0.02",
            "--max-points", "3", "--no-validate", "--time-limit", "100000", "--out", "card.json",
        ],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _solve() -> None:
    import time

    from engine.exact.hard import medium
    from supersparse import solve
    from supersparse.base.writing import write_file
    from supersparse.engine.exact.pair_covers import PairCovers
    from supersparse.engine.proving import checkpoint
    from supersparse.engine.proving.proof import Proof

    checkpoint.SAVE_EVERY = 0.0
    PairCovers.slice_work = 20_000
    step = Proof.step

    def slow_step(self, cancelled, most=None):
        step(self, cancelled, most)
        time.sleep(0.001)

    Proof.step = slow_step
    found = solve(medium(seed=0, intercept="paper"), "exact", checkpoint="open.tree")
    assert found.proven_optimal
    write_file("answer.json", json.dumps([str(found.objective), list(found.points.coefficients)]))


def _solve_questions() -> None:
    from engine.questions.stopped import hard
    from supersparse import solve
    from supersparse.base.writing import write_file
    from supersparse.engine.questions import solver

    solver._SLICE = 0.1
    found = solve(hard(), checkpoint="open.tree")
    assert found.proven_optimal
    write_file("answer.json", json.dumps([str(found.objective), found.points.answers]))


def _study() -> None:
    from paper_study.test_running import load, quick
    from study.running import run

    run(quick(), load, Path("records.jsonl"))


def _save() -> None:
    from supersparse import ScoringSystem, SLIMClassifier
    from supersparse.card.export.estimator import save_estimator
    from supersparse.learn.settings.settings import Settings

    Path("saved").mkdir(exist_ok=True)
    system = ScoringSystem.load("card.json")
    for target, ending in (
        ("python", "py"), ("sql", "sql"), ("javascript", "js"), ("xlsx", "xlsx"), ("pmml", "pmml")
    ):  # fmt: skip
        system.export(target, f"saved/score.{ending}")
    for ending in ("json", "txt", "md", "html", "tex", "svg"):
        system.save(f"saved/card.{ending}")
    Settings.of(C0=0.05, max_points=3).save(Path("saved/settings.yaml"))
    model = SLIMClassifier(C0=0.2, max_points=2, solver="exhaustive").fit([[0], [0], [1], [1]], [0, 0, 1, 1])
    save_estimator(model, "saved/model.skops")


def _card(folder: Path, name: str = "card.json") -> object:
    from supersparse.card.file import from_json

    card = from_json((folder / name).read_text())
    assert card.provenance is not None
    return [str(item) for item in card.items], str(card.threshold), str(card.provenance.lower_bound)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path) -> object:
    return json.loads(path.read_text())


def _records(folder: Path) -> object:
    from paper_study.test_running import comparable

    return comparable(folder / "records.jsonl")
