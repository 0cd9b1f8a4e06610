"""Write a bundle: project, selected runs, notes, and optionally the data.

The same project, runs and data give the same bytes: members in a fixed order, no times, no names
of people or machines.
"""

import hashlib
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import DataError, ProjectError, RunError
from core.common.version import layerloom_version
from core.files.safe_path import discard, is_file
from core.project import Project, read_text, write_text
from core.runs import full_disk
from core.runs.checkpoint import hash_of
from core.wings.bundle import custom_data, run_files
from core.wings.bundle import manifest as manifests
from core.wings.bundle.archive import LARGEST_BYTES, MOST_MEMBERS, write_archive
from core.wings.bundle.manifest import Manifest, Member, OwnData
from core.wings.bundle.weights import export_best

PROJECT, WEIGHTS, RUNS = "project.loom.json", "weights/", "runs/"
IMPORTED = "imported.safetensors"
"""What the weights that were imported with a project are called in a bundle."""


@dataclass(frozen=True)
class BundleSelection:
    """What is to be shared. file: the project's, "" for one never saved. runs: by name.

    data: whether own data goes along, rather than its fingerprint.
    """

    project: Project
    runs_dir: Path
    file: Path | None = None
    runs: tuple[str, ...] = ()
    data: bool = False


@dataclass(frozen=True)
class WrittenBundle:
    """A bundle that was written. size: in bytes. unknown: why own data has no fingerprint."""

    path: Path
    sha256: str
    size: int
    manifest: Manifest
    unknown: str = ""

    def json(self) -> dict[str, Any]:
        """As JSON, for a page and for `--json`."""
        data = self.manifest.data
        return {
            "bundle": str(self.path),
            "sha256": self.sha256,
            "bytes": self.size,
            "runs": list(self.manifest.runs),
            "data": {"source": data.source, "files": data.files, "included": data.included},
            "unknown": self.unknown,
        }


def write_bundle(chosen: BundleSelection, out: Path) -> WrittenBundle:
    """Write a bundle, whole or not at all. Imports torch where a run has weights.

    Raises RunError for a run that is not there or still trains, DataError where the data is to go
    along and cannot, ProjectError where the file cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        runs, members = _runs(chosen, Path(folder))
        members |= _beside(chosen)
        own, unknown = _own_data(chosen)
        if chosen.data:
            members |= custom_data.files_to_take(chosen.project.data)
        first: dict[str, bytes | Path] = {PROJECT: write_text(chosen.project).encode()}
        ordered = [*first.items(), *sorted(members.items())]
        rows = tuple(_member(name, content) for name, content in ordered)
        made = Manifest(layerloom_version(), chosen.project.name, own, runs, rows)
        _check_size(rows)
        text = manifests.to_text(made).encode()
        size, sha256 = _write(out, [(manifests.NAME, text), *ordered])
    return WrittenBundle(out, sha256, size, made, unknown)


def _check_size(rows: Sequence[Member]) -> None:
    size = sum(row.size for row in rows)
    if size > LARGEST_BYTES - (16 << 20) or len(rows) >= MOST_MEMBERS:
        message = f"The bundle would have {size / 1e6:,.0f} MB in {len(rows):,} files; at most "
        message += f"{LARGEST_BYTES >> 20} MB and {MOST_MEMBERS:,} files are allowed."
        raise RunError("bundle", message, "Share fewer runs, or leave the data out.")


def _member(name: str, content: bytes | Path) -> Member:
    if isinstance(content, Path):
        return Member(name, content.stat().st_size, hash_of(content))
    return Member(name, len(content), hashlib.sha256(content).hexdigest())


def needed_runs(project: Project) -> list[str]:
    """Runs whose weights a project begins with, or that it learns from."""
    settings = [project.training.get(key) for key in ("start_from", "distil")]
    return [str(s["run"]) for s in settings if isinstance(s, Mapping) and "run" in s]


def _runs(
    chosen: BundleSelection, folder: Path
) -> tuple[dict[str, dict[str, int]], dict[str, bytes | Path]]:
    """The best checkpoint of each run, and its members."""
    names = dict.fromkeys(chosen.runs)
    names |= dict.fromkeys(n for n in needed_runs(chosen.project) if _is_run(chosen.runs_dir / n))
    runs, members = dict[str, dict[str, int]](), dict[str, bytes | Path]()
    for name in sorted(names):
        run_dir = chosen.runs_dir / name
        if not manifests.RUN_NAME.fullmatch(name) or not _is_run(run_dir):
            message = f"There is no run called {name[:80]!r} in {chosen.runs_dir}."
            raise RunError(name, message, "`layerloom runs` lists them.")
        members |= {f"{RUNS}{name}/{n}": c for n, c in run_files.texts_of(run_dir).items()}
        weights = folder / f"{name}.safetensors"
        runs[name] = export_best(run_dir, weights) or {}
        files = {run_files.BEST: weights} | {n: run_dir / n for n in run_files.WEIGHTS[1:]}
        members |= {f"{RUNS}{name}/{n}": path for n, path in files.items() if path.is_file()}
    return runs, members


def _is_run(run_dir: Path) -> bool:
    return run_dir.parent.is_dir() and is_file(run_dir / run_files.SPEC)


def _beside(chosen: BundleSelection) -> dict[str, bytes | Path]:
    """Weights beside the project: those imported with it, and those that training begins with."""
    if chosen.file is None:
        return {}
    imported = chosen.file.with_name(chosen.file.name.removesuffix(".loom.json") + ".safetensors")
    files: dict[str, bytes | Path] = {}
    if imported.is_file():
        files[WEIGHTS + IMPORTED] = imported
    start = chosen.project.training.get("start_from")
    name = start.get("weights") if isinstance(start, Mapping) else None
    if isinstance(name, str) and name == Path(name).name and name != imported.name:
        path = chosen.file.with_name(name)
        files |= {WEIGHTS + name: path} if is_file(path) and not path.is_symlink() else {}
    return files


def _own_data(chosen: BundleSelection) -> tuple[OwnData, str]:
    """The record of the data, and the reason where it has no fingerprint."""
    try:
        return custom_data.describe(chosen.project.data, chosen.data), ""
    except DataError as error:
        if chosen.data:
            raise
        return OwnData(str(chosen.project.data.get("source", ""))[:40]), str(error)


def _write(out: Path, members: Sequence[tuple[str, bytes | Path]]) -> tuple[int, str]:
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            write_archive(file, members)
            file.flush()
            os.fsync(file.fileno())
        sha256, size = hash_of(temporary), temporary.stat().st_size
        temporary.replace(out)
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}."
        hint = full_disk.advice(error, out, "Choose an existing folder, and check the free space.")
        raise ProjectError(str(out), message, hint) from error
    finally:
        discard(temporary)
    return size, sha256


def write_for_page(
    text: str, file: str, runs_dir: str, runs: Sequence[str], data: bool, out: str
) -> dict[str, Any]:
    """Write a bundle of a project's text, for a page. file: "" for a project never saved."""
    project, path = read_text(text), Path(file) if file else None
    chosen = BundleSelection(project, Path(runs_dir), path, tuple(runs), data)
    return write_bundle(chosen, Path(out)).json()
