"""What an account has handed in counts as files of its own."""

from pathlib import Path

import pytest

from core.runs import quota


def test_drafts_and_hand_ins_of_the_account_count_and_those_of_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, state = tmp_path / "work", tmp_path / "state"
    handed_in = tmp_path / "handed-in" / "mlp"
    for folder in (workspace, state, handed_in):
        folder.mkdir(parents=True)
    (workspace / "a.loom.json").write_bytes(b"x" * 1_000_000)
    (state / "draft").write_bytes(b"x" * 1_000_000)
    (handed_in / "ann.20260101-000000-0.handin.json").write_bytes(b"x" * 1_000_000)
    (handed_in / "anna.20260101-000000-0.handin.json").write_bytes(b"x" * 9_000_000)
    monkeypatch.setenv(quota.BYTES, "4100000")
    variables = {"CLASS_FOLDER": tmp_path, "HOME": state, "PERSON": "ann"}
    for name, value in variables.items():
        monkeypatch.setenv(f"LAYERLOOM_{name}", str(value))
    assert quota.files_refusal(workspace, 1_000_000) == ("", "")
    assert quota.files_refusal(workspace, 1_100_000)[0] == (
        "Your files would have 4 MB, and 4 MB are allowed."
    )
