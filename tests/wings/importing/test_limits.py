"""An import ends in a sentence where it takes too long, and one limit stands inside another."""

import signal
from pathlib import Path

import pytest

from app.cli import main
from core.common.errors import ImportRefused
from core.wings.importing.limits import import_limit, reading_limit

ENDLESS = """
from torch import nn
class Endless(nn.Module):
    def forward(self, x):
        while True:
            pass
"""


def forever() -> None:
    while True:
        pass


def test_an_import_that_takes_too_long_is_refused_with_what_to_do():
    with pytest.raises(ImportRefused) as refused, import_limit("python:own:Net()", 0.001):
        forever()
    assert str(refused.value) == (
        "python:own:Net(): takes more than 0.001 minutes to import. Import a smaller model or "
        "input, or raise the limit: layerloom import --max-minutes N."
    )


def test_the_limit_of_a_file_leaves_the_one_around_it():
    before = signal.getitimer(signal.ITIMER_REAL)[0]  # the test's own, where it has one
    with import_limit("net.onnx", 2):
        with reading_limit("net.onnx", 10, seconds=60):
            assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60
        assert 60 < signal.getitimer(signal.ITIMER_REAL)[0] <= 120
        with reading_limit("net.onnx", 10, seconds=3600):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 120
    assert 0 <= signal.getitimer(signal.ITIMER_REAL)[0] <= before


@pytest.mark.gate
def test_a_model_without_end_is_refused_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "endless.py").write_text(ENDLESS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    out = tmp_path / "net.loom.json"
    given = ["import", "python:endless:Endless()", "--input", "4", "-o", str(out)]
    assert main([*given, "--max-minutes", "0.02"]) == 1
    assert "takes more than 0.02 minutes to import." in capsys.readouterr().err
    assert not out.exists()
    assert main([*given, "--max-minutes", "0"]) == 2
    assert "--max-minutes needs a number above 0." in capsys.readouterr().err
