"""Serving the studio on this machine: an address with a token, and a browser that opens it."""

import asyncio
import socket
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from supersparse.base.errors import InvalidOptionError
from supersparse.show.studio.app import make_app
from supersparse.show.studio.folder import Limits
from supersparse.show.studio.requests import Guard, local_hosts, new_token
from supersparse.show.studio.studio import Studio
from supersparse.show.studio.texts import text

HOST = "127.0.0.1"  # never another: nothing leaves this machine


def serve(
    folder: Path,
    *,
    port: int = 0,
    table: Path | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
    limits: Limits | None = None,
) -> None:
    """Serve the studio until Ctrl-C; port 0 takes any that is free."""
    with _listening(port) as listening:
        asyncio.run(_serve(folder, listening, table, browser=browser, say=say, limits=limits))


def _listening(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise InvalidOptionError(text("serving.no_port", port=port, why=error.strerror)) from None
    return made


async def _serve(
    folder: Path,
    listening: socket.socket,
    table: Path | None,
    *,
    browser: bool,
    say: Callable[[str], None],
    limits: Limits | None,
) -> None:
    port = listening.getsockname()[1]
    token = new_token()
    studio = Studio(folder, limits)
    app = Guard(make_app(studio), token, local_hosts(port))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=2,
            lifespan="on",
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started:
        if table is not None:
            studio.opened = {"table": (await studio.tables.add_file(table))["id"]}
        address = f"http://{HOST}:{port}/#token={token}"
        say(text("serving.open", address=address))
        say(text("serving.kept", folder=studio.folder.root))
        if browser:
            await asyncio.to_thread(webbrowser.open, address)
        watching = asyncio.create_task(_ending(server, studio))
        await serving
        watching.cancel()
    await serving


async def _ending(server: uvicorn.Server, studio: Studio) -> None:
    """End the event streams as soon as the server is asked to stop, so that it need not wait for them."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    studio.hub.close()
