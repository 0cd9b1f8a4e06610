"""The door by which data comes in a bundle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.project import open_project
from tests.wings.bundle.shared import bundled, opened


def by_bundle(workspace: Path, given: Mapping[str, bytes]) -> Any:
    from tests.scenarios.doors import as_read, project_of  # these doors are among its own

    bundle = bundled(project_of(workspace, given), workspace / "runs", data=True).path
    theirs = workspace.with_name(f"{workspace.name}-theirs")
    theirs.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
        return as_read(open_project(opened(bundle, theirs).project).data)


DOORS = {"bundle": by_bundle}
SAID_OF_ONE_NAME = {
    "bundle": "pets/a/X.png and pets/a/x.png differ only in upper and lower case. "
    "Rename one of them."
}
"""What is said of two pictures whose names are one on some systems."""
