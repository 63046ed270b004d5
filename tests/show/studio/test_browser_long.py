"""The studio in a real browser, at length: keyboard only, two browsers, a killed server, a large file."""

import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from messy import us_export
from studio_page import Visitor, clinic, servers

server = pytest.fixture(servers)
STEPS = ("Table", "Ask", "Watch", "Choose", "Edit", "Take away")


class Typist:
    """Someone without a mouse: Tab until the control has the focus, then keys."""

    def __init__(self, visitor):
        self.visitor, self.page = visitor, visitor.page

    def reach(self, key, most=200):
        self.visitor.key(key).wait_for()
        for _ in range(most):
            here = self.page.evaluate("document.activeElement && document.activeElement.dataset.key")
            if here == key:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{key} cannot be reached by Tab")

    def press(self, key, *strokes):
        self.reach(key)
        for stroke in strokes:
            self.page.keyboard.press(stroke)


def hard_table(path, rows=400):
    """Write a table whose best card cannot be proven soon: many columns that say little."""
    chance = random.Random(5)
    names = [f"x{k}" for k in range(14)]
    lines = [",".join([*names, "outcome"])]
    for _ in range(rows):
        values = [chance.randint(0, 30) for _ in names]
        yes = chance.random() < 0.3 + 0.4 * (sum(values[:6]) > 90)
        lines.append(",".join([*map(str, values), "yes" if yes else "no"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def learn(visitor, table, target="outcome", goal="errors"):
    visitor.add(table)
    visitor.key("target").select_option(target)
    visitor.ready()
    visitor.step("Ask")
    visitor.key(f"goal-{goal}").check()
    visitor.without_folds()
    visitor.start()


def test_the_whole_way_by_keyboard_alone_ends_with_a_certificate(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page, typist = visitor.page, Typist(visitor)
    table = clinic(tmp_path / "clinic.csv", hostile=False)
    with page.expect_file_chooser() as chooser:  # the dialog of the browser itself is out of reach
        typist.press("choose-file", "Enter")
    chooser.value.set_files(table)
    typist.press("target", "o")  # outcome
    typist.press("positive-sick", "Space")
    visitor.ready()

    # a cut point by arrow keys; its questions follow
    age = page.get_by_role("article", name="age")
    before = int(age.get_by_role("slider").first.get_attribute("aria-valuenow"))
    typist.press("cut-age-0", "ArrowRight", "ArrowRight")
    age.get_by_text(f"{before + 2} ").first.wait_for()
    visitor.ready()
    typist.press("onward", "Enter")

    typist.press("goal-risk", "ArrowLeft")  # to goal errors, within one group
    typist.press("validate", "Space")
    page.locator("#validate-cv").wait_for(state="detached")
    typist.reach("field-max_features")
    page.keyboard.type("3")
    typist.press("start", "Enter")
    visitor.key("to-edit").wait_for()
    typist.press("to-edit", "Enter")

    # an edit with a reason, undone and done again
    typist.press("points-0-more", "Enter")
    typist.reach("reason")
    page.keyboard.type("easier to say")
    page.keyboard.press("Enter")
    page.get_by_text("easier to say").wait_for()
    typist.press("undo", "Enter")
    page.locator(".past .undone").wait_for()
    typist.press("step-watch", "Enter")
    typist.press("to-take", "Enter")

    typist.press("make-certificate.gz", "Enter")
    visitor.key("get-certificate.gz").wait_for()
    for name in ("table-as-read.csv", "card.json", "certificate.gz"):
        with page.expect_download() as download:
            typist.press(f"get-{name}", "Enter")
        download.value.save_as(tmp_path / name)
    checker = Path(__file__).parents[3] / "checker" / "supersparse_check.py"
    names = [tmp_path / name for name in ("table-as-read.csv", "card.json", "certificate.gz")]
    checked = subprocess.run([sys.executable, checker, *names], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with page.expect_download() as download:
        typist.press("get-sheet.pdf", "Enter")
    with open(download.value.path(), "rb") as file:
        assert file.read(4) == b"%PDF"
    visitor.close()
    assert not visitor.troubles


def test_a_cut_point_is_dragged_and_can_be_suggested_again(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page = visitor.page
    visitor.add(clinic(tmp_path / "clinic.csv", hostile=False))
    visitor.key("target").select_option("outcome")
    visitor.ready()
    age = page.get_by_role("article", name="age")
    suggested = visitor.key("cuts-1").input_value()
    handle = age.get_by_role("slider").last
    grip, start = handle.locator("circle"), int(handle.get_attribute("aria-valuenow"))
    box = grip.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 5, steps=5)
    page.mouse.up()
    visitor.key("suggest-1").wait_for()
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(age.get_by_role("slider").last).not_to_have_attribute("aria-valuenow", str(start))
    moved = int(age.get_by_role("slider").last.get_attribute("aria-valuenow"))
    assert moved > start
    age.get_by_text(f"{moved} or older").first.wait_for()
    visitor.key("suggest-1").click()
    visitor.key("suggest-1").wait_for(state="detached")
    expect(visitor.key("cuts-1")).to_have_value(suggested)
    visitor.key("cuts-1").fill("40, sixty")
    visitor.key("cuts-1").press("Enter")
    assert "“sixty” is not a number" in page.get_by_role("alert").first.inner_text()
    visitor.close()
    assert not visitor.troubles


def test_two_browsers_see_the_same_runs(browser, server, tmp_path):
    first, second = Visitor(browser, server.address), Visitor(browser, server.address)
    learn(first, clinic(tmp_path / "clinic.csv", hostile=False))
    second.step("Watch")
    second.page.locator("article.card").wait_for()  # found without a reload
    first.key("to-take").wait_for()
    second.key("to-take").wait_for()
    assert second.page.locator("article.card").inner_text() == first.page.locator("article.card").inner_text()
    for visitor in (first, second):
        visitor.step("Edit")
        visitor.key("points-0").wait_for()
    first.key("points-0-more").click()
    first.key("keep").click()
    second.page.locator(".past li").wait_for()  # the other's edit arrives
    for visitor in (first, second):
        visitor.close()
        assert not visitor.troubles


def test_a_killed_server_goes_on_from_its_checkpoint(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page = visitor.page
    learn(visitor, hard_table(tmp_path / "hard.csv"))
    page.locator("p.verdict").get_by_text("A better card could exist").wait_for()
    card = page.locator("article.card .lines").inner_text()
    server.end(signal.SIGKILL)
    page.get_by_text("The studio does not answer.").wait_for()
    server.start()
    later = Visitor(browser, server.address)
    later.step("Watch")
    later.page.locator("article.card .lines").wait_for()
    assert card.count("\n") > 1
    later.page.locator(".run-head .badge.live").wait_for()
    later.key("stop").click()
    later.key("to-take").wait_for()
    assert later.page.get_by_text("Not proven: a better card could exist").first.is_visible()
    assert later.key("continue").is_visible()
    later.key("continue").click()
    later.key("stop").wait_for()
    later.key("cancel").click()
    later.key("delete").wait_for()
    visitor.close()
    later.close()
    assert not later.troubles


def test_wishes_that_cannot_hold_together_are_named(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page = visitor.page
    visitor.add(clinic(tmp_path / "clinic.csv", hostile=False))
    visitor.key("target").select_option("outcome")
    visitor.ready()
    visitor.step("Ask")
    visitor.key("goal-errors").check()
    for kind in ("min_sensitivity", "min_specificity"):
        visitor.key("new-wish").select_option(kind)
        visitor.key("add-wish").click()
        page.locator(f'[data-key$="-{kind}"]').fill("100")
        page.locator(f'[data-key$="-{kind}"]').press("Tab")
    page.locator('[data-key="conflict"]:not([disabled])').click()
    page.locator(".conflict li").first.wait_for()
    assert page.locator(".conflict li").count() == 2
    assert page.locator(".wish.wrong").count() == 2
    page.get_by_role("button", name="Drop the constraint").first.click()
    page.locator(".wish").nth(1).wait_for(state="detached")
    page.locator('[data-key="conflict"]:not([disabled])').click()
    page.locator(".good").wait_for()
    visitor.close()
    assert not visitor.troubles


def test_cards_are_chosen_compared_edited_and_repaired(browser, server, tmp_path):
    visitor = Visitor(browser, server.address)
    page = visitor.page
    table = us_export(tmp_path / "us.csv", 120)
    visitor.add(table)
    visitor.key("target").select_option("Readmitted")
    page.get_by_role("button", name="Missing", exact=True).click()
    visitor.ready()
    visitor.step("Ask")
    visitor.key("goal-errors").check()
    visitor.without_folds()
    visitor.key("field-max_features").fill("3")
    visitor.key("field-max_features").press("Tab")
    page.locator("summary", has_text="Directions").click()
    raises = page.locator('[data-key^="direction-raises-"]').first
    raises.click()
    page.locator("summary", has_text="Directions").get_by_text("1 decided").wait_for()
    assert raises.get_attribute("aria-pressed") == "true"
    visitor.key("start").and_(page.locator(":enabled")).wait_for()
    page.get_by_text("As a settings file").click()
    page.locator("pre", has_text="direction:").wait_for()
    visitor.start()
    visitor.key("to-choose").click()
    visitor.key("max-size").fill("3")
    visitor.key("limit").fill("40")
    visitor.key("limit").press("Tab")
    visitor.key("start-frontier").click()
    visitor.key("again").wait_for()
    point = page.get_by_role("radio", name=re.compile("^2 questions"))
    point.click()
    point.press("ArrowRight")
    assert page.get_by_role("radio", checked=True).get_attribute("aria-label").startswith("3 questions")
    page.locator('[data-key^="star-"]').first.click()
    page.get_by_role("tab", name="Almost as good").click()
    visitor.key("within").fill("10")
    visitor.key("limit").fill("20")
    visitor.key("limit").press("Tab")
    visitor.key("start-pool").click()
    visitor.key("pool-again").wait_for()
    page.locator(".pool-card").first.wait_for()
    everything = page.locator(".pool-card").count()
    assert everything > 1
    page.locator(".pool .star").nth(1).click()
    without = visitor.key("without").locator("option").nth(1)
    name, words = without.get_attribute("value"), without.inner_text().rpartition(" (in")[0]
    visitor.key("without").select_option(index=1)
    visitor.key(f"with-{name}").wait_for()
    page.locator(".pool-card, .pool-list [role=status]").first.wait_for()
    assert words
    assert words not in " ".join(page.locator(".pool-points").all_inner_texts())
    page.get_by_role("tab", name="Favourites").click()
    page.get_by_role("heading", name="Where they disagree").wait_for()
    other = Visitor(browser, server.address)  # favourites are the studio's, not the browser's
    other.step("Choose")
    other.page.get_by_role("tab", name="Favourites 2").click()
    other.page.get_by_role("heading", name="Where they disagree").wait_for()
    other.page.locator('[data-key^="star-"]').first.click()
    page.get_by_role("tab", name="Favourites 1").wait_for()
    other.close()
    assert not other.troubles
    page.locator('[data-key^="edit-"]').first.click()
    visitor.key("drop-0").wait_for()
    assert ">=" not in page.locator(".edit-lines").inner_text()  # the words of the card
    visitor.key("drop-0").click()
    page.locator(".pending").wait_for()
    visitor.key("reason").fill("too costly")
    visitor.key("keep").click()
    page.get_by_text("too costly").wait_for()
    visitor.key("repair").click()
    visitor.key("to-take").wait_for()
    visitor.close()
    assert not visitor.troubles


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (1280, "dark"), (1920, "light")], ids=["phone", "dark", "projector"]
)
def test_every_step_is_without_barriers_and_fits(browser, server, tmp_path, width, scheme):
    visitor = Visitor(browser, server.address, width=width, scheme=scheme)
    assert not visitor.barriers()
    for step in STEPS[1:]:  # empty states
        visitor.step(step)
        assert visitor.fits(), step
        assert not visitor.barriers(), step
    visitor.step("Table")
    learn(visitor, clinic(tmp_path / "clinic.csv"), goal="risk")
    visitor.key("to-take").wait_for()
    for step in STEPS:
        visitor.step(step)
        visitor.page.locator("main .panel, main .card:not(.skeleton)").first.wait_for()
        visitor.page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert visitor.fits(), step
        assert not visitor.barriers(), step
    visitor.step("Edit")
    visitor.key("points-0-1-more").click()
    visitor.page.locator(".pending").wait_for()
    assert visitor.fits()
    assert not visitor.barriers()
    visitor.close()
    assert not visitor.troubles


@pytest.mark.long
def test_fifty_megabytes_do_not_freeze_the_page(browser, server, tmp_path):
    chance = random.Random(1)
    rows = [f"{chance.random()},{chance.random()},{k % 90},{k % 3},{k % 2}\n" for k in range(4000)]
    with (tmp_path / "large.csv").open("w", encoding="ascii") as file:
        file.write("a,b,c,d,outcome\n")
        for _ in range(300):
            file.writelines(rows)
    assert (tmp_path / "large.csv").stat().st_size > 50e6
    visitor = Visitor(browser, server.address)
    page = visitor.page
    page.evaluate(
        """() => { window.longest = 0; let last = performance.now();
           const beat = () => { const now = performance.now();
             window.longest = Math.max(window.longest, now - last); last = now; setTimeout(beat, 20); };
           beat(); }"""
    )
    page.locator("#file").set_input_files(tmp_path / "large.csv")
    page.get_by_text("Uploading large.csv").or_(page.get_by_text("Reading large.csv")).first.wait_for()
    page.locator(".column h3").first.wait_for(timeout=300_000)
    assert page.evaluate("window.longest") < 5000  # milliseconds between two beats of the page
    visitor.close()
    assert not visitor.troubles


NOTEBOOK = """<!DOCTYPE html><meta charset="utf-8"><div id="cell"></div><script type="module">
import widget from "/joined.js";
const heard = [];
const tell = (content) => heard.forEach((call) => call(content, []));
const model = {
  on: (name, call) => heard.push(call),
  send: async ({ kind, id, method, path, body }, callbacks, buffers) => {
    if (kind === "subscribe") {
      const stream = new EventSource("/api/events");
      for (const name of ["run", "progress", "card", "table"])
        stream.addEventListener(name, (e) => tell({ kind: "event", id, event: { event: name, data: JSON.parse(e.data) } }));
    }
    if (kind !== "request") return;
    const file = buffers && buffers.length;
    const answer = await fetch(path, { method, body: file ? buffers[0] : body === null ? undefined : JSON.stringify(body),
      headers: body === null && !file ? {} : { "Content-Type": file ? "application/octet-stream" : "application/json" } });
    const text = await answer.text();
    tell({ kind: "response", id, status: answer.status, body: text ? JSON.parse(text) : null, type: "application/json" });
  },
};
widget.render({ model, el: document.getElementById("cell") });
</script>"""  # noqa: E501


def test_the_joined_module_works_as_a_widget(browser, server, tmp_path):
    from supersparse.show.studio.notebook import joined_module

    visitor = Visitor(browser, server.address)
    page = visitor.page
    page.route("**/notebook", lambda r: r.fulfill(body=NOTEBOOK, content_type="text/html"))
    page.route("**/joined.js", lambda r: r.fulfill(body=joined_module(), content_type="text/javascript"))
    page.goto(f"{server.address.split('/#')[0]}/notebook")
    page.get_by_role("heading", name="Start with a table").wait_for()
    learn(visitor, clinic(tmp_path / "clinic.csv"))
    visitor.key("to-take").wait_for()
    assert page.get_by_text("Proven: no other card with these settings is better.").is_visible()
    assert page.url.endswith("/notebook")  # the notebook's address stays its own
    visitor.close()
    assert not visitor.troubles
