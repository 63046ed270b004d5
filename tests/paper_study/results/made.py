"""Records made by hand: a study whose answers are known."""

from study.records import InSet, Proof, Record, Wrong
from study.setting import Setting


def record(dataset, method, split, errors, size, setting=None, *, rows=100, F=None, in_set=None):
    """A fit with so many wrong test rows of a hundred; `in_set` are errors and size, b 0 or free."""
    wrong = Wrong(negative=errors, positive=0, negatives=rows - 10, positives=10)
    proof = None
    if F is not None:
        proof = Proof(
            objective=F, lower_bound=F, gap=0.0, proven=True, nodes=1, stop="OPTIMAL",
            coefficients=(("a", 1),), intercept=-1, training_errors=errors, history=(),
        )  # fmt: skip
    rounded = None
    if in_set is not None:
        rounded = InSet(
            errors=in_set[0], features=in_set[1], paper_features=in_set[1], paper_errors=in_set[0],
            paper_errors_without_b=in_set[0],
        )  # fmt: skip
    return Record(
        dataset=dataset, fingerprint="x", method=method, split=split, setting=setting or Setting(), seed=0,
        train=wrong, test=wrong, size=size, size_with_intercept=size + 1, seconds=1.0, proof=proof,
        in_set=rounded,
    )  # fmt: skip


def fits(dataset, method, errors, sizes, setting=None, **more):
    """One record a fold."""
    return [
        record(dataset, method, f"{k}/{len(errors)}", e, s, setting, **more)
        for k, (e, s) in enumerate(zip(errors, sizes, strict=True), start=1)
    ]
