"""What a release needs and `make release-check` builds: the README as built, and one version everywhere."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import supersparse

ROOT = Path(__file__).parent.parent


def module(place):
    found = importlib.util.spec_from_file_location(Path(place).stem, ROOT / place)
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def test_the_readme_as_built_has_absolute_links_to_files_that_are_there():
    text = module("native/readme.py").dynamic_metadata("readme")["text"]
    source = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(link.startswith("http") for link in links)
    pages = f"{source}/blob/v{supersparse.__version__}/"
    own = [link.removeprefix(pages).partition("#")[0] for link in links if link.startswith(pages)]
    assert len(own) > 10
    assert all((ROOT / path).exists() for path in own)


def test_a_picture_leads_to_the_file_and_a_link_to_its_page():
    absolute = module("native/readme.py").absolute
    text = "![a](b.svg) [c](d.md#e) [f](https://g.h) [i](#j)"
    assert absolute(text, "https://github.com/k/l", "1") == (
        "![a](https://raw.githubusercontent.com/k/l/v1/b.svg) [c](https://github.com/k/l/blob/v1/d.md#e) "
        "[f](https://g.h) [i](#j)"
    )


def test_every_file_names_the_same_version():
    assert module(".ci/release_check.py").versions() == supersparse.__version__


def test_a_problem_ends_the_check():
    check = module(".ci/release_check.py")
    with pytest.raises(SystemExit, match="no  the wheel lacks it"):
        check.demand(["the wheel lacks it"])
    check.demand([])
