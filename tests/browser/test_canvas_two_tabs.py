"""A move of blocks that another tab made just before a reload is never overwritten unasked."""

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.drawings import checked
from tests.browser.hand import Hand


class Silence:
    """Holds back what a page says to the server, from `begin` until the page is loaded anew."""

    def __init__(self, page: Page) -> None:
        self.sockets: list[WebSocketRoute] = []
        self.mute: list[WebSocketRoute] = []
        page.route_web_socket("**/_stcore/stream", self.connect)

    def connect(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if socket in self.mute else server.send(message))

    def begin(self) -> None:
        self.mute = list(self.sockets)


def place(hand: Hand, node: str) -> list[float]:
    """Where a block stands on the canvas, in the drawing's own pixels."""
    return hand.page.locator(f'.react-flow__node[data-id="{node}"]').evaluate(
        "e => { const m = new DOMMatrix(getComputedStyle(e).transform); return [m.e, m.f]; }"
    )


@pytest.mark.usefixtures("fresh_profile")  # what becomes of its sockets cannot be undone
def test_a_reload_asks_before_it_overwrites_moves_of_another_tab(
    page: Page, browser: Browser, server
):
    silence = Silence(page)
    mine = Hand(page, server)
    mine.open("Moved twice")
    profile = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    other = Hand(profile.new_page(), server)
    other.page.goto(page.url)
    checked(other.page)
    mine.choose("relu1")
    other.choose("fc1")
    with other.page.expect_response("**/api/ll/canvas") as answer:
        other.keys("Shift+ArrowDown")
    assert answer.value.ok
    theirs = place(other, "fc1")
    silence.begin()
    mine.keys("Shift+ArrowRight")
    moved, before = place(mine, "relu1"), place(mine, "fc1")
    mine.reload()
    expect(mine("rescue")).to_be_visible()
    assert place(mine, "fc1") == theirs != before
    mine.click("rescue-restore")
    assert place(mine, "relu1") == moved
    checked(page)
    profile.close()
