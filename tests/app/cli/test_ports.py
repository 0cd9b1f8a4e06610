"""A port is taken only where nobody else can be sent what is meant for us."""

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from app.cli import ports
from app.cli.output import UsageError
from tests.app.cli.test_workbench_start import free_port

OTHER = 65534  # nobody
TAKE = """
import socket, sys
for number in ("127.0.0.1", "0.0.0.0", "::1", "::"):
    for again in (0, 1):
        line = socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, again)
        try:
            line.bind((number, int(sys.argv[1])))
            line.listen()
            print("taken", number)
        except OSError:
            pass
"""


def has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as trial:
        trial.bind(("::1", 0))
        return True
    return False


ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
NUMBERS = ["127.0.0.1", "0.0.0.0", pytest.param("::1", marks=ipv6), pytest.param("::", marks=ipv6)]


@contextlib.contextmanager
def listener(number: str, port: int) -> Iterator[None]:
    with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((number, port))
        line.listen()
        yield


@pytest.mark.parametrize("number", NUMBERS)
def test_a_port_where_anybody_listens_on_either_family_is_not_taken(number: str) -> None:
    port = free_port()
    with listener(number, port):
        with pytest.raises(UsageError, match=f"Port {port} is in use"), ports.bound(port, port):
            pass
        with ports.bound(None, port) as found:
            assert found.port > port


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_bound_is_named_by_number_and_listens_at_once(number: str) -> None:
    with ports.bound(free_port(), 0, number) as found:
        assert found.number == number
        with socket.create_connection(found.line.getsockname()[:2]):
            pass
        host = found.address.removeprefix("http://").rpartition(":")[0].strip("[]")
        assert socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)


@ipv6
@pytest.mark.parametrize("after", ["127.0.0.1", "0.0.0.0", "::1", "::"])
@pytest.mark.parametrize("before", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("open_still", [False, True])
def test_a_port_is_free_at_once_after_a_server_that_had_connections(
    before: str, after: str, open_still: bool
) -> None:
    with ports.bound(free_port(), 0, before) as found:
        port = found.port
        browser = socket.create_connection((before, port))
        served, _ = found.line.accept()
        served.close()  # first, so the system keeps this end for a minute
        if not open_still:
            browser.close()
    with browser, ports.bound(port, 0, after) as again:
        assert again.port == port
        with pytest.raises(UsageError), ports.bound(port, 0, before):
            pass


def test_a_name_is_given_by_the_number_it_has() -> None:
    port = free_port()
    with ports.bound(port, port, "localhost") as found:
        assert found.address == f"http://127.0.0.1:{port}"


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be another user, too"
)
@pytest.mark.parametrize("number", NUMBERS)
def test_another_user_gets_our_port_on_no_address(number: str) -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python here that another user can start")
    with ports.bound(free_port(), 0, number) as found:
        tried = subprocess.run(
            [python, "-I", "-c", TAKE, str(found.port)],
            user=OTHER, group=OTHER, extra_groups=[], cwd="/", text=True, capture_output=True,
            check=False,
        )  # fmt: skip
    assert (tried.stdout, tried.stderr) == ("", "")
