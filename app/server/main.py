"""The server: Streamlit's app with our routes beside it.

`streamlit run app/server/main.py`, `python -m app.server.main` and `layerloom` all serve the
same workbench.
"""

import os
import socket
import sys
import threading
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from streamlit import file_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.starlette import starlette_server

from app import wing
from app.process import low_latency, pool
from app.server.access import Access, address_with_token
from app.server.api import ask, canvas, drop, fonts, project, runs, sample
from app.server.base_path import BasePath, base_path
from app.server.first_page import FirstPage
from app.server.middleware import SecurityHeaders, ShortPaths, WithoutDialogs
from app.server.origin import SameOrigin
from app.services import tensorboard

HERE = Path(__file__).resolve().parents[1]
# Otherwise the first visit after a start takes app/pages/ for Streamlit's own kind of pages and
# runs a file of it in place of streamlit_app.py; st.navigation would switch that off one run later.
PagesManager.uses_pages_directory = False


def _own_file(*parts: str) -> str:
    return str(HERE / ".streamlit" / Path(*parts))


# Otherwise .streamlit/config.toml of the folder that somebody works in, which may be a stranger's,
# decides what our own leaves open: certificates, the level of the log, whose headers are trusted.
file_util.get_project_streamlit_file_path = _own_file
# Otherwise uvicorn takes whose request it is from its headers: see app.process.peer.
os.environ["FORWARDED_ALLOW_IPS"] = ""


def _warm_up() -> None:
    """Start the workers, then import what the first wire that is drawn needs."""
    pool.warm_up()
    import_module("networkx")


@asynccontextmanager
async def _lifespan(_: st.App) -> AsyncIterator[None]:
    """Start the workers beside the server and end them with it."""
    low_latency.tidy.start()
    low_latency.send_at_once()
    _say_where()
    threading.Thread(target=_warm_up, daemon=True).start()
    yield
    tensorboard.close()
    pool.close()


def _say_where() -> None:
    """Print the address with the token, unless whoever started the server does so."""
    if not st.get_option("logger.hideWelcomeMessage"):
        number = str(st.get_option("server.address") or "127.0.0.1")
        number = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(number, number)
        host = f"[{number}]" if ":" in number else number
        address = f"http://{host}:{st.get_option('server.port')}{base_path()}"
        sys.stderr.write(f"Layerloom is open at {address_with_token(address)}\n")


OF_WINGS = [route for _, part in wing.parts("routes") for route in part.ROUTES]
OURS = (runs, ask, canvas, drop, project, sample, fonts)
ROUTES = [*(route for part in OURS for route in part.ROUTES), *OF_WINGS]
LAYERS = [
    Middleware(SecurityHeaders),
    Middleware(SameOrigin),
    Middleware(Access),
    Middleware(ShortPaths),
    Middleware(BasePath),
    Middleware(WithoutDialogs),
    Middleware(FirstPage),
]
app = st.App(HERE / "streamlit_app.py", lifespan=_lifespan, routes=ROUTES, middleware=LAYERS)


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings under dotted names, as Streamlit's options are called."""
    options: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        options.update(_flat(value, f"{name}.") if isinstance(value, Mapping) else {name: value})
    return options


def serve(
    file: Path | None = None,
    port: int = 8501,
    runs_dir: Path | None = None,
    quiet: bool = False,
    base_path: str = "",
    hosts: Sequence[str] = (),
    line: socket.socket | None = None,
) -> None:
    """Serve the workbench until stopped, on `file` or the start page.

    quiet: the caller says where it is, so that Streamlit need not name an address, too. base_path:
    of the address that a proxy gives the workbench. hosts: names it may be called by besides this
    machine's own. line: listens at the port already, so that nobody else came between.
    """
    if file is not None:
        os.environ["LAYERLOOM_OPEN"] = str(Path(file).resolve())
    if runs_dir is not None:
        os.environ["LAYERLOOM_RUNS"] = str(Path(runs_dir).resolve())
    options = _flat(tomllib.loads((HERE / ".streamlit" / "config.toml").read_text("utf-8")))
    sys.argv = [str(HERE / "main.py")]  # Streamlit looks for static/ beside this
    options["server.allowedHosts"] = [*options["server.allowedHosts"], *hosts]
    more = {"server.port": port, "server.baseUrlPath": base_path}
    if line is not None:
        _serve_at(line)
    app.run(config={**options, **more, "logger.hideWelcomeMessage": quiet})


def _serve_at(line: socket.socket) -> None:
    """Have Streamlit serve at this socket, for which it has no public way. Raises RuntimeError."""
    if not hasattr(starlette_server, "_bind_socket"):
        raise RuntimeError(
            f"Streamlit {st.__version__} binds its port by another function than _bind_socket: "
            "app.server.main must give it the socket in another way."
        )
    starlette_server._bind_socket = lambda *_: line
    line.setblocking(False)


if __name__ == "__main__":
    serve()
