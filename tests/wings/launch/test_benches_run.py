"""The benches of ranks run in their shortest form."""

from pathlib import Path

import pytest

from tests.bench.test_benches_run import _as_it_was  # noqa: F401
from tests.wings.launch.bench import rank_kills, rank_templates, ranks

pytestmark = pytest.mark.slow


def test_ranks_are_timed_in_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(ranks, "NETWORKS", ("mlp_iris",))
    monkeypatch.setattr(ranks, "STEPS", 2)
    ranks.main(1, tmp_path / "ranks.md")
    *_, header, _, row = (tmp_path / "ranks.md").read_text("utf-8").splitlines()
    assert header.split(" | ")[1:] == [*list(ranks.WAYS)[:-1], "2 ranks |"]
    assert row.startswith("| mlp_iris | ")


def test_a_rank_is_killed_and_the_run_ends_as_if_it_were_not(tmp_path: Path):
    rank_kills.main(1, tmp_path / "kills.md")
    row = (tmp_path / "kills.md").read_text("utf-8").splitlines()[-1]
    assert " | 1 | finished | yes | " in row


def test_templates_are_compared_on_ranks(tmp_path: Path):
    (row,) = rank_templates.main(["mlp_breast_cancer"], tmp_path / "table.md")
    assert row.traits == "batch norm, dropout"
    assert row.holds
    assert "| mlp_breast_cancer | " in (tmp_path / "table.md").read_text("utf-8")
