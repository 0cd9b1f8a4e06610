"""Run a module of Layerloom, or a file of it, as a process of its own.

    python -P run_module.py MODULE_OR_FILE [WORD ...]

It is looked for where this file lies, then where Python's packages are, then in the folders that
LAYERLOOM_PYTHONPATH names; nowhere else. See `child_process.py`.
"""

import os
import runpy
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
FOLDERS = "LAYERLOOM_PYTHONPATH"


def find_packages() -> None:
    """Let Layerloom be imported from here, and packages from the folders that were handed on."""
    if ROOT not in sys.path:
        sys.path.insert(0, ROOT)
    for folder in os.environ.get(FOLDERS, "").split(os.pathsep):
        if os.path.isabs(folder) and folder not in sys.path:  # noqa: PTH117
            sys.path.append(folder)


if __name__ == "__main__":
    find_packages()
    del sys.argv[0]
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
