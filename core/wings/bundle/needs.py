"""List of what is missing to use a bundle here: data, runs, trust, a newer version."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.common.errors import DataError
from core.common.version import layerloom_version
from core.files.messages import shown
from core.prepare.requirements import Need, missing, need
from core.project import untrusted as own_python
from core.project.model import Project
from core.wings.bundle import custom_data
from core.wings.bundle.manifest import Manifest, is_newer


def missing_requirements(
    project: Project, manifest: Manifest | None, beside: Path | None, runs_dir: Path
) -> list[Need]:
    """Everything that a project which came in a bundle needs and that is not here.

    manifest: of its bundle, None for a project of one's own. As `check --json` lists warnings.
    Own Python is not among them where the analysis says it as an error: see `untrusted`.
    """
    needs = missing(project, beside, runs_dir)
    return [*needs, *differences(project, manifest, needs)]


def differences(project: Project, manifest: Manifest | None, needs: Sequence[Need]) -> list[Need]:
    """What differs here from the bundle that a project came in. needs: what is missing anyway."""
    if manifest is None:
        return []
    found = [*_version(manifest)]
    if not any(each["code"] == "missing_data" for each in needs):
        found += _other_data(project, manifest)
    return found


def untrusted(project: Project) -> list[Need]:
    """Own Python that this user has not trusted, as a list of at most one thing that is lacking."""
    *others, last = own_python.untrusted(project.graph) or ("",)
    if not last:
        return []
    who = f"{', '.join(others)} and {last} hold" if others else f"{last} holds"
    message = f"{who} Python that you have not trusted yet."
    return [
        need(
            "untrusted_python",
            message,
            "Read and trust it on the Build page, or with `layerloom trust`.",
        )
    ]


def _version(manifest: Manifest) -> Iterator[Need]:
    if is_newer(manifest.version):
        ours = layerloom_version()
        message = f"The bundle was made with Layerloom {manifest.version}; this is version {ours}."
        yield need("older_version", message, "Update Layerloom if something looks wrong.")


def _other_data(project: Project, manifest: Manifest) -> Iterator[Need]:
    known = manifest.data
    try:
        same = custom_data.is_same(project.data, known)
    except (DataError, OSError):
        same = False
    if not same:
        message = f"{shown(known.path)} here differs from the data of the bundle, which has "
        message += f"{known.size:,} bytes and the SHA-256 {known.sha256[:12]}."
        yield need("other_data", message, "Ask the sender for the data, or continue with yours.")


def missing_before_opening(project: Project, manifest: Manifest, folder: Path) -> list[Need]:
    """The same of a bundle that was read into `folder` only, as if it were opened here."""
    if manifest.data.included:
        os.environ["LAYERLOOM_BESIDE"] = str(folder / "files" / "project.loom.json")
    needs = missing_requirements(project, manifest, folder / "weights", folder / "runs")
    return [*needs, *untrusted(project)]
