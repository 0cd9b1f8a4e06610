"""Where other devices reach a server, for its page and the terminal: an address and its QR code.

A server on this machine's own address is reached by nobody else, and says how that is changed.
"""

import html
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import quote, urlsplit

import segno

from app.cli import ports

HOW = (
    "Only this computer reaches this page. Start the server with --host 0.0.0.0 to open it on a "
    "phone or another computer in your network: a QR code then stands here."
)
UNKNOWN = (
    "Other devices may open this page, but the address of this computer in your network is not "
    "known here. Open http://ADDRESS:{port} on them, with its address in place of ADDRESS."
)
TITLE = "On another device"
ERROR = "m"  # a code of which 15 % may be covered is still read
BORDER = 2  # light modules around a code on a white card


@dataclass(frozen=True)
class Reach:
    """address: of the page for other devices, with its token; "" where none reaches it. how: the
    sentence in its place."""

    address: str = ""
    how: str = ""

    @property
    def shown(self) -> str:
        """The address without its token, which the code holds."""
        return self.address.partition("?")[0]


def reach_of(bound: ports.Bound, token: str, names: Sequence[str] = ()) -> Reach | None:
    """How others reach a server.

    names: host names by which it is called behind a proxy: where those lead is not known here, so
    nothing is said.
    """
    if names:
        return None
    if bound.number in ports.LOOPBACK:
        return Reach(how=HOW)
    if ipaddress.ip_address(urlsplit(bound.address).hostname or "").is_loopback:
        return Reach(how=UNKNOWN.format(port=bound.port))
    asked = f"?token={quote(token, safe='')}" if token else ""
    return Reach(f"{bound.address}/{asked}")


def part_of_page(reach: Reach | None) -> str:
    """The part of the page, as HTML."""
    if reach is None:
        return ""
    if not reach.address:
        return f'<section id="reach"><p class="quiet">{html.escape(reach.how)}</p></section>\n'
    code = segno.make(reach.address, error=ERROR, micro=False)
    picture = html.escape(code.svg_data_uri(border=BORDER, scale=4), quote=True)
    token = " with the token in it: everyone who has the code can use the network"
    token = token if "?" in reach.address else ""
    return (
        f'<section id="reach" aria-label="{TITLE}"><img src="{picture}" alt="QR code of '
        f'{html.escape(reach.shown)}"><div><h2>{TITLE}</h2><p>Scan the code with '
        f"a phone in the same network. It opens <b>{html.escape(reach.shown)}</b>{token}.</p></div>"
        "</section>\n"
    )


def print_code(reach: Reach | None, out: TextIO) -> None:
    """Draw the code in a terminal, where there is an address for others."""
    if reach is not None and reach.address and out.isatty():
        segno.make(reach.address, error=ERROR, micro=False).terminal(out, compact=True)
