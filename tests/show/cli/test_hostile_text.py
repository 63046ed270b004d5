"""Names in what commands print: quotes, markup, control characters, right-to-left text, emoji stay text."""

import csv

import pytest

from cards import HOSTILE
from supersparse import ScoringSystem, item

# a CSV file in UTF-8 holds neither NUL nor half a character, and spaces around a cell are not read
NAMES = [n for n in HOSTILE if n and n == n.strip() and not set(n) & {"\x00", "\ud800"}]
MARKS = "\u2068\u2069\u200c\u200d"  # which isolate right-to-left text, and join letters and emoji


@pytest.mark.parametrize("name", NAMES)
def test_no_command_lets_a_name_out_of_its_line(name, run, tmp_path):
    system = ScoringSystem.of(
        [item(name, equals=name, points=2), item("b", points=-1)], above=0, classes=("other", name)
    )
    system.save(tmp_path / "card.json")
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, quoting=csv.QUOTE_ALL)
        write.writerow([name, "b", "class"])
        write.writerows([[name, 1, name], ["known", 0, "other"], [name, 3, "other"], ["known", 1, name]])
    for command in (
        ["evaluate", "card.json", "rows.csv", "--target", "class", "--by", name],
        ["explain", "card.json", "rows.csv", "--row", "1"],
        ["export", "card.json", "--to", "python"],
    ):
        done = run(*command, check=True)
        for line in (done.stdout + done.stderr).split("\n"):
            assert all(c.isprintable() or c in MARKS for c in line), (command[0], line)
