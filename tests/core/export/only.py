"""Run a file where only the packages that its first lines name can be imported, with what these
need themselves; nothing of this project, and no other package of this machine."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

GUARD = """
import importlib.machinery, json, re, runpy, sys
known, tops, folder, file, *arguments = sys.argv[1:]
known = json.loads(known)
tops = {*json.loads(tops), *sys.stdlib_module_names}
inside = importlib.machinery.PathFinder


class Only:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None and name not in tops and not name.startswith("_sysconfigdata"):
            if folder not in sys.path or not inside.find_spec(name, [folder]):
                return None
        return inside.find_spec(name, path, target)

    @staticmethod
    def find_distributions(*context):
        for each in inside.find_distributions(*context):
            if re.sub("[-_.]+", "-", each.name).lower() in known:
                yield each

    invalidate_caches = inside.invalidate_caches


sys.meta_path[:] = [Only if each is inside else each for each in sys.meta_path]
sys.argv = [file, *arguments]
if folder:
    sys.path.insert(0, folder)
runpy.run_path(file, run_name="__main__")
"""


def named(text: str) -> list[str]:
    """The packages that a text says it needs: "Needs torch and scikit-learn."."""
    found = re.search(r"(?:Needs|needs) ([\w, -]+?)(?:, as|\.|;)", " ".join(text.split()))
    assert found, text
    return re.split(r", | and ", found[1])


@cache
def _needed(name: str) -> frozenset[str]:
    """A package and what it needs in turn, without its extras."""
    found, left = set[str](), [name]
    while left:
        one = re.sub(r"[-_.]+", "-", left.pop()).lower()
        if one in found:
            continue
        try:
            wanted = requires(one) or []
        except PackageNotFoundError:
            continue
        found.add(one)
        left += [re.split(r"[^\w.-]", w)[0] for w in wanted if "extra ==" not in w]
    return frozenset(found)


def modules(known: Iterable[str]) -> list[str]:
    """What may be imported of these packages."""
    return [
        module
        for module, owners in packages_distributions().items()
        if any(re.sub(r"[-_.]+", "-", owner).lower() in known for owner in owners)
    ]


def command(file: Path, names: Iterable[str], *arguments: str, beside: bool = False) -> list[str]:
    """How to run it. beside: whether it imports files of its folder."""
    folder = str(file.parent) if beside else ""
    known = sorted(frozenset[str]().union(*map(_needed, names)))
    given = [json.dumps(known), json.dumps(modules(known)), folder, str(file), *arguments]
    return [sys.executable, "-I", "-c", GUARD, *given]


def surroundings(folder: Path) -> dict[str, str]:
    """An environment with nothing of this machine's."""
    kept = {name: os.environ[name] for name in ("TMPDIR",) if name in os.environ}
    return {"PATH": "", "HOME": str(folder), "OMP_NUM_THREADS": "1", **kept}


def run_only(file: Path, names: Iterable[str], *arguments: str) -> str:
    """Run a file to its end in its own folder; what it printed."""
    done = subprocess.run(
        command(file, names, *arguments), cwd=file.parent, env=surroundings(file.parent),
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
