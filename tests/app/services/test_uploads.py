"""What an upload may be, what it is called in the workspace, and what is left when it fails."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.services import uploads
from app.services.file_choices import Choice, choices
from app.services.uploads import keep
from core.data import DataError
from core.data.sources.paths import check_text, locate

ROOT = Path(__file__).parents[3]
TABLE = b"a;b\n1;2\n3;4\n"
PICTURE = b"\x89PNG"


def files(workspace: Path) -> list[str]:
    return sorted(p.relative_to(workspace).as_posix() for p in workspace.rglob("*") if p.is_file())


def folder(*names: str) -> list[tuple[str, bytes]]:
    """An upload of pictures, each with its own content."""
    return [(name, PICTURE + name.encode()) for name in names]


@pytest.mark.parametrize(
    ("name", "kept", "kind"),
    [
        ("flowers.csv", "flowers.csv", "CSV"),
        ("FLOWERS.TSV", "FLOWERS.TSV", "CSV"),
        ("../../../etc/flowers.csv", "flowers.csv", "CSV"),
        ("..\\..\\flowers.csv", "flowers.csv", "CSV"),
        ("C:\\Users\\me\\flowers.csv", "flowers.csv", "CSV"),
        ("my flowers (2).csv", "my_flowers_2.csv", "CSV"),
        ("数据.csv", "数据.csv", "CSV"),
        ("donne\u0301es.csv", "données.csv", "CSV"),
        ("हिन्दी.txt", "हिन्दी.txt", "CSV"),  # its lines are rows
        ("★★.csv", "file.csv", "CSV"),
        ("a\u202egnp\nb.csv", "a_gnp_b.csv", "CSV"),
        ("..hidden.npz", "hidden.npz", "NPZ"),
        ("b\0.csv", "b.csv", "CSV"),
        ("\ud800.csv", "file.csv", "CSV"),
        ("é" * 200 + ".csv", "é" * 90 + ".csv", "CSV"),
    ],
)  # fmt: skip
def test_a_file_gets_a_name_that_a_project_may_hold_and_stays_in_the_workspace(
    workspace: Path, name: str, kept: str, kind: str
):
    assert keep([(name, TABLE)]) == Choice(kind, f"data/{kept}")
    assert files(workspace) == [f"data/{kept}"]
    assert check_text(f"data/{kept}", "file") == f"data/{kept}"
    assert locate(f"data/{kept}", "file").read_bytes() == TABLE
    assert choices() == [Choice(kind, f"data/{kept}")]


def test_the_same_name_twice_keeps_both(workspace: Path):
    kept = [keep([("a.b.csv", bytes([n]))]).path for n in range(3)]
    assert kept == ["data/a.b.csv", "data/a.b-2.csv", "data/a.b-3.csv"]
    assert [(workspace / path).read_bytes() for path in kept] == [b"\0", b"\1", b"\2"]
    shapes = folder("shapes/x/1.png", "shapes/y/1.png")
    assert [keep(shapes).path for _ in range(2)] == ["data/shapes", "data/shapes-2"]


def test_uploads_at_once_never_take_each_others_name(workspace: Path):
    kept: list[str] = []
    started = threading.Barrier(8)

    def upload(number: int) -> None:
        started.wait()
        kept.append(keep([("same.csv", bytes([number]))]).path)

    threads = [threading.Thread(target=upload, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(kept)) == 8
    assert {(workspace / path).read_bytes() for path in kept} == {bytes([n]) for n in range(8)}


def test_a_folder_keeps_its_classes_and_leaves_out_what_is_no_picture(workspace: Path):
    upload = folder(
        "pets/golden retriever/1.png", "pets/golden retriever/more/1.JPG", "pets/кот/1.png",
        "pets/猫/★.png", "pets/.DS_Store", "pets/кот/.thumbs/1.png", "pets/read me.txt",
    )  # fmt: skip
    assert keep(upload) == Choice("ImageFolder", "data/pets")
    assert files(workspace) == [
        "data/pets/golden retriever/1.png", "data/pets/golden retriever/more/1.JPG",
        "data/pets/кот/1.png", "data/pets/猫/★.png",
    ]  # fmt: skip
    assert choices() == [Choice("ImageFolder", "data/pets")]


def test_pictures_whose_names_become_alike_are_all_kept(workspace: Path):
    keep(folder("shapes/x/a?b.png", "shapes/x/a_b.png", "shapes/x/a:b.png", "shapes/y/1.png"))
    inside = workspace / "data/shapes/x"
    found = {path.name: path.read_bytes().removeprefix(PICTURE) for path in inside.iterdir()}
    assert found == {
        "a_b.png": b"shapes/x/a?b.png",
        "a_b-2.png": b"shapes/x/a_b.png",
        "a_b-3.png": b"shapes/x/a:b.png",
    }


@pytest.mark.parametrize(
    ("upload", "message"),
    [
        ([("notes.docx", b"x")], "The upload is not a folder of pictures"),
        ([("archive.zip", b"PK")], "The upload is not a folder of pictures"),
        ([("flowers.csv.exe", b"x")], "The upload is not a folder of pictures"),
        ([(".csv", b"x")], "The upload is not a folder of pictures"),
        ([("", b"x")], "The upload is not a folder of pictures"),
        (folder("shapes/x/1.png", "shapes/x/2.png"), "The upload is not a folder of pictures"),
        (folder("one/x/1.png", "two/y/1.png"), "The upload is not a folder of pictures"),
        (folder("shapes/1.png"), "shapes/1.png is not in a sub-folder"),
        (folder("shapes/x/../../../1.png"), "is not in a sub-folder"),
        (folder("shapes\\x\\..\\1.png"), "is not in a sub-folder"),
        (folder("shapes/x/" + "a" * 240 + ".png"),
         ".png has a path of 253 characters, more than 240. Rename it or its folders."),
        (folder("shapes/a?b/1.png", "shapes/a_b/1.png"),
         "The folders 'a?b' and 'a_b' would both be named 'a_b' here. Rename one of them."),
    ],
)  # fmt: skip
def test_what_cannot_be_data_is_refused_and_leaves_nothing(
    workspace: Path, upload: list[tuple[str, bytes]], message: str
):
    with pytest.raises(DataError) as error:
        keep(upload)
    assert message in str(error.value)
    assert files(workspace) == []


def test_too_many_files_or_bytes_are_refused_with_the_limit(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    limit = "An upload can have at most 20,000 files and 1,024 MB."
    with pytest.raises(DataError, match=limit):
        keep([(f"shapes/x/{n}.png", b"") for n in range(20_001)])
    monkeypatch.setattr(uploads, "LARGEST_BYTES", 10 << 20)
    with pytest.raises(DataError, match="An upload can have at most 20,000 files and 10 MB"):
        keep([("large.csv", bytes((10 << 20) + 1))])
    assert files(workspace) == []


def test_a_data_folder_that_is_a_link_is_not_written_through(workspace: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace / "data").symlink_to(elsewhere)
    with pytest.raises(DataError, match="The folder data is a link"):
        keep([("flowers.csv", TABLE)])
    assert list(elsewhere.iterdir()) == []


FULL = """
import json, resource, sys
from app.services.uploads import keep
from core.data import DataError
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    keep([(name, bytes(size)) for name, size in json.loads(sys.argv[1])])
except DataError as error:
    print(error)
"""  # a limit on the size of files refuses writes as a full disk does

pytestmark = pytest.mark.usefixtures("workspace")


@pytest.mark.gate
@pytest.mark.parametrize(
    "upload",
    [[("large.csv", 9000)], [("shapes/x/1.png", 10), ("shapes/y/1.png", 9000)]],
    ids=["a file", "a folder"],
)
def test_an_upload_that_the_disk_refuses_is_reported_and_leaves_nothing(
    workspace: Path, upload: list[tuple[str, int]]
):
    ended = subprocess.run(
        [sys.executable, "-c", FULL, json.dumps(upload)], cwd=ROOT, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert ended.stdout == (
        "The upload could not be saved: File too large. Free some space, or copy it into the "
        "workspace yourself.\n"
    )
    assert list((workspace / "data").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("New York", "New York"),
        ("San José (old), #2", "San José (old), #2"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ('what? "a|b" <c>', "what_ _a_b_ _c_"),
        ("a\u202egnp\nb", "a_gnp_b"),
        (" cats ", "cats"),
        ("é" * 120, "é" * 120),
        ("é" * 140, "é" * 127),
    ],
)
def test_a_class_keeps_its_name(workspace: Path, name: str, kept: str):
    keep(folder(f"s/{name}/1.png", "s/zz/1.png"))
    found = sorted(path.name for path in (workspace / "data/s").iterdir())
    assert found == sorted((kept, "zz"))
    assert check_text(f"data/s/{kept}", "root") == f"data/s/{kept}"
