"""The studio's texts: in one file for page and server, each asked for, none left over, none elsewhere."""

import ast
import json
import re
from pathlib import Path

import pytest

STUDIO = Path(__file__).parents[3] / "src" / "supersparse" / "show" / "studio"
STATIC = STUDIO / "static"
MODULES = sorted(STATIC.glob("*.js"))
PYTHON = sorted(STUDIO.glob("*.py"))
# Codes of two words that the page translates, and that are no texts: widgets, kinds, roles, why a run ended
CODES = {
    "by question", "by column", "odd cells", "perhaps missing", "blank target", "rare class", "left out",
    "left out: ", "proven optimal", "read as missing", "supersparse studio", "at most", "at least",
}  # fmt: skip


def known_keys():
    texts = json.loads((STATIC / "texts.json").read_text(encoding="utf-8"))
    return {f"{group}.{name}" for group, entries in texts.items() for name in entries}


def asked_keys():
    """Keys in quotes, and patterns of those that are put together; a ternary asks for both."""
    plain, patterns = {"language.code"}, set()
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        plain |= set(re.findall(r'"([a-z]+\.[a-z_]+)"', text))
        patterns |= {
            re.sub(r"\$\{.*?\}+", r"\\w+", one) for one in re.findall(r"\b(?:t|find)\([^`\"]*`([a-z]+\..*?)`", text)
        }
    plain |= set(re.findall(r"\{(\w+\.\w+)\}", (STATIC / "index.html").read_text(encoding="utf-8")))
    for path in PYTHON:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(call, "func", None), "id", None)
            if name in ASKING:
                group, place = ASKING[name]
                asked = called_keys(call.args[place])
                plain |= {group + key for key in asked if "\\" not in key}
                patterns |= {group + key for key in asked if "\\" in key}
    return plain | {f"remedies.{name}" for name in ("checkpoint", "solver_options")}, patterns


ASKING = {
    "text": ("", 0),
    "_label": ("", 0),
    "said": ("noticed.", 0),
    "refused": ("refused.", 1),
    "wrong": ("remedies.", 2),
}


def called_keys(node):
    """The keys, or a pattern of them, of an argument."""
    if isinstance(node, ast.Constant):
        return {node.value}
    if isinstance(node, ast.IfExp):
        return called_keys(node.body) | called_keys(node.orelse)
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else r"\w+" for part in node.values)
        return {"".join(parts)}
    return set()


def test_every_text_that_is_asked_for_exists():
    known, (plain, patterns) = known_keys(), asked_keys()
    assert len(known) > 500
    groups = {key.split(".")[0] for key in known}
    missing = {key for key in plain if key.split(".")[0] in groups and key not in known}
    assert missing <= {"card.zip"}  # the name of a file
    for pattern in patterns:
        assert any(re.fullmatch(pattern, key) for key in known), pattern


def test_no_text_is_left_over():
    known, (plain, patterns) = known_keys(), asked_keys()
    patterns -= {"refused.\\w+", "remedies.\\w+"}  # the functions that are called with each of them
    assert [k for k in sorted(known - plain) if not any(re.fullmatch(p, k) for p in patterns)] == []


def strings(tree):
    """The strings of a module, without docstrings and what only programmers see."""
    hidden = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            hidden.add(id(body[0].value))
        if isinstance(node, ast.Raise) and getattr(getattr(node.exc, "func", None), "id", "") == "ValueError":
            hidden |= {id(part) for part in ast.walk(node)}
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.AST):
                hidden |= {id(part) for part in ast.walk(annotation)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_the_server_has_no_words_of_its_own(path):
    # help texts of settings and messages of the library come through; everything else is in texts.json
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = [
        (line, text)
        for line, text in strings(tree)
        if re.search(r"[A-Za-z]{2,},? [a-z]{2,}", text)
        and text not in CODES
        and not re.search(r"-src '|\^export|supersparse-check table", text)
    ]
    assert said == []


@pytest.mark.parametrize("path", [*MODULES, STATIC / "index.html"], ids=lambda path: path.name)
def test_the_page_has_no_words_of_its_own(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    code = [re.sub(r"//.*|/\*.*?\*/", "", line) for line in lines]
    said = [
        (number, found)
        for number, line in enumerate(code, start=1)
        for found in re.findall(r"[\"'`>]([A-Z][a-z]+ [a-z]+[^\"'`<]*)[\"'`<]", line)
    ]
    assert said == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_put_text_into_the_page_as_text_only(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(inner|outer|Adjacent)HTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
