"""The front door: who is let in where, and what it passes on."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from app.wings.class_server import door
from app.wings.class_server.door import ATTEMPTS, COOKIE, FrontDoor, NamedByProxy
from core.wings.class_server import roster
from tests.wings.class_server.fake_seats import TOKEN, FakeSeats, fake_seats

SITE = "http://testserver"


@pytest.fixture
def seats(tmp_path: Path) -> Iterator[FakeSeats]:
    with fake_seats(tmp_path) as seats:
        yield seats


@pytest.fixture
def passwords(tmp_path: Path) -> dict[str, str]:
    students = roster.add(tmp_path, ["ann", "ben"])
    return students | roster.add(tmp_path, ["teach"], teacher=True)


def visitor(seats: FakeSeats, host: str = "10.0.0.9", proxy: NamedByProxy | None = None):
    front = FrontDoor(seats.folder, seats, proxy)
    return TestClient(front.application(), base_url=SITE, client=(host, 5000))


def log_in(browser: TestClient, name: str, password: str):
    form = {"name": name, "password": password}
    return browser.post("/login", data=form, headers={"origin": SITE}, follow_redirects=False)


def test_a_student_comes_to_their_own_workbench_and_to_no_other(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser = visitor(seats)
    assert browser.get("/class/ann/", follow_redirects=False).status_code == 403
    page = browser.get("/class/ann/", headers={"accept": "text/html"})
    assert page.url == f"{SITE}/login"
    assert log_in(browser, "ann", passwords["ann"]).status_code == 303
    home = browser.get("/", follow_redirects=False)
    assert home.headers["location"] == "/class/ann/"
    assert browser.get("/class/ann/x").json()["path"] == "/class/ann/x"
    for other in ("ben", "teach", "nobody", "..", "%2e%2e", "ben%2f..%2fann"):
        assert browser.get(f"/class/{other}/x").status_code in (403, 404), other
    assert set(seats.taken) == {"ann"}


def test_a_teacher_sees_all_accounts_and_opens_each(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser = visitor(seats)
    log_in(browser, "teach", passwords["teach"])
    page = browser.get("/").text
    assert [name in page for name in ('href="/class/ann/"', 'href="/class/ben/"')] == [True, True]
    assert browser.get("/class/ben/x").status_code == 201
    assert browser.get("/class/nobody/x").status_code == 403


def test_the_workbench_reads_its_own_token_and_nothing_that_a_browser_made_up(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser = visitor(seats)
    log_in(browser, "ann", passwords["ann"])
    browser.cookies.set("theirs", "kept")
    forged = {"authorization": "Bearer guess", "x-forwarded-for": "1.2.3.4", "x-person": "teach"}
    answer = browser.get("/class/ann/a%20b?q=1%202", headers=forged)
    sent = answer.json()
    assert (sent["path"], sent["query"]) == ("/class/ann/a%20b", "q=1%202")
    assert sent["headers"]["authorization"] == f"Bearer {TOKEN}"
    assert sent["headers"]["host"] == f"127.0.0.1:{seats.line.getsockname()[1]}"
    assert "x-forwarded-for" not in sent["headers"]
    assert sent["headers"]["cookie"] == "theirs=kept"
    assert COOKIE in browser.cookies
    assert len(answer.headers.get_list("set-cookie")) == 2
    assert TOKEN not in str(answer.headers)


def test_an_upload_arrives_whole_and_one_from_another_page_does_not(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser, content = visitor(seats), bytes(range(256)) * 40_000
    log_in(browser, "ann", passwords["ann"])
    sent = browser.put("/class/ann/up", content=content, headers={"origin": SITE}).json()
    assert (sent["bytes"], sent["sha256"]) == (10_240_000, hashlib.sha256(content).hexdigest())
    foreign = {"origin": "http://evil.test"}
    assert browser.put("/class/ann/up", content=b"x", headers=foreign).status_code == 403
    assert browser.post("/login", data={"name": "ann"}, headers=foreign).status_code == 403


def test_a_channel_passes_both_ways_for_its_owner_alone(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser = visitor(seats)
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/class/ann/stream"):
        pass
    log_in(browser, "ann", passwords["ann"])
    own = {"origin": SITE}
    with browser.websocket_connect("/class/ann/stream", ["streamlit", "x"], headers=own) as line:
        assert line.accepted_subprotocol == "streamlit"
        heard = line.receive_json()
        assert heard["authorization"] == f"Bearer {TOKEN}"
        assert heard["origin"] == f"http://127.0.0.1:{seats.line.getsockname()[1]}"
        line.send_bytes(b"\x00\xff" * 1000)
        assert line.receive_bytes() == b"\x00\xff" * 1000
        with pytest.raises(WebSocketDisconnect) as ended:
            line.receive_bytes()
    assert ended.value.code == 1000
    for address, origin in (("/class/ben/stream", SITE), ("/class/ann/stream", "http://evil.test")):
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            browser.websocket_connect(address, headers={"origin": origin}),
        ):
            pass
        assert refused.value.code == 1008


def test_wrong_passwords_are_counted_for_each_name_and_address(
    seats: FakeSeats, passwords: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "COST", {"n": 2, "r": 1, "p": 1})
    browser = visitor(seats)
    wrong = [log_in(browser, "ben", "guess").status_code for _ in range(ATTEMPTS)]
    assert wrong == [403] * ATTEMPTS
    assert log_in(browser, "ben", "guess").status_code == 429
    assert log_in(browser, "nobody", "guess").status_code == 403


def test_a_new_password_or_a_removed_account_ends_a_login(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser = visitor(seats)
    log_in(browser, "ann", passwords["ann"])
    new = roster.renew(seats.folder, "ann")
    assert browser.get("/class/ann/x").status_code == 403
    log_in(browser, "ann", new)
    assert browser.get("/class/ann/x").status_code == 201
    roster.remove(seats.folder, "ann")
    assert browser.get("/class/ann/x").status_code == 403
    assert log_in(browser, "ann", new).status_code == 403


def test_people_change_their_own_password_and_log_out(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    browser, own = visitor(seats), {"origin": SITE}
    log_in(browser, "ann", passwords["ann"])
    for old, new, words in (
        ("guess", "long enough", "The old password is not right."),
        (passwords["ann"], "short", "A password has 8 to 256 characters; this one has 5."),
    ):
        answer = browser.post("/account", data={"old": old, "new": new}, headers=own)
        assert (answer.status_code, words in answer.text) == (403, True)
    form = {"old": passwords["ann"], "new": "long enough"}
    browser.post("/account", data=form, headers=own, follow_redirects=False)
    assert browser.get("/class/ann/x").status_code == 201
    browser.post("/logout", headers=own)
    assert browser.get("/class/ann/x").status_code == 403
    assert log_in(browser, "ann", "long enough").status_code == 303


def test_a_forged_login_is_none(seats: FakeSeats, passwords: dict[str, str]) -> None:
    one, two = visitor(seats), visitor(seats)
    log_in(one, "ann", passwords["ann"])
    payload, _, signature = one.cookies[COOKIE].partition(".")
    for forged in (f"{payload}.x", f"x{payload}.{signature}", "e30=.x", "\\"):
        two.cookies.set(COOKIE, forged)
        assert two.get("/class/ann/x").status_code == 403


def test_a_proxy_names_people_and_nobody_else_does(
    seats: FakeSeats, passwords: dict[str, str]
) -> None:
    proxy, named = NamedByProxy("x-person", ["10.0.0.2"]), {"x-person": "ann"}
    through, around = visitor(seats, "10.0.0.2", proxy), visitor(seats, "10.0.0.9", proxy)
    assert through.get("/class/ann/x", headers=named).status_code == 201
    assert through.get("/class/ben/x", headers=named).status_code == 403
    twice = [("x-person", "ann"), ("x-person", "teach")]
    assert through.get("/class/ann/x", headers=twice).status_code == 403
    assert through.get("/class/ann/x", headers={"x-person": "eve"}).status_code == 403
    assert around.get("/class/ann/x", headers=named).status_code == 403
    assert log_in(around, "ann", passwords["ann"]).status_code == 403


def test_the_seat_after_the_last_is_refused(tmp_path: Path, passwords: dict[str, str]) -> None:
    with fake_seats(tmp_path, seats=1) as seats:
        browser = visitor(seats)
        log_in(browser, "teach", passwords["teach"])
        assert browser.get("/class/ann/x").status_code == 201
        answer = browser.get("/class/ben/x")
    assert (answer.status_code, "All 1 seats of this server are taken" in answer.text) == (
        503,
        True,
    )


def test_an_open_channel_ends_with_its_login(
    seats: FakeSeats, passwords: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "LOOK_S", 0.01)
    browser = visitor(seats)
    log_in(browser, "ann", passwords["ann"])
    with browser.websocket_connect("/class/ann/x", ["streamlit"], headers={"origin": SITE}) as line:
        line.receive_json()
        line.send_bytes(b"still here")
        assert line.receive_bytes() == b"still here"
        roster.remove(seats.folder, "ann")
        with pytest.raises(WebSocketDisconnect):
            line.receive_bytes()


def test_what_cannot_be_read_or_started_is_a_sentence(
    seats: FakeSeats, passwords: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = visitor(seats)
    log_in(browser, "ann", passwords["ann"])

    def refuse(*_: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    with monkeypatch.context() as full:
        full.setattr(seats, "take", refuse)
        answer = browser.get("/class/ann/x")
        assert (answer.status_code, "did not start" in answer.text) == (503, True)
        assert "memory" not in answer.text
    (seats.folder / roster.FILE).write_text("{")
    answer = browser.get("/class/ann/x")
    assert (answer.status_code, "cannot be read now" in answer.text) == (503, True)


def test_wrong_passwords_of_long_ago_are_forgotten(
    seats: FakeSeats, passwords: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MOST_COUNTED", 3)
    front = FrontDoor(seats.folder, seats)
    for number in range(3):
        front._wrong_of(f"old{number}", "10.0.0.9").append(-1e9)
    front._wrong_of("ann", "10.0.0.9").append(door.time.monotonic())
    assert len(front._wrong_of("ann", "10.0.0.9")) == 1
    assert [name for name, _ in front._wrong] == ["ann"]
