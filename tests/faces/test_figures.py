"""Pictures inside a document: identifiers apart, words for who cannot see them, names as they stand."""

import re
import xml.etree.ElementTree as ET

import pytest

from cards import HOSTILE
from supersparse.data.plain import visible
from supersparse.faces.document import Placed, Sheet, document_pdf, picture_height, picture_svg, room_around
from supersparse.faces.drawing import Drawing, Text
from supersparse.faces.plots import Shares

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


def test_hostile_labels_are_drawn_and_long_ones_cut():
    drawn = picture_svg(shares(*(visible(t) or '""' for t in HOSTILE)), alt="x", number=1)
    ET.fromstring(drawn)
    assert "$x_1$" in drawn
    assert "\u2026" in drawn
    assert room_around(shares("a" * 500))[0] < 200


def test_a_document_has_its_pages_and_pictures():
    picture = shares("a", "b")
    page = Drawing(width=300, height=400, title="t", parts=(Text(x=10, y=20, text="words", size=9),))
    placed = Placed(picture=picture, x=10, y=40, width=250, height=picture_height(picture))
    sheets = [Sheet(drawing=page), Sheet(drawing=page, pictures=(placed,))]
    pdf = document_pdf(sheets, "t")
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 2
    assert pdf == document_pdf(sheets, "t")
