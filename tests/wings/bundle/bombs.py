"""Small files that make work without end, or fill the memory, of whoever opens a bundle."""

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

Read = Callable[[Path], Any]


def many_members(folder: Path) -> Path:
    """A bundle of a small project with 19,990 empty members of its data."""
    from core.wings.bundle.archive import write_archive

    text = Path("projects/mlp_iris.loom.json").read_text(encoding="utf-8")
    project = {**json.loads(text), "data": {"source": "ImageFolder", "root": "data/p"}}
    members: list[tuple[str, bytes]] = [("project.loom.json", json.dumps(project).encode())]
    members += [(f"files/data/p/{'ab'[i % 2]}/{i:05}.png", b"") for i in range(19_990)]
    listed = [[n, len(c), hashlib.sha256(c).hexdigest()] for n, c in members]
    lines = sorted(f"{n[len('files/data/p/') :]}\0{h}\n" for n, _, h in listed[1:])
    digest = hashlib.sha256("".join(lines).encode())
    head = {"layerloom_bundle": 1, "layerloom": "0.1.0", "project": "Bomb",
            "data": {"source": "ImageFolder", "path": "data/p", "files": 19_990, "bytes": 0,
                     "sha256": digest.hexdigest(), "included": True},
            "runs": {}, "members": listed}  # fmt: skip
    path = folder / "many.loom.zip"
    with path.open("wb") as file:
        write_archive(file, [("bundle.json", json.dumps(head).encode()), *members])
    return path


def head(folder: Path) -> Path:
    """Weights whose head, of 15 MB, names 200,000 tensors without a number."""
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    text = json.dumps({f"t{i}": entry for i in range(200_000)}).encode()
    path = folder / "w.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    return path


def bundle() -> Read:
    """A bundle, opened into a workspace."""
    from core.wings.bundle import open_bundle

    def read(path: Path) -> Any:
        with path.open("rb") as file:
            opened = open_bundle(file, path.name, path.parent / "ws", path.parent / "ws" / "runs")
        return opened.project.name

    return read


def weights() -> Read:
    """Weights in a bundle."""
    from core.wings.bundle.weights import check_safetensors

    return lambda path: check_safetensors(path, path.name)


MAKERS = {
    "bundle of 19,990 empty members": ("bundle", many_members),
    "safetensors of 200,000 tensors": ("weights", head),
}
READERS = {"bundle": bundle, "weights": weights}
