"""The bounds for errors beside the tree of `pair_covers.py`, and how much of the time each gets.

A bound begins when the tree has worked for `after`, if it applies, and then does `part` units of work for each of the
tree's: four parts are about half of the time, since a model's search and the reports take theirs.
"""

from collections.abc import Sequence

from supersparse.engine.exact.cuts import Cuts
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.exact.ratios import RatioProof
from supersparse.engine.integer_form import IntegerForm
from supersparse.engine.proving.bounds import Bound, Share

SHARES = {
    "partition": Share(after=3_000_000_000, part=4),  # ten seconds or so
    "ratios": Share(after=150_000_000, part=4),  # about a second
}


def bounds_of(form: IntegerForm, cases: Sequence[Instance], cuts: Cuts, threads: int) -> list[Bound]:
    """All of them, in the order in which they take their turns."""
    return [PartitionProof(form), RatioProof(cases, cuts, threads)]
