"""Who may ask the studio, what a page may load, and how much it takes."""

import json

import pytest

from supersparse.show.studio.choices import read_plan
from supersparse.show.studio.folder import Folder
from supersparse.show.studio.texts import StudioError

TOKEN = "the token of these tests"


def code(response):
    return response.status_code, response.json()["error"]["code"]


def test_nothing_is_answered_without_the_token(open_page):
    page = open_page(session=False)
    for path in ("/api/about", "/api/tables", "/api/runs", "/api/events", "/api/nothing"):
        assert code(page.get(path)) == (401, "token")
    assert code(page.post("/api/runs", json={})) == (401, "token")
    assert code(page.post("/api/session", json={"token": "another"})) == (401, "token")
    assert code(page.post("/api/session", json=[])) == (401, "token")
    assert code(page.get("/api/session")) == (405, "method")
    assert page.get("/").status_code == 200  # the page itself holds no data


def test_the_cookie_is_not_the_token_and_no_script_or_site_can_read_it(open_page):
    page = open_page(session=False)
    cookie = page.post("/api/session", json={"token": TOKEN}).headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert page.get("/api/about").status_code == 200


def test_the_token_itself_serves_programs(open_page):
    page = open_page(session=False)
    assert page.get("/api/about", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert code(page.get("/api/about", headers={"authorization": "Bearer x"})) == (401, "token")


def test_another_host_is_refused(page):
    for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:80.evil", ""):
        for path in ("/", "/api/about", "/static/studio.js"):
            assert code(page.get(path, headers={"host": host})) == (403, "forbidden")


def test_another_origin_is_refused(page):
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert code(page.post("/api/tables/demo", json={}, headers={"origin": origin})) == (403, "forbidden")
        assert code(page.get("/api/about", headers={"origin": origin})) == (403, "forbidden")


def test_a_change_without_an_origin_is_refused(page):
    del page.http.headers["origin"]
    assert code(page.post("/api/tables/demo", json={})) == (403, "forbidden")
    assert page.get("/api/about").status_code == 200  # browsers send none when they only read


def test_every_answer_forbids_what_is_not_of_this_server(page):
    for path in ("/", "/static/studio.css", "/api/about", "/api/nothing", "/static/nothing"):
        headers = page.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


def test_only_files_of_the_page_are_sent(page):
    for name in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "nothing.js", "app.py", "", "a/b.js"):
        assert page.get(f"/static/{name}").status_code == 404


def test_an_id_that_the_server_did_not_make_leads_nowhere(page):
    for own in ("t999", "..", "../../etc", "t1/../t1", "%2e%2e%2f", "r1.best/../x", "t01", "t1%00"):
        for kind in ("tables", "runs", "cards", "edits"):
            assert page.get(f"/api/{kind}/{own}").status_code in (400, 404)


def test_no_client_name_becomes_a_path(tmp_path):
    folder = Folder(tmp_path / "studio")
    for own in ("t1/../../x", "../t1", "t1\n", "t0", "x1", "t1.json", "t" + "9" * 30):
        with pytest.raises(StudioError):
            folder.place(own)
    folder.close()


def test_a_folder_serves_one_studio_at_a_time(tmp_path):
    from supersparse.errors import InvalidOptionError

    first = Folder(tmp_path / "studio")
    with pytest.raises(InvalidOptionError, match="another studio"):
        Folder(tmp_path / "studio")
    first.close()
    Folder(tmp_path / "studio").close()


def test_a_file_that_is_too_large_leaves_nothing_behind(open_page, tmp_path):
    page = open_page(upload_bytes=1000)

    def chunks():
        for _ in range(20):
            yield b"x" * 100

    told = page.post("/api/tables?name=big.csv", content=b"x" * 2000)
    streamed = page.post("/api/tables?name=big.csv", content=chunks())
    for refused in (told, streamed):
        assert code(refused) == (413, "large")
        assert refused.json()["error"]["remedy"]
    assert page.get("/api/tables").json() == {"tables": []}
    assert list((tmp_path / "studio" / "tables").iterdir()) == []


def test_requests_are_json_of_bounded_size(open_page):
    page = open_page(json_bytes=100)
    assert code(page.post("/api/runs", content="{}", headers={"content-type": "text/plain"})) == (415, "type")
    assert code(page.post("/api/runs", json={"name": "x" * 200})) == (413, "large")
    for body in ("[1]", "{", "nul", '{"a": NaN}', "[" * 99):
        sent = page.post("/api/runs", content=body, headers={"content-type": "application/json"})
        assert code(sent) == (422, "input")


def test_the_number_of_tables_and_runs_is_bounded(open_page):
    page = open_page(tables=0, runs=0)
    error = page.post("/api/tables?name=a.csv", content=b"a,b\n1,2\n").json()["error"]
    assert (error["code"], error["thing"], error["remedy"]) == ("busy", "tables", "remove one first")


def test_options_that_name_files_are_refused():
    for name, value in (("checkpoint", "/etc/passwd"), ("solver_options", {"log_file": "/tmp/x"})):
        with pytest.raises(StudioError, match=name):
            read_plan({"settings": {"solve": {name: value}}})


def test_errors_name_the_thing_the_value_and_the_remedy(page):
    missing = page.get("/api/runs/r7").json()["error"]
    assert (missing["thing"], missing["value"]) == ("run", "r7")
    assert missing["remedy"]
    wrong = page.post("/api/runs", json={"kind": "magic"}).json()["error"]
    assert (wrong["thing"], wrong["value"]) == ("kind", "magic")
    assert "frontier" in wrong["remedy"]
    assert code(page.delete("/api/about")) == (405, "method")
    json.dumps(wrong)
