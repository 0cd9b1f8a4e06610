"""A large bundle is opened by a process of its own, so that no tab waits for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.wings.bundle import upload
from core.project import ProjectError, open_project
from core.project.templates import load_template
from core.wings.bundle import BundleSelection, unpack, write_bundle


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the server's process reads a member of a zip")


@pytest.mark.gate
def test_a_large_bundle_is_opened_by_another_process(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{n},{n % 7},{'ab'[n % 2]}\n" for n in range(500_000))
    (workspace / "rows.csv").write_text(f"x,y,kind\n{rows}", "utf-8")
    own = {"source": "CSV", "file": "rows.csv"}
    project = replace(load_template("mlp_iris"), data=own)
    write_bundle(BundleSelection(project, workspace / "runs", data=True), tmp_path / "net.loom.zip")
    monkeypatch.setattr(unpack, "read_bundle", refuse)
    file = upload.bring_bytes((tmp_path / "net.loom.zip").read_bytes(), "net.loom.zip")
    assert file.parent == workspace
    assert dict(open_project(file).data) == own
    torn = (tmp_path / "net.loom.zip").read_bytes().replace(b"layerloom", b"layerl00m", 1)
    with pytest.raises(ProjectError) as wrong:
        upload.bring_bytes(torn, "torn.loom.zip")
    assert wrong.value.place.startswith("torn.loom.zip")
