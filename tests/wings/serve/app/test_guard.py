"""Who may ask, how much and how long."""

import asyncio
import time

import pytest
from starlette.testclient import TestClient

from app.process import peer
from app.wings.serve.application import application
from app.wings.serve.guard import LOOPBACK
from app.wings.serve.limits import Limits
from app.wings.serve.served import Served
from tests.wings.serve.app.conftest import asking

SAMPLE = {"samples": [{"image": [0.0] * 64}]}
TOKEN = {"authorization": "Bearer secret"}


def test_a_token_is_wanted_of_all_but_health_and_ready(lenet: Served) -> None:
    with asking(lenet, token="secret") as http:
        paths = ("/", "/openapi.json", "/metrics", "/health", "/ready")
        assert [http.get(path).status_code for path in paths] == [401, 401, 401, 200, 200]
        wrong = http.post("/predict", json=SAMPLE, headers={"authorization": "Bearer other"})
        assert wrong.status_code == 401
        assert wrong.headers["www-authenticate"] == "Bearer"
        assert wrong.json()["error"]["message"] == "The server requires its token."
        assert http.post("/predict", json=SAMPLE, headers=TOKEN).status_code == 200


def test_the_address_with_the_token_opens_the_page_and_is_remembered(lenet: Served) -> None:
    with asking(lenet, token="secret") as http:
        assert http.get("/?token=wrong").status_code == 401
        first = http.get("/?token=secret", follow_redirects=False)
        assert (first.status_code, first.headers["location"]) == (303, ".")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert http.get("/").status_code == 200  # by its cookie
        assert http.post("/predict", json=SAMPLE).status_code == 200


def test_the_cookie_is_of_one_port_and_does_not_tell_the_token(lenet: Served) -> None:
    app = application(lenet, Limits(), "secret", ())
    given = dict[int, tuple[str, str]]()
    for port in (8600, 8601):
        with TestClient(app, base_url=f"http://127.0.0.1:{port}") as http:
            header = http.get("/?token=secret", follow_redirects=False).headers["set-cookie"]
            assert "secret" not in header
            given[port] = tuple(header.partition(";")[0].split("=", 1))  # type: ignore[assignment]
    assert [name for name, _ in given.values()] == ["layerloom_serve_8600", "layerloom_serve_8601"]
    with TestClient(app, base_url="http://127.0.0.1:8601") as http:
        for value, status in {"secret": 401, given[8600][1]: 401, given[8601][1]: 200}.items():
            got = http.get("/", headers={"cookie": f"layerloom_serve_8601={value}"})
            assert got.status_code == status


def test_the_cookie_is_of_no_use_to_another_user(
    lenet: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "peer_of", lambda _: "from user 1000")
    with asking(lenet, token="secret") as http:
        http.get("/?token=secret", follow_redirects=False)
        assert http.get("/").status_code == 200
        monkeypatch.setattr(peer, "peer_of", lambda _: "from user 1001")
        assert http.get("/").status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "localhost:8600"}, 200),
        ({"host": "127.0.0.1"}, 200),
        ({"host": "LOCALHOST."}, 200),
        ({"host": "evil.example:8600"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://localhost:8600"}, 200),
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://a@localhost:8600"}, 403),
        ({"origin": "http://alocalhost:8600"}, 403),
        ({"origin": "http://localhost:8600.example"}, 403),
        ({"origin": "http://localhost:8600/"}, 403),
        ({"origin": "http://evil-localhost:8600"}, 403),
        ({"origin": "http://localhost"}, 403),
        ({"origin": "localhost:8600"}, 403),
        ({"origin": "http://[::1]:8600"}, 403),
        ({"host": "[::1]:8600", "origin": "http://[::1]:8600"}, 200),
        ({"host": "[::1]:8600", "origin": "http://[::1]:8601"}, 403),
        ({"host": "[::1]:8600", "origin": "http://[::1%25lo]:8600"}, 403),
        ({"host": "[::1]:8600", "origin": "http://evil[::1]:8600"}, 403),
        ({"host": "[::1]:8600", "origin": "http://1]:8600"}, 403),
        ({"origin": ""}, 403),
    ],
)
def test_other_names_and_pages_of_other_sites_are_refused(
    lenet: Served, headers: dict[str, str], status: int
) -> None:
    with asking(lenet, hosts=LOOPBACK) as http:
        got = http.post("/predict", json=SAMPLE, headers=headers)
        assert got.status_code == status
        assert "access-control-allow-origin" not in got.headers


def test_the_page_allows_its_own_script_and_this_server_alone(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe-inline'; img" in policy  # styles alone
    assert "frame-ancestors 'none'" in policy


def test_a_large_body_is_refused_whether_it_says_its_size_or_not(lenet: Served) -> None:
    with asking(lenet, Limits(body_bytes=1000)) as http:
        declared = http.post("/predict", content=bytes(1001))
        hidden = http.post("/predict", content=iter([bytes(600), bytes(600)]))
        words = "A request body must not exceed 1,000 bytes."
        assert [(g.status_code, g.json()["error"]["message"]) for g in (declared, hidden)] == [
            (413, words), (413, words),
        ]  # fmt: skip


def test_a_full_queue_says_when_to_come_again(lenet: Served) -> None:
    with asking(lenet, Limits(waiting=1)) as http:
        got = http.post("/predict", json={"samples": SAMPLE["samples"] * 2})
        assert (got.status_code, got.headers["retry-after"]) == (503, "1")


@pytest.mark.gate
def test_an_answer_that_takes_too_long_is_given_up(lenet: Served) -> None:
    def slow(*_: object) -> list[object]:
        time.sleep(0.5)
        return []

    late = Served(slow, lenet.interface, lenet.facts, "slow", "slow", "")  # type: ignore[arg-type]
    with asking(late, Limits(answer_s=0.01)) as http:
        got = http.post("/predict", json=SAMPLE)
        assert got.json()["error"]["message"] == "There was no prediction within 0.01 seconds."
        assert got.status_code == 504


def test_a_body_that_does_not_come_is_given_up(lenet: Served) -> None:
    from starlette.requests import Request

    from app.wings.serve.limits import body_of
    from core.samples.inputs import RequestError

    async def never() -> dict[str, object]:
        await asyncio.sleep(3600)
        return {}

    scope = {"type": "http", "method": "POST", "path": "/predict", "headers": []}
    with pytest.raises(RequestError, match="did not arrive within 0") as error:
        asyncio.run(body_of(Request(scope, never), Limits(read_s=0.01)))
    assert error.value.status == 408


def test_what_nobody_foresaw_is_a_sentence_without_a_traceback(lenet: Served) -> None:
    def broken(*_: object) -> list[object]:
        raise KeyError("lost")

    bad = Served(broken, lenet.interface, lenet.facts, "bad", "bad", "")  # type: ignore[arg-type]
    with asking(bad) as http:
        got = http.post("/predict", json=SAMPLE)
        assert got.json()["error"]["message"] == "The server itself failed (KeyError)."
        assert got.status_code == 500


def test_metrics_count_requests_samples_and_batches(client: TestClient) -> None:
    client.post("/predict", json=SAMPLE)
    client.post("/predict", json={"samples": SAMPLE["samples"] * 3})
    client.post("/predict", json={})
    client.get("/nothing/here")
    text = client.get("/metrics")
    assert text.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = text.text.splitlines()
    for line in (
        'layerloom_requests_total{path="/predict",status="200"} 2',
        'layerloom_requests_total{path="/predict",status="422"} 1',
        'layerloom_requests_total{path="other",status="404"} 1',
        "layerloom_samples_total 4",
        "layerloom_waiting_samples 0",
        'layerloom_batch_size_bucket{le="1"} 1',
        'layerloom_batch_size_bucket{le="4"} 2',
        "layerloom_predict_seconds_count 2",
    ):
        assert line in lines
