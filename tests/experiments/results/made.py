"""Records made by hand: a study whose answers are known."""

from supersparse.experiments.records import Proof, Record, Wrong
from supersparse.experiments.setting import Setting


def record(dataset, method, split, errors, size, setting=None, *, rows=100, F=None, in_set=None):
    """A fit with so many wrong test rows of a hundred."""
    wrong = Wrong(negative=errors, positive=0, negatives=rows - 10, positives=10)
    proof = None
    if F is not None:
        proof = Proof(
            objective=F, lower_bound=F, gap=0.0, proven=True, nodes=1, stop="OPTIMAL",
            coefficients=(("a", 1),), intercept=-1, training_errors=errors, history=(),
        )  # fmt: skip
    errors_in_set, size_in_set = in_set or (None, None)
    return Record(
        dataset=dataset, fingerprint="x", method=method, split=split, setting=setting or Setting(), seed=0,
        train=wrong, test=wrong, size=size, size_with_intercept=size + 1, seconds=1.0, proof=proof,
        in_set_errors=errors_in_set, in_set_size=size_in_set,
    )  # fmt: skip


def fits(dataset, method, errors, sizes, setting=None, **more):
    """One record a fold."""
    return [
        record(dataset, method, f"{k}/{len(errors)}", e, s, setting, **more)
        for k, (e, s) in enumerate(zip(errors, sizes, strict=True), start=1)
    ]
