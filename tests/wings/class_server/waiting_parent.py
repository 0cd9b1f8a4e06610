"""A parent in place of that of workbenches: its forks say what they were started with."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from core.worker import forking
from tests.wings.class_server import waiting_seat


def begin(request: dict[str, Any], files: list[int]) -> None:
    os.setsid()
    os.dup2(files[1], 0)
    os.close(files[1])
    os.environ.update(request["more"])
    os.chdir(request["cwd"])
    waiting_seat.serve(files[0])


if __name__ == "__main__":
    forking.stand_by(socket.socket(fileno=int(sys.argv[1])), begin)
