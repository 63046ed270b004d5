"""The ONNX model, run in onnxruntime, agrees with the card."""

import math

import numpy as np
import pytest

from card.export.people import as_typed, check, drawn, reference
from supersparse import ScoringSystem, item
from supersparse.errors import UnsupportedCardError

pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from supersparse.card.export.onnx import to_onnx  # noqa: E402


def run(card, texts, group):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(to_onnx(card), options, providers=["CPUExecutionProvider"])
    feed = {}
    for name in card.columns:
        values = [p[name] for p in group]
        if name in texts:
            feed[name] = np.array([[v or ""] for v in values], dtype=object)
        else:
            feed[name] = np.array([[math.nan if v is None else v] for v in values], dtype=np.float64)
    names = [output.name for output in session.get_outputs()]
    assert names == ["total", "positive", "label", *(["risk"] if card.risk is not None else [])]
    return [out.ravel().tolist() for out in session.run(names, feed)]


def test_onnxruntime_agrees_with_the_card():
    for card, texts, group in drawn():
        for person, total, positive, label, *risk in zip(group, *run(card, texts, group), strict=True):
            expected = reference(as_typed(card), person)
            if expected is None:
                assert all(map(math.isnan, [total, *risk])), person
                assert (positive, label) == (-1, "")
            else:
                assert positive == card.cutoff.includes(expected)
                check(as_typed(card), person, total, label, *risk)


def test_a_tie_of_decimals_is_a_tie():
    # 0.1 + 0.2 > 0.3 in floating point
    card = ScoringSystem.of([item("x", points=1), item("y", points=1)], above=0.3).card
    total, positive, _ = run(card, (), [{"x": 0.1, "y": 0.2}])
    assert (total, positive) == ([0.3], [0])


def test_a_column_of_text_and_numbers_is_refused():
    card = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], above=0).card
    with pytest.raises(UnsupportedCardError, match="'grade'"):
        to_onnx(card)
    with pytest.raises(UnsupportedCardError, match="'total'"):
        to_onnx(ScoringSystem.of([item("total", points=1)], above=0).card)
