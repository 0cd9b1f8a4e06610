"""Large zips from outside are opened by a process of their own, so that no tab waits for them."""

import zipfile
from pathlib import Path

import pytest

from app.process import pool
from app.services import staging, zip_files
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError

pytestmark = pytest.mark.usefixtures("workspace")


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the server's process reads a member of a zip")


@pytest.fixture
def not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process read no member of a zip."""

    monkeypatch.setattr(staging, "_bring", refuse)
    monkeypatch.setattr(staging, "_checked", refuse)


def zipped(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "packed"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_what_a_zip_says_that_it_holds_decides(tmp_path: Path) -> None:
    assert zip_files.unpacked_bytes(zipped(tmp_path, {"a": b"x" * 9_000_000})) == 9_000_000
    many = zipped(tmp_path, {f"folder/{n:040}": b"" for n in range(800)})
    assert zip_files.unpacked_bytes(many) == pool.LARGE_FILE
    torn = tmp_path / "torn"
    torn.write_bytes(b"no zip")
    assert zip_files.unpacked_bytes(torn) == 6


@pytest.mark.gate
def test_a_large_zip_of_data_is_unpacked_by_another_process(tmp_path: Path, not_here: None) -> None:
    rows = "".join(f"{n},{n % 7},{'ab'[n % 2]}\n" for n in range(500_000))
    with staging.staging() as folder:
        path = zipped(folder, {"rows.csv": f"x,y,kind\n{rows}".encode()})
        found = open_dropped([Staged("rows.zip", path)])
    assert found.data is not None
    assert found.data["source"] == "CSV"
    assert found.notes[0].startswith("500,000 rows. y is the target")


@pytest.mark.gate
def test_what_is_wrong_with_a_large_zip_is_said_as_of_a_small_one(
    tmp_path: Path, not_here: None
) -> None:
    with staging.staging() as folder:
        path = zipped(folder, {"../out.csv": b"x" * 9_000_000})
        with pytest.raises(DataError) as wrong:
            open_dropped([Staged("rows.zip", path)])
    assert str(wrong.value).startswith(
        "rows.zip holds '../out.csv', which points outside its folder"
    )
