"""The compiled core's own functions, its versions of the loops, and its door."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from engine.questions.probes import softplus_and_log
from supersparse.engine import core


def test_softplus_and_log_keep_the_margin_that_the_bounds_allow_for_against_forty_digits():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.uniform(1e-9, 2, 120), 10 ** rng.uniform(-5, 2, 120)])
    softplus, log = softplus_and_log(values)
    with localcontext() as context:
        context.prec = 40
        for value, soft, logarithm in zip(values.tolist(), softplus.tolist(), log.tolist(), strict=True):
            exact = Decimal(value).ln()
            assert abs(Decimal(logarithm) - exact) <= Decimal("3e-16") * abs(exact)
            exact = (1 + Decimal(value).exp()).ln()
            assert abs(Decimal(soft) - exact) <= Decimal("4e-16") + Decimal("1e-16") * exact


def test_all_versions_of_the_loops_give_the_same_bits():
    rng = np.random.default_rng(2)
    values = rng.uniform(1e-9, 30, 256)
    kept, seen = core.loops(), []
    for name in ("baseline", "avx2", "avx512"):
        try:
            core.choose_loops(name)
        except ValueError:
            continue
        assert core.loops() == name
        seen.append(softplus_and_log(values)[0].tobytes())
    core.choose_loops("best")
    assert core.loops() == kept
    assert seen
    assert set(seen) == {seen[0]}


def test_an_array_of_another_type_shape_or_order_is_refused_before_the_core_sees_it():
    good = np.zeros((4, 6))
    core.pointer(good, np.float64, (4, 6))
    for bad in (good.astype(np.float32), good[:, ::2], good.T, np.asfortranarray(good)):
        with pytest.raises(TypeError, match="contiguous array of float64"):
            core.pointer(bad, np.float64, (4, 6))


def test_a_core_that_is_missing_is_one_clear_line_with_the_remedy(monkeypatch):
    monkeypatch.setattr(core, "__file__", "/nowhere/core.py")
    monkeypatch.delenv("SUPERSPARSE_CORE", raising=False)
    core.library.cache_clear()
    try:
        with pytest.raises(ImportError, match=r"compiled core could not be loaded .*run `make`"):
            core.library()
    finally:
        core.library.cache_clear()


def test_an_error_of_the_core_names_what_is_wrong():
    with pytest.raises(ValueError, match="does not run that version of the loops"):
        core.choose_loops("fastest")
