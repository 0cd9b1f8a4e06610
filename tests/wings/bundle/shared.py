"""What the tests of bundles share: a trained run with its project, and bundles made of them."""

import io
from pathlib import Path

from core.project import Project, open_project, save_project
from core.wings.bundle import (
    BundleSelection,
    OpenedBundle,
    WrittenBundle,
    open_bundle,
    write_bundle,
)

CSV = "x1,x2,kind\n" + "".join(f"{i / 7:.3f},{(i * i) % 11},{'ab'[i % 2]}\n" for i in range(40))


def saved(made: Project, folder: Path, name: str = "small") -> Path:
    """The project as a file of a workspace."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.loom.json"
    save_project(made, path)
    return path


def bundled(file: Path, runs_dir: Path, *runs: str, data: bool = False) -> WrittenBundle:
    """A bundle of a project's file, beside it."""
    out = file.with_name("small.loom.zip")
    return write_bundle(BundleSelection(open_project(file), runs_dir, file, runs, data), out)


def opened(bundle: Path, workspace: Path) -> OpenedBundle:
    """The bundle, opened in another workspace, with its runs beside."""
    workspace.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO(bundle.read_bytes())
    return open_bundle(content, bundle.name, workspace, workspace / "runs")
