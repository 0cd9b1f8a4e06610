"""What puts a verdict in doubt, as commands write it and as the page shows it."""

from pathlib import Path
from typing import Any

from app.cli import files
from core.common.errors import DataError
from core.runs.listing import RunView
from core.runs.verdict import Verdict
from core.wings.findings.run_doubts import JUDGED, data_of_run, doubts, looked_at, sentence


def words(run_dir: Path, verdict: Verdict) -> list[dict[str, Any]]:
    """The doubts as a command writes them: `sentence`, `kind`, `columns`, and the `mend`."""
    if verdict.kind not in JUDGED:
        return []
    from core.wings.findings.card import data_card

    data, seed = data_of_run(run_dir)
    if not looked_at(data):
        return []
    try:
        files.find_data(run_dir)
        found = doubts(verdict.kind, data_card(data, seed).findings)
    except DataError:  # the data changed, or went, since the run: nothing is known of what it saw
        return []
    return [{**finding.json(), "sentence": sentence(finding, verdict.value)} for finding in found]


def show(view: RunView, verdict: Verdict, alive: bool) -> None:
    """Draw the doubts in the panel of the verdict, once the run has ended."""
    if not alive and verdict.kind in JUDGED:
        from app.wings.findings import doubt_panel

        doubt_panel.show(view, verdict)


def sentences(view: RunView, verdict: Verdict) -> list[str]:
    """The doubts as a page has them that draws no panel: the data is read in another process."""
    if verdict.kind not in JUDGED:
        return []
    from app.wings.findings import doubt_panel

    return doubt_panel.sentences(view, verdict)
