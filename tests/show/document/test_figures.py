"""Pictures inside a document: identifiers apart, words for who cannot see them, names as they stand."""

import re
import xml.etree.ElementTree as ET

import pytest

from cards import HOSTILE
from supersparse.show.document.evaluation_plots import Shares
from supersparse.show.document.figures import picture_svg
from supersparse.table.plain import visible

pytest.importorskip("matplotlib")


def shares(*labels):
    n = len(labels)
    return Shares(labels=labels, shares=(0.5,) * n, marked=(True,) * n, axis="share")


def test_the_picture_is_xml_with_its_words_and_identifiers_of_its_own():
    texts = [picture_svg(shares("a", "<b>"), alt='"quoted" <b> & more', number=number) for number in (1, 2)]
    first, second = (ET.fromstring(text) for text in texts)
    assert (first.get("role"), first.get("aria-label")) == ("img", '"quoted" <b> & more')
    ids = [{e.get("id") for e in root.iter() if e.get("id")} for root in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", texts[0])) <= ids[0]
    assert "<metadata" not in texts[0]
    assert "<b>" in "".join(first.itertext())


def test_the_same_picture_is_the_same_text():
    once, twice = (picture_svg(shares("a"), alt="x", number=1) for _ in range(2))
    assert once == twice


def test_a_picture_is_as_high_as_it_has_labels():
    boxes = [
        [float(end) for end in ET.fromstring(picture_svg(shares(*"abc"[:n]), alt="x", number=1)).get("viewBox").split()]
        for n in (1, 3)
    ]
    (_, _, width, low), (_, _, same, high) = boxes
    assert width == same == pytest.approx(6.2 * 72)  # inches, in points
    assert high > low


def test_hostile_labels_are_drawn_and_long_ones_cut():
    drawn = picture_svg(shares(*(visible(t) or '""' for t in HOSTILE)), alt="x", number=1)
    ET.fromstring(drawn)
    assert "$x_1$" in drawn
    assert "\u2026" in drawn
