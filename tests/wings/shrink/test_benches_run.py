"""The benchmark of smaller networks runs in its shortest form; no figure is judged."""

from pathlib import Path

import pytest

from tests.wings.shrink.bench import shrink

pytestmark = pytest.mark.slow


def test_smaller_networks_are_measured_in_one_run(tmp_path: Path):
    out = tmp_path / "table.md"
    shrink.main(["--networks", "transformer_digits", "--ways", "structured:0.5", "fuse", "--epochs",
                 "0", "--train", "1", "--out", str(out)])  # fmt: skip
    text = out.read_text("utf-8")
    assert "| structured-50 | 65,928 | 80% |" in text
    assert "| fuse | refused: The network has no batch norm. |" in text
