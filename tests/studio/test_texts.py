"""The page's texts: every one that is asked for exists, none is left over, and modules can be joined."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "src" / "supersparse" / "studio" / "static"
MODULES = sorted(path for path in STATIC.glob("*.js") if path.name != "texts.js")


def known_keys():
    text = (STATIC / "texts.js").read_text(encoding="utf-8")
    found, group = set(), None
    for line in text.splitlines():
        if opened := re.match(r"^  (\w+): \{$", line):
            group = opened[1]
        elif group and (entry := re.match(r"^    (\w+): ", line)):
            found.add(f"{group}.{entry[1]}")
        elif line == "};":
            break
    return found


def asked_keys():
    """Keys in quotes, and patterns of those that are put together; a ternary asks for both."""
    plain, patterns = set(), set()
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        plain |= set(re.findall(r'"([a-z]+\.[a-z_]+)"', text))
        patterns |= {
            re.sub(r"\$\{.*?\}+", r"\\w+", one) for one in re.findall(r"\bt\([^`\"]*`([a-z]+\..*?)`", text)
        }
    return plain, patterns


def test_every_text_that_the_page_asks_for_exists():
    known, (plain, patterns) = known_keys(), asked_keys()
    assert len(known) > 300
    groups = {key.split(".")[0] for key in known}
    missing = {key for key in plain if key.split(".")[0] in groups and key not in known}
    assert missing <= {"card.zip"}  # the name of a file
    for pattern in patterns:
        assert any(re.fullmatch(pattern, key) for key in known), pattern


def test_no_text_is_left_over():
    known, (plain, patterns) = known_keys(), asked_keys()
    assert [k for k in sorted(known - plain) if not any(re.fullmatch(p, k) for p in patterns)] == []


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_modules_put_text_into_the_page_as_text_only(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(inner|outer|Adjacent)HTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
