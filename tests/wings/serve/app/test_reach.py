"""Who else reaches a server: its page and the terminal say so, with a code where somebody does."""

import base64
import html
import io
import re
import socket
from urllib.parse import unquote

import pytest
import segno

from app.cli import ports
from app.wings.serve.reach import HOW, Reach, part_of_page, print_code, reach_of

NUMBER = "192.0.2.5"
"""Of no machine, RFC 5737."""


@pytest.fixture
def line():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        yield found


def reached(line: socket.socket, number: str, token: str = "", names: tuple[str, ...] = ()):
    return reach_of(ports.Bound(number, line), token, names)


def picture(page: str) -> str:
    """The SVG of the code in a page."""
    found = re.search(r'src="data:image/svg\+xml[^,]*,([^"]*)"', page)
    assert found is not None
    return unquote(html.unescape(found[1]))


def test_on_this_machine_alone_there_is_no_code_but_a_sentence(line) -> None:
    for number in ("127.0.0.1", "::1"):
        reach = reached(line, number)
        assert reach == Reach(how=HOW)
        assert "--host 0.0.0.0" in part_of_page(reach)
        assert "<img" not in part_of_page(reach)


def test_an_address_of_the_network_has_a_code_with_the_token_in_it(line) -> None:
    reach = reached(line, NUMBER, "a b&c")
    assert reach is not None
    port = line.getsockname()[1]
    assert reach.address == f"http://{NUMBER}:{port}/?token=a%20b%26c"
    page = part_of_page(reach)
    assert f"<b>http://{NUMBER}:{port}/</b> with the token in it" in page
    assert "a%20b" not in html.unescape(page.replace(picture(page), ""))
    wanted = segno.make(reach.address, error="m", micro=False)
    assert picture(page) == unquote(wanted.svg_data_uri(border=2, scale=4).partition(",")[2])
    assert wanted.designator.endswith("-M")


def test_a_server_for_all_whose_machine_knows_no_other_address_says_so(
    line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "_own_number", lambda _: "127.0.1.1")
    reach = reached(line, "0.0.0.0", "secret")
    assert reach is not None
    assert (reach.address, f"http://ADDRESS:{line.getsockname()[1]} " in reach.how) == ("", True)


def test_behind_a_proxy_nothing_is_claimed(line) -> None:
    assert reached(line, "0.0.0.0", "secret", ("class.school",)) is None
    assert part_of_page(None) == ""


class Terminal(io.StringIO):
    """Standard error on a screen."""

    def isatty(self) -> bool:
        return True


def test_the_code_is_drawn_in_a_terminal_and_nowhere_else() -> None:
    reach = Reach(f"http://{NUMBER}:8600/?token=secret")
    screen, file = Terminal(), io.StringIO()
    print_code(reach, screen)
    print_code(reach, file)
    print_code(Reach(how=HOW), screen_of_none := Terminal())
    assert len(screen.getvalue().splitlines()) > 10
    assert (file.getvalue(), screen_of_none.getvalue()) == ("", "")


def test_the_page_of_a_server_holds_that_part(lenet) -> None:
    from app.wings.serve.try_page import page

    text, policy = page(lenet, True, Reach(f"http://{NUMBER}:8600/?token=secret"))
    assert f'alt="QR code of http://{NUMBER}:8600/"' in text
    assert "img-src blob: data:" in policy
    assert "$" not in re.sub(r"(?s)<script.*?</script>", "", text)
    assert base64.b64encode(b"secret").decode() not in text
