"""The ONNX model, run in onnxruntime, agrees with the card."""

import math

import numpy as np
import pytest

from export.people import drawn, reference
from supersparse import ScoringSystem, item
from supersparse.errors import UnsupportedCardError

pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from supersparse.export.onnx import to_onnx  # noqa: E402


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
    return [out.ravel().tolist() for out in session.run(["score", "positive", "label"], feed)]


def test_onnxruntime_agrees_with_the_card():
    for card, texts, group in drawn():
        check(card, texts, group)


def check(card, texts, group):
    for person, score, positive, label in zip(group, *run(card, texts, group), strict=True):
        expected = reference(card, person)
        if expected is None:
            assert math.isnan(score), person
            assert (positive, label) == (-1, "")
        else:
            assert score == pytest.approx(float(expected), rel=1e-12, abs=1e-12), person
            assert positive == (expected > 0)
            assert label == str(card.positive if expected > 0 else card.negative)


def test_a_tie_of_decimals_is_a_tie():
    # 0.1 + 0.2 > 0.3 in floating point
    card = ScoringSystem.of([item("x", points=1), item("y", points=1)], threshold=0.3).card
    score, positive, _ = run(card, (), [{"x": 0.1, "y": 0.2}])
    assert (score, positive) == ([0.0], [0])


def test_a_column_of_text_and_numbers_is_refused():
    card = ScoringSystem.of([item("grade", one_of=["II", 3], points=1)], threshold=0).card
    with pytest.raises(UnsupportedCardError, match="'grade'"):
        to_onnx(card)
    with pytest.raises(UnsupportedCardError, match="'score'"):
        to_onnx(ScoringSystem.of([item("score", points=1)], threshold=0).card)
