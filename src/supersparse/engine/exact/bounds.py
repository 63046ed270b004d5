"""The bounds for errors that join the tree of `pair_covers.py`, and how much of the time each gets.

A bound that applies begins when the tree has worked for `after`, and then does `part` units of work for each of the
tree's: four parts are about half of the time, since the search for models takes some as well.
"""

from collections.abc import Sequence
from typing import NamedTuple

from supersparse.engine.exact.cuts import Judge
from supersparse.engine.exact.instance import Instance
from supersparse.engine.exact.partition.partition import PartitionProof
from supersparse.engine.exact.ratios import RatioProof
from supersparse.engine.integer_form import IntegerForm
from supersparse.engine.proving.bounds import Share


class About(NamedTuple):
    """The parts of a problem that a bound for errors is made from."""

    form: IntegerForm
    cases: Sequence[Instance]  # one for each case of the intercept
    cuts: Judge
    threads: int


SHARES = {  # in the order in which they take their turns
    "partition": Share(
        make=lambda about: PartitionProof(about.form),
        after=3_000_000_000,  # ten seconds or so
        part=4,
    ),
    "ratios": Share(
        make=lambda about: RatioProof(about.cases, about.cuts, about.threads),
        after=150_000_000,  # about a second
        part=4,
    ),
}
