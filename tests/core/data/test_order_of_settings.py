"""Settings of a table that are only written in another order: the data was read, and stays so."""

from pathlib import Path

from core.data.facts.metadata import read_known, read_own
from core.data.sources.custom_source import read_custom_source
from tests.core.data.gaps import FILL, NAME, text

DATES = {"on": {"format": "%Y-%m-%d"}, "at": {"format": "%d.%m.%Y"}}


def test_columns_to_fill_and_dates_may_come_in_any_order(workspace: Path) -> None:
    file = workspace / NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = text().splitlines()
    dated = [",".join(("2026-01-02", "03.04.2026", line)) for line in lines[1:]]
    file.write_text("\n".join(["on,at," + lines[0], *dated, ""]), "utf-8")
    data = {"source": "CSV", "file": NAME, "fill": FILL, "dates": DATES}
    read_own(data)
    turned = data | {
        "fill": dict(reversed(FILL.items())),
        "dates": dict(reversed(DATES.items())),
    }
    given = read_custom_source(turned)
    assert given is not None
    assert read_known(given).source.total == 12
