"""The studio for tests: its server as a process of its own, and its page in a real browser."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
PATIENCE = 180_000  # milliseconds: a slow machine is no failure


class Server:
    """`supersparse studio` on a folder; it can be killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self, *arguments: str) -> str:
        """Start it; return the address with its token."""
        command = ["studio", "--no-browser", "--port", str(self.port), "--folder", str(self.folder)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from supersparse.show.cli.app import main; main()", *command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
        )
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=\S+", line)
            if found:
                self.port, self.address = int(found[1]), found[0]
                return self.address
        raise AssertionError("the studio did not start")

    def end(self, how: int = signal.SIGINT) -> None:
        """End it, or kill it in the middle of its work."""
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process = None


def servers():
    """Yield a server on an empty folder."""
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "studio")
        server.start()
        yield server
        server.end()


class Visitor:
    """Someone with a browser; whatever goes wrong on the page is kept in `troubles`."""

    def __init__(self, browser, address: str, *, width: int = 1280, height: int = 900, scheme="light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        origin = address.split("/#")[0]
        here = (origin, "blob:", "data:")
        self.page.on("console", lambda m: self.troubles.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.troubles.append(str(e)))
        self.page.on("dialog", lambda d: (self.troubles.append("dialog"), d.dismiss()))
        self.page.on("request", lambda r: r.url.startswith(here) or self.troubles.append(r.url))
        self.page.goto(address)
        self.page.get_by_role("heading", level=1).wait_for()

    def close(self) -> None:
        """Leave."""
        self.context.close()

    def key(self, name: str):
        """Return the control with this key."""
        return self.page.locator(f'[data-key="{name}"]')

    def step(self, name: str) -> None:
        """Go to a step."""
        self.page.get_by_role("navigation").get_by_role("link", name=name).click()

    def fits(self) -> bool:
        """Whether nothing is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    def add(self, table: Path) -> None:
        """Hand in a table and wait until it was read."""
        self.step("Table")
        if self.key("other").count():
            self.key("other").click()
        self.page.locator("#file").set_input_files(table)
        self.page.locator(".column h3").first.wait_for()

    def ready(self) -> None:
        """Wait until the table can be used."""
        self.page.locator('[data-key="onward"]:not([disabled])').wait_for()

    def without_folds(self) -> None:
        """Take the shortest way to a card."""
        self.key("validate").uncheck()
        self.page.locator("#validate-cv").wait_for(state="detached")

    def start(self) -> None:
        """Press Start when the wishes were checked."""
        self.page.locator('[data-key="start"]:not([disabled])').click()
        self.page.locator("article.card").wait_for()

    def barriers(self) -> list[str]:
        """Return what axe finds, or skip if it is not installed."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
        found = axe.Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def clinic(path: Path, *, rows: int = 160, hostile: bool = True) -> Path:
    """Write a table with identifiers, codes for missing values, spellings, and (if hostile) markup."""
    chance = random.Random(7)
    note = f"note {SCRIPT}".replace(",", " ") if hostile else "note"
    lines = [f'record_no,age,sex,"{note}",outcome']
    for row in range(rows):
        age, sex = chance.randint(20, 90), chance.choice(["f", "m", "F"])
        text = chance.choice(["calm", IMAGE if hostile else "tense", SCRIPT if hostile else "tired"])
        sick = chance.random() < (0.9 if age >= 60 else 0.12)
        quoted = text.replace('"', '""')
        shown = "-99" if row % 20 == 3 else str(age)
        lines.append(f'{1000 + 7 * row},{shown},{sex},"{quoted}",{"sick" if sick else "well"}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
