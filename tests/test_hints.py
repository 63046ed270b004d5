"""Hints in messages work while the package itself is on no index."""

import re
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "supersparse"


def test_hints_name_packages_that_can_be_installed():
    hints = 0
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"supersparse\[", text), f"{path} names an extra of this package"
        hints += len(re.findall(r"pip install [a-z{]", text))
    assert hints >= 10
