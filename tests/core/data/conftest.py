"""A server on this machine alone, which stands for those of the data sets' makers."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base's name)
        return


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the loopback address that serves it."""
    folder = tmp_path / "served"
    folder.mkdir()
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{http.server_address[1]}/"
    http.shutdown()
    http.server_close()
    thread.join()
