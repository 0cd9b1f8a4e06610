"""`pip install .` is whole: from the built wheel alone everything works, wherever one stands.

The environment is a new one. It borrows the libraries of this one, and not the checkout.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
import venv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.app.cli.test_workbench_start import free_port, wait_for
from tests.wing_parts import modules

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("app", "blocks", "core", "projects", "assets")
pytestmark = pytest.mark.slow


def pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def copied(folder: Path) -> Path:
    """Copy what a wheel is built of, as building leaves files beside it."""
    leave = shutil.ignore_patterns("node_modules", "__pycache__", "screenshots")
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel installed: its folder."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "sources").mkdir()
    offline = ("--no-deps", "--no-index")
    sources = copied(folder / "sources")
    pip("wheel", str(sources), *offline, "--no-build-isolation", "--wheel-dir", str(folder))
    home = folder / "home"
    venv.create(home, symlinks=True, with_pip=False)
    packages = next(home.glob("lib/python*/site-packages"))
    # Lines of a .pth file are paths only: the one that leads to the checkout is not followed.
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "shared.pth").write_text("\n".join(shared))
    (wheel,) = folder.glob("*.whl")
    pip("--python", str(home / "bin" / "python"), "install", *offline, str(wheel))
    return home


def run(home: Path, cwd: Path, *words: str) -> str:
    """Run the installed command from somewhere else; return what it prints."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [str(home / "bin" / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_code_is_not_the_checkout(home: Path, tmp_path: Path):
    code = "import app, blocks, core; print(*(m.__file__ for m in (app, blocks, core)))"
    for path in run(home, tmp_path, "python", "-c", code).split():
        assert Path(path).is_relative_to(home)


@pytest.mark.gate
def test_the_demo_keeps_its_promise(home: Path, tmp_path: Path):
    found = json.loads(run(home, tmp_path, "layerloom", "demo", "--out", "demo", "--json"))
    assert found["val_accuracy"] > 0.95
    assert set(found["differences"]) >= {"torchscript-script", "torchscript-trace", "onnx"}
    assert max(found["differences"].values()) < 1e-4
    assert all((tmp_path / file).exists() for file in found["files"].values())
    made = tmp_path / "demo"
    assert (made / "feature_maps.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    curves = [p for p in ET.parse(made / "curves.svg").iter() if p.get("d")]
    assert len(curves) == 8


def test_templates_and_lessons_are_installed(home: Path, tmp_path: Path):
    listed = run(home, tmp_path, "layerloom", "new", "--list")
    for template in ROOT.glob("projects/*.loom.json"):
        assert template.name.removesuffix(".loom.json") in listed
    run(home, tmp_path, "layerloom", "new", "lenet_digits", "-o", "mine.loom.json")
    assert json.loads(run(home, tmp_path, "layerloom", "check", "mine.loom.json", "--json"))["ok"]
    for wing in modules("wheel"):
        assert run(home, tmp_path, "python", "-c", wing.CODE).strip() == wing.PRINTED


def test_the_workbench_serves_its_bundles(home: Path, tmp_path: Path):
    port = free_port()
    command = [str(home / "bin" / "layerloom"), "--no-browser", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(f"http://localhost:{port}")
            for bundle in ROOT.glob("app/static/*/*.js"):
                path = bundle.relative_to(ROOT / "app" / "static")
                address = f"http://localhost:{port}/app/static/{path}"
                with urllib.request.urlopen(address, timeout=900) as answer:
                    assert answer.read() == bundle.read_bytes()
        finally:
            process.terminate()
