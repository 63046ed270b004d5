"""The documentation site: its menu, its reference, its pictures, its examples, and that it builds."""

import importlib.util
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import supersparse
from seen import assert_same_picture
from supersparse import constraints

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_menu(page):
    trees = "\n".join(TOCTREE.findall(page.read_text(encoding="utf-8")))
    return {line.strip() for line in trees.splitlines() if line.strip() and not line.startswith(":")}


def test_every_page_is_in_the_menu_once():
    pages = [page for page in DOCS.rglob("*.md") if "gallery" not in page.parts]
    names = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages}
    entries = [entry for page in pages for entry in in_menu(page)]
    assert sorted(entries) == sorted({*names, "gallery/index"} - {"index"})  # the build makes the gallery


def test_the_page_on_installing_names_every_extra_for_users():
    page = (DOCS / "install.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    named = {name for cell in first_cells for name in re.findall(r"`([\w-]+)`", cell)}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert named == set(extras) - {"test", "bench", "dev"}


def test_the_reference_names_every_public_name():
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\.\. auto\w+:: ([\w.]+)$", page, re.MULTILINE))
    modules = {"supersparse.constraints", "supersparse.errors", "C0_for", "load_haberman"}
    assert modules <= named
    listed = {name.removeprefix("supersparse.") for name in named}
    assert set(supersparse.__all__) - {"__version__", *supersparse._MODULES} <= listed
    assert set(constraints.__all__) <= named


def test_the_picture_and_the_table_of_the_rooms_are_those_of_the_code():
    drawing = script("import_picture")
    graph = drawing.import_graph()
    assert_same_picture(drawing.picture(graph), drawing.PICTURE.read_text(encoding="utf-8"))
    assert drawing.room_table(graph) in drawing.PAGE.read_text(encoding="utf-8")


def test_arrows_that_are_left_out_follow_from_those_that_are_drawn():
    drawing = script("import_picture")
    table = {"a": frozenset(), "b": frozenset("a"), "c": frozenset("ab"), "d": frozenset("a")}
    drawn = drawing.without_implied(table)
    assert drawn == {"a": frozenset(), "b": frozenset("a"), "c": frozenset("b"), "d": frozenset("a")}
    assert drawing.heights(drawn) == {"a": 0, "b": 1, "c": 2, "d": 1}
    places = drawing.places(drawn)
    assert len(set(places.values())) == len(places) == 4
    assert drawing.picture(table).count("marker-end") == 3


def test_the_pictures_of_the_readme_are_those_that_the_script_draws(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    script("readme_pictures").main(tmp_path)
    drawn, stored = tmp_path / "first-card.svg", DOCS / "pictures" / "first-card.svg"
    assert_same_picture(drawn.read_text(encoding="utf-8"), stored.read_text(encoding="utf-8"))
    # releases of matplotlib differ in single pixels
    one, other = (image.imread(folder / "frontier.png") for folder in (tmp_path, DOCS / "pictures"))
    assert one.shape == other.shape
    assert abs(one - other).mean() < 0.02
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "docs/pictures/first-card.svg" in readme
    assert "pictures/frontier.png" in (DOCS / "comparing-cards.md").read_text(encoding="utf-8")


@pytest.mark.long  # `make docs` runs them too
@pytest.mark.parametrize("path", GALLERY, ids=lambda p: p.stem)
def test_examples_of_the_gallery_run(path, tmp_path, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert capsys.readouterr().out
    assert pyplot.get_fignums()
    pyplot.close("all")


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path):
    for package in ("sphinx", "myst_parser", "pydata_sphinx_theme", "sphinx_gallery"):
        pytest.importorskip(package)
    for folder in ("docs", "examples/gallery", "benchmarks/results"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("gallery", "*.jsonl", "sg_*"))
    shutil.copytree(ROOT / "examples" / "gallery", tmp_path / "examples" / "gallery", dirs_exist_ok=True)
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "site"],
        capture_output=True, text=True, cwd=tmp_path, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for page in ("index", "api", "constraints", "gallery/plot_1_first_card", "changelog"):
        assert (tmp_path / "site" / f"{page}.html").stat().st_size > 5000
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert all(f'id="supersparse.{name}"' in reference for name in ("SLIMClassifier", "solve", "ScoringSystem"))
