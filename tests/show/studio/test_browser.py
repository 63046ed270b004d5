"""A newcomer walks through the studio in a real browser, with a hostile table, from a file to a card."""

import pytest

from studio_page import IMAGE, SCRIPT, Visitor, clinic, servers
from supersparse import ScoringSystem

server = pytest.fixture(scope="module")(servers)


def test_a_newcomer_goes_from_a_messy_hostile_table_to_a_card(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page = visitor.page
    assert "token" not in page.url  # the key does not stay in the address bar
    visitor.add(clinic(tmp_path / f"patients {SCRIPT.replace('/', '')}.csv"))

    # what was noticed, the target, and every name as text
    visitor.key("target").select_option("outcome")
    page.get_by_label("sick").check()
    visitor.ready()
    assert page.get_by_text("-99").first.is_visible()
    assert "identifier" in page.get_by_role("article", name="record_no").inner_text()
    assert page.get_by_role("heading", level=3, name=f"note {SCRIPT}").is_visible()
    assert page.get_by_text(IMAGE).first.is_visible()
    assert page.locator("main img, main script").count() == 0
    assert not visitor.barriers()
    visitor.key("onward").click()

    visitor.without_folds()
    visitor.start()
    visitor.key("to-take").wait_for()
    assert page.get_by_text("Proven: of all cards that ask at most").is_visible()
    assert "or older" in page.locator("article.card").inner_text()
    assert not visitor.barriers()
    visitor.key("to-take").click()

    page.locator(".files").first.wait_for()
    with page.expect_download() as download:
        visitor.key("get-card.json").click()
    download.value.save_as(tmp_path / "card.json")
    card = ScoringSystem.load(tmp_path / "card.json")
    others = {"sex": "f", f"note {SCRIPT}": "calm"}
    assert [card.predict({"age": age, **others}) for age in (30, 70)] == ["well", "sick"]
    with page.expect_download() as download:
        visitor.key("get-settings.yaml").click()
    assert download.value.suggested_filename.endswith("settings.yaml")
    visitor.close()

    # a page opened later, on a phone, finds the run and fits
    phone = Visitor(browser, server.address, width=390, height=800)
    for step in ("Table", "Ask", "Watch", "Choose", "Edit", "Take away"):
        phone.step(step)
        phone.page.locator("main .panel, main .card").first.wait_for()
        assert phone.fits(), step
    phone.step("Watch")
    assert "or older" in phone.page.locator("article.card").inner_text()
    phone.close()
    assert visitor.troubles == phone.troubles == []
