"""Keeping a process's heap from growing where many large tensors come and go."""

import ctypes
import sys

M_MMAP_THRESHOLD, LARGE = -3, 1 << 20


def steady() -> None:
    """Let every block of a megabyte or more go back to the system as soon as it is freed.

    glibc otherwise learns to keep them in its heap, where aligned blocks of batches never fit the
    holes of those before: memory grows by a batch each step. Elsewhere than glibc nothing happens.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
