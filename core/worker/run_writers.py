"""Writers of a run: loggers, checkpoints, live views."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.batches.dataset import Dataset
from core.engine.load_module import LoadedNetwork
from core.engine.trainer import Trainer
from core.runs.files import read_json
from core.runs.status import Status
from core.tasks.labeler import Labeler
from core.worker.board_views import BoardViews
from core.worker.change_over import ChangeOver
from core.worker.checkpoint_writer import CheckpointWriter, TopKCheckpoints
from core.worker.live_views import LiveViews
from core.worker.run_logger import RunLogger
from core.worker.sample_logger import SampleLogger
from core.worker.weights_logger import WeightsLogger


@dataclass(frozen=True)
class Ready:
    """What `RunLoop` needs. fingerprint: everything that affects reproducibility."""

    engine: Trainer
    network: LoadedNetwork
    data: Dataset
    fingerprint: Mapping[str, Any]


@dataclass(frozen=True)
class RunWriters:
    """What the loop of a run writes with. change: looks for compiled steps to go on with."""

    journal: RunLogger
    saver: CheckpointWriter
    top_k: TopKCheckpoints
    live: LiveViews
    board_views: BoardViews
    maker: SampleLogger
    weights: WeightsLogger
    change: ChangeOver


def open_writers(run_dir: Path, status: Status, ready: Ready) -> RunWriters:
    """Open all that a run is written with; the status warns of views that cannot be written."""
    engine, data, report = ready.engine, ready.data, ready.network.report
    journal = RunLogger(run_dir, status, engine)
    saver, top_k = CheckpointWriter(run_dir), TopKCheckpoints(engine)
    naming = Labeler(data.info, engine.objective.main.measure)
    live = LiveViews(run_dir, engine, data.classes, data.task, report.lines, naming, data)
    board_views = BoardViews(journal.board, engine, live, engine.training["histograms"])
    block = str(ready.network.project.training.get("samples_from", ""))
    maker = SampleLogger(run_dir, engine, report, data.info, block, data.begun)
    is_trial = "sweep" in read_json(run_dir / "spec.json")
    weights = WeightsLogger(run_dir, engine, keeps=not is_trial)
    for problem in filter(None, (live.problem, maker.problem, weights.problem)):
        status.warn(problem)
    change = ChangeOver(run_dir, engine, status, report.lines, journal.event)
    return RunWriters(journal, saver, top_k, live, board_views, maker, weights, change)
