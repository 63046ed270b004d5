"""The README as built: its links and pictures are absolute, since the page of a package index has no repository."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<to>[^)\s]+)\)")


def absolute(text, source, version):
    """The text with every relative link as one to this version in the repository."""

    def link(found):
        to = found["to"]
        if not re.match(r"[a-z]+:|#", to):
            base = source.replace("github.com", "raw.githubusercontent.com") if found["picture"] else f"{source}/blob"
            to = f"{base}/v{version}/{to}"
        return f"{found['picture']}[{found['text']}]({to})"

    return _LINK.sub(link, text)


def dynamic_metadata(field, settings=None, project=None):
    """What scikit-build-core asks for."""
    source = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/supersparse/_version.py").read_text(encoding="utf-8"))[1]
    text = absolute((ROOT / "README.md").read_text(encoding="utf-8"), source, version)
    return {"content-type": "text/markdown", "text": text}
