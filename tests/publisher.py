"""A publisher on this machine: files over HTTP, with the faults that downloads meet."""

import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Publisher:
    """Its files by path, its faults, and the Range headers it was sent (None where there was none)."""

    files: dict
    break_after: list = field(default_factory=list)  # bytes sent before each of the first answers breaks off
    knows_ranges: bool = True
    redirect_to: str | None = None
    ranges: list = field(default_factory=list)
    address: str = ""


@contextmanager
def publishing(files, **faults):
    publisher = Publisher(files, **faults)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            publisher.ranges.append(asked)
            if publisher.redirect_to:
                self.send_response(302)
                self.send_header("Location", publisher.redirect_to)
                self.end_headers()
                return
            content = publisher.files.get(self.path.removeprefix("/"))
            if content is None:
                self.send_error(404)
                return
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and publisher.knows_ranges else 0
            if asked and start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            stop = start + publisher.break_after.pop(0) if publisher.break_after else len(content)
            self.wfile.write(content[start:stop])

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        publisher.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield publisher
        finally:
            server.shutdown()
            thread.join()
