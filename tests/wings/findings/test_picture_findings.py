"""Pictures on both sides of the split or in two classes, and classes that brightness tells."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.data.facts.metadata import read_own
from core.wings.findings.card import data_card
from core.wings.findings.finding import Mend

DATA = {"source": "ImageFolder", "root": "shapes"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sound folder: 30 noisy pictures of each of two classes, upright and level stripes."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    rng = np.random.default_rng(0)
    for name in ("level", "upright"):
        (tmp_path / "shapes" / name).mkdir(parents=True)
        for number in range(30):
            save(
                tmp_path / "shapes" / name / f"{chr(97 + number % 26)}{number}x.png",
                stripes(rng, name),
            )
    return tmp_path / "shapes"


def stripes(rng: Any, name: str, light: float = 0.0) -> Any:
    line = 0.5 + 0.4 * np.sin(np.arange(24) / rng.uniform(1, 4) + rng.uniform(0, 6))
    grey = line[:, None] if name == "level" else line[None]
    return np.clip(grey * 0.5 + rng.uniform(0, 0.5, (24, 24)) + light, 0, 1)


def save(path: Path, grey: Any) -> None:
    Image.fromarray((grey * 255).astype(np.uint8)).save(path)


def card() -> Any:
    read_own(DATA)
    return data_card(DATA)


def test_a_sound_folder_gives_no_finding(folder: Path) -> None:
    assert card().findings == ()


def test_a_file_in_two_class_folders_is_named(folder: Path) -> None:
    shutil.copy(folder / "level" / "a0x.png", folder / "upright" / "copy.png")
    found = card().findings
    assert [(f.kind, f.files) for f in found if f.kind == "two_classes"] == [
        ("two_classes", ("level/a0x.png", "upright/copy.png"))
    ]


def test_copies_on_both_sides_of_the_split_are_counted(folder: Path) -> None:
    for path in sorted((folder / "level").iterdir())[:20]:
        shutil.copy(path, path.with_name(f"again-{path.name}"))
    (finding,) = card().findings
    assert finding.kind == "copies"
    assert finding.count > 3
    assert finding.sentence.startswith(f"{finding.count} of 16 validation pictures are copies of")


def test_pictures_saved_again_are_near_copies(folder: Path) -> None:
    for path in sorted((folder / "level").iterdir())[:20]:
        with Image.open(path) as picture:
            picture.resize((30, 30)).save(path.with_suffix(".jpg"), quality=85)
    (finding,) = card().findings
    assert finding.kind == "near_copies"
    assert finding.count > 3


def test_a_class_that_is_brighter_is_told_with_what_brightness_alone_reaches(folder: Path) -> None:
    rng = np.random.default_rng(1)
    for path in (folder / "upright").iterdir():
        save(path, stripes(rng, "upright", 0.4))
    (finding,) = card().findings
    assert finding.kind == "brightness"
    assert finding.sentence.startswith("Brightness alone predicts 100 % of the classes")
    assert "upright has 0.8" in finding.sentence


def test_copies_named_after_their_originals_are_mended_by_a_split_by_series(folder: Path) -> None:
    for path in sorted((folder / "level").iterdir())[:20]:
        shutil.copy(path, path.with_name(f"{path.stem} (1).png"))
    (finding,) = card().findings
    assert finding.kind == "copies"
    assert finding.mend == Mend(
        "Split by the series in the file names", {**DATA, "split": "group", "split_by": "name"}
    )
    read_own(finding.mend.data)
    assert data_card(finding.mend.data).findings == ()


def test_a_class_whose_files_are_larger_is_named_with_its_size(folder: Path) -> None:
    for path in (folder / "upright").iterdir():
        with Image.open(path) as picture:
            picture.resize((48, 48), Image.Resampling.NEAREST).save(path)
    (finding,) = card().findings
    assert finding.kind == "sizes"
    assert finding.score == 1.0
    assert finding.baseline == 0.5
    assert "level has mostly 24 x 24 pixels, the others 48 x 48." in finding.sentence
    assert finding.verdict == "the size of the files alone separates level from the others (100 %)"


def test_a_class_of_wide_files_is_named_by_its_shape_as_they_are_seen(folder: Path) -> None:
    for number, path in enumerate(sorted((folder / "upright").iterdir())):
        with Image.open(path) as picture:
            turned = picture.resize((36, 16) if number % 2 else (16, 36))
            exif = Image.Exif()
            exif[0x0112] = 1 if number % 2 else 6  # on its side
            turned.save(path, exif=exif)
    (finding,) = card().findings
    assert finding.kind == "sizes"
    assert finding.sentence.startswith(
        "The shape of the files alone separates level from the other"
    )
    assert "the others 36 x 16." in finding.sentence


def test_files_of_many_sizes_in_all_classes_give_no_finding(folder: Path) -> None:
    rng = np.random.default_rng(2)
    for path in folder.glob("*/*.png"):
        with Image.open(path) as picture:
            picture.resize(tuple(rng.integers(20, 60, 2).tolist())).save(path)
    assert card().findings == ()
