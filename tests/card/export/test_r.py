"""The exported function of R, run under R, scores exactly as the card."""

import csv
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from card.export.people import as_typed, check, drawn
from programs import command, needs
from supersparse import ScoringSystem, item
from supersparse.card.export.r import to_r
from supersparse.errors import UnsupportedCardError

# scores each table with its card; columns of text come as factors in every second card
RUNNER = """
for (number in seq_len(as.integer(commandArgs(TRUE)[1]))) {
  source(sprintf("card%d.R", number), encoding = "ASCII")
  types <- scan(sprintf("types%d.txt", number), "", quiet = TRUE)
  data <- read.csv(sprintf("people%d.csv", number), colClasses = types, check.names = FALSE, na.strings = "<NA>",
                   encoding = "UTF-8", stringsAsFactors = FALSE)
  if (number %% 2 == 0) data[] <- lapply(data, function(x) if (is.character(x)) factor(x) else x)
  found <- card(data)
  stopifnot(nrow(found) == nrow(data), nrow(card(data[0, , drop = FALSE])) == 0)
  for (name in c("total", "risk")) if (!is.null(found[[name]])) found[[name]] <- sprintf("%.17g", found[[name]])
  found$class <- enc2utf8(as.character(found$class))
  write.csv(found, sprintf("found%d.csv", number), row.names = FALSE, na = "<NA>", fileEncoding = "UTF-8", eol = "\\n")
}
"""


def run_r(cases, folder):
    (folder / "run.R").write_text(RUNNER)
    for number, (card, texts, group) in enumerate(cases, start=1):
        (folder / f"card{number}.R").write_text(to_r(card), encoding="ascii")
        types = ["character" if c in texts else "numeric" for c in card.columns]
        (folder / f"types{number}.txt").write_text(" ".join(types))
        with open(folder / f"people{number}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(card.columns)
            for person in group:
                writer.writerow(["<NA>" if is_gone(v) else v for v in (person[c] for c in card.columns)])
    subprocess.run([command("R"), "run.R", str(len(cases))], cwd=folder, check=True, timeout=600)
    for number in range(1, len(cases) + 1):
        with open(folder / f"found{number}.csv", encoding="utf-8", newline="") as file:
            yield [{k: None if v in ("<NA>", "NA") else v for k, v in row.items()} for row in csv.DictReader(file)]


def is_gone(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


@needs("R")
@pytest.mark.long
def test_r_agrees_with_the_card(tmp_path):
    def in_a_csv_file(name):  # R reads no line break in the header of a file
        return name.isprintable() and "\n" not in name

    def blank_is_missing(person):
        return {name: None if value == "" else value for name, value in person.items()}

    cases = [
        (card, texts, list(map(blank_is_missing, group)))
        for card, texts, group in drawn()
        if all(map(in_a_csv_file, card.columns))
    ]
    assert len(cases) > 30
    for (card, _, group), found in zip(cases, run_r(cases, tmp_path), strict=True):
        for person, row in zip(group, found, strict=True):
            check(as_typed(card), person, row["total"], row["class"], row.get("risk"))


def test_the_source_is_ascii_and_hides_nothing():
    system = ScoringSystem.of([item('"); stop("x', equals="é\n\\", points=1)], threshold=1)
    source = system.export("r")
    assert source.isascii()
    assert '"\\"); stop(\\"x"' in source
    assert '"\\U{e9}\\n\\\\"' in source


def test_a_column_without_a_name_is_refused():
    with pytest.raises(UnsupportedCardError, match="empty name"):
        to_r(ScoringSystem.of([item("", at_least=1, points=1)], threshold=1).card)


@needs("R")
@pytest.mark.long
def test_the_script_of_the_page_runs_through_reticulate(tmp_path):
    installed = subprocess.run([command("R"), "-e", 'quit(status = !requireNamespace("reticulate"))'], check=False)
    if installed.returncode:
        pytest.skip("the R package reticulate is not installed")
    page = (Path(__file__).parents[3] / "docs" / "r.md").read_text(encoding="utf-8")
    _, use, learn = re.findall(r"^```r\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    system = ScoringSystem.of(
        [item("age", at_least=65, points=4), item("sex", equals="M", points=1)],
        threshold=4,
        classes=("well", "ill"),
        risk={0: 0.02, 1: 0.05, 4: 0.2, 5: 0.3},
    )
    system.save(tmp_path / "card.json")
    here = f'use_python("{sys.executable}", required = TRUE)\n'
    (tmp_path / "page.R").write_text(re.sub(r"^use_virtualenv.*\n", lambda _: here, use, flags=re.MULTILINE) + learn)
    done = subprocess.run([command("R"), "page.R"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert '[1] "ill"  "well"' in done.stdout
    assert "[1] 0.20 0.05" in done.stdout
    assert "Predict ill if the total is" in done.stdout
