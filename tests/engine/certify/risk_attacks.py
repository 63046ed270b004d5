"""Attacks on risk proofs, counted for docs/trust: small problems whose every card is tried, bent proofs, changed files.

    python tests/engine/certify/risk_attacks.py [--problems 1000] [--changes 100000] [--jobs 2] [--store]

Of each small problem brute force knows the best card: its proof must be accepted, and no proof, bent or not, of a card
that is not best. A file in which one number has another digit or another type must be refused, or say the same.
Entropies and losses are compared with 120 digits. The first failure ends the run.
"""

import argparse
import collections
import datetime
import json
import platform
import random
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from engine.certify.risk_problems import CHECK, cheated
from engine.certify.risk_tampering import tampered
from engine.certify.test_risk_proofs import exact_entropy, excess_of_loss, table
from supersparse import constraints
from supersparse._version import __version__

OUT = Path(__file__).parents[3] / "docs" / "trust" / "risk-attacks.json"
KINDS = [
    {},
    {"change_price": 0.001},
    {"points": [0, 1, 3], "class_weight": "balanced"},
    {"min_questions": 2, "max_questions": 2, "constraints": [constraints.must_use("x2")]},
    {"shape": "free"},
    {"not_known": ["x0"], "C0": 0.001},
    {"constraints": [constraints.at_most(1, of=["x0", "x1"])]},
    {"equal_steps": True, "max_points": 6},
]
EXACT = Context(prec=120)


def problems(seed, count):
    """Small problems, and bent proofs of false claims about them."""
    found = sum((cheated((*seed, k), 20) for k in range(count)), collections.Counter())
    return collections.Counter({
        "small problems whose best card was proven": found["proven"],
        "small problems without a best slope": found["no attained optimum"],
        "proofs of false claims": found["true trees of false claims"],
        "bent proofs of false claims": found["bent trees of false claims"],
    })  # fmt: skip


def write_files(folder):
    """Table, card and proof of a small problem of every kind, with and without weights."""
    for seed in range(2 * len(KINDS)):
        (place := folder / f"t{seed:02}").mkdir()
        settings = {"max_questions": 1 if seed % 4 else 2, **KINDS[seed % len(KINDS)]}
        if "points" not in settings:
            settings.setdefault("max_points", 3)
        rows = 20 + seed
        weights = [1 + (k % 3 if seed >= len(KINDS) else 0) for k in range(rows)]
        table(place, seed, n_rows=rows, sample_weight=weights, **settings)


def logarithms(seed):
    """Entropies are never above those in 120 digits, losses never below."""
    draw = random.Random(seed)
    for _ in range(500):
        n = draw.randint(2, 2 ** draw.randint(2, 100))
        k = draw.choice([1, n - 1, draw.randint(1, n - 1)])
        true = EXACT.multiply(exact_entropy(k, n, EXACT), Decimal(CHECK.UNIT))
        assert all(Decimal(CHECK.entropies([(k, n, 1)], grid)) <= true for grid in (2**7, 2**11, 2**15)), (k, n)
        assert Decimal(CHECK.entropy(k, n)) <= true, (k, n)
        score = Fraction(draw.uniform(-1, 1) * 10 ** draw.randint(-9, 5))
        assert excess_of_loss(score, EXACT) >= 0, score
    return collections.Counter({"logarithms compared with 120 digits": 1000})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--logarithms", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, nargs="?", const=OUT, default=None)
    asked = parser.parse_args()
    tally = collections.Counter()
    with ProcessPoolExecutor(asked.jobs) as pool, tempfile.TemporaryDirectory() as folder:
        work = [pool.submit(problems, (asked.seed, k), 10) for k in range(asked.problems // 10)]
        work += [pool.submit(logarithms, asked.seed * 1000 + k) for k in range(asked.logarithms // 1000)]
        if asked.changes:
            write_files(Path(folder))
            tally += collections.Counter(tampered(pool, Path(folder), asked.changes))
        for one in as_completed(work):
            tally += one.result()
    figures = {"wrong": 0, **dict(sorted(tally.items())), "seed": asked.seed}
    print(json.dumps(figures, indent=1))
    if asked.store:
        command = "python tests/engine/certify/risk_attacks.py"
        command += f" --problems {asked.problems} --changes {asked.changes} --seed {asked.seed} --store"
        about = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "version": __version__}
        about |= {"python": platform.python_version(), "machine": platform.machine()}
        content = {"command": command, **about, "figures": figures}
        asked.store.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
