"""ARCHITECTURE.md names every room, and its pages every file of a run and every make target."""

import ast
import re
from pathlib import Path

from core.runs import checkpoint
from tests.wing_parts import left_out

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
RUN_FOLDER = (ROOT / "assets" / "run_folder.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "assets" / "contributing.md").read_text("utf-8")
DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    *(f"assets/{page.name}" for page in (ROOT / "assets").glob("*.md")),
    *(f"assets/wings/{page.name}" for page in (ROOT / "assets" / "wings").glob("*.md")),
)
WRITERS = ("prepare", "worker", "engine", "runs", "settings")
"""Rooms of core whose modules name the files of a run."""
FILE = re.compile(r"\.?[a-z][\w-]*\.(json|jsonl|npz|pt|txt|lock|safetensors|py)")


def test_it_names_every_room() -> None:
    rooms = {
        f"{folder.relative_to(ROOT)}/"
        for part in ("core", "app")
        for folder in (ROOT / part).iterdir()
        if folder.is_dir()
        if not folder.name.startswith(".")
        if any(p.suffix != ".pyc" for p in folder.rglob("*") if p.is_file())
    }
    assert {"core/engine/", "app/pages/"} <= rooms
    assert {room for room in rooms if f"`{room}`" not in TEXT} == set()


def files_of_a_run() -> set[str]:
    """File names that the code of runs spells out, and the folders and names it builds."""
    names = {
        node.value
        for room in WRITERS
        for path in (ROOT / "core" / room).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if FILE.fullmatch(node.value)
    }
    return names | {f"{name}.pt" for name in checkpoint.NAMES} | {"viewer", "tensorboard/"}


def test_it_names_every_file_of_a_run() -> None:
    names = files_of_a_run()
    assert {"spec.json", "metrics.jsonl", "exit.json", "mistakes.npz", "last.pt"} <= names
    assert {
        name for name in names if not re.search(rf"[`/]{re.escape(name)}`", TEXT + RUN_FOLDER)
    } == set()


def test_it_names_every_make_target() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = phony[1].split()
    assert "check" in targets
    assert [target for target in targets if f"`make {target}`" not in TEXT + CONTRIBUTING] == []


def test_every_module_that_a_document_names_is_there() -> None:
    gone = {
        f"{document}: {path}"
        for document in DOCUMENTS
        for path in re.findall(
            r"(?<![\w/.])(?:app|blocks|core|tests|projects|assets)/[\w/.-]*\w",
            (ROOT / document).read_text("utf-8"),
        )
        if not ((ROOT / path).exists() or left_out(path))
    }
    gone |= {
        f"{document}: {module}"
        for document in DOCUMENTS
        for module in re.findall(
            r"(?<![\w/.])(?:app|core)(?:\.[a-z_]+)+", (ROOT / document).read_text("utf-8")
        )
        if not (is_there(module) or left_out(module))
    }
    assert gone == set()


def is_there(module: str) -> bool:
    """Whether a dotted name is a module, or something that a module of ours offers by name."""
    path, last = ROOT / module.replace(".", "/"), module.rpartition(".")[2]
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    owners = (path.parent.with_suffix(".py"), path.parent / "__init__.py")
    owner = next((each for each in owners if each.is_file()), None)
    return owner is not None and re.search(rf"\b{last}\b", owner.read_text("utf-8")) is not None
