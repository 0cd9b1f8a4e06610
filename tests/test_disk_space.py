"""Before anything is fetched, an installation says what it needs and what is free, and where."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OTHER = Path("/dev/shm")


def disk_space(venv: Path, *sizes: str, **env: str) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / ".ci" / "disk_space"), str(venv), *sizes]
    given = {"PATH": "", "HOME": str(venv.parent)}
    given |= env if "PIP_CACHE_DIR" in env else {"PIP_NO_CACHE_DIR": "1", **env}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.returncode, re.sub(r"where [\d,.]+ GB", "where F GB", done.stderr)


@pytest.mark.gate
def test_an_installation_that_fits_says_what_it_needs(tmp_path: Path) -> None:
    status, message = disk_space(tmp_path / "venv", "0.3", "0.2", TMPDIR=str(tmp_path))
    places = f"{tmp_path}/venv and {tmp_path}"
    assert message == f"Installing needs about 0.5 GB for {places}, where F GB are free.\n"
    assert status == 0


@pytest.mark.gate
def test_one_that_does_not_fit_ends_with_what_to_do(tmp_path: Path) -> None:
    status, message = disk_space(tmp_path / "venv", "7000000", "4000000", TMPDIR=str(tmp_path))
    first, hint = message.splitlines()
    assert first.startswith(f"Installing needs about 11,000,000.0 GB for {tmp_path}/venv and ")
    assert hint == (
        "Free some space, or name a temporary folder elsewhere: TMPDIR=/path make ...; "
        "DISK_SPACE=0 goes on."
    )
    assert status == 1


@pytest.mark.gate
def test_an_estimate_that_does_not_fit_is_reported_and_refuses_nothing(tmp_path: Path) -> None:
    status, message = disk_space(tmp_path / "venv", "0.3", "4000000", TMPDIR=str(tmp_path))
    first, hint = message.splitlines()
    assert first.startswith(f"Installing needs about 4,000,000.3 GB for {tmp_path}/venv and ")
    assert hint.startswith("That may be too little, as what pip fetches is an estimate.")
    assert status == 0


@pytest.mark.gate
def test_what_pip_keeps_in_its_cache_is_counted(tmp_path: Path) -> None:
    places = {"TMPDIR": str(tmp_path), "PIP_CACHE_DIR": str(tmp_path / "kept")}
    _, message = disk_space(tmp_path / "venv", "0.3", "0.2", **places)
    assert message.startswith("Installing needs about 0.7 GB for ")
    assert f" and {tmp_path}/kept, where F GB are free." in message


@pytest.mark.gate
def test_only_what_is_missing_is_counted(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    venv.mkdir()
    with (venv / "half").open("wb") as file:
        file.truncate(500_000_000)
    _, message = disk_space(venv, "1", "0.6", TMPDIR=str(tmp_path))
    assert message.startswith("Installing needs about 0.8 GB for ")
    with (venv / "most").open("wb") as file:
        file.truncate(450_000_000)
    assert disk_space(venv, "1", "0.6", TMPDIR=str(tmp_path)) == (0, "")


@pytest.mark.gate
@pytest.mark.skipif(not OTHER.is_dir(), reason="a second file system is needed")
def test_each_disk_has_its_own_sum(tmp_path: Path) -> None:
    if OTHER.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("both are one file system here")
    status, message = disk_space(tmp_path / "venv", "7000000", "0.001", TMPDIR=str(OTHER))
    assert message.splitlines()[0] == (
        f"Installing needs about 7,000,000.0 GB for {tmp_path}/venv, where F GB are free; "
        "about 0.0 GB for /dev/shm, where F GB are free."
    )
    assert status == 1
