"""A run's network, made again from its graph: stored source is compared, never executed."""

from dataclasses import dataclass
from pathlib import Path

from torch import nn

from core.analyse import Report, analyse_project, build
from core.engine.ema import weights_of
from core.errors import CheckpointError, RunError
from core.project import Project, ProjectError, open_project
from core.runs import checkpoint


@dataclass(frozen=True)
class LoadedNetwork:
    """What a run trains: its project, and the analysis whose source equals model.py."""

    project: Project
    report: Report

    def module(self) -> nn.Module:
        """A fresh module, first weights drawn from torch's random state."""
        assert self.report.source is not None
        return build(self.report.source, self.report.class_name)


def load_network(run_dir: Path) -> LoadedNetwork:
    """Regenerate a run's source from its graph. Raises RunError when model.py is another text."""
    try:
        project = open_project(run_dir / "project.loom.json")
        stored = (run_dir / "model.py").read_text(encoding="utf-8")
    except ProjectError as error:
        raise RunError(run_dir.name, f"{error.place} {error.message}", error.hint) from error
    except OSError as error:
        message = f"The run folder {run_dir.name} has no model.py."
        raise RunError(run_dir.name, message, "Train the project again.") from error
    except UnicodeDecodeError as error:
        message = f"model.py of {run_dir.name} is damaged: it is no text."
        raise RunError(run_dir.name, message, "Train the project again.") from error
    report = analyse_project(project)
    if report.source is None:
        raise RunError(run_dir.name, report.errors[0].message, report.errors[0].hint)
    if report.source != stored:
        message = f"model.py of {run_dir.name} is not what its graph gives, so it is not used."
        raise RunError(run_dir.name, message, "Train the project again with this version.")
    return LoadedNetwork(project, report)


def load_module(run_dir: Path, which: str = "best") -> nn.Module:
    """A run's module with the weights of its best, last or previous checkpoint, in eval mode.

    Raises RunError, and CheckpointError for weights that are missing, damaged or of another net.
    """
    run_dir = Path(run_dir)
    state = checkpoint.load(run_dir, which)
    module = load_network(run_dir).module()
    try:
        module.load_state_dict(weights_of(state))
    except RuntimeError as error:
        message = f"The {which} checkpoint does not fit the network of {run_dir.name}."
        raise CheckpointError(which, message, "Train the project again.") from error
    return module.eval()
