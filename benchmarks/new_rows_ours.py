"""Fit cards of supersparse to tables and predict others; also with the release of `before-3`, in its environment.

Usage: ``python new_rows_ours.py SETTINGS TRAIN.csv TEST.csv ...``, pairs of files with raw columns and the outcome `y`
(0 or 1), and settings as JSON. Prints a line of JSON for each pair: the risks of the test rows, the number of columns
that the card asks for, CPU seconds, and whether it is proven, by how many CPU seconds of search.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time

import numpy as np

Columns = dict[str, np.ndarray]


def read(path: str) -> tuple[Columns, np.ndarray]:
    """Return columns of numbers, with NaN where a cell is empty, and of texts, with None; and the outcome."""
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    columns: Columns = {}
    for j, name in enumerate(head):
        cells = [row[j] for row in rows]
        try:
            columns[name] = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            columns[name] = np.array([cell or None for cell in cells], dtype=object)
    y = columns.pop("y").astype(int)
    return columns, y


def as_seen(new: Columns, X: Columns) -> Columns:
    """Replace what no training row had, which a card refuses: numbers by the nearest, others by the usual value."""
    found = {}
    for name, column in new.items():
        known = X[name]
        if known.dtype == object or column.dtype == object:
            values, counts = np.unique([str(v) for v in known if v is not None], return_counts=True)
            seen = {str(v): v for v in known.tolist()}
            column = np.array([v if str(v) in seen else seen[values[counts.argmax()]] for v in column], dtype=object)
        else:
            column = np.clip(column, np.nanmin(known), np.nanmax(known))
            if not np.isnan(known).any():
                column = np.where(np.isnan(column), np.sort(known)[len(known) // 2], column)
        found[name] = column
    return found


def of_release(asked: dict, train: str, y: np.ndarray, new: Columns) -> dict:
    """Learn a card of risks with the command line of an older release, whose `fit` chooses its size by folds."""
    from resource import RUSAGE_CHILDREN, getrusage

    program = [sys.executable, "-m", "supersparse"]
    with tempfile.TemporaryDirectory() as folder:
        card, rows = f"{folder}/card.json", f"{folder}/new.csv"
        with open(rows, "w", newline="", encoding="utf-8") as file:
            cells = zip(*(column.tolist() for column in new.values()))  # noqa: B905
            written = [["" if cell is None or cell != cell else cell for cell in row] for row in cells]
            csv.writer(file).writerows([list(new), *written])
        fit = [*program, "fit", train, "--target", "y", "--goal", "risk", "--n-jobs", "1", "--out", card, "--quiet"]
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([*fit, "--time-limit", str(asked["time_limit"])], check=True, stdout=subprocess.DEVNULL)
        used = getrusage(RUSAGE_CHILDREN)
        said = subprocess.run([*program, "predict", card, rows], check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(card, encoding="utf-8") as file:
            learned = json.load(file)
    risks = [float(row.get("risk", y.mean())) for row in csv.DictReader(said.splitlines())]  # a card can have none
    return {
        "risks": risks,
        "questions": len({item["column"] for item in learned["items"]}),
        "proven": learned["provenance"]["proven_optimal"],
        "seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
    }


def of_questions(asked: dict, X: Columns, y: np.ndarray, new: Columns) -> dict:
    """Learn a card as `supersparse fit` does without folds; the seconds of its search are of CPU time."""
    from supersparse.learn.prepare.prepare import Prepare
    from supersparse.learn.recipe import Recipe
    from supersparse.learn.rows import TrainingRows
    from supersparse.learn.settings.settings import Settings

    rows = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None)
    options = {"time_limit": 30.0, "random_state": 0}
    question = Recipe(settings=Settings.of(goal="risk", **asked), prepare=Prepare(), options=options).question(rows)
    began = time.process_time()
    solution = question.solve()
    return {
        "risks": question.risks(solution, new).tolist(),
        "questions": solution.evaluation.size,
        "proven": solution.proven_optimal,
        "search_seconds": time.process_time() - began,
    }


def of_errors(asked: dict, X: Columns, y: np.ndarray, new: Columns) -> dict:
    """Learn a card of the fewest errors, whose risks are logistic in its scores of the training rows."""
    from sklearn.linear_model import LogisticRegression

    from supersparse import SLIMClassifier
    from supersparse.base.errors import InvalidDataError

    try:
        model = SLIMClassifier(**asked, prepare="auto", random_state=0).fit(X, y)
    except InvalidDataError as refusal:
        if "favour class" not in str(refusal):
            raise
        rows, usual = len(new[next(iter(new))]), int(y.mean() >= 0.5)  # no card errs less than this class for everyone
        return {"risks": [float(y.mean())] * rows, "predicted": [usual] * rows, "questions": 0, "proven": True}
    scores, unseen = model.decision_function(X), model.decision_function(new)
    line = LogisticRegression(C=np.inf).fit(scores[:, None], y)
    return {
        "risks": line.predict_proba(unseen[:, None])[:, 1].tolist(),
        "predicted": model.predict(new).tolist(),
        "questions": len({item.column for item in model.scoring_system_.card.items}),
        "proven": bool(model.proven_optimal_),
    }


def main() -> None:
    """Fit, predict and print."""
    settings, *paths = sys.argv[1:]
    for train, test in zip(paths[::2], paths[1::2]):  # noqa: B905
        (X, y), (new, _), asked = read(train), read(test), json.loads(settings)
        began, new = time.process_time(), as_seen(new, X)
        goal = asked.pop("goal", None)
        if goal is None:
            answer = of_release(asked, train, y, new)
        else:
            answer = {"errors": of_errors, "risk": of_questions}[goal](asked, X, y, new)
        print(json.dumps({"seconds": time.process_time() - began, **answer}), flush=True)


if __name__ == "__main__":
    main()
