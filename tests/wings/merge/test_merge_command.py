"""`layerloom merge`: what is written, what is said, and what is left alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli

ROOT = Path(__file__).resolve().parents[3]
LENET = (ROOT / "projects" / "lenet_digits.loom.json").read_text("utf-8")
Capture = pytest.CaptureFixture[str]

FILTERS = '"out_channels": 6', '"out_channels": 8'
OTHERS = '"out_channels": 6', '"out_channels": 32'
RATE = '"lr": 0.002', '"lr": 0.1'


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Named as git names what it hands over."""
    return tmp_path / ".merge_file_a", tmp_path / ".merge_file_b", tmp_path / ".merge_file_c"


def written(files: tuple[Path, ...], *texts: str) -> list[str]:
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return ["merge", *map(str, files)]


def test_what_does_not_touch_is_merged_without_a_word(
    files: tuple[Path, Path, Path], capsys: Capture
) -> None:
    words = written(files, LENET, LENET.replace(*FILTERS), LENET.replace(*RATE))
    assert cli.main([*words, "-o", str(files[1])]) == 0
    assert capsys.readouterr() == ("", "")
    assert files[1].read_text() == LENET.replace(*FILTERS).replace(*RATE)
    assert sorted(file.name for file in files[0].parent.iterdir()) == [f.name for f in files]


def test_a_conflict_is_status_1_and_the_file_opens_with_the_rest_merged(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    theirs = LENET.replace(*OTHERS).replace(*RATE)
    words = written(files, LENET, LENET.replace(*FILTERS), theirs)
    out = tmp_path / "net.loom.json"
    assert cli.main([*words, "-o", str(out)]) == 1
    assert out.read_text() == LENET.replace(*FILTERS).replace(*RATE)
    assert capsys.readouterr().err == (
        "conflict: conv1: out_channels is 8 in ours and 32 in theirs (6 before).\n"
        f"{out} has the version of ours in this conflict; everything else is merged.\n"
        f"  hint: `layerloom {out}` opens it; change what you want from theirs.\n"
    )


def test_the_conflicts_as_json(files: tuple[Path, Path, Path], capsys: Capture) -> None:
    words = written(files, LENET, LENET.replace(*FILTERS), LENET.replace(*OTHERS))
    assert cli.main([*words, "-o", str(files[1]), "--name", "a/net.loom.json", "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {
        "ok": False,
        "file": "a/net.loom.json",
        "conflicts": [
            {
                "place": "conv1.out_channels",
                "message": "conv1: out_channels is 8 in ours and 32 in theirs (6 before).",
                "base": 6,
                "ours": 8,
                "theirs": 32,
            }
        ],
        "remarks": [],
    }
    assert "then `git add a/net.loom.json`.\n" in captured.err


def test_two_new_files_of_one_name_have_an_empty_base(
    files: tuple[Path, Path, Path], capsys: Capture
) -> None:
    words = written(files, "", LENET, LENET.replace(*RATE))
    assert cli.main([*words, "-o", str(files[1])]) == 1
    assert "training: lr is 0.002 in ours and 0.1 in theirs (not set" in capsys.readouterr().err


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<<<<<< ours\n", "line 1, column 1: is not JSON: git left a merge conflict here."),
        ('{"layerloom": 99, "graph": {}}', "layerloom: has format 99; this version reads"),
    ],
)
def test_a_file_that_cannot_be_read_is_status_2_and_nothing_is_written(
    files: tuple[Path, Path, Path], place: int, text: str, message: str, capsys: Capture
) -> None:
    texts = [LENET, LENET.replace(*RATE), LENET]
    texts[place] = text
    words = written(files, *texts)
    assert cli.main([*words, "-o", str(files[1]), "--name", "net.loom.json"]) == 2
    side = ("base", "ours", "theirs")[place]
    assert f"error: net.loom.json ({side}): {message}" in capsys.readouterr().err
    assert files[1].read_text() == texts[1]


def test_a_missing_file_and_a_folder_to_write_to_are_status_2(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    words = written(files, LENET, LENET, LENET)
    assert cli.main([*words, "-o", str(tmp_path)]) == 2
    assert "is a folder.\n  hint: Give a file name." in capsys.readouterr().err
    files[2].unlink()
    assert cli.main([*words, "-o", str(files[1])]) == 2
    assert "error: .merge_file_c: does not exist." in capsys.readouterr().err


def test_merging_imports_no_torch(files: tuple[Path, Path, Path]) -> None:
    words = written(files, LENET, LENET.replace(*FILTERS), LENET.replace(*OTHERS))
    program = (
        "import sys; from app.cli import main; status = main(sys.argv[1:]);"
        "print(status, sorted({'torch', 'streamlit', 'sklearn'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, *words, "-o", str(files[1])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert found.stdout == "1 []\n"
