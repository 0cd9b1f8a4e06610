"""The benchmark of the data card runs in its shortest form."""

from pathlib import Path

import pytest

from tests.wings.findings.bench import data_card

pytestmark = pytest.mark.slow


def test_faults_are_counted_and_mends_are_trained(tmp_path: Path):
    out = tmp_path / "card.md"
    data_card.main(["--part", "faults", "mends", "--kinds", "copies", "--out", str(out)])
    lines = out.read_text("utf-8").splitlines()
    assert lines[-1].startswith("| near copies: 0.004 | none | ")
    assert "10 of 10 planted faults are named." in lines
    assert sum(" | Leave out the copies | " in line for line in lines) == 5
