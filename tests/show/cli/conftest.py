import pytest

from show.cli.tiny import ROWS


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path
