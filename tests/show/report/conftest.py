"""Fixtures of the report's tests."""

import pytest

from supersparse.errors import PackageNotInstalledError
from supersparse.show.document import figures


@pytest.fixture
def without_matplotlib(monkeypatch):
    """As on a machine without it: words stand in the places of the pictures."""

    def lacking():
        raise PackageNotInstalledError("matplotlib is not installed")

    monkeypatch.setattr(figures, "font_names", lacking)
