"""A home of their own for tests that trust Python, and the sample's Python trusted there."""

from pathlib import Path

import pytest

from core.files import trust
from tests.core.analyse.own_blocks import TEXTS


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def trusting(own_home: Path) -> None:
    for name, text in TEXTS.items():
        trust.trust(text, name)
