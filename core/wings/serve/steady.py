"""Answers that come steadily: the interpreter's own pauses are kept short. No imports of ours."""

import atexit
import gc
import sys

HAND_OVER_S = 0.0005
"""How long a thread keeps the interpreter from another that wants it. At the usual 5 ms the network
waits that long for each of its layers while requests are read beside it."""


def be_steady() -> None:
    """Call once after all is loaded: what stays is never looked through for garbage again (with
    torch that takes 0.3 s, in the middle of somebody's request), and threads hand over soon."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # some libraries report as leaked what is frozen at the end
    sys.setswitchinterval(HAND_OVER_S)
