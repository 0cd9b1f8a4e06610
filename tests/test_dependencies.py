"""Every package that is imported is declared, with a floor above its last known advisory."""

import ast
import os
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests import floors as bench
from tests.floors import ADVISORIES, floors

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OPTIONAL = {"timm", "tensorboard", "torchao", "executorch", "ray"}
"""Programs that a feature uses where they are installed; they are declared in a group."""
DECLARED = floors(PROJECT["dependencies"])
GROUPS = floors([line for group in PROJECT["optional-dependencies"].values() for line in group])


def imported(path: Path) -> set[str]:
    """The top names of the modules that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.gate
def test_every_imported_package_is_declared():
    own = {
        "projects",
        "child_process",
        "job_queue",
        "rank_processes",
        "rank_records",
        "restarts",
        "supervisor",
    }  # they are started beside each other, by file
    files = [path for room in ("app", "core", "blocks") for path in (ROOT / room).rglob("*.py")]
    names = set().union(*map(imported, files)) - sys.stdlib_module_names - own
    known = packages_distributions()
    names -= {"app", "core", "blocks"}
    named = GROUPS | DECLARED  # one package may bring files into the folder of another
    owners = {
        name: name if name in named else canonicalize_name((known.get(name) or [name])[0])
        for name in names
    }
    missing = {name for name, owner in owners.items() if owner not in DECLARED}
    assert missing <= OPTIONAL
    assert missing == OPTIONAL or os.environ.get("LAYERLOOM_WITHOUT")  # a wing may use some
    assert {canonicalize_name(name) for name in OPTIONAL} <= GROUPS.keys()


@pytest.mark.parametrize("name", ADVISORIES)
def test_no_floor_is_below_an_advisory(name: str):
    assert DECLARED[name] >= Version(ADVISORIES[name])


def test_the_exact_versions_are_not_below_the_floors():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    exact = floors([line for line in lines if line and not line.startswith("#")])
    low = {name for name, floor in (GROUPS | DECLARED).items() if exact.get(name, floor) < floor}
    assert low == set()
    assert DECLARED.keys() <= exact.keys()


def test_the_table_of_floors_names_each_dependency_and_what_is_too_low(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench.main() == 0
    said, error = capsys.readouterr()
    header, *rows = said.splitlines()
    assert header.split("  ")[0] == "package"
    assert [row.split()[0] for row in rows] == sorted(DECLARED)
    assert error == ""
    old = {**DECLARED, "starlette": Version("1.3.0")}
    del old["h11"]
    assert bench.too_low(old) == ["h11", "starlette"]


def test_every_dependency_has_a_floor():
    names = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    assert names == DECLARED.keys()
