"""Take the pictures of the studio for docs/studio.md and the README: `make studio-pictures`.

Starts the studio on an empty folder, walks through it in Chromium with the built-in biopsies, and stores what
is to be seen on the way. Needs the extras `studio` and `test`, and Chromium.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "pictures"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTH, PHONE = 1240, 390
LONGEST = 900_000  # milliseconds to wait for anything


@contextmanager
def studio(folder: Path) -> Iterator[str]:
    """Run the studio; yield its address."""
    command = [
        "-c", "from supersparse.show.cli.app import main; main()",
        "studio", "--no-browser", "--folder", str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+#token=\S+", line):
                yield found[0]
                break
    finally:
        process.terminate()
        process.wait(timeout=30)


def smaller(picture: Image.Image) -> Image.Image:
    """Return a picture with 256 colours."""
    return picture.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


class Walk:
    """A walk through the page that takes pictures."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder
        page.set_default_timeout(LONGEST)

    def key(self, name: str) -> Any:
        """Return the control with this key."""
        return self.page.locator(f'[data-key="{name}"]')

    def step(self, name: str) -> None:
        """Go to a step."""
        self.page.get_by_role("navigation").get_by_role("link", name=name).click()

    def shot(self, name: str, height: int | None = None) -> None:
        """Store the page as it is, its upper part only if a height is given."""
        self.page.mouse.move(0, 0)
        self.page.evaluate("window.scrollTo(0, 0)")
        self.page.wait_for_timeout(400)
        tall = self.page.evaluate("document.documentElement.scrollHeight")
        size = self.page.viewport_size or {"width": WIDTH, "height": 900}
        self.page.set_viewport_size({"width": size["width"], "height": height or min(tall, 1500)})
        self.page.wait_for_timeout(200)
        path = self.folder / f"studio-{name}.png"
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)
        with Image.open(path) as picture:
            smaller(picture).save(path, optimize=True)

    def table_and_ask(self) -> None:
        """From the empty page to the wishes."""
        self.key("demo").click()
        self.page.locator(".column h3").first.wait_for()
        if not self.key("target").input_value():
            self.key("target").select_option(index=1)
        self.page.locator('[data-key="onward"]:not([disabled])').wait_for()
        self.shot("table", 1000)
        self.key("onward").click()
        self.key("add-wish").click()
        self.page.locator('[data-key="start"]:not([disabled])').wait_for()
        self.page.wait_for_timeout(3000)
        self.shot("ask", 1000)

    def watch(self) -> None:
        """Look at a run as it goes, and at another that is done, beside it."""
        self.key("start").click()
        self.page.locator(".now-phase", has_text="Final card").wait_for()
        self.page.wait_for_timeout(6_000)
        self.shot("watch")
        self.key("to-choose").wait_for()
        self.step("Ask")
        self.key("validate").uncheck()
        self.page.locator("#validate-cv").wait_for(state="detached")
        self.page.locator('[data-key="start"]:not([disabled])').click()
        self.page.locator("article.card").wait_for()
        self.key("to-choose").wait_for()
        self.shot("proven")

    def choose(self) -> None:
        """Sizes, the pool and favourites."""
        self.step("Choose")
        self.key("max-size").fill("6")
        self.key("limit").fill("150")
        self.key("start-frontier").click()
        self.key("again").wait_for()
        self.page.locator("article.card").wait_for()
        self.shot("choose")
        self.page.locator('[data-key^="star-"]').first.click()
        self.page.get_by_role("tab", name="Almost as good").click()
        self.key("start-pool").click()
        self.key("pool-again").wait_for()
        self.page.locator(".pool .star").nth(2).click()
        self.shot("pool", 1000)
        self.page.get_by_role("tab", name="Favourites").click()
        self.page.get_by_role("heading", name="Where they disagree").wait_for()
        self.shot("favourites")

    def edit_and_take(self) -> None:
        """One edit with a reason, another in hand, and the files."""
        self.step("Watch")
        self.page.locator(".tile", has_text="Card 1").click()
        self.key("to-edit").click()
        self.key("points-0-more").click()
        self.key("reason").fill("counts more at the bedside")
        self.key("keep").click()
        self.page.locator(".past li").wait_for()
        self.key("points-1-more").click()
        self.page.locator(".pending").wait_for()
        self.shot("edit", 1000)
        self.key("discard").click()
        self.step("Watch")
        self.key("to-take").click()
        self.page.locator(".files").first.wait_for()
        self.shot("take", 1000)


def beside(folder: Path, name: str, *parts: str) -> None:
    """Put pictures side by side, and remove them."""
    paths = [folder / f"studio-{part}.png" for part in parts]
    pictures = [Image.open(path).convert("RGB") for path in paths]
    tall = max(picture.height for picture in pictures)
    whole = Image.new("RGB", (sum(p.width for p in pictures) + 24 * (len(pictures) - 1), tall), "white")
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width + 24
    smaller(whole).save(folder / f"studio-{name}.png", optimize=True)
    for path in paths:
        path.unlink()


def main(folder: Path = FOLDER) -> None:
    """Take all pictures."""
    folders = tempfile.TemporaryDirectory()
    with folders as own, studio(Path(own) / "studio") as address, sync_playwright() as run:
        browser = run.chromium.launch(executable_path=BROWSER, args=FLAGS)
        context = browser.new_context(viewport={"width": WIDTH, "height": 900})
        walk = Walk(context.new_page(), folder)
        walk.page.goto(address)
        walk.table_and_ask()
        walk.watch()
        walk.choose()
        walk.edit_and_take()
        for name, scheme in (("phone-light", "light"), ("phone-dark", "dark")):
            small = browser.new_context(viewport={"width": PHONE, "height": 844}, color_scheme=scheme)
            phone = Walk(small.new_page(), folder)
            phone.page.goto(address)
            phone.step("Watch")
            phone.page.locator(".tile", has_text="Card 1").click()
            phone.page.locator("article.card").wait_for()
            phone.shot(f"{name}-1", 844)
            phone.step("Edit")
            phone.key("points-0").wait_for()
            phone.shot(f"{name}-2", 844)
        beside(folder, "phone", *(f"phone-{scheme}-{k}" for k in (1, 2) for scheme in ("light", "dark")))
        browser.close()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
