"""Pictures with masks that are dropped or chosen: kept together, read, a U-Net drawn for them."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.process import pool
from app.services import documents, first_network, staging, training
from app.services.data_previews import preview_data
from app.services.file_choices import Choice, choices
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError
from core.data.facts.metadata import read_own
from core.project.values import frozen
from tests.core.data.mask_sets import SHAPES, write_masks

pytestmark = pytest.mark.usefixtures("workspace")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch):
    def run(function, *args, timeout_s):
        try:
            return function(*args)
        except DataError as error:
            raise pool.PoolError(error.message, error.hint) from error

    monkeypatch.setattr(pool, "run", run)


def dropped(files: Path, top: str):
    names = sorted(p for p in files.rglob("*") if p.is_file())
    with staging.staging() as folder:
        staged: list[Staged] = []
        for number, path in enumerate(names):
            (folder / str(number)).write_bytes(path.read_bytes())
            inner = path.relative_to(files).as_posix()
            staged.append(Staged(f"{top}{inner}", folder / str(number)))
        return open_dropped(staged)


@pytest.mark.parametrize("top", ["street/", ""])
def test_a_folder_with_masks_is_kept_with_its_classes_and_read(
    tmp_path: Path, workspace: Path, top: str
):
    source = write_masks(tmp_path / "there", 4)
    (source / "notes.md").write_text("about these shapes", "utf-8")
    found = dropped(source, top)
    root = "data/street" if top else "data/pictures"
    assert found.data == {"source": "MaskFolder", "root": root}
    assert not found.error
    assert found.notes == (
        "4 pictures. Each pixel has one of 3 classes (ground, square, circle).",
        f"Left out: {top}notes.md.",
    )
    kept = {p.relative_to(workspace / root).as_posix() for p in (workspace / root).rglob("*.*")}
    assert "classes.txt" in kept
    assert len(kept) == 9
    assert Choice("MaskFolder", root) in choices()


def test_a_mask_that_cannot_be_used_is_told_at_the_drop(tmp_path: Path):
    source = write_masks(tmp_path / "there", 3)
    (source / "masks/s0_01.png").write_bytes(b"no picture")
    found = dropped(source, "street/")
    assert found.error.startswith("1 of 3 masks cannot be used. s0_01.png is not a picture")


def test_the_preview_has_the_share_of_each_class(workspace: Path):
    write_masks(workspace / "data/shapes", 4)
    read_own(SHAPES)
    found = preview_data('{"source": "MaskFolder", "root": "data/shapes"}', 0)
    names, shares = [name for name, _, _ in found.shares], [share for _, share, _ in found.shares]
    assert names == ["ground", "square", "circle"]
    assert sum(shares) + found.void == pytest.approx(1)
    assert found.void == pytest.approx(4 / (4 * 16 * 20))
    assert len(found.pictures) == 4


@pytest.mark.parametrize(
    ("shape", "made"),
    [
        ((3, 16, 20), (3, 16, 20)),
        ((3, 160, 240), (3, 64, 96)),
        ((3, 18, 30), (3, 16, 32)),
        ((3, 2, 900), (3, 4, 96)),
    ],
)
def test_the_input_has_the_proportions_of_the_pictures_and_halves_twice(shape, made):
    assert first_network.masked_shape(shape) == made


def test_a_u_net_is_drawn_that_scores_each_class_at_each_pixel(workspace: Path):
    write_masks(workspace / "data/shapes", 3)
    read_own(SHAPES)
    document = documents.empty()
    document.replace(replace(document.project, data=frozen(SHAPES)))
    first_network.make(document)
    graph = document.project.graph
    assert graph.nodes["picture"].settings["shape"] == (3, 16, 20)
    assert graph.nodes["head"].settings["out_channels"] == 3
    assert not document.analysed()["errors"]
    info = training.fit(document).info
    assert info is not None
    assert (info.task, info.losses[0]) == ("semantic segmentation", "CrossEntropyLoss")
