"""The page of this wing names every file of a sweep."""

from pathlib import Path

from core.wings.sweep import files as sweep_files
from core.wings.sweep import workers as sweep_workers

TEXT = (Path(__file__).parents[3] / "assets/wings/sweep.md").read_text("utf-8")


def test_it_names_every_file_of_a_sweep() -> None:
    names = {sweep_files.ASKED, sweep_files.PROJECT, sweep_files.JOURNAL, sweep_files.RESULTS}
    names |= {sweep_files.LOCK, f"{sweep_workers.WORKERS}/", sweep_workers.JOURNAL_LOCK}
    assert {name for name in names if f"`{name}`" not in TEXT} == set()
