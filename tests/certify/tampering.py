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

from certify.certificates import checker, random_problem, written

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
    """Whether the third party's checker accepts a certificate."""
    plain = proof.with_suffix(".plain")
    plain.write_bytes(gzip.decompress(proof.read_bytes()))
    done = subprocess.run([program, plain], capture_output=True, text=True, errors="replace", timeout=60)
    return done.returncode == 0 and "Successfully verified optimal value range" in done.stdout


def tamper(folder, seed, trials, *, named):
    """Change table, card or proof at random; return the changes that our checker accepts, and all of a proof.

    Changes are (which, before, after), with 0 for the table, 1 for the card and 2 for the proof.
    """
    rng = random.Random(seed)
    data, card, proof = written(folder, *random_problem(seed), named=named)
    check = checker().check
    assert check(data, card, proof).startswith("PROVEN")  # what follows would mean nothing otherwise
    whole = proof.read_bytes()
    texts = data.read_text(), card.read_text(), gzip.decompress(whole).decode()
    accepted, changed = [], []
    for _ in range(trials):
        now = list(texts)
        which = rng.choice([0, 1, 2, 2, 2])
        now[which] = (changed_table, changed_card, changed_proof)[which](rng, texts[which])
        data.write_text(now[0])
        card.write_text(now[1])
        proof.write_bytes(whole if which < 2 else gzip.compress(now[2].encode(), 1))
        changed.append((which, texts[which], now[which]))
        if not refused(check, data, card, proof):
            accepted.append(changed[-1])
    return accepted, changed


def tampered(folder: Path, trials: int, viprchk: Path | None) -> dict[str, object]:
    """Count what both checkers say of changed files; viprchk reads certificates alone, which name no digest.

    A changed certificate that viprchk accepts still proves its own claim: a weaker line that suffices, or
    another program. Ours refuses it all the same, by its digest, and compares the program with the table.
    """
    counts: Counter[str] = Counter()
    kinds = ("table", "card", "certificate")
    for seed in range(-(-trials // TRIALS_A_PROBLEM)):
        accepted, changed = tamper(folder, seed, TRIALS_A_PROBLEM, named=True)
        counts.update(f"changed: {kinds[which]}" for which, _, _ in changed)
        counts["refused by supersparse-check"] += len(changed) - len(accepted)
        proof = folder / "changed.vipr.gz"
        for _, _, after in (one for one in changed if one[0] == 2 and viprchk is not None):
            proof.write_bytes(gzip.compress(after.encode(), 1))
            said = "accepted" if accepted_by_viprchk(viprchk, proof) else "refused"
            counts[f"certificates {said} by viprchk"] += 1
    return dict(sorted(counts.items()))
