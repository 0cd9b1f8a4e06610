"""The door of the crossing through which a network leaves that is to be made smaller."""

from core.insight.load_model import open_imported
from core.project import open_project
from core.wings.shrink import files
from core.wings.shrink.run import shrink
from tests.crossing.door import Door
from tests.crossing.starts import of_run
from tests.crossing.trained_run import Answers, Metric, TrainedRun


def shrunk_original(run: TrainedRun) -> Answers:
    """The network as it is, which is kept beside what it makes."""
    (row,) = shrink(run.run_dir, ())
    folder = files.folder_of(run.run_dir) / files.ORIGINAL
    project = open_project(folder / "network.loom.json")
    module = open_imported(project, folder / "network.safetensors").module
    measured = row.value if f"val_{row.metric}" == run.best_metric else None
    return Answers(run.outputs_of(module), None if measured is None else Metric(measured))


DOORS = {"shrink, original": Door(shrunk_original, seconds=5)}
STARTS = {"shrink": of_run("shrink")}
