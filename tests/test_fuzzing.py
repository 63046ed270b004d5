"""Every reader, fed with mutations of good files: an error of ours or a meaning, never another exception."""

import json
import random
import warnings

import pytest

from supersparse import Problem, ScoringSystem, solve
from supersparse.card.file import from_json, to_json
from supersparse.data.files import read_table
from supersparse.errors import SupersparseError
from supersparse.settings.settings import read_settings
from supersparse.solving.exact import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS = """\
C0: 0.02
max_features: 5
max_points: 5
points: {age: [0, 1, 2]}
class_weight: {"yes": 2, "no": 1}
intercept: [-10, 10]
constraints:
  - min_sensitivity: 0.9
solve:
  time_limit: 5
  checkpoint: open.tree
"""
CSV = 'age,sex,"a, b",y\n' + '61,f,0.5,yes\n45,m,<0.01,no\n70,"f",1e3,yes\n-99,m,NA,no\n' * 3
WORDS = [
    b"",
    b"0",
    b"-1",
    b"1e309",
    b"9" * 30,
    b"null",
    b'"',
    b",",
    b"\n",
    b"\x00",
    b"\xff",
    b"[",
    b"{",
    b":",
]
WORDS += [b"1/0", b"~", b"!!python/object:os.system", b"&a", b"*a"]


def mutated(data, draw):
    """Change a file as disks, editors and people do."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at:at] = draw.choice(WORDS)
        elif kind == 2:
            del data[at : at + draw.randrange(1, 12)]
        elif kind == 3:
            data[at : at + 1] = draw.choice(WORDS)
        elif kind == 4:
            start = draw.randrange(len(data) + 1)
            data[at:at] = data[start : start + draw.randrange(1, 40)]
        else:
            del data[at:]
    return bytes(data)


def problem():
    X = [[0, 1, 3], [1, 0, 4], [1, 1, 5], [0, 0, 1], [1, 1, 0], [0, 1, 2], [1, 0, 3]]
    return Problem.of(X, ["no", "yes", "yes", "no", "yes", "no", "yes"], C0=0.01, max_points=3)


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """Each reader: a good file, and how to read one."""
    folder = tmp_path_factory.mktemp("fuzz")
    table, tree = folder / "table.csv", folder / "open tree"
    card = ScoringSystem.from_solution(solve(problem())).card
    unsigned = json.loads(to_json(card))
    del unsigned["digest"]
    solve(problem(), checkpoint=tree, node_limit=0)
    head, _, body = tree.read_bytes().partition(b"\n")
    name = head.decode().rpartition(" ")[0]

    def read_csv(data):
        table.write_bytes(data)
        read_table(table)

    def read_tree(data):
        import hashlib

        tree.write_bytes(f"{name} {hashlib.sha256(data).hexdigest()}\n".encode() + data)
        solve(problem(), checkpoint=tree, node_limit=0)

    def read_record(data):
        from study.record_file import from_line

        try:
            from_line(data.decode("utf-8", "replace"))
        except ValueError as error:  # what it promises; the file's reader makes an error of ours of it
            if type(error) is not ValueError and not isinstance(error, json.JSONDecodeError):
                raise

    record = b'{"kind":"Loaded","dataset":"a","fingerprint":"f","rows":3,"columns":2,"positives":1}'
    return {
        "card": (to_json(card).encode(), lambda data: from_json(data.decode("utf-8", "replace"))),
        "unsigned card": (
            json.dumps(unsigned).encode(),
            lambda data: str(ScoringSystem(from_json(data.decode("utf-8", "replace")))),
        ),
        "settings": (SETTINGS.encode(), lambda data: read_settings(data.decode("utf-8", "replace"))),
        "table": (CSV.encode(), read_csv),
        "checkpoint": (body, read_tree),
        "study record": (record, read_record),
    }


NAMES = ("card", "unsigned card", "settings", "table", "checkpoint", "study record")


def fuzz(good, read, count, seed):
    draw = random.Random(seed)
    refused = 0
    for _ in range(count):
        data = mutated(good, draw)
        try:
            read(data)
        except (SupersparseError, OSError):
            refused += 1
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {data!r}") from error
    return refused


@pytest.mark.parametrize("name", NAMES)
def test_mutations_are_refused_or_mean_something(readers, name):
    good, read = readers[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read(good)
        count = 60 if name in ("checkpoint", "settings") else 250
        fuzz(good, read, count, seed=len(name))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", NAMES)
def test_many_mutations(readers, name, seed):
    good, read = readers[name]
    fuzz(good, read, 2000 if name == "checkpoint" else 6000, seed)


def test_the_checkpoint_that_is_mutated_is_one(readers):
    assert checkpoint._FORMAT
    assert json.loads(readers["checkpoint"][0])["tasks"] != []
