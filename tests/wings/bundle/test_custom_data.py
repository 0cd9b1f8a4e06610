"""Data in a bundle is data, no Python, and has names that it can hold."""

from pathlib import Path
from typing import Any

import pytest

from core.data import DataError
from core.project import ProjectError
from core.runs.checkpoint import hash_of
from core.wings.bundle import custom_data
from tests.core.data.mask_sets import SHAPES, write_masks
from tests.core.data.picture_sets_as_saved import PLAIN
from tests.wings.bundle.data_doors import by_bundle


def test_a_bundle_takes_no_python_along_as_data(workspace: Path) -> None:
    data: dict[str, Any] = {"source": "Dataset", "file": "data/waves.py"}
    (workspace / "data").mkdir()
    (workspace / "data" / "waves.py").write_text("x = 1\n", "utf-8")
    assert custom_data.describe(data, included=False).files == 1
    with pytest.raises(
        DataError, match=r"data/waves.py is Python; a bundle may only contain data\."
    ):
        custom_data.files_to_take(data)


@pytest.mark.parametrize("name", ["what?", "a "])
def test_a_bundle_names_the_picture_whose_name_it_cannot_hold(workspace: Path, name: str) -> None:
    given = {n.replace("a/", f"{name}/"): content for n, content in PLAIN.items()}
    with pytest.raises(DataError) as refused:
        by_bundle(workspace, given)
    assert str(refused.value) == (
        f"data.root, 'data/pets/{name}/0.png', has characters that are not allowed in a path. "
        "Rename the file or its folder."
    )


def test_masks_go_along_with_their_pictures_and_the_file_of_their_classes(workspace: Path) -> None:
    root = write_masks(workspace / "data/shapes", 3)
    (root / "alone.png").write_bytes((root / "images/s0_00.png").read_bytes())
    files = custom_data.files_to_take(SHAPES)
    inner = sorted(name.removeprefix("files/data/shapes/") for name in files)
    assert inner == ["classes.txt", *(f"{kind}/s0_0{n}.png" for kind in ("images", "masks")
                                      for n in range(3))]  # fmt: skip
    hashes = {name: hash_of(path) for name, path in files.items()}
    known = custom_data.describe(SHAPES, included=True)
    custom_data.check_members(SHAPES, known, hashes)
    with pytest.raises(ProjectError, match="is not part of the data named in the project"):
        custom_data.check_members(SHAPES, known, {**hashes, "files/data/shapes/run.sh": "0"})
