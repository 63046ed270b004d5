"""Files of risk proofs with one number changed: refused, or of the same claim. This needs the standard library alone.

`risk_attacks.py` counts what comes of it.
"""

import importlib.util
import json
import random
import re
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location(
    "supersparse_check", Path(__file__).parents[3] / "checker" / "supersparse_check.py"
)
CHECK = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(CHECK)
NAMES = ("data.csv", "card.json", "proof.json")


def says(*files):
    """What the checker prints; "" if it refuses."""
    try:
        return CHECK.check(*files)
    except Exception:
        return ""


def other(draw, text, start, end):
    """A text with one number changed, in a digit or in its type."""
    places = list(re.finditer(r"-?\d+(?:\.\d+)?", text[start:end]))
    found = draw.choice(places)
    a, b = start + found.start(), start + found.end()
    old = text[a:b]
    k = draw.randrange(len(old))
    digit = str((int(old[k]) + draw.randint(1, 9)) % 10) if old[k].isdigit() else ""
    new = draw.choice(
        [old[:k] + digit + old[k + 1 :], old[:k] + digit + old[k + 1 :], old + ".0", "true", f'"{old}"', "null"]
    )
    return text[:a] + new + text[b:]


def valued(content):
    """The same content with texts of numbers as numbers: "0.0" is "0"."""
    if isinstance(content, dict):
        return {key: valued(value) for key, value in content.items()}
    if isinstance(content, list):
        return [valued(value) for value in content]
    try:
        return Fraction(content)
    except (TypeError, ValueError):
        return content


def claimed(answer):
    """What is claimed; true and 1.0 are the class 1, and digits of the slope that no objective feels are left out."""
    plain = re.sub(r"\b([01])\.0\b", r"\1", answer.replace("True", "1").replace("False", "0").replace("'", ""))
    lines = plain.splitlines()
    objective = round(float(re.search(r"below ([\d.]+)", lines[0])[1]), 7)
    return [
        objective,
        *(line for line in lines[1:] if "the risk of a total" not in line and "proof sha256" not in line),
    ]


def changes(files, seed, trials):
    """Change table, card or proof; whatever is accepted says the same, or, without digests, what it says instead.

    Return how many were refused, and how many say the same.
    """
    draw = random.Random(seed)
    whole = says(*files)
    assert whole.startswith("PROVEN")
    texts = [file.read_text() for file in files]
    unnamed = json.loads(texts[1])
    del unnamed["provenance"]["certificate"]
    tree = texts[2].index('"tree"')
    kept = claimed(whole)
    tally = [0, 0]
    for _ in range(trials):
        which = draw.choice([0, 1, 1, 2, 2, 2])
        now = list(texts)
        is_named = draw.random() < 0.3
        if not is_named:
            now[1] = json.dumps(unnamed)
        ends = draw.choice([(0, tree), (tree, len(texts[2]))]) if which == 2 else (0, len(now[which]))
        before = now[which]
        now[which] = other(draw, before, *ends)
        if which == 2 and draw.random() < 0.1:
            lines = before.split("\n")
            del lines[draw.randrange(1, len(lines) - 1)]
            now[2] = "\n".join(lines)
        for file, text in zip(files, now, strict=True):
            file.write_text(text)
        answer = says(*files)
        tally[bool(answer)] += 1
        if not answer:
            continue
        lines = claimed(answer)
        if which < 2 or ends[0]:
            assert lines == kept, (before, now[which])
        else:
            assert lines != kept or valued(json.loads(before)) == valued(json.loads(now[2]))
        assert not (is_named and which == 2)
    return tally


def changes_of(folder, seed, trials):
    """Change copies of the files in a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        return changes([Path(shutil.copy(folder / name, scratch)) for name in NAMES], seed, trials)


def tampered(pool, folder, count):
    """Change the files in each folder below a folder, about `count` times in all: a tally."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    trials = -(-count // (16 * len(folders)))
    runs = [pool.submit(changes_of, path, str((path.name, k)), trials) for k in range(16) for path in folders]
    refused, same = (sum(of_one) for of_one in zip(*(run.result() for run in runs), strict=True))
    return {"changed files refused": refused, "changed files that say the same": same}
