"""The network of a run, rebuilt from its graph; the stored source is compared, never executed."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor, nn

from core.analyse import Report, analyse_project, build
from core.common.errors import CheckpointError, RunError
from core.engine.ema import weights_of
from core.files.safe_path import read_file
from core.project import Project, ProjectError, open_project
from core.runs import checkpoint, epoch_weights
from core.runs.files import read_json


@dataclass(frozen=True)
class LoadedNetwork:
    """What a run trains: its project, its analysis, and the source, which equals model.py."""

    project: Project
    report: Report
    source: str

    def module(self) -> nn.Module:
        """A fresh module, first weights drawn from torch's random state."""
        return build(self.source, self.report.class_name)


def load_network(run_dir: Path) -> LoadedNetwork:
    """Regenerate a run's source from its graph. Raises RunError when it trained another text."""
    try:
        project = open_project(run_dir / "project.loom.json")
        stored = _stored_hash(run_dir)
    except ProjectError as error:
        raise RunError(run_dir.name, f"{error.place} {error.message}", error.hint) from error
    except OSError as error:
        message = f"The run folder {run_dir.name} has no model.py."
        raise RunError(run_dir.name, message, "Train the project again.") from error
    report = analyse_project(project)
    if report.source is None:
        raise RunError(run_dir.name, report.errors[0].message, report.errors[0].hint)
    if hashlib.sha256(report.source.encode()).hexdigest() != stored:
        message = f"The source of {run_dir.name} does not match its graph, so it is not used."
        raise RunError(run_dir.name, message, "Train the project again with this version.")
    return LoadedNetwork(project, report, report.source)


def _stored_hash(run_dir: Path) -> str:
    """The hash of the source a run trained; one that came in a bundle has the hash alone."""
    path, spec = run_dir / "model.py", read_json(run_dir / "spec.json")
    if spec.get("brought") and not path.exists():
        return str(spec.get("source_sha256", ""))
    if not path.is_file():  # reading a pipe would never end
        message = f"{run_dir.name} has no file model.py, the source that it trained."
        raise RunError(run_dir.name, message, "Train the project again.")
    return checkpoint.hash_of(path)


def load_module(run_dir: Path, which: str = "best") -> nn.Module:
    """A run's module with the weights of its best, last or previous checkpoint, in eval mode.

    which: also "epoch-000003", of a checkpoint or of the weights that are kept by epoch.

    Raises RunError, and CheckpointError for weights that are missing, damaged or of another net.
    """
    run_dir = Path(run_dir)
    weights = _weights(run_dir, which)
    module = load_network(run_dir).module()
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        message = f"The {which} checkpoint does not fit the network of {run_dir.name}."
        raise CheckpointError(which, message, "Train the project again.") from error
    return module.eval()


def _weights(run_dir: Path, which: str) -> dict[str, Tensor]:
    number = which.removeprefix("epoch-")
    if number != which and not checkpoint.path_of(run_dir, which).exists():
        return epoch_state(run_dir, str(int(number)))
    return weights_of(checkpoint.load(run_dir, which))


def epoch_state(run_dir: Path, which: str) -> dict[str, Tensor]:
    """The weights that a run validated after an epoch, "3", or the newest, "live".

    Raises CheckpointError where they are not kept, or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    live = which == "live"
    path = run_dir / epoch_weights.LIVE if live else epoch_weights.path_of(run_dir, int(which))
    named = "latest weights" if live else f"weights of epoch {which}"
    try:
        return load(read_file(path))
    except OSError as error:
        message = f"{run_dir.name} no longer has the {named}."
        raise CheckpointError(which, message, "Choose another epoch.") from error
    except SafetensorError as error:
        message = f"The {named} of {run_dir.name} are damaged."
        raise CheckpointError(which, message, "Choose another epoch.") from error
