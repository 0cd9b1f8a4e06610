"""What the server says leaves at once."""

import socket

from app.process.low_latency import send_at_once


def test_connections_of_a_listening_socket_send_at_once():
    with socket.socket(socket.AF_INET) as door:  # without a protocol, as Streamlit makes it
        door.bind(("127.0.0.1", 0))
        door.listen()
        assert send_at_once() >= 1
        with socket.create_connection(door.getsockname()):
            inside, _ = door.accept()
            with inside:
                assert inside.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        assert door.fileno() >= 0  # it is still open


def test_files_and_sockets_that_do_not_listen_are_left_alone():
    with socket.socket(socket.AF_INET) as other:
        before = send_at_once()
        assert other.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0
        assert send_at_once() == before
