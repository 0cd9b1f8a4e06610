"""torchvision's sets of picture files: parted as their makers do, the same in run and script."""

import ast
import hashlib
import tarfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torchvision import datasets

from core.data import SOURCES, DataError, describe, download, load
from core.data.batches.custom_tensors import decode_project_pictures
from core.data.builtin.picture_sets import PICTURE_SETS
from core.data.facts.picture_listing import list_pictures
from core.project import Project
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.data.picture_files import COUNTS, WRITERS, labels, picture, write
from tests.core.script.hand_made import Written
from tests.core.script.test_excerpt import faults
from tests.core.script.test_own_files import MODEL

SHAPE = (3, 8, 10)
PARTED: dict[str, dict[str, Any]] = {
    "as_usual": {},
    "share": {"validation": 0.34},
    "makers": {"test": "makers"},
    "makers_and_share": {"test": "makers", "validation": 0.34, "normalize": True},
    "shares": {"test": 0.3, "validation": 0.34, "stratify": False},
    "folds": {"test": "makers", "folds": 3, "fold": 2},
}


@pytest.fixture(autouse=True)
def root(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where data sets lie; the files of MATLAB are not the makers', so no sum is compared."""
    monkeypatch.setenv("LAYERLOOM_DATA", str(workspace / "sets"))
    monkeypatch.setattr("torchvision.datasets.flowers102.check_integrity", lambda *_: True)
    return workspace / "sets"


def outputs(name: str) -> int:
    return len(PICTURE_SETS[name].classes)


def written(data: dict[str, Any], shape: tuple[int, ...]) -> tuple[Project, Written, Any]:
    count = outputs(data["source"])
    model = MODEL.format(shape=("N", *shape), inputs=torch.Size(shape).numel(), outputs=count)
    project = Project(name="Net", data=data, training={"epochs": 1})
    return project, Written(model, "Net"), describe(data, shape, (count,))


def script_parts(data: dict[str, Any], shape: tuple[int, ...], root: Path) -> list[torch.Tensor]:
    """What `load_data` of a script gives, part after part."""
    space: dict[str, Any] = {"__name__": "script"}
    exec(write_script(*written(data, shape)), space)
    columns = [torch.utils.data.default_collate([part[k] for k in range(len(part))])
               for part in space["load_data"](str(root))]  # fmt: skip
    return [column for pair in columns for column in pair]


@pytest.mark.parametrize("name", PICTURE_SETS)
def test_metadata_is_known_without_reading(name: str, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("core.data.facts.picture_listing.dataset_class", pytest.fail)
    info, how = describe({"source": name}, SHAPE, (outputs(name),)), PICTURE_SETS[name]
    apart = how.validation or how.test
    assert info.here is False
    assert info.train_size + (0 if apart else info.validation_size) == how.train.samples
    assert info.classes == how.classes
    assert info.download_bytes > 50_000_000
    with pytest.raises(DataError, match=f"{name} is not on this machine yet"):
        load({"source": name}, SHAPE, (outputs(name),))
    assert not root.exists()


def test_what_the_sets_are():
    facts = {name: (len(s.classes), s.samples, s.validation, s.test)
             for name, s in SOURCES.items() if s.by_file}  # fmt: skip
    assert facts == {
        "Flowers102": (102, 1020, 1020, 6149),
        "OxfordIIITPet": (37, 3680, 0, 3669),
        "Food101": (101, 75_750, 0, 25_250),
        "FGVCAircraft": (100, 3334, 3333, 3333),
        "DTD": (47, 1880, 1880, 1880),
        "EuroSAT": (10, 27_000, 0, 0),
        "GTSRB": (43, 26_640, 0, 12_630),
        "Imagenette": (10, 9469, 3925, 0),
        "Caltech101": (101, 8677, 0, 0),
        "RenderedSST2": (2, 6920, 872, 1821),
    }
    assert set(WRITERS) == set(PICTURE_SETS) == set(facts)
    assert list(SOURCES["Flowers102"].classes) == datasets.Flowers102.classes
    names = [name[0] for name in datasets.Imagenette._WNID_TO_CLASS.values()]
    assert list(SOURCES["Imagenette"].classes) == names


@pytest.mark.parametrize("name", PICTURE_SETS)
def test_the_class_lists_its_pictures_part_after_part(name: str, root: Path):
    write(root, name)
    found, parts = list_pictures(name), labels(name)
    assert found.parts == tuple(COUNTS[part] for part in parts)
    listed = [p.label for p in found.pictures]
    start = 0
    for part in parts.values():
        assert sorted(listed[start : start + len(part)]) == sorted(part)
        start += len(part)
    assert all((found.root / p.name).is_file() for p in found.pictures)


@pytest.mark.gate
@pytest.mark.parametrize("name", PICTURE_SETS)
@pytest.mark.parametrize("parted", PARTED)
def test_a_script_reads_the_same(name: str, parted: str, root: Path):
    how, data = PICTURE_SETS[name], {"source": name, **PARTED[parted]}
    if data.get("test") == "makers" and not how.test:
        pytest.skip("its makers keep no test part")
    write(root, name)
    run = load(data, SHAPE, (outputs(name),))
    parts = [run.all_training(), run.all_validation()]
    parts += [run.all_test()] if run.info.parts.tests else []
    ours = [column[torch.arange(len(column))] for (x,), (y,) in parts for column in (x, y)]
    theirs = script_parts(data, SHAPE, root)
    assert len(ours) == len(theirs)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("name", ["OxfordIIITPet", "Caltech101"])
def test_grey_pictures_are_the_same_in_a_script(name: str, root: Path):
    write(root, name)
    data = {"source": name, "validation": 0.34}
    run = load(data, (1, 7, 7), (outputs(name),))
    learned, target = script_parts(data, (1, 7, 7), root)[:2]
    assert torch.equal(run.training()[0][torch.arange(len(learned))], learned)
    assert torch.equal(run.training()[1], target)


def test_the_makers_parts_are_used_as_they_say(root: Path):
    write(root, "DTD")
    usual = load({"source": "DTD"}, SHAPE, (47,))
    assert usual.train_indices.tolist() == list(range(9))
    assert usual.validation_indices.tolist() == list(range(9, 15))  # the test part is left alone
    assert (usual.info.train_size, usual.info.validation_size) == (9, 6)
    tested = load({"source": "DTD", "test": "makers"}, SHAPE, (47,))
    assert tested.validation_indices.tolist() == list(range(9, 15))
    assert tested.test_indices.tolist() == list(range(15, 21))
    shared = load({"source": "DTD", "test": "makers", "validation": 0.34}, SHAPE, (47,))
    assert max(shared.validation_indices.tolist() + shared.train_indices.tolist()) == 8
    write(root, "GTSRB")
    two = load({"source": "GTSRB"}, SHAPE, (43,))
    assert two.validation_indices.tolist() == list(range(9, 15))  # their test part, as of MNIST


def test_pictures_are_decoded_once_and_not_held_in_memory(root: Path):
    write(root, "Food101")
    assert decode_project_pictures('{"source": "Food101"}', SHAPE) == 15
    data = load({"source": "Food101"}, SHAPE, (101,))
    assert not isinstance(data.inputs, torch.Tensor)
    assert len(list((root.parent / ".layerloom/cache").glob("*/pixels.u8"))) == 1


def test_other_classes_of_the_same_pictures_are_noticed(root: Path):
    home = write(root, "GTSRB")
    before, table = list_pictures("GTSRB").stamp, home / "GT-final_test.csv"
    table.write_text(table.read_text().replace("00003.ppm;9;9;1;1;8;8;0",
                                               "00003.ppm;9;9;1;1;8;8;1"))  # fmt: skip
    assert list_pictures("GTSRB").stamp != before


def test_a_damaged_picture_is_named_with_the_way_out(root: Path):
    home = write(root, "Flowers102")
    damaged = home / "jpg/image_00002.jpg"
    damaged.write_bytes(damaged.read_bytes()[:200])
    with pytest.raises(DataError) as error:
        load({"source": "Flowers102"}, SHAPE, (102,))
    assert error.value.message.startswith("1 of 21 pictures cannot be read: jpg/image_00002.jpg.")
    assert error.value.hint == f"Delete {home} and download it again."
    picture(damaged)
    assert len(load({"source": "Flowers102"}, SHAPE, (102,)).inputs) == 21


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("Food101", "meta/test.json", "{"),
        ("Food101", "meta/test.json", '{"apple_pie": ["apple_pie/gone"]}'),
        ("FGVCAircraft", "data/images_variant_val.txt", "val0 Concorde"),
        ("OxfordIIITPet", "annotations/test.txt", "Abyssinian_test0 38 1 1"),
        ("OxfordIIITPet", "annotations/test.txt", "Abyssinian_test0 1"),
        ("GTSRB", "GT-final_test.csv", "Filename;Class\n00000.ppm;1"),
        ("Caltech101", "101_ObjectCategories/Faces/image_0001.jpg", "no picture"),
    ],
)
def test_damaged_lists_are_refused_in_one_sentence(name: str, file: str, content: str, root: Path):
    home = write(root, name)
    (home / file).write_text(content)
    with pytest.raises(DataError) as error:
        load({"source": name}, SHAPE, (outputs(name),))
    assert error.value.message.startswith(f"The files of {name} on this machine are damaged: ")
    assert "\n" not in error.value.message
    assert error.value.hint == f"Delete {home} and download it again."


def served_textures(
    server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """torchvision's DTD fetching a tiny archive from the loopback server."""
    folder, address = server
    home, archive = write(tmp_path / "made", "DTD"), folder / "dtd-r1.0.1.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(home / "dtd", "dtd")
    monkeypatch.setattr(datasets.DTD, "_URL", address + archive.name)
    monkeypatch.setattr(datasets.DTD, "_MD5", hashlib.md5(archive.read_bytes()).hexdigest())
    return archive


@pytest.mark.gate
def test_a_set_is_downloaded_when_asked(
    root: Path, server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    archive = served_textures(server, tmp_path, monkeypatch)
    reported: list[tuple[int, int]] = []
    data = load(
        {"source": "DTD"}, SHAPE, (47,), download=True, progress=lambda *n: reported.append(n)
    )
    assert len(data.inputs) == 21
    assert reported[-1] == (625_200_000, 625_200_000)
    assert [f.name for f in root.iterdir()] == ["dtd"]
    archive.unlink()
    assert download("DTD") == root / "dtd"  # it is here, so nothing is fetched


@pytest.mark.gate
def test_a_set_with_another_checksum_is_refused(
    root: Path, server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    served_textures(server, tmp_path, monkeypatch).write_bytes(b"something else")
    with pytest.raises(DataError, match="DTD could not be downloaded: File not found or corrupted"):
        download("DTD")
    assert list(root.iterdir()) == []


@pytest.mark.gate
@pytest.mark.parametrize("name", PICTURE_SETS)
def test_the_script_is_plain_torchvision_whose_lines_fit(name: str):
    more = PARTED["makers"] if PICTURE_SETS[name].test else {}
    script = write_script(*written({"source": name, **more}, SHAPE))
    assert [line for line in script.splitlines() if len(line) > 88] == []
    assert list(faults(script)) == []
    assert f"datasets.{name}(" in script
    assert "core." not in script
    docstring = ast.get_docstring(ast.parse(script)) or ""
    assert ("scipy" in docstring) == bool(PICTURE_SETS[name].requires)


def test_a_notebook_reads_the_set_as_the_script_does(root: Path):
    write(root, "Flowers102")
    notebook = write_notebook(*written({"source": "Flowers102"}, SHAPE))
    assert 'datasets.Flowers102(folder, split=\\"val\\", transform=decode' in notebook
