"""The benchmarks of servers run in their shortest form; no figure is judged."""

from pathlib import Path

import pytest

from tests.bench.test_benches_run import _as_it_was  # noqa: F401
from tests.wings.serve.bench import serving, under_attack

pytestmark = pytest.mark.slow


def test_serving_is_measured_one_by_one_and_at_once(tmp_path: Path):
    out = tmp_path / "table.md"
    serving.main(
        ["--template", "mlp_iris", "--requests", "6", "--clients", "3", "--seconds", "0.2",
         "--rounds", "1", "--counts", "1", "2", "--out", str(out)]
    )  # fmt: skip
    lines = out.read_text("utf-8").splitlines()
    words = "\n".join(lines)
    compared = "| 2 | layerloom serve | " in words
    assert compared or "LitServe is not installed and left out" in words
    assert lines[-3].startswith("| one by one | ")
    assert lines[-2].startswith("| 3 at once, batches of up to 64 | ")
    assert lines[-1].startswith("| 3 at once, each alone | ")


def test_a_server_is_attacked_at_both_doors(tmp_path: Path):
    out = tmp_path / "attack.md"
    under_attack.main(["--seconds", "0.5", "--kinds", "nested", "--out", str(out)])
    first, second = out.read_text("utf-8").splitlines()[-2:]
    assert first.startswith("| layerloom serve | nested 30,000 times | ")
    assert second.startswith("| exported folder | nested 30,000 times | ")
    assert first.endswith(" x 400 |")
    assert second.endswith(" x 400 |")
