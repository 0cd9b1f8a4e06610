"""Each threat and each fault of assets/threats_and_faults.md names the tests that hold it."""

import ast
import re
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "assets" / "threats_and_faults.md"
ROW = re.compile(r"\| ([TF]\d+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|")
ROWS = [
    found.groups() for found in map(ROW.fullmatch, TABLE.read_text("utf-8").splitlines()) if found
]
NAMES = [*(f"T{n}" for n in range(1, 25)), *(f"F{n}" for n in range(1, 25))]


@lru_cache
def names_in(file: str) -> list[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]


def test_every_threat_and_every_fault_has_a_row() -> None:
    assert [row[0] for row in ROWS] == NAMES


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_tests_of_a_row_are_there_or_its_gap_is_named(row: tuple[str, ...]) -> None:
    named = re.findall(r"`([^`]+)`", row[2])
    assert named or row[3].strip()
    for place in named:
        file, _, name = place.partition("::")
        if file.startswith("tests/wings/") and not (ROOT / file).parent.is_dir():
            continue  # the wing, and what threatened it, were left out
        assert names_in(file).count(name) == 1, place


def test_the_workbench_shows_no_traceback_and_listens_to_this_machine_only() -> None:
    settings = tomllib.loads((ROOT / "app/.streamlit/config.toml").read_text("utf-8"))
    assert settings["client"]["showErrorDetails"] == "none"
    server = settings["server"]
    assert (server["address"], server["enableXsrfProtection"]) == ("127.0.0.1", True)
    assert server["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert settings["browser"]["gatherUsageStats"] is False
