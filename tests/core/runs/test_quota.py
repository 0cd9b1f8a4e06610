"""Limits of an account on a server: bytes of files, and runs at a time."""

from pathlib import Path

import pytest

from core.runs import quota


def test_without_the_variables_nothing_is_limited(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 10_000)
    assert quota.refusal(tmp_path, tmp_path) == ("", "")


def test_files_over_the_quota_are_refused_with_both_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(quota.BYTES, "3000000")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * 2_000_000)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert quota.files_refusal(tmp_path, 900_000) == ("", "")
    assert quota.files_refusal(tmp_path, 2_000_000) == (
        "Your files would have 4 MB, and 3 MB are allowed.",
        "Delete runs or files that you no longer need.",
    )


def test_runs_over_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(quota.RUNS, "2")
    monkeypatch.setattr(quota, "running", lambda _: 1)
    assert quota.refusal(tmp_path, tmp_path) == ("", "")
    monkeypatch.setattr(quota, "running", lambda _: 2)
    assert quota.refusal(tmp_path, tmp_path) == (
        "You have 2 runs that train or wait, and 2 are allowed.",
        "Stop one, or wait until one has ended.",
    )
