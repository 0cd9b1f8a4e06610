"""The built canvas that is checked in."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import app.canvas as wrapper

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "app" / "static" / "canvas"
FRONTEND = ROOT / "app" / "canvas" / "frontend"
not_installed = pytest.mark.skipif(
    not (FRONTEND / "node_modules").is_dir(), reason="needs `npm ci` in app/canvas/frontend"
)
just_checked = pytest.mark.skipif(
    "BUNDLES_CHECKED" in os.environ, reason="`make frontend` has done it just now"
)


def bundle() -> Path:
    (found,) = STATIC.glob("canvas-*.js")
    return found


def test_there_is_one_bundle_and_the_licences_of_what_is_in_it() -> None:
    licences = (STATIC / "LICENSES.txt").read_text("utf-8")
    assert bundle().stat().st_size > 100_000
    for name in ("react ", "@xyflow/react ", "zustand ", "@dagrejs/dagre ", "temml ", "d3-zoom "):
        assert re.search(rf"^{re.escape(name)}\d", licences, re.MULTILINE), name


def test_a_bundle_built_while_the_server_runs_is_the_one_of_the_next_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wrapper.bundle() == bundle().name
    monkeypatch.setattr(wrapper, "_STATIC", tmp_path)
    for name in ("canvas-old.js", "canvas-new.js"):
        (tmp_path / name).write_text("")
    os.utime(tmp_path / "canvas-old.js", (1, 1))
    assert wrapper.bundle() == "canvas-new.js"


def test_the_bundle_loads_nothing_from_elsewhere() -> None:
    text = bundle().read_text("utf-8")
    assert not re.findall(r"@import|@font-face|importScripts", text)
    assert not re.findall(r"fetch\(\s*[\"'`]https?:", text)


def test_the_lock_file_names_no_host() -> None:
    assert '"resolved"' not in (FRONTEND / "package-lock.json").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.needs("npm")
@not_installed
@just_checked
def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in STATIC.iterdir()}
    command = ["npx", "vite", "build", "--outDir", str(tmp_path), "--emptyOutDir"]
    subprocess.run(command, cwd=FRONTEND, check=True, capture_output=True, timeout=600)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.slow
@not_installed
@just_checked
def test_the_canvas_passes_its_own_tests() -> None:
    command = ["npx", "vitest", "run", "--reporter=dot"]
    done = subprocess.run(command, cwd=FRONTEND, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
