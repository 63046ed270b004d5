"""A PDF is the printed page: a browser on this machine prints it, as a person would."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from supersparse.base.errors import PackageNotInstalledError, SupersparseError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_SECONDS = 120  # that a browser may take for a page
REMEDY = "install Chromium, Chrome or Edge, or open the .html file and print it"


@cache
def browser() -> str | None:
    """The browser that prints, or None: Chromium, Chrome or Edge."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    return found or next((path for path in _ELSEWHERE if Path(path).exists()), None)


def printed_pdf(page: str) -> bytes:
    """Return a page of HTML as a PDF file; size and margins of the paper are those of its style."""
    program = browser()
    if program is None:
        raise PackageNotInstalledError("a PDF is printed by a browser, and none was found", REMEDY)
    with TemporaryDirectory(prefix="supersparse-") as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            program, "--headless", *as_root, "--disable-gpu", "--no-first-run", "--disable-background-networking",
            f"--user-data-dir={Path(folder, 'profile')}", "--no-pdf-header-footer", f"--print-to-pdf={target}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise SupersparseError(f"{program} did not print the page within {_SECONDS} s", REMEDY) from error
        if done.returncode or not target.exists():
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason given"]
            raise SupersparseError(f"{program} could not print the page: {last[0]}", REMEDY)
        return target.read_bytes()
