"""Figures for docs/trust: what a command tried, when, and with which version."""

import json
import platform
from datetime import UTC, datetime
from pathlib import Path

import supersparse

FOLDER = Path(__file__).parents[2] / "docs" / "trust"


def record(name: str, command: str, figures: dict[str, object]) -> Path:
    """Write the figures of a run to docs/trust."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    content = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "version": supersparse.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "figures": figures,
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path
