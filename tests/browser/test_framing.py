"""A page of another site cannot show the workbench in a frame, nor speak under another name."""

import threading
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Another site on this machine, with the files of the test's folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_no_other_page_can_frame_the_workbench(
    browser: Browser, server: Any, site: str, tmp_path: Path
):
    inner = f'<p>inside</p><iframe name="theirs" src="{server.address}/build"></iframe>'
    (tmp_path / "inner.html").write_text("<p>a page that may be framed</p>")
    (tmp_path / "outer.html").write_text(f'{inner}<iframe name="own" src="inner.html"></iframe>')
    page = browser.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(f"{site}/outer.html", wait_until="load")
    expect(page.frame_locator("[name=own]").get_by_text("may be framed")).to_be_visible()
    framed = page.frame("theirs")
    assert framed is not None
    assert framed.url == "chrome-error://chromewebdata/"
    assert framed.locator("#root").count() == 0
    assert any("frame-ancestors 'none'" in text for text in messages)
    page.close()


def test_every_route_is_kept_from_other_names_and_from_frames(server: Any):
    place = urlsplit(server.address)
    routes = ["/", "/build", "/_stcore/health", "/_stcore/host-config", "/_stcore/stream",
              "/_stcore/script-health-check", "/app/static/canvas/x.js", "/media",
              "/_stcore/upload_file/x", "/api/ll/runs/x", "/api/ll/canvas", "/api/ll/ask/after",
              "/_stcore/agent/openapi.json", "/static/js/x.js"]  # fmt: skip
    for host, refused in (("rebound.example", True), (place.netloc, False)):
        for route in routes:
            line = HTTPConnection(place.netloc)
            line.request("GET", route, headers={"Host": host})
            answer = line.getresponse()
            assert (b"not called by this name" in answer.read()) is refused, (host, route)
            assert answer.status == 403 or not refused, (host, route)
            assert answer.getheader("X-Frame-Options") == "DENY", route
            line.close()


UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}  # fmt: skip


def test_the_channel_opens_under_the_workbenchs_own_name_only(server: Any):
    place = urlsplit(server.address)
    became = {}
    for host in (place.netloc, f"rebound.example:{place.port}"):
        line = HTTPConnection(place.netloc)
        origin = {"Host": host, "Origin": f"http://{host}"}
        line.request("GET", "/_stcore/stream", headers={**UPGRADE, **origin})
        became[host.partition(":")[0]] = line.getresponse().status
        line.close()
    assert became == {"localhost": 101, "rebound.example": 403}
