"""Figures of the README and the docs that are cheap to make again: from stored records, data and code.

What a block of code prints is run by test_docs.py; tables that a command writes between two marks are
compared with the records in tests/benchmarks, tests/paper_study and tests/robustness.
"""

import csv
import gzip
import json
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest

from benchmarks import rows as rows_benchmark
from supersparse import datasets

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def page(name):
    """The text of a page in one line, as a reader sees it."""
    path = ROOT / name if (ROOT / name).exists() else ROOT / "docs" / name
    return " ".join(path.read_text(encoding="utf-8").split())


def records(name):
    return [json.loads(line) for line in (RESULTS / f"{name}.jsonl").read_text("utf-8").splitlines()]


def solves(name):
    return [line for line in records(name) if line["kind"] == "record"]


def test_the_readme_tells_how_long_risk_proofs_on_27_columns_take():
    lines = [line for line in records("risk_tables") if line["columns"] == 27]
    by_table = defaultdict(list)
    for line in lines:
        by_table[line["table"].partition(",")[0]].append(line["cpu_seconds"])
    spam, boards = by_table.pop("spambase"), by_table.pop("tic-tac-toe")
    told = page("README.md")
    assert f"spambase take {min(spam):.1f} to {max(spam):.1f} CPU seconds" in told
    assert f"tic-tac-toe takes up to {max(boards):.1f} and the rest less than 0.5" in told
    assert max(max(seconds) for seconds in by_table.values()) < 0.5


def test_the_readme_tells_how_well_a_time_limit_of_five_seconds_is_kept():
    late = [line["seconds"] - line["limit"] for line in records("time-limits") if line.get("limit") == 5]
    assert len(late) > 10
    assert "A time limit of 5 s is kept within 1.5 s" in page("README.md")
    assert max(late) <= 1.5


def test_the_readme_says_which_fits_of_the_study_are_proven():
    proven = Counter()
    with gzip.open(ROOT / "study" / "stored" / "full.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            fit = json.loads(line)
            if isinstance(fit.get("proof"), dict):
                proven[fit["dataset"], fit["proof"]["proven"]] += 1
    assert proven["spambase", False] > 100
    assert proven["spambase", True] == 0
    assert 0 < proven["internet-ads", True] < 0.05 * proven["internet-ads", False]
    assert "none of [the study's](docs/study/results.md) fits on spambase" in page("README.md")


def test_the_first_card_of_the_readme_is_the_picture_beside_it():
    picture = (ROOT / "docs" / "pictures" / "first-card.svg").read_text("utf-8")
    assert "of all cards that ask at most 5 of the 5 questions tried" in picture
    assert f"gives for {len(datasets.load_mammography().y)} mammograms" in page("README.md")


def test_rows_in_a_fold_of_the_default_cards():
    sizes = {
        "breast-cancer": datasets.load_breast_cancer(),
        "haberman": datasets.load_haberman(),
        "mammography": datasets.load_mammography(),
        "tic-tac-toe": datasets.load_tic_tac_toe(),
        "spambase": datasets.load_spambase(),
    }
    folds = {name: data.raw.n_rows / 5 for name, data in sizes.items()}
    assert set(folds) == {line["table"] for line in records("accuracy")}
    spam = folds.pop("spambase")
    least, most = int(min(folds.values())), ceil(max(folds.values()))
    assert f"with {least} to {most} rows in a fold ({spam:.0f} on spambase)" in page("accuracy.md")


def test_how_long_the_first_part_of_make_bench_takes():
    ours, peers = 0.0, 0.0
    for line in solves("full"):
        if line["cpu_seconds"] is None:
            continue
        seconds = line["cpu_seconds"] * line["repeats"] + line["warm_seconds"]
        if line["solver"] == "exact":
            ours += seconds
        else:
            peers += seconds
    minutes = (ours + peers / 2) / 60  # ours alone, peers two at a time
    assert 36 < minutes < 44
    assert "takes about 40 minutes on two idle cores" in page("benchmarks.md")
    assert "40 minutes of it the first part" in (ROOT / "Makefile").read_text("utf-8")
    hours = "about an hour and a half in all"
    assert hours in page("benchmarks.md")
    assert "hour and a half on two idle cores" in (ROOT / "Makefile").read_text("utf-8")


def test_the_longer_run_on_adult():
    runs = solves("adult")
    ours = {line["instance"]: line["cpu_seconds"] for line in runs if line["solver"] == "exact"}
    gaps = [line["model"]["gap"] for line in runs if line["solver"] != "exact"]
    shorter = {line["instance"]: line["cpu_seconds"] for line in solves("full") if line["solver"] == "exact"}
    first, then = (f"{s['adult_reg']:.1f} and {s['adult_max5']:.1f} s" for s in (ours, shorter))
    told = f"the gaps are {ceil(100 * min(gaps))} % and more. supersparse took {first} in that run, and {then}"
    assert told in page("benchmarks.md")


def test_ours_had_more_time_on_one_problem_as_the_pages_say():
    limits = {line["instance"]: line["limit"] for line in solves("full") if line["solver"] == "exact"}
    assert limits.pop("tictactoe_reg") == limits.pop("tictactoe_reg_whole") == 300
    assert max(limits.values()) == 60
    assert "(supersparse had 300 on tictactoe_reg)" in page("comparison.md")
    assert "(ours had up to 300 on the boards with C0 = 0.01)" in page("README.md")


@pytest.mark.parametrize(("stored", "name"), [("many.md", "benchmarks.md"), ("large-table.md", "command-line.md")])
def test_a_table_that_was_copied_is_the_stored_one(stored, name):
    lines = (RESULTS / stored).read_text("utf-8").splitlines()
    shown = (ROOT / "docs" / name).read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("|") and line not in shown] == []


def test_the_page_on_many_rows_has_the_stored_table():
    text = (ROOT / "docs" / "rows.md").read_text("utf-8")
    shown = text.partition(rows_benchmark.BEGIN)[2].partition(rows_benchmark.END)[0].strip()
    assert shown == rows_benchmark.table(list(rows_benchmark.load().values())).strip()


def test_what_pair_covers_do_for_another_solver():
    told = page("engine.md")
    for line in solves("covers"):
        model, proof = line["model"], line["proof_seconds"]
        shown = f"proven in {proof:.0f} s" if proof and proof > 20 else f"proven in {proof or 0:.1f} s"
        row = re.search(rf"\| {line['instance']} \|[^|]*\|[^|]*\|[^|]*\|", told)[0]
        assert (shown if model["proven_optimal"] else f"{model['lower_bound']:.4f}") in row
        assert f"{model['objective']:.4f}" in row


def test_problems_solved_twice():
    stored = json.loads((ROOT / "docs" / "conformance.json").read_text("utf-8"))
    told = page("engine.md")
    assert stored["wrong"] == 0
    assert f"We solved {stored['problems']:,} random problems" in told
    assert f"--problems {stored['problems']} --first {stored['seeds'][0]} " in told
    alone = (ROOT / "tests/conformance/test_proof_alone.py").read_text("utf-8")
    assert '"first", range(0, 160, 40)' in alone
    assert "`make test` solves 160 others" in told


def test_how_much_faster_more_threads_are():
    runs = [line for line in records("thread-scaling") if "threads" in line]
    seconds = {(line["problem"], line["threads"]): line["seconds"] for line in runs}
    long = [name for name, threads in seconds if threads == 1 and seconds[name, 1] > 5]
    least = {n: min(seconds[name, 1] / seconds[name, n] for name in long) for n in (2, 4, 8, 16)}
    two, four, eight, sixteen = (int(10 * least[n]) / 10 for n in (2, 4, 8, 16))
    told = f"at least {two} times as fast with 2 threads, {four} with 4, {eight} with 8 and {sixteen} with 16"
    assert told in page("cluster.md")


def test_the_times_of_the_random_tables_for_risk():
    pairs = records("risk_random")
    ours, peers = (sum(line[key] for line in pairs) for key in ("seconds", "peer_seconds"))
    assert f"On the {len(pairs)} stored tables the search takes {ours:.1f} CPU seconds, FastRisk {peers:.1f}." in page(
        "engine.md"
    )


def test_other_runs_of_the_risk_proofs_were_much_like_the_stored_one():
    told = page("engine.md")
    stored = {
        line["table"].partition(", ")[2]: line["cpu_seconds"]
        for line in records("risk_tables")
        if line["table"].startswith("spambase,") and line["features"] == 7
    }
    ranges = {
        "columns from 28": r"columns from 28 took ([\d.]+) to ([\d.]+) s",
        "columns by chance, seed 4": r"seed 4 ([\d.]+) to ([\d.]+) s",
        **{f"columns by chance, seed {n}": r"seeds 0, 1, 6 and 7 ([\d.]+) to ([\d.]+) s" for n in (0, 1, 6, 7)},
    }
    for name, words in ranges.items():
        low, high = map(float, re.search(words, told).groups())
        assert low <= stored[name] <= high, name


def test_the_sizes_that_the_page_of_the_study_discusses():
    with (ROOT / "docs" / "study" / "results-best.csv").open(encoding="utf-8") as file:
        lines = {(line["dataset"], line["method"]): line for line in csv.DictReader(file)}

    def sizes(dataset, method):
        line = lines[dataset, method]
        return int(line["paper_size"]), int(line["size_with_intercept"])

    told = page("study.md")
    paper, ours = sizes("spambase", "CART")
    assert f"on spambase, the paper has {paper} leaves and we have {ours}" in told
    paper, ours = sizes("internet-ads", "C50T")
    assert f"C5.0's trees on the ads ({ours} leaves against {paper})" in told
    paper, ours = sizes("internet-ads", "EN")
    assert f"the elastic net there ({ours} terms against {paper})" in told


@pytest.mark.parametrize(
    ("call", "load"),
    [
        ("load_breast_cancer()", datasets.load_breast_cancer),
        ("load_haberman()", datasets.load_haberman),
        ("load_mammography()", datasets.load_mammography),
        ("load_spambase()", datasets.load_spambase),
        ("load_tic_tac_toe()", datasets.load_tic_tac_toe),
    ],
)
def test_the_page_on_datasets_tells_their_sizes(call, load):
    data = load()
    rows, columns = data.X.shape
    positives = sum(1 for y in data.y if y == 1)
    assert f"| `{call}` | {rows} x {columns + 1} | {positives} " in page("datasets.md")


def test_the_example_of_a_difference_below_one_row():
    difference = abs(Fraction(4, 683) - Fraction("0.006"))
    for name in ("conventions.md", "misprints.md"):
        assert f"four errors and one feature differ by {float(difference):.6f}, a tenth of 1/N" in page(name)
    assert Fraction(9, 100) < difference * 683 < Fraction(11, 100)


def test_what_each_feature_saves_is_what_the_frontier_prints():
    errors = [int(n) for n in re.findall(r"^ +\d +(\d+)  yes", frontier_block(), re.MULTILINE)]
    saved = [before - after for before, after in pairwise(errors)]
    words = ("", "one", "two", "three", "four", "five", "six")
    told = f"the first feature saves {saved[0]} cases, the second {saved[1]} and the third {words[saved[2]]}"
    assert told in page("choosing-c0.md")


def frontier_block():
    text = (ROOT / "docs" / "comparing-cards.md").read_text("utf-8")
    return re.search(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def test_the_checker_is_as_short_as_the_pages_say():
    lines = (ROOT / "checker" / "supersparse_check.py").read_text("utf-8").splitlines()
    for name in ("certificates.md", "understand.md"):
        most = re.search(r"at most (\d+) lines", page(name))[1]
        assert int(most) - 20 <= len(lines) <= int(most)


MEASURED = re.compile(
    r"\b\d[\d,.]*\s(?:s|seconds?|minutes?|hours?|GB|MB)\b|\b\d[\d,.]* (?:CPU|errors)\b|\bAUC (?:is )?0\.\d"
    r"|\b(?:half an?|two|three|four|five|ten|sixteen|thirty) (?:seconds?|minutes?|hours?)\b"
)
COMMAND = re.compile(r"`(?:make|python|supersparse|time|pip) |^```(?:python|console|sh)|python -m ", re.MULTILINE)
SETTINGS = {  # sections whose seconds and bytes are limits of the program, not measured
    ("docs/cluster.md", "## When a worker is lost"),
    ("docs/engine.md", "### Three bounds"),
    ("docs/first-card.md", "# Your first card in five minutes"),
    ("docs/formulation.md", "## Self-tuning"),
    ("docs/index.md", "# supersparse"),
    ("docs/questions-engine.md", "## Limits, threads, checkpoints"),
    ("docs/report.md", "## Learning again"),
}
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def sections(path):
    """The sections of a page, each with its heading, without tables and other blocks; and as they are."""
    for text in re.split(r"(?m)^(?=#+ )", path.read_text(encoding="utf-8")):
        yield text.partition("\n")[0], re.sub(r"(?ms)^```.*?^```$|^\|[^\n]*$", "", text), text


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_a_section_with_measured_figures_names_a_command(path):
    name = path.relative_to(ROOT).as_posix()
    without = {
        (name, heading)
        for heading, prose, text in sections(path)
        if MEASURED.search(prose) and not COMMAND.search(text)
    }
    assert without == {each for each in SETTINGS if each[0] == name}
