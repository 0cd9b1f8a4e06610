"""A disk that was mounted read-only: each writer says so with the name of its output."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError

from app.cli.files import write_out
from app.cli.templates import copy
from core.common.errors import LayerloomError
from core.engine import weights_file
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project import Project, save_project
from core.project.templates import list_templates, load_template
from core.runs.curves import CurveKeeper
from core.runs.files import write_json
from tests.core.worker.faulty_disk import read_only
from tests.wing_parts import rows

WRITERS: dict[str, Callable[[Path], object]] = {
    "out.txt": lambda out: write_out("text", out),
    "new.loom.json": lambda out: copy(list_templates()[0], out),
    "net.dot": lambda out: export_subject(subject_of(load_template("mlp_iris")), "dot", out),
    "saved.loom.json": lambda out: save_project(Project(), out),
    **rows("writers", "WRITERS"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_file_that_cannot_be_written_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with monkeypatch.context() as patch:
        read_only(folder, patch)
        with pytest.raises(LayerloomError) as refused:
            WRITERS[name](folder / name)
    assert f"{name} cannot be" in str(refused.value).replace(": ", " ")
    assert "Read-only file system" in str(refused.value)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "write",
    [
        lambda path: weights_file.write_weights(path, {"w": torch.zeros(2)}),
        lambda path: write_json(path, {}),
    ],
)
def test_the_first_refusal_is_the_one_that_is_told(
    write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        read_only(tmp_path, patch)
        with pytest.raises(OSError, match="Read-only file system") as refused:
            write(tmp_path / "file")
    assert all(entry.name != "unlink" for entry in refused.traceback)


def test_curves_that_cannot_be_summed_up_cost_the_summary_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"attempt": 1, "kind": "step", "step": [1], "loss": [0.5]}\n'
    )
    with monkeypatch.context() as patch:
        read_only(tmp_path, patch)
        keeper = CurveKeeper(tmp_path / "metrics.jsonl", 1)
        keeper.save((tmp_path / "metrics.jsonl").stat().st_size)
    assert keeper.curves.kinds["step"].count == 1
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("I/O error: no room (os error 28)", 28, "No space left on device"),
        ("I/O error: Read-only (os error 30) at path /x", 30, "Read-only file system"),
        ("tensors share memory", 5, "tensors share memory"),
    ],
)
def test_what_safetensors_was_refused_is_an_error_of_the_system(
    text: str, code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SafetensorError(text)

    monkeypatch.setattr(weights_file, "save_file", refuse)
    with pytest.raises(OSError, match=words) as refused:
        weights_file.write_weights(tmp_path / "w.safetensors", {})
    assert (refused.value.errno, refused.value.strerror) == (code, words)
