"""A read-only installation and home: compiled code finds another place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import supersparse
from supersparse.engine import kernels

CHILD = """
import os, sys
# the copy is meant, and not what an editable install redirects to
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
import numpy as np
from supersparse.engine.kernels.sorting import order_of
order_of(np.array([2, 1]))
print(os.environ["NUMBA_CACHE_DIR"])
"""


def test_kernels_compile_where_neither_package_nor_home_can_be_written(tmp_path):
    # a file where the folder should be stops root as well, whom permissions do not
    package = tmp_path / "installed" / "supersparse"
    shutil.copytree(Path(supersparse.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb*"))
    (package / "engine" / "kernels" / "__pycache__").write_text("not a folder")
    (tmp_path / "home").write_text("not a folder")
    (tmp_path / "tmp").mkdir()
    settings = {
        **{k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"},
        "PYTHONPATH": str(tmp_path / "installed"),
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "home" / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run([sys.executable, "-c", CHILD], env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "tmp"))
    assert "set NUMBA_CACHE_DIR to a folder that stays" in done.stderr
    assert list((tmp_path / "tmp").rglob("*.nbi"))


USE = """
import numpy as np
from supersparse.engine.kernels.sorting import order_of
print(order_of(np.array([2, 1]))[0] + 2)
"""
FULL_DISK = """
import errno
from numba.core.caching import IndexDataCacheFile

def full(*given):
    raise OSError(errno.ENOSPC, "No space left on device")

IndexDataCacheFile._save_data = IndexDataCacheFile._save_index = full
"""
NO_FOLDER = """
from numba.core import caching
(getattr(caching, "CacheImpl", None) or caching._CacheImpl)._locator_classes = []
"""


def used_with(settings, before=""):
    package = str(Path(supersparse.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, **settings}
    call = [sys.executable, "-c", before + USE]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
    return done.stderr


def test_a_full_disk_costs_the_cache_and_nothing_else(tmp_path):
    said = used_with({"NUMBA_CACHE_DIR": str(tmp_path)}, FULL_DISK)
    assert said.count("compiled code cannot be kept ([Errno 28] No space left on device)") == 1


@pytest.mark.long
def test_without_any_folder_kernels_are_compiled_and_not_kept():
    said = used_with({}, NO_FOLDER)
    assert said.count("compiled code cannot be kept") == 1
    assert said.count("\n") == 1


def cut_off(content):
    return content[:20]


def emptied(content):
    return b""


def of_another_version(content):
    """Compiled code whose types belong to modules that are no more."""
    return content.replace(b"numba.core", b"numba.kern")


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory):
    """The folder of a process that compiled and kept its kernels."""
    folder = tmp_path_factory.mktemp("cache")
    assert used_with({"NUMBA_CACHE_DIR": str(folder)}) == ""
    return folder


@pytest.mark.long
@pytest.mark.parametrize("damage", [cut_off, emptied, of_another_version])
def test_a_damaged_cache_is_compiled_again_and_kept(tmp_path, whole_cache, damage):
    folder = {"NUMBA_CACHE_DIR": str(tmp_path)}
    shutil.copytree(whole_cache, tmp_path, dirs_exist_ok=True)
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*.nb*")}
    assert kept
    for path, content in kept.items():
        path.write_bytes(damage(content))
        assert path.read_bytes() != content
    assert used_with(folder) == ""
    (index,) = tmp_path.rglob("*.nbi")
    whole = index.read_bytes()
    assert len(whole) == len(kept[index])
    assert used_with(folder) == ""
    assert index.read_bytes() == whole


def test_a_temporary_folder_that_others_can_write_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels.tempfile, "tempdir", str(tmp_path))
    mine = kernels._temporary_folder()
    assert mine == kernels._temporary_folder()
    if sys.platform != "win32":
        mine.chmod(0o777)
        assert kernels._temporary_folder() != mine
