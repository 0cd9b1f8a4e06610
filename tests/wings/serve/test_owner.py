"""A header makes nobody the owner of another connection to a served network."""

import asyncio
import encodings.idna  # noqa: F401  read before another user, who may not, needs it
import os
import socket

from app.cli import ports
from app.wings.serve import cli
from tests.app.process.test_peer import heard, say_peer


def test_a_served_network_believes_no_header_about_its_owner() -> None:
    with socket.socket() as unbound:
        config = cli.config(say_peer, ports.Bound("127.0.0.1", unbound))
    config.lifespan = "off"
    owner, stranger = asyncio.run(heard(config))
    assert owner == f"from user {os.getuid()}"
    assert stranger == f"from user {os.getuid()}, passed on for 127.0.0.1"
