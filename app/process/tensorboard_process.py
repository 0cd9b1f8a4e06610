"""TensorBoard on a folder, for as long as who started it holds the other end of its input.

    python -m app.process.tensorboard_process FOLDER

Listens on a free port of this machine alone and prints its address, one line. Every user of the
machine reaches that port, so the address has a secret path, made here, and any other path is a 404:
the secret is in no process list and no file. Ends when its standard input closes.
"""

import os
import secrets
import sys

from tensorboard.program import TensorBoard  # pyright: ignore[reportMissingTypeStubs]


def main(folder: str) -> None:
    """Serve a folder until the standard input closes."""
    board = TensorBoard()
    words = ["--logdir", folder, "--host", "127.0.0.1", "--port", "0", "--load_fast", "false"]
    words += ["--path_prefix", f"/{secrets.token_urlsafe(24)}"]
    board.configure(argv=["tensorboard", *words])  # pyright: ignore[reportUnknownMemberType]
    sys.stdout.write(f"{board.launch()}\n")
    sys.stdout.flush()
    while os.read(0, 1):
        pass
    os._exit(0)  # its threads would go on


if __name__ == "__main__":
    main(sys.argv[1])
