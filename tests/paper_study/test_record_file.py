import gzip
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.__main__ import main
from study.record_file import append_records, from_line, in_order, read_records, store, to_line
from study.records import InSet, Loaded, Machine, Moment, Proof, Record, Shown, Skipped, Wrong
from study.setting import Setting
from supersparse.errors import InvalidDataError

WRONG = Wrong(negative=1, positive=2, negatives=10, positives=10)
PROOF = Proof(
    objective="3/20", lower_bound="1/10", gap=1 / 3, proven=False, nodes=7, stop="NODE_LIMIT",
    coefficients=(("a", 2), ("b", -100)), intercept=-1, training_errors=3,
    history=(Moment(seconds=0.1, gap=0.5, train_errors=3, test_errors=1, size=2), Moment(seconds=1, gap=0.3)),
)  # fmt: skip
IN_SET = InSet(features=2, errors=3, paper_features=1, paper_errors=4, paper_errors_without_b=5)
RECORD = Record(
    dataset="tiny", fingerprint="abc", method="SLIM", split="1/2", setting=Setting.of(C0=0.01, work=5),
    seed=0, train=WRONG, test=WRONG, size=2, size_with_intercept=3, seconds=0.5, proof=PROOF,
)  # fmt: skip
LINES = [
    Machine.here("tiny"),
    Skipped(dataset="ads", reason="no file"),
    Skipped(dataset="tiny", method="C50T", reason="no c50py"),
    Loaded(dataset="tiny", fingerprint="abc", rows=20, columns=4, positives=10),
    Shown(application="biopsy", model="Lasso", text="Score = 1 x a", size=2, train=WRONG, test=WRONG),
    RECORD,
    replace(RECORD, method="LR", setting=Setting(), proof=None, in_set=IN_SET),
    replace(RECORD, method="SLIM free", proof=replace(PROOF, intercept="-7/2")),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: type(line).__name__)
def test_every_kind_of_line_comes_back_as_it_was(line):
    assert from_line(to_line(line)) == line
    assert "\n" not in to_line(line)


@settings(max_examples=60)
@given(st.text(max_size=20), st.floats(allow_nan=False, allow_infinity=False), st.integers())
def test_settings_and_names_of_any_kind_come_back(name, number, whole):
    record = replace(RECORD, dataset=name, setting=Setting.of(C0=number, work=whole, kind=name))
    assert from_line(to_line(record)) == record


@settings(max_examples=60)
@given(cut=st.integers(1, 2000))
def test_a_killed_run_loses_its_last_line_only_and_the_next_one_writes_on(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("records") / "records.jsonl"
    append_records(path, LINES)
    whole = path.read_bytes()
    kept = whole[: len(whole) - cut] if cut < len(whole) else b""
    path.write_bytes(kept)
    there = read_records(path)
    assert there == LINES[: kept.count(b"\n")]
    append_records(path, LINES[-1:])
    assert read_records(path) == [*there, LINES[-1]]


def test_damage_elsewhere_is_an_error_that_names_the_line(tmp_path):
    path = tmp_path / "records.jsonl"
    append_records(path, LINES)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], lines[1][:-5], *lines[2:], ""]), encoding="utf-8")
    with pytest.raises(InvalidDataError, match=r"line 2: .*remove the line, and run again"):
        read_records(path)


@pytest.mark.parametrize("line", ['{"kind": "Wish"}', "[]", '{"kind": "Record"}', "{}"])
def test_what_is_no_record_is_refused(line):
    with pytest.raises(ValueError):
        from_line(line)


def test_stored_records_have_the_same_bytes_whatever_their_order(tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    append_records(first, LINES)
    append_records(second, [LINES[0], *reversed(LINES[1:]), LINES[0]])
    for path in (first, second):
        store([path], path.with_suffix(".gz"))
    assert first.with_suffix(".gz").read_bytes() == second.with_suffix(".gz").read_bytes()
    assert gzip.decompress(first.with_suffix(".gz").read_bytes()).decode("utf-8").count("\n") == len(LINES)
    assert read_records(first.with_suffix(".gz")) == list(in_order(LINES))


def test_records_made_elsewhere_are_merged_and_the_last_of_a_fit_is_kept(tmp_path):
    here, there, stored = (tmp_path / name for name in ("here.jsonl", "there.jsonl", "all.jsonl.gz"))
    elsewhere = replace(Machine.here("tiny"), processor="another")
    again = replace(RECORD, seconds=9.0)
    append_records(here, LINES)
    append_records(there, [elsewhere, again, replace(RECORD, split="2/2")])
    assert main(["store", str(here), str(there), str(stored)]) == 0
    merged = read_records(stored)
    assert [line for line in merged if isinstance(line, Machine)] == [LINES[0], elsewhere]
    assert again in merged
    assert RECORD not in merged
    assert sum(isinstance(line, Record) for line in merged) == 4
    assert main(["store", str(stored), str(stored)]) == 0  # onto itself
    assert read_records(stored) == merged


def test_what_was_left_out_and_came_later_is_not_left_out():
    later = replace(RECORD, method="C50T")
    assert Skipped(dataset="tiny", method="C50T", reason="no c50py") in in_order(LINES)
    kept = [line for line in in_order([*LINES, later]) if isinstance(line, Skipped)]
    assert kept == [Skipped(dataset="ads", reason="no file")]


@pytest.mark.parametrize(
    "content",
    [None, b"no archive", gzip.compress(b"{}\n" * 99, mtime=0)[:-9]],
    ids=["missing", "no archive", "cut short"],
)
def test_a_file_that_is_missing_or_no_archive_is_named(tmp_path, content, capsys):
    path = tmp_path / "stored.jsonl.gz"
    if content is not None:
        path.write_bytes(content)
    for arguments in (["repeat", "small", str(path)], ["page", str(path), str(tmp_path / "page")]):
        assert main(arguments) == 2
        assert capsys.readouterr().err.startswith(f"no records can be read from {str(path)!r}: ")
