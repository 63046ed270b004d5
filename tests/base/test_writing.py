"""Files are written whole or not at all."""

import os
import stat

import pytest

from supersparse.base import writing
from supersparse.base.writing import whole_file, write_file


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "card.json"
    file.write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [28, 13, 2])
def test_an_error_names_the_file_that_was_asked_for_and_no_draft(tmp_path, monkeypatch, error):
    def fails(prefix, suffix, dir):
        raise OSError(error, os.strerror(error), f"{dir}/{prefix}abc{suffix}")

    monkeypatch.setattr(writing.tempfile, "mkstemp", fails)
    with pytest.raises(OSError, match=r"card.json'$") as found:
        write_file(tmp_path / "card.json", "new")
    assert found.value.errno == error


def test_an_error_about_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.txt"), whole_file(tmp_path / "card.json"):
        (tmp_path / "nothing.txt").read_text()
    assert list(tmp_path.iterdir()) == []


def test_permissions_and_links_stay(tmp_path):
    file, link = tmp_path / "card.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_file(link, "né")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "né"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_pipe_is_written_to_directly(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"content")
    reader.join()
    assert got == [b"content"]
