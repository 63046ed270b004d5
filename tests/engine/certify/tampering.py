"""Changes of certificate, card or table, and whether the checkers refuse them.

Files name each other by sha256, as those of the command line do, unless `named` is false. What a change may
touch without changing the meaning is left alone: the name of a line and the number that says until when it is
needed, spaces, and the order of fields in the card.
"""

import gzip
import json
import random
import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from engine.certify.certificates import checker, random_problem, written
from supersparse.engine.certify.checking import check_by_viprchk
from supersparse.errors import VerificationError

TRIALS_A_PROBLEM = 40


def changed_proof(rng, text):
    """The proof with one number, word or line changed, below the question at its top."""
    lines = text.split("\n")
    while True:
        at = rng.randrange(3, len(lines) - 1)
        words = lines[at].split(" ")
        kind = rng.choice(["number", "number", "number", "drop", "swap", "cut"])
        if kind == "drop":
            return "\n".join(lines[:at] + lines[at + 1 :])
        if kind == "cut":
            return "\n".join(lines[:at]) + "\n"
        if kind == "swap" and at + 2 < len(lines):
            other = rng.randrange(3, len(lines) - 1)
            if lines[other] != lines[at]:
                lines[at], lines[other] = lines[other], lines[at]
                return "\n".join(lines)
        # the name and the last number of a line (until when it is needed) are for the reader's convenience
        places = [k for k in range(1, len(words) - 1) if words[k].lstrip("-").replace("/", "").isdigit()]
        if kind == "number" and places:
            k = rng.choice(places)
            words[k] = str(int(words[k].split("/")[0]) + rng.choice([-2, -1, 1, 2]))
            lines[at] = " ".join(words)
            return "\n".join(lines)


def changed_card(rng, content):
    card = json.loads(content)
    if card["items"] and rng.random() < 0.7:
        rng.choice(card["items"])["points"] = rng.choice([17, -17, "2.5"])
    else:
        name = rng.choice(["training_errors", "n_rows", "size", "total_weight"])
        card["provenance"][name] = str(Fraction(card["provenance"][name]) + 1)
    return json.dumps(card)


def changed_table(rng, text):
    header, *rows = text.splitlines()
    at = rng.randrange(len(rows))
    cells = rows[at].split(",")
    cells[0] = "1" if cells[0] == "0" else "0"
    rows[at] = ",".join(cells)
    return "\n".join([header, *(rows[:at] + rows[at + 1 :] if rng.random() < 0.5 else rows)]) + "\n"


def refused(check, data, card, proof):
    """Whether our checker refuses three files."""
    try:
        check(data, card, proof)
    except Exception:
        return True
    return False


def accepted_by_viprchk(program, proof):
    """Whether the third party's checker accepts a certificate by itself."""
    plain = proof.with_suffix(".plain")
    plain.write_bytes(gzip.decompress(proof.read_bytes()))
    done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace", timeout=60)
    return done.returncode == 0 and "Successfully verified optimal value range" in done.stdout


def refused_by_viprchk(program, data, card, proof):
    """Why the third party's checker refuses three files, as `certify --viprchk` runs it; None if not."""
    try:
        check_by_viprchk(program, data, card, proof)
    except VerificationError as why:
        return str(why)
    return None


class Change(NamedTuple):
    """One changed file among three, and what the checkers said of them."""

    which: int  # 0 for the table, 1 for the card, 2 for the proof
    before: str
    after: str
    refused: bool  # by our checker
    refused_by_viprchk: str | None  # why; "" if it was not asked


def tamper(folder, seed, trials, *, named, viprchk=None):
    """Change table, card or proof at random; return all changes, with what the checkers said."""
    rng = random.Random(seed)
    data, card, proof = written(folder, *random_problem(seed), named=named)
    check = checker().check
    assert check(data, card, proof).startswith("PROVEN")  # what follows would mean nothing otherwise
    if viprchk is not None:
        assert refused_by_viprchk(viprchk, data, card, proof) is None
    whole = proof.read_bytes()
    texts = data.read_text(), card.read_text(), gzip.decompress(whole).decode()
    changes = []
    for _ in range(trials):
        now = list(texts)
        which = rng.choice([0, 1, 2, 2, 2])
        now[which] = (changed_table, changed_card, changed_proof)[which](rng, texts[which])
        data.write_text(now[0])
        card.write_text(now[1])
        proof.write_bytes(whole if which < 2 else gzip.compress(now[2].encode(), 1))
        third = "" if viprchk is None else refused_by_viprchk(viprchk, data, card, proof)
        changes.append(Change(which, texts[which], now[which], refused(check, data, card, proof), third))
    return changes


def tampered(folder: Path, trials: int, viprchk: Path | None) -> dict[str, object]:
    """Count what both checkers say of changed files.

    With digests all are refused. Without them, as someone would forge who also writes new digests, the counts
    say who finds it: the comparison with table and card, or viprchk, which checks the lines. What is left
    is a certificate of the same claim: a weaker line that still suffices, or a row of weight 0.
    """
    counts: Counter[str] = Counter()
    kinds = ("table", "card", "certificate")
    for seed in range(-(-trials // TRIALS_A_PROBLEM)):
        for change in tamper(folder, seed, TRIALS_A_PROBLEM, named=True, viprchk=viprchk):
            counts[f"changed: {kinds[change.which]}"] += 1
            counts["refused by supersparse-check"] += change.refused
            if viprchk is not None:
                counts["refused by viprchk, given table and card"] += change.refused_by_viprchk is not None
        if viprchk is None:
            continue
        for change in tamper(folder, seed, TRIALS_A_PROBLEM, named=False, viprchk=viprchk):
            why = change.refused_by_viprchk
            if why is None:
                found = "by nobody: the same claim is still proven"
            else:
                found = "in the lines, by viprchk" if why.startswith("viprchk") else "in the claim"
            counts[f"without digests, found {found}"] += 1
    return dict(sorted(counts.items()))
