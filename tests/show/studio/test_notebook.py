"""The studio below a cell of a live JupyterLab: a table from Python, a run, and its card."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from programs import needs

pytestmark = needs("JupyterLab")
pytest.importorskip("anywidget", reason="the studio in a notebook needs anywidget")

ROOT = Path(__file__).parents[3]
CELLS = [
    "from supersparse import SLIMClassifier\n"
    "from supersparse.datasets import load_breast_cancer\n"
    "data = load_breast_cancer()\n"
    "model = SLIMClassifier(max_features=3, max_points=3)",
    "model.studio(data.X, data.y, folder='kept')",
]


def notebook(folder):
    cells = [
        {
            "cell_type": "code", "id": f"c{k}", "metadata": {}, "execution_count": None, "outputs": [],
            "source": text,
        }
        for k, text in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    content = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "way.ipynb").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def lab(tmp_path):
    """A JupyterLab of its own, with a notebook in it; yields its address."""
    notebook(tmp_path)
    settings = {
        "HOME": str(tmp_path),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    }
    words = ["-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root"]
    process = subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True
    )
    try:
        for line in process.stderr:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/lab\?token=(\w+)", line)
            if found:
                break
        else:
            raise AssertionError("JupyterLab did not start")
        yield f"http://127.0.0.1:{found[1]}/lab/tree/way.ipynb?token={found[2]}"
    finally:
        process.terminate()
        process.wait(60)
        process.stderr.close()


def test_the_studio_learns_a_card_below_a_cell(browser, lab, tmp_path):
    page = browser.new_page(viewport={"width": 1500, "height": 1100})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(lab)
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=120_000)
    page.get_by_text(re.compile(r"\| Idle")).wait_for(timeout=120_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    select = page.get_by_role("button", name="Select", exact=True)
    page.wait_for_timeout(1000)
    if select.count():
        select.click()
    studio = page.locator(".studio.widget")
    studio.wait_for(timeout=180_000)
    studio.locator('[data-key="step-ask"]').click(timeout=60_000)
    start = studio.locator('[data-key="start"]')
    start.click(timeout=120_000)
    badge = studio.locator(".run-head .badge.proven")
    ends = time.monotonic() + 240
    while not badge.count() and time.monotonic() < ends:
        page.wait_for_timeout(500)
    pictures = os.environ.get("STUDIO_PICTURES")
    if pictures:
        page.screenshot(path=str(Path(pictures) / "notebook.png"))
    assert badge.count(), studio.inner_text()[:2000]
    assert studio.locator(".score-card, .card").count()
    studio.locator('[data-key="step-take"]').click()
    with page.expect_download(timeout=120_000) as download:
        studio.locator('[data-key="get-settings.yaml"]').click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "max_features: 3" in text
    assert "target:" in text
    assert (tmp_path / "kept" / "tables").is_dir()
    assert not problems
    page.close()
