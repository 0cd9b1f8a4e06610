"""A disk without hard or symbolic links, for processes started from here: as FAT, EPERM for each.

A library of a few lines stands before the system's (LD_PRELOAD), so a C compiler is needed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REFUSAL = """
#include <errno.h>
#define REFUSED { errno = EPERM; return -1; }
int link(const char *a, const char *b) REFUSED
int linkat(int f, const char *a, int g, const char *b, int flags) REFUSED
int symlink(const char *a, const char *b) REFUSED
int symlinkat(const char *a, int f, const char *b) REFUSED
"""
PROBE = "import os, sys; os.link(sys.argv[1], sys.argv[1] + '.link')"


@contextmanager
def no_links(folder: Path) -> Iterator[None]:
    """Let processes that are started meanwhile make no links. folder: for the library."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("this needs Linux and a C compiler")
    source, library = folder / "no_links.c", folder / "no_links.so"
    source.write_text(REFUSAL)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(library))
        probe = [sys.executable, "-I", "-S", "-c", PROBE, str(source)]
        done = subprocess.run(probe, env=dict(os.environ), capture_output=True, check=False)
        assert b"Operation not permitted" in done.stderr
        yield
