"""Pictures with masks: which are pairs, what their values mean, and what is refused in words."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from core.analyse import analyse_project
from core.data import DataError
from core.data.batches.dataset import load_project
from core.data.facts.metadata import read_own
from core.data.pictures.masks import find_pairs, holds_masks
from core.data.sources.io_spec import ends
from tests.core.data.mask_sets import (
    CLASSES,
    SHAPES,
    coloured,
    indexed,
    mask_net,
    mask_project,
    sample,
    write_masks,
)
from tests.core.small_runs import project

ROOT = "data/shapes"


def facts(**given: Any) -> Any:
    found = read_own({**SHAPES, **given})
    assert found is not None
    return found


def loaded(made: Any) -> Any:
    report = analyse_project(made)
    return load_project(made, *ends(report.inputs, report.outputs))


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (["images/a.jpg", "masks/a.png"], [("images/a.jpg", "masks/a.png")]),
        (["x/a.png", "x/a_mask.png", "x/b.png"], [("x/a.png", "x/a_mask.png")]),
        (
            ["JPEGImages/1.jpg", "JPEGImages/2.jpg", "SegmentationClass/1.png"],
            [("JPEGImages/1.jpg", "SegmentationClass/1.png")],
        ),
        (
            ["train/images/a.png", "train/labels/a.png", "images/c.png", "labels/c.png"],
            [("images/c.png", "labels/c.png"), ("train/images/a.png", "train/labels/a.png")],
        ),
        (["images/a.png", "masks/a_seg.png"], [("images/a.png", "masks/a_seg.png")]),
    ],
)
def test_pictures_and_masks_are_paired_by_folders_and_names(names, pairs):
    found = find_pairs(names)
    assert found is not None
    assert list(found.found) == pairs
    assert holds_masks(names)


@pytest.mark.parametrize(
    "names",
    [
        ["cats/1.png", "dogs/1.png"],
        ["with_mask/1.png", "without_mask/1.png"],
        ["images/1.png", "images/2.png"],
        ["images/1.png", "masks/2.png"],
    ],
)
def test_classes_and_pictures_alone_are_no_masks(names):
    assert not holds_masks(names)


@pytest.mark.parametrize(
    ("as_mask", "beside", "names", "classes", "by_index"),
    [
        (Image.fromarray, False, "0 ground\n1 square\n2 circle\n", ("ground", "square", "circle"),
         True),
        (Image.fromarray, True, "", ("0", "1", "2"), True),
        (indexed, False, "", ("0", "1", "2"), True),
        (coloured, True, "", ("black", "#008040", "red"), False),
        (coloured, False, "name,r,g,b\nsquare,255,0,0\nground,0,0,0\ncircle,0,128,64\n",
         ("square", "ground", "circle"), False),
        (indexed, False, "ground:0,0,0::\nsquare:255,0,0::\ncircle:0,128,64::\n",
         ("ground", "square", "circle"), False),
    ],
)  # fmt: skip
def test_masks_by_number_or_colour_give_their_classes(
    workspace: Path,
    as_mask: Callable[[Any], Image.Image],
    beside: bool,
    names: str,
    classes: tuple[str, ...],
    by_index: bool,
):
    write_masks(workspace / ROOT, 4, as_mask, beside, names=names)
    found = facts()
    assert (found.source.classes, found.layout["by_index"]) == (classes, by_index)
    named = dict(zip(classes, found.layout["pixels"], strict=True))
    truth = np.bincount(np.concatenate([sample(k)[1].ravel() for k in range(4)]))
    void = found.layout["void"]
    assert sorted(named.values()) == sorted([truth[0] - void, truth[1], truth[2]])
    assert void == (4 if as_mask is Image.fromarray else 0)


def test_targets_are_the_classes_of_the_nearest_pixels_and_minus_100_for_none(workspace: Path):
    write_masks(workspace / ROOT, 5)
    data = loaded(mask_project())
    every = data.all_targets[0]
    assert every[:].dtype == torch.int64
    for number in range(5):
        _, classes = sample(number)
        expected = torch.from_numpy(classes[1::2, 1::2].astype(np.int64))  # half the size
        assert torch.equal(every[number], expected)
    assert data.labels is None
    assert len(data.train_indices) + len(data.validation_indices) == 5


def test_a_mask_that_changed_changes_the_data_and_what_it_is_judged_by(workspace: Path):
    write_masks(workspace / ROOT, 6)
    before = loaded(mask_project())
    row = int(before.validation_indices[0])
    place = workspace / ROOT / f"masks/s{row // 3}_{row:02}.png"
    mask = np.asarray(Image.open(place)).copy()
    mask[8:] = 2
    Image.fromarray(mask).save(place)
    after = loaded(mask_project())
    assert after.content != before.content
    assert after.judges != before.judges
    assert int((after.all_targets[0][row] == 2).sum()) >= 40


def test_groups_by_name_stay_together(workspace: Path):
    write_masks(workspace / ROOT, 12)
    data = loaded(mask_project({**SHAPES, "split": "group", "split_by": "name"}))
    learned, judged = ({int(r) // 3 for r in rows} for rows in
                       (data.train_indices, data.validation_indices))  # fmt: skip
    assert judged
    assert not learned & judged


def spoil(workspace: Path, name: str, change: Callable[[Any], Any]) -> None:
    place = workspace / ROOT / name
    Image.fromarray(change(np.asarray(Image.open(place)).copy())).save(place)


def _edge(mask: Any) -> Any:
    mask[0, 3] = 7
    return mask


def _smooth(mask: Any) -> Any:
    return np.arange(mask.size, dtype=np.uint8).reshape(mask.shape) % 64


@pytest.mark.parametrize(
    ("change", "names", "message"),
    [
        (lambda mask: mask[:-1], "",
         "1 of 9 masks cannot be used. masks/s0_02.png has 20 x 15 pixels, but its picture "
         "images/s0_02.png has 20 x 16."),
        (_edge, "", "The number 7 is in masks/s0_02.png alone, on 1 of 320 pixels."),
        (_edge, "ground\nsquare\ncircle\n",
         "masks/s0_02.png has the number 7 on 1 pixels, which classes.txt does not name."),
        (_smooth, "", "The masks have 65 numbers, masks/s0_02.png alone 64; expected a few, one "
         "for each class."),
    ],
)  # fmt: skip
def test_a_mask_that_cannot_be_used_is_named_with_its_numbers(
    workspace: Path, change: Callable[[Any], Any], names: str, message: str
):
    write_masks(workspace / ROOT, 9, names=names)
    spoil(workspace, "masks/s0_02.png", change)
    with pytest.raises(DataError) as caught:
        facts()
    assert caught.value.message == message


def test_what_cannot_be_read_is_left_out_where_the_settings_say_so(workspace: Path):
    write_masks(workspace / ROOT, 6)
    (workspace / ROOT / "masks/s0_01.png").write_bytes(b"\x89PNG and no more")
    with pytest.raises(DataError, match=r"1 of 6 masks cannot be used\. s0_01\.png is"):
        facts()
    data = loaded(mask_project({**SHAPES, "skip_corrupt": True}))
    assert data.left_out == ("images/s0_01.png",)
    assert len(data.all_targets[0]) == 5


def test_pictures_without_a_mask_are_skipped_in_a_note(workspace: Path):
    write_masks(workspace / ROOT, 4)
    (workspace / ROOT / "masks/s0_01.png").unlink()
    found = facts()
    assert found.source.samples == 3
    assert found.layout["notes"] == ["Skipped: 1 pictures without a mask, images/s0_01.png."]


def test_the_class_that_does_not_count_can_be_named(workspace: Path):
    write_masks(workspace / ROOT, 4, names="")
    assert facts().source.classes == ("0", "1", "2")
    assert facts(ignore="none").source.classes == ("0", "1", "2", "255")
    assert facts(ignore="2").source.classes == ("0", "1", "255")
    with pytest.raises(DataError) as caught:
        facts(ignore="sky")
    assert caught.value.message == "data.ignore is 'sky', but no class of the masks is called so."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "classes.txt names no class."),
        ("1 road\nsky\n", "Line 2 of classes.txt is not a class: it has 0 numbers and a name."),
        ("1 road\n1 sky\n", "classes.txt gives one value to two classes."),
        ("1 2 road\n", "Line 1 of classes.txt is not a class: it has 2 numbers and a name."),
    ],
)
def test_a_file_of_classes_that_is_none_is_refused_by_its_line(workspace: Path, text, message):
    write_masks(workspace / ROOT, 3, names="x\n")
    (workspace / ROOT / "classes.txt").write_text(text, "utf-8")
    with pytest.raises(DataError) as caught:
        facts()
    assert caught.value.message == message


def test_a_network_with_other_outputs_is_refused_with_both_shapes(workspace: Path):
    write_masks(workspace / ROOT, 3)
    read_own(SHAPES)
    made = project(mask_net(2), dict(SHAPES))
    with pytest.raises(DataError) as caught:
        loaded(made)
    assert caught.value.message == (
        "MaskFolder needs a score for each of 3 classes at each pixel, (N, 3, 8, 10), but the "
        "network outputs (N, 2, 8, 10)."
    )


@pytest.mark.parametrize("way", ["link", "pipe", "hard link"])
def test_a_file_of_classes_that_is_no_file_of_the_folder_is_refused(
    way: str, workspace: Path, tmp_path: Path
) -> None:
    """A pipe would keep its reader waiting; a link leads to what is somebody else's."""
    write_masks(workspace / ROOT, 4)
    names = workspace / ROOT / "classes.txt"
    names.unlink(missing_ok=True)
    secret = tmp_path / "secret.txt"
    secret.write_text(CLASSES, "utf-8")
    {"link": names.symlink_to, "hard link": names.hardlink_to}.get(way, lambda _: os.mkfifo(names))(
        secret
    )
    with pytest.raises(DataError) as refused:
        read_own(dict(SHAPES))
    assert refused.value.message == "data/shapes/classes.txt is a link or not a regular file."
