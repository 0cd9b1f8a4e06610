"""The token is sent to nobody who has not proved to be the server of this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.cli import workbench
from app.server import access


@contextmanager
def answering(proves_for: str, seen: list[dict[str, str]]) -> Iterator[str]:
    """A server that proves itself for an address: "" for none, "own" for its own."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append({key.lower(): value for key, value in self.headers.items()})
            nonce = self.headers.get(access.NONCE, "")
            own = self.server.server_port  # type: ignore[attr-defined]
            port = {"own": own, "": 0}.get(proves_for, 1)
            self.send_response(403 if nonce else 200)
            self.send_header(
                access.PROOF, access.proof(nonce, "127.0.0.1", port) if port else "0" * 64
            )
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("proves_for", ["", "another port"])
@pytest.mark.parametrize("path", ["", "/user/ann"])
def test_a_stranger_is_sent_no_token_and_no_browser(
    proves_for: str, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAYERLOOM_TOKEN", "the-token-of-this-test")
    monkeypatch.setattr(access, "_made", [])
    monkeypatch.setattr(workbench, "open_browser", lambda *_: pytest.fail("opened"))
    seen = list[dict[str, str]]()
    with answering(proves_for, seen) as address:
        workbench.greet(address + path, True, threading.Event(), patience_s=0)
    assert len(seen) >= 1
    assert "the-token-of-this-test" not in str(seen) + str(capsys.readouterr())
    assert all("authorization" not in headers for headers in seen)


def test_who_proves_it_is_sent_the_token_and_the_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAYERLOOM_TOKEN", "the-token-of-this-test")
    monkeypatch.setattr(access, "_made", [])
    opened = list[str]()
    monkeypatch.setattr(workbench, "open_browser", lambda where, _: opened.append(where))
    seen = list[dict[str, str]]()
    with answering("own", seen) as address:
        workbench.greet(address, True, threading.Event())
    assert seen[-1]["authorization"] == "Bearer the-token-of-this-test"
    assert opened == [f"{address}/?token=the-token-of-this-test"]
    assert f"Layerloom is open at {opened[0]}" in capsys.readouterr().err


def test_a_server_that_has_ended_is_waited_for_no_longer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = threading.Event()
    ended.set()
    workbench.greet("http://127.0.0.1:9", True, ended)
    assert capsys.readouterr().err == ""
