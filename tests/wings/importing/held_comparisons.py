"""Comparisons of imports wait until they are let go on, in processes that `prepare` begins.

`python held_comparisons.py WORDS` is `layerloom WORDS` whose processes all do.

LAYERLOOM_TEST_HELD names a folder. A verdict is reached once a file with its name is there; what
stands in the file is how it differs, nothing lets it be what it is.
"""

import importlib.abc
import importlib.util
import os
import sys
import time
from pathlib import Path

from app.cli import entry
from app.process import pool

NAME = "core.wings.importing.verify.equivalence"


def hold(verdicts):
    reached, folder = verdicts._verdict, Path(os.environ["LAYERLOOM_TEST_HELD"])

    def held(name, one):
        while not (folder / name).exists():
            time.sleep(0.02)
        difference = (folder / name).read_text()
        if not difference:
            return reached(name, one)
        return verdicts.OutputComparison(name, False, difference)

    verdicts._verdict = held


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname != NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(NAME)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            hold(module)

        spec.loader.exec_module = exec_module
        return spec


def prepare(begin=pool._prepare):
    """What a worker process begins with, with comparisons that wait."""
    sys.meta_path.insert(0, Finder())
    begin()


if __name__ == "__main__":
    from tests.wings.importing import held_comparisons  # by this name, the processes find it

    pool._prepare = held_comparisons.prepare
    sys.exit(entry())
