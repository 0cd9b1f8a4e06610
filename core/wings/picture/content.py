"""What stands on the picture of a network, in words. No torch."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from core.common.escaping import one_line
from core.graph import Graph
from core.project import Project, open_project
from core.runs.listing import RunView
from core.runs.result import RunResult, data_name, result_of


@dataclass(frozen=True)
class Content:
    """title: the network's name. about: a line below it. figures: what it took, in a few words."""

    title: str
    about: str
    graph: Graph
    result: RunResult = field(default_factory=RunResult)
    figures: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All of it in one sentence, for those who do not see the picture."""
        reached = [self.result.sentence] if self.result.sentence else []
        return ", ".join([f"{self.title}: {self.about}", *reached, *self.figures])


def of_run(run_dir: Path, view: RunView | None = None) -> Content:
    """The content for a run. Raises ProjectError where its drawing cannot be read."""
    project = open_project(Path(run_dir) / "project.loom.json")
    result = result_of(run_dir, view)
    on = line_of(result.data)
    about = f"{_blocks(project.graph)}, trained{f' on {on}' if on else ''}"
    return Content(_title(project), about, project.graph, _in_lines(result), result.facts())


def of_project(project: Project, params: int | None = None) -> Content:
    """The content for a drawing that has not been trained. params: learnable numbers, if known."""
    on = line_of(data_name(project.data))
    about = f"{_blocks(project.graph)}, not trained yet{f', for {on}' if on else ''}"
    return Content(_title(project), about, project.graph, figures=RunResult(params=params).facts())


def _in_lines(result: RunResult) -> RunResult:
    """The result with nothing in it that commands: rules and metrics hold names of classes."""
    names = ("value", "within", "metric", "rule", "sentence")
    return replace(result, **{name: line_of(getattr(result, name)) for name in names})


def line_of(text: str) -> str:
    """A text of strangers as it stands on the picture: in one line, with nothing that commands."""
    return " ".join(one_line(text).split())


def _title(project: Project) -> str:
    return line_of(project.name) or "Untitled network"


def _blocks(graph: Graph) -> str:
    count = len(graph.nodes)
    return f"{count:,} block{'s' if count != 1 else ''}"
