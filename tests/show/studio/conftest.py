"""A studio for tests: the real server in a thread, with a client, and a table as a worker sees it."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

TOKEN = "the token of these tests"


class Page:
    """A client that behaves as a page of the studio does."""

    def __init__(self, http, address):
        self.http, self.address = http, address

    def __getattr__(self, name):
        return getattr(self.http, name)

    def until(self, path, ready, seconds=600.0):
        """Ask until an answer is ready."""
        ends = time.monotonic() + seconds
        while True:
            found = self.http.get(path).json()
            if ready(found):
                return found
            assert time.monotonic() < ends, found
            time.sleep(0.1)

    def table(self, own):
        """Wait until a table has been read."""
        return self.until(f"/api/tables/{own}", lambda table: table["state"] != "reading")

    def ended(self, own, seconds=600.0):
        """Wait until a run has ended."""
        busy = ("queued", "starting", "running", "stopping")
        return self.until(f"/api/runs/{own}", lambda run: run["state"] not in busy, seconds)


class _Server:
    """The studio's application behind uvicorn, in a thread."""

    def __init__(self, folder, limits):
        import uvicorn

        from supersparse.show.studio.app import make_app
        from supersparse.show.studio.folder import Limits
        from supersparse.show.studio.server import Guard, bound_socket, local_hosts
        from supersparse.show.studio.studio import Studio

        self.socket = bound_socket(0)
        port = self.socket.getsockname()[1]
        self.studio = Studio(folder, Limits(**limits), ahead=False)
        app = Guard(make_app(self.studio), TOKEN, local_hosts(port))
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan="on")
        self.server = uvicorn.Server(config)
        self.address = f"http://127.0.0.1:{port}"
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.01)

    def _run(self):
        asyncio.run(self.server.serve(sockets=[self.socket]))

    def close(self):
        self.studio.hub.close()
        self.server.should_exit = True
        self.thread.join(20.0)
        self.socket.close()


@pytest.fixture
def open_page(tmp_path):
    """Return a function that opens a studio and a page of it; both are closed at the end of the test."""
    httpx = pytest.importorskip("httpx", reason="the client of these tests needs httpx")
    pytest.importorskip("uvicorn", reason="the studio needs uvicorn")
    opened = []

    def open_it(folder="studio", session=True, **limits):
        server = _Server(tmp_path / folder, limits)
        http = httpx.Client(base_url=server.address, headers={"origin": server.address}, timeout=600)
        opened.append((http, server))
        if session:
            assert http.post("/api/session", json={"token": TOKEN}).status_code == 204
        return Page(http, server.address)

    yield open_it
    for http, server in opened:
        http.close()
        server.close()


@pytest.fixture
def page_at():
    """Return a function that opens a page of a server that runs somewhere."""
    httpx = pytest.importorskip("httpx", reason="the client of these tests needs httpx")
    opened = []

    def open_it(address, token):
        http = httpx.Client(base_url=address, headers={"origin": address}, timeout=600)
        opened.append(http)
        assert http.post("/api/session", json={"token": token}).status_code == 204
        return Page(http, address)

    yield open_it
    for http in opened:
        http.close()


@pytest.fixture
def page(open_page):
    """A page with a session."""
    return open_page()


@pytest.fixture(scope="session")
def biopsies(tmp_path_factory) -> Path:
    """The bundled biopsies as a file."""
    from supersparse.datasets import load_breast_cancer

    path = tmp_path_factory.mktemp("biopsies") / "biopsies.csv"
    load_breast_cancer().columns.write_csv(path)
    return path
