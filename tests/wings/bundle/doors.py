"""The door of the crossing that is a bundle; `layerloom bundle` with its defaults."""

from core.project import save_project
from core.wings.bundle import BundleSelection, write_bundle
from tests.crossing.door import Door
from tests.crossing.starts import file_of, said
from tests.crossing.trained_run import Answers, TrainedRun
from tests.wings.bundle.shared import opened


def bundle(run: TrainedRun) -> Answers:
    """Opened elsewhere."""
    file = run.workspace / "crossed.loom.json"
    save_project(run.project, file)
    chosen = BundleSelection(run.project, run.run_dir.parent, file, (run.run_dir.name,), True)
    written = write_bundle(chosen, run.workspace / "crossed.loom.zip")
    place = opened(written.path, run.workspace / "elsewhere")
    (name,) = place.runs.values()
    return run.of_run(run.workspace / "elsewhere/runs" / name)


def with_all(run: TrainedRun) -> None:
    folder = run.workspace / "made"
    folder.mkdir(exist_ok=True)
    words = ("--with-data", "--runs", str(run.run_dir.parent))
    said(run, "bundle", file_of(run), run.run_dir.name, "-o", str(folder / "b.loom.zip"), *words)


DOORS = {"bundle": Door(bundle)}
KEEPS_TRAINING = {"bundle": True}
STARTS = {"bundle": with_all}
