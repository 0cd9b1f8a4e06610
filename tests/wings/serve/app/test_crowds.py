"""Many at once, large, slow and half requests: bounded, told in a sentence, and read elsewhere."""

import asyncio
import base64
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.wings.serve.limits import Limits
from app.wings.serve.reading import start_reading
from app.wings.serve.served import Served, served
from core.project.templates import load_template
from core.samples.inputs import SentRequest
from core.samples.request_error import RequestError
from core.wings.serve import desk
from core.wings.serve.apart import Apart
from core.wings.serve.few_parts import pause_for
from core.wings.serve.limits import Room
from core.wings.serve.patience import Deadlines, Patience
from tests.wings.serve.app.conftest import asking
from tests.wings.serve.bench.under_attack import bomb

SAMPLE = {"samples": [{"image": [0.0] * 64}]}


@pytest.fixture(scope="module")
def net() -> Served:
    return served(load_template("lenet_digits"))


def message(got: Any) -> tuple[int, str]:
    return got.status_code, got.json()["error"]["message"]


@pytest.mark.gate
def test_small_requests_are_read_in_the_network_s_thread_and_large_ones_elsewhere(
    net: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, apart = list[str](), list[str]()

    def seen(*words: Any) -> Any:
        threads.append(threading.current_thread().name)
        return read(*words)

    async def passed(self: Apart, media: str, body: bytes) -> SentRequest | None:
        apart.append(media)
        return await asked(self, media, body)

    read, asked = desk.read, Apart.read
    monkeypatch.setattr(desk, "read", seen)
    monkeypatch.setattr(Apart, "read", passed)
    picture = base64.b64encode(bomb(8)).decode()
    with asking(net) as http:
        first = http.post("/predict", json=SAMPLE).json()
        many = http.post("/predict", json={"samples": SAMPLE["samples"] * 64, "x": "a" * 40_000})
        file = http.post("/predict", content=bomb(300), headers={"content-type": "image/png"})
        text = http.post("/predict", json={"samples": [{"image": picture}]})
        assert many.json()["predictions"][0].keys() == first["predictions"][0].keys()
        assert (file.status_code, text.status_code) == (200, 200)
    assert threads == ["network_0"]
    assert apart == ["application/json", "image/png", "application/json"]


@pytest.mark.gate
def test_a_picture_that_needs_more_than_the_declared_memory_is_413(net: Served) -> None:
    png = {"content-type": "image/png"}
    with asking(net, Limits(memory_bytes=16 << 20)) as http:
        assert message(http.post("/predict", content=bomb(3000), headers=png)) == (
            413, "Reading the request takes more than 16 MB or 30 seconds.",
        )  # fmt: skip
        assert http.post("/predict", content=bomb(400), headers=png).status_code == 200
        several = [{"image": base64.b64encode(bomb(1000)).decode()}] * 60
        assert message(http.post("/predict", json={"samples": several})) == (
            413,
            "image has 60,000,000 pixels in 60 pictures, and a request has at most 50,000,000.",
        )


@pytest.mark.gate
def test_a_small_picture_does_not_wait_for_large_ones_and_the_smallest_is_next(net: Served) -> None:
    async def ask() -> list[Any]:
        apart = Apart(start_reading, net.interface, Limits(), 64 << 20, 1_000_000)
        assert await apart.read("image/png", bomb(1001)) is None
        done = list[str]()

        async def one(name: str, side: int) -> None:
            await apart.read("image/png", bomb(side))
            done.append(name)

        await asyncio.gather(one("first", 100), one("large", 900), one("small", 8))
        apart.close()
        return done

    assert asyncio.run(ask()) == ["first", "small", "large"]


@pytest.mark.gate
def test_a_reading_process_that_was_ended_is_begun_again(net: Served) -> None:
    async def ask() -> list[int]:
        apart = Apart(start_reading, net.interface, Limits(), 64 << 20, 1_000_000)
        first = await apart.read("image/png", bomb(300))
        process = apart._process
        assert process
        process.kill()
        process.wait()
        again = await apart.read("image/png", bomb(300))
        apart.close()
        assert first
        assert again
        return [len(first.text_lengths), len(again.text_lengths)]

    assert asyncio.run(ask()) == [1, 1]


def test_of_too_many_that_wait_the_largest_is_refused(net: Served) -> None:
    async def ask() -> list[Any]:
        apart = Apart(start_reading, net.interface, Limits(large_waiting=1), 64 << 20, 1_000_000)
        bodies = [bomb(8), bomb(900), bomb(16)]
        asked = [apart.read("image/png", body) for body in bodies]
        found = await asyncio.gather(*asked, return_exceptions=True)
        apart.close()
        return [e.json()["error"]["message"] if isinstance(e, RequestError) else e for e in found]

    first, large, small = asyncio.run(ask())
    assert large == "Smaller requests are waiting already."
    assert isinstance(first, SentRequest)
    assert isinstance(small, SentRequest)


def test_samples_are_counted_before_a_body_is_read(net: Served) -> None:
    desk_of = desk.Desk(net.run, start_reading, net.interface, net.name, Limits())
    many = json.dumps({"samples": SAMPLE["samples"] * 20}).encode()
    counted = [
        desk_of.samples_within(media, body)
        for media, body in {
            "application/json": many,
            "application/octet-stream": bytes(256 * 5),
            "text/csv; charset=utf-8": b"a\n" * 3,
            "text/plain": b"{{{" * 1000,
            "": b"",
        }.items()
    ]
    assert counted == [20, 5, 4, 64, 1]


def test_what_is_held_is_bounded() -> None:
    room = Room(Limits(held_bytes=100_000))
    with room.share() as small, room.share() as large, room.share() as third:
        small.hold(30_000)  # small ones count as none
        large.hold(70_000)
        large.hold(90_000)
        with pytest.raises(RequestError, match=r"holds 90,000 of at most 100,000 bytes") as error:
            third.hold(40_000)
        assert error.value.status == 503
    assert room.held == 0
    with room.share() as only:
        only.hold(200_000)  # with nobody else there is room for what was read of one request
        assert room.held == 200_000


def test_an_answer_of_too_many_numbers_is_413(net: Served) -> None:
    with asking(net, Limits(memory_bytes=640)) as http:
        assert message(http.post("/predict", json={**SAMPLE, "raw": True})) == (
            413, "The answer would hold 20 numbers, and 10 are the most.",
        )  # fmt: skip


def test_a_body_of_which_no_more_comes_is_given_up() -> None:
    from starlette.requests import Request

    from app.wings.serve.limits import body_of

    async def never() -> dict[str, object]:
        await asyncio.sleep(3600)
        return {}

    scope = {"type": "http", "method": "POST", "path": "/predict", "headers": []}
    with pytest.raises(RequestError, match=r"^No more of the request body came for 0") as error:
        asyncio.run(body_of(Request(scope, never), Limits(idle_s=0.001)))
    assert error.value.status == 408


def test_the_refused_wait_the_longer_the_more_are_served_and_too_many_are_503() -> None:
    async def ask() -> list[Any]:
        answers, go = list[Any](), asyncio.Event()

        async def slow(_scope: Any, _receive: Any, _send: Any) -> None:
            await go.wait()

        async def send(answer: Any) -> None:
            answers.append(answer.get("status") or answer["body"])

        patience = Patience(slow, most=2)
        waiting = [
            asyncio.create_task(patience({"type": "http", "path": "/predict"}, None, send))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        await patience({"type": "http", "path": "/predict"}, None, send)
        go.set()
        await asyncio.gather(*waiting)
        return [answers, patience.requests]

    answers, left = asyncio.run(ask())
    assert [pause_for(others) for others in (0, 10, 199)] == [0.0, 0.3, 1.0]
    assert answers[0] == 503
    assert b"2 requests are under way." in answers[1]
    assert left == 0


async def with_server(app: Any, protocol: type[Any], visit: Callable[[int], Awaitable[Any]]) -> Any:
    """What a visit to a server of this protocol returns. visit: called with its port."""
    config = uvicorn.Config(app, port=0, http=protocol, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        return await visit(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        await server.shutdown()


async def answer_16_mb(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": bytes(16 << 20), "more_body": True})
    await send({"type": "http.response.body", "body": b"end"})


@pytest.mark.gate
@pytest.mark.parametrize("sent", [b"", b"POST /predict HTTP/1.1\r\nHost: loc"])
def test_a_connection_without_a_whole_head_ends(sent: bytes) -> None:
    class Hasty(Deadlines, H11Protocol):
        head_s = 0.01

    async def visit(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()

    assert asyncio.run(with_server(answer_16_mb, Hasty, visit)) == b""


@pytest.mark.gate
def test_of_too_many_connections_one_without_a_request_gives_way() -> None:
    class One(Deadlines, H11Protocol):
        most_connections = 1

    async def visit(port: int) -> list[bytes]:
        idle, _ = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            ended = await idle.read()
        except ConnectionResetError:
            ended = b""
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = await reader.readline()
        writer.transport.abort()
        return [ended, answer.split()[1]]

    assert asyncio.run(with_server(answer_16_mb, One, visit)) == [b"", b"200"]


def test_a_message_quotes_little_of_what_was_sent() -> None:
    assert len(RequestError(422, "a" * 5000).message) == 1001


HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.gate
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (HEAD + b"a:\r\n" * 90 + b"\r\n", 200),
        (HEAD + b"a:\r\n" * 101 + b"\r\n", 431),
        (HEAD + b"a:b\n" * 50_000 + b"\r\n", 431),
        (HEAD + b"a: " + b"b" * 20_000 + b"\r\n\r\n", 431),
        (HEAD + b"a: " + b"b" * 1_000_000 + b"\r\n\r\n", 431),
        (CHUNKED + b"1\r\na\r\n" * 200 + b"0\r\na: b\r\n\r\n", 200),
        (CHUNKED + b"1\r\na\r\n" * 300 + b"0\r\n\r\n", 400),
        (CHUNKED + b"1\r\na\r\n" * 200_000 + b"0\r\n\r\n", 400),
        (CHUNKED + b"3e8\r\n" + b"0\r\n1\n" * 200 + b"\r\n0\r\n\r\n", 200),
        (CHUNKED + b"1\r\na\r\n0\r\n" + b"a:\r\n" * 101 + b"\r\n", 431),
        (CHUNKED + b"0\r\n" + b"a:\r\n" * 101 + b"\r\n", 431),
        (CHUNKED + b"zz\r\n", 400),
        (b"\r\n" * 100_000, 400),
        (b"\x16\x03\x01\x02\x00", 400),
    ],
)
def test_a_request_of_many_small_parts_or_none_at_all_is_refused_in_a_sentence(
    sent: bytes, status: int
) -> None:
    class Bounded(Deadlines, H11Protocol):
        pass

    async def take_all(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body"})

    async def visit(port: int) -> tuple[int, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        try:
            first = await reader.readline()
            return int(first.split()[1]), b"" if b"200" in first else await reader.read()
        finally:
            writer.transport.abort()

    got, rest = asyncio.run(with_server(take_all, Bounded, visit))
    assert got == status
    says = {200: "", 431: "A request has a head of at most 100 lines and 16,384 bytes, and as "
            "much behind its last chunk."}  # fmt: skip
    words = "What came is not a request of HTTP/1.1."
    if sent.startswith(CHUNKED + b"1\r\na\r\n"):
        words = "A body has at most 256 chunks of fewer than 512 bytes."
    body = rest.partition(b"\r\n\r\n")[2]
    assert (json.loads(body)["error"]["message"] if body else "") == says.get(status, words)


@pytest.mark.gate
def test_a_connection_that_takes_no_answer_ends() -> None:
    async def run() -> bool:
        ended = asyncio.Event()

        class Hasty(Deadlines, H11Protocol):
            write_s = 0.01

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                ended.set()

        async def visit(port: int) -> bool:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            assert isinstance(writer.transport, asyncio.Transport)
            writer.transport.pause_reading()
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await ended.wait()
            writer.transport.abort()
            return True

        return await with_server(answer_16_mb, Hasty, visit)

    assert asyncio.run(run()) is True


def test_help_warns_of_a_token_in_the_list_of_processes_and_a_file_holds_one(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.cli import main

    monkeypatch.setenv("COLUMNS", "400")  # no option is broken at the end of a line

    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "can read it in the list of processes" in words
    assert "LAYERLOOM_SERVE_TOKEN or --token-file" in words
    empty = tmp_path / "token"
    empty.write_text("\n")
    for options, said in {
        ("--token-file", str(empty)): f"The first line of {empty} is empty.",
        ("--token-file", str(tmp_path)): f"{tmp_path} cannot be read: Is a directory.",
        ("--token", "a", "--token-file", "b"): "--token and --token-file are both given.",
    }.items():
        assert main(["serve", "nobody", *options]) == 2
        assert said in capsys.readouterr().err


def test_the_token_of_a_file_is_that_of_its_first_line(tmp_path: Any) -> None:
    import argparse

    from app.wings.serve import cli as serve

    file = tmp_path / "token"
    file.write_text("secret \nmore\n")
    assert serve.token_of(argparse.Namespace(token="", token_file=file)) == "secret"
