"""The workbench of one account, started by the front door of a class.

It listens at a socket that it inherits, and ends when the front door, which holds the other end of
its standard input, has ended in whatever way.
"""

import contextlib
import os
import signal
import socket
import sys
import threading


def main(descriptor: str, base_path: str) -> None:
    """Serve until the front door ends."""
    from app.cli.workbench import end_calmly
    from app.server.main import serve

    line = socket.socket(fileno=int(descriptor))
    threading.Thread(target=_end_with_the_front_door, daemon=True).start()
    end_calmly()
    with contextlib.suppress(KeyboardInterrupt):
        serve(port=line.getsockname()[1], quiet=True, base_path=base_path, line=line)


def _end_with_the_front_door() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
