"""Open a bundle: copy the checked parts into the workspace, each in one step.

Data first, then runs, then the project. A process killed in between leaves whole pieces only, and
opening the same bundle again continues from there. Nothing is overwritten.
"""

import contextlib
import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from core.common.errors import DataError, ProjectError
from core.data.custom.dataset_file import KIND as OWN_CLASS
from core.data.facts.metadata import read_own
from core.files.folder import locked
from core.files.home import folder_mode, make_folder
from core.prepare.create import new_folder
from core.project import Project, save_project, write_text
from core.project.model import ENDING
from core.project.values import frozen
from core.runs import curves
from core.runs.checkpoint import hash_of
from core.runs.files import read_json
from core.wings.bundle import custom_data, run_files
from core.wings.bundle import manifest as manifests
from core.wings.bundle.manifest import Manifest
from core.wings.bundle.read import Contents, read_bundle
from core.wings.bundle.weights import write_manifest_of_best
from core.wings.bundle.write import IMPORTED, RUNS, WEIGHTS

STAGING = ".bundle-"


@dataclass(frozen=True)
class OpenedBundle:
    """A bundle in the workspace. project: its file. runs: their names here by those in the bundle.

    before: whether it was opened here before, so that its project is as it was left.
    """

    project: Path
    manifest: Manifest
    runs: Mapping[str, str]
    before: bool = False


def open_bundle(file: BinaryIO, name: str, workspace: Path, runs_dir: Path) -> OpenedBundle:
    """Bring the bundle called `name` into a workspace.

    Runs are marked as brought along. A bundle that was opened before is not brought a second
    time. Raises ProjectError, and then nothing of it is there.
    """
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        with locked(runs_dir / "bundle"):
            for left in runs_dir.glob(f"{STAGING}*"):  # of somebody who was killed
                shutil.rmtree(left)
            staging = runs_dir / f"{STAGING}{secrets.token_hex(4)}"
            make_folder(staging)
            try:
                contents = read_bundle(file, name, staging)
                return _Placement(contents, name, workspace, runs_dir).place()
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        message = f"cannot be opened in {workspace}: {error.strerror or error}."
        hint = "Free some space, or check the permissions of the folder."
        raise ProjectError(name, message, hint) from error


class _Placement:
    """One bundle on its way into a workspace; `made` is what it brought so far, to take back."""

    def __init__(self, contents: Contents, name: str, workspace: Path, runs_dir: Path) -> None:
        self.contents, self.workspace, self.runs_dir = contents, workspace, runs_dir
        self.source = {"bundle": Path(name).name[:200], "sha256": contents.sha256}
        self.made: list[Path] = []
        self.names: dict[str, str] = {}
        self.data = ("", "")

    def place(self) -> OpenedBundle:
        """Bring all of it, or nothing where that fails. Raises OSError, ProjectError."""
        try:
            return self._place()
        except BaseException:
            for path in reversed(self.made):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            raise

    def _place(self) -> OpenedBundle:
        made = self.contents.manifest
        before = _opened_before(self.contents.sha256, self.workspace)
        self.data = self._place_data()
        known = _brought_before(self.contents.sha256, self.runs_dir)
        self.names = {run: known.get(run) or self._claim(run) for run in made.runs}
        path = before or _free_project(self.source["bundle"], self.workspace)
        for run in made.runs:
            if run not in known:
                self._place_run(run, path)
        if before is not None:
            return OpenedBundle(before, made, self.names, before=True)
        project = self._renamed(self.contents.project, self._place_weights(path))
        self.made.append(manifests.beside(path))
        manifests.write_beside(path, replace(made, opened=self.source))
        save_project(project, path)
        if made.data.included:
            _read_data(project)
        return OpenedBundle(path, made, self.names)

    def _place_data(self) -> tuple[str, str]:
        """Bring own data; the path it has in the bundle, and the one it has here."""
        known = self.contents.manifest.data
        if not known.included:
            return known.path, known.path
        source = self.contents.folder / custom_data.PLACE / known.path
        for path in _numbered(known.path):
            target = self.workspace / path
            if not os.path.lexists(target):
                _make_folder(target.parent, self.workspace)
                self._move(source, target)
                return known.path, path
            if _is_same(source, target):
                return known.path, path
        raise _too_many(known.path)

    def _move(self, source: Path, target: Path) -> None:
        _move(source, target)
        self.made.append(target)

    def _claim(self, run: str) -> str:
        """The name of a run here: its own where that is free, else the next number."""
        folder = self.runs_dir / run
        try:
            make_folder(folder)
        except FileExistsError:
            stem, _, number = run.rpartition("-")
            folder = new_folder(self.runs_dir, stem if stem and number.isdigit() else run)
        self.made.append(folder)
        return folder.name

    def _place_run(self, run: str, path: Path) -> None:
        """Bring one run, in place of the empty folder that has its name. path: of its project."""
        folder = self.contents.folder / RUNS / run
        best, weights = self.contents.manifest.runs[run], folder / run_files.BEST
        if weights.is_file():
            (folder / "ckpt").mkdir()
            sha256, size = hash_of(weights), weights.stat().st_size
            write_manifest_of_best(folder / "ckpt", best, sha256, size)
            weights.rename(folder / "ckpt" / run_files.BEST)
        project = self.contents.projects[run]
        renamed = self._renamed(project)
        if renamed != project:
            (folder / run_files.PROJECT).write_text(write_text(renamed), encoding="utf-8")
        spec = {**self._renamed_spec(self.contents.specs[run]), "name": self.names[run]}
        spec |= {"document": path.name, "brought": {**self.source, "run": run}}
        text = json.dumps(spec, indent=2)
        (folder / run_files.SPEC).write_text(text, encoding="utf-8")
        attempt = read_json(folder / run_files.STATUS).get("attempt")
        curves.rebuild(folder / run_files.METRICS, attempt if type(attempt) is int else 1)
        folder.chmod(folder_mode())
        _replace_empty(folder, self.runs_dir / self.names[run])

    def _place_weights(self, project: Path) -> str | None:
        """Bring weights beside the project; the name here of those that training begins with."""
        stem, names = project.name.removesuffix(ENDING), dict[str, str]()
        for source in custom_data.known_files(self.contents.folder / WEIGHTS):
            wanted = f"{stem}.safetensors" if source.name == IMPORTED else source.name
            for name in _numbered(wanted):
                target = project.with_name(name)
                if not os.path.lexists(target):
                    self._move(source, target)
                elif not _is_same(source, target):
                    continue
                names[source.name] = name
                break
        start = self.contents.project.training.get("start_from")
        named = str(start.get("weights", "")) if isinstance(start, Mapping) else ""
        return names.get(named, names.get(IMPORTED)) if named else None

    def _renamed(self, project: Project, start: str | None = None) -> Project:
        """A project that speaks of runs, data and weights by their names here."""
        training = self._renamed_training(project.training)
        if start is not None:
            training["start_from"] = {**training["start_from"], "weights": start}
        sources = self._renamed_data(project.data)
        if (frozen(training), frozen(sources)) == (frozen(project.training), frozen(project.data)):
            return project
        return replace(project, training=frozen(training), data=frozen(sources))

    def _renamed_training(self, training: Mapping[str, Any]) -> dict[str, Any]:
        changed = dict(training)
        for key in ("start_from", "distil"):
            setting = training.get(key)
            if isinstance(setting, Mapping) and isinstance(setting.get("run"), str):
                changed[key] = {**setting, "run": self.names.get(setting["run"], setting["run"])}
        return changed

    def _renamed_data(self, sources: Mapping[str, Any]) -> dict[str, Any]:
        old, new = self.data
        keys = [key for key in ("root", "file") if old and sources.get(key) == old]
        return {**sources, **dict.fromkeys(keys, new)}

    def _renamed_spec(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        training = self._renamed_training(spec["training"])
        changed = {**spec, "training": training, "data": self._renamed_data(spec["data"])}
        branch = spec.get("branch")
        if isinstance(branch, Mapping) and branch.get("run") in self.names:
            changed["branch"] = {**branch, "run": self.names[str(branch["run"])]}
        return changed


def _read_data(project: Project) -> None:
    """Read data that came along, so that the project can be trained at once. A class of the user's
    own is not run, and data that cannot be read is told of where it is used."""
    if project.data.get("source") != OWN_CLASS:
        with contextlib.suppress(DataError):
            read_own(project.data)


def _opened_before(sha256: str, workspace: Path) -> Path | None:
    """The project of the same bundle, where it was opened in this workspace and is still there."""
    for file in sorted(workspace.glob(f"*{manifests.BESIDE}")):
        path = file.with_name(file.name.removesuffix(manifests.BESIDE) + ENDING)
        opened = read_json(file).get("opened")
        if path.is_file() and isinstance(opened, dict) and opened.get("sha256") == sha256:
            return path
    return None


def _brought_before(sha256: str, runs_dir: Path) -> dict[str, str]:
    """Runs of the same bundle that are here already: their names here by those in the bundle."""
    found: dict[str, str] = {}
    for folder in sorted(runs_dir.iterdir()):
        brought = read_json(folder / run_files.SPEC).get("brought")
        if isinstance(brought, dict) and brought.get("sha256") == sha256:
            found[str(brought.get("run"))] = folder.name
    return found


def _make_folder(folder: Path, workspace: Path) -> None:
    """Make the folder of data in the workspace. Raises ProjectError where a link leads out."""
    inner = [folder, *folder.parents][: len(folder.relative_to(workspace).parts)]
    for each in inner:
        if each.is_symlink():
            place = each.relative_to(workspace).as_posix()
            raise ProjectError(place, "is a link.", "Replace it by a folder in the workspace.")
    folder.mkdir(parents=True, exist_ok=True)


def _numbered(path: str) -> Iterator[str]:
    """The names to try in turn: NAME.csv, NAME-2.csv, NAME-3.csv ..."""
    stem, dot, ending = path.rpartition(".")
    whole = not dot or "/" in ending
    yield path
    for number in range(2, 10_000):
        yield f"{path}-{number}" if whole else f"{stem}-{number}.{ending}"
    raise _too_many(path)


def _too_many(name: str) -> ProjectError:
    return ProjectError(name, "exists 9,999 times already.", "Delete some of the copies.")


def _is_same(source: Path, target: Path) -> bool:
    """Whether file or folder holds what the other holds, and is where no link leads."""
    if target.is_symlink() or target.is_dir() != source.is_dir():
        return False
    if not source.is_dir():
        same_size = target.is_file() and target.stat().st_size == source.stat().st_size
        return same_size and hash_of(target) == hash_of(source)
    both = [{p.relative_to(f): p for p in custom_data.known_files(f)} for f in (source, target)]
    return both[0].keys() == both[1].keys() and all(
        _is_same(path, both[1][name]) for name, path in both[0].items()
    )


def _move(source: Path, target: Path) -> None:
    """Put a file or folder in place in one step, also from another disk. Raises OSError."""
    try:
        source.rename(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    copy = shutil.copytree if source.is_dir() else shutil.copyfile
    copy(source, beside)
    beside.rename(target)


def _replace_empty(folder: Path, target: Path) -> None:
    """Put a run where an empty folder keeps its name."""
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        target.rmdir()
        _move(folder, target)


def _free_project(bundle: str, workspace: Path) -> Path:
    """The first free name for the project, its weights and its manifest."""
    words = bundle.removesuffix(manifests.ENDING)
    stem = "".join(c if c.isalnum() or c in "-_" else "-" for c in words).strip("-")[:60]
    paths = (workspace / f"{name}{ENDING}" for name in _numbered(stem or "project"))
    return next(path for path in paths if _is_free(path))


def _is_free(path: Path) -> bool:
    weights = path.with_name(path.name.removesuffix(ENDING) + ".safetensors")
    return not any(os.path.lexists(p) for p in (path, weights, manifests.beside(path)))
