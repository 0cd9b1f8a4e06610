"""What `layerloom doctor --versions` says."""

import json

import pytest

from app.cli import doctor, main


def test_versions_alone_try_no_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(doctor, "devices")
    assert main(["doctor", "--versions", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"layerloom", "python", "libraries"}
    assert main(["doctor", "--versions"]) == 0
    assert "torch          2." in capsys.readouterr().out
