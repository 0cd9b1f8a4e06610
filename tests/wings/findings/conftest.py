"""A table in a workspace of its own, as it is read when it is dropped on a page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.services.data_guess import guess_and_read, read_as, with_target
from core.data.facts.metadata import read_own
from core.data.sources.label_settings import targets_of
from core.wings.findings.card import DataCard, data_card
from tests.wings.findings.planted import Rows, write


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Writes a table and gives the data settings that are suggested for it."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))

    def settings(table: Rows, target: str = "") -> dict[str, Any]:
        write(table, tmp_path / "table.csv")
        data, _, error = guess_and_read({"source": "CSV", "file": "table.csv"})
        assert error == ""
        if data["source"] == "SeriesCSV":  # rows that are evenly spaced in time
            data = read_as(data, "CSV")
            read_own(data)
        if target and targets_of(data, [*table]) != (target,):
            data = with_target(data, target)
            read_own(data)
        return data

    return settings


def again(data: Any) -> DataCard:
    """The card of settings that were changed."""
    read_own(data)
    return data_card(data)
