"""The benchmark of a search over structure runs in its shortest form; no figure is judged."""

from pathlib import Path

import pytest

from tests.wings.sweep.bench import structure

pytestmark = pytest.mark.slow


def test_both_searches_are_a_table_with_their_fronts(tmp_path: Path) -> None:
    out = tmp_path / "structure.md"
    structure.main(["--trials", "2", "--epochs", "1", "--out", str(out)])
    text = out.read_text("utf-8")
    assert "| TPE | 0 | 2 | 0 | 0 |" in text
    assert "| random | 0 | 2 | 0 | 0 |" in text
    assert "## Front of random, seed 0" in text
