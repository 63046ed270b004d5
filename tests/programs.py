"""What tests want beyond the extra `test`: programs and large packages, and the mark of those tests."""

import os
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

# Each with its commands (one of a tuple is enough) or its Python packages.
COMMANDS = {
    "Chromium": (("chromium", "chromium-browser", "google-chrome"),),
    "node": (("node",),),
    "fhirpath.js": (("node",),),
    "R": (("Rscript",),),
    "PGlite, which is PostgreSQL for node,": (("node",),),
    "Java": (("java",),),
    "LaTeX": (("pdflatex",), ("lualatex",), ("pdftotext",)),
    "LibreOffice": (("soffice", "libreoffice"),),
}
NODE_PACKAGES = {"PGlite, which is PostgreSQL for node,": "@electric-sql/pglite", "fhirpath.js": "fhirpath"}
PACKAGES = {"JupyterLab": ("jupyterlab",), "the schema of PMML": ("lxml", "jpmml_evaluator")}
CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PGLITE = Path(__file__).parents[1] / "build" / "node" / "node_modules"


def needs(name):
    """Mark a test, or a module, that wants a program: it is skipped where there is none."""
    assert name in COMMANDS or name in PACKAGES
    return pytest.mark.program(name)


def command(name):
    """Return the path of a program that is installed."""
    return next(filter(None, map(shutil.which, COMMANDS[name][0])))


@cache
def is_installed(name):
    """Whether all its commands or packages are there."""
    if name in PACKAGES:
        return all(map(find_spec, PACKAGES[name]))
    if not all(any(map(shutil.which, either)) for either in COMMANDS[name]):
        return False
    return name not in NODE_PACKAGES or _node_finds(NODE_PACKAGES[name])


def node_environment():
    """Return the environment in which node finds the packages that `make test-programs` installs."""
    paths = [os.environ.get("NODE_PATH"), str(PGLITE)]
    return {**os.environ, "NODE_PATH": os.pathsep.join(filter(None, paths))}


def _node_finds(package):
    code = f"require.resolve({package!r})"
    done = subprocess.run([command("node"), "-e", code], capture_output=True, env=node_environment())
    return done.returncode == 0


def browsers():
    """Yield Chromium, driven by playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=command("Chromium"), args=CHROMIUM_FLAGS, timeout=60_000)
        yield browser
        browser.close()
