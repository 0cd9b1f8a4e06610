"""`layerloom doctor` finds a browser by every name that Chromium is installed under."""

from pathlib import Path

import pytest

from app.cli.doctor import PROGRAMS, first


@pytest.mark.parametrize("name", ["chromium", "chromium-headless-shell", "headless_shell"])
def test_a_chromium_of_any_name_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / name
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert first(PROGRAMS["chromium"]) == str(program)
