"""Texts with a class of one's own: a table and a folder, as users save them."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.data.facts.metadata import read_own
from core.data.sources.paths import locate
from core.project import Project
from tests.core.small_runs import project

WORDS = {
    "ham": ("See you at noon", "are you home?", "we saw the film", "you are late", "home at noon"),
    "spam": ("Win cash NOW!", "cash prize, win", "win a prize; now", "claim the cash!", "CLAIM it"),
}
PAIRS = [(kind, text) for i in range(6) for kind, texts in WORDS.items() for text in texts[i % 3 :]]


def mails(workspace: Path) -> dict[str, Any]:
    """A table as a spreadsheet saves it in Germany, a text of which has two lines."""
    file = workspace / "data/mails.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="cp1252", newline="") as out:
        rows = csv.writer(out, delimiter=";")
        rows.writerow(["label", "received", "text"])
        for i, (kind, text) in enumerate(PAIRS):
            greeting = ("", "Grüße, ", "dear\n")[i % 3]
            rows.writerow([kind, f"{8 + i % 9}:00", f"{greeting}{text}"])
    return {"source": "TextCSV", "file": "data/mails.csv", "target_column": "label",
            "columns": ["text"]}  # fmt: skip


def mail_folder(workspace: Path) -> dict[str, Any]:
    """A folder for each class, some of its texts in an old encoding."""
    root = workspace / "data/mails"
    for i, (kind, text) in enumerate(PAIRS):
        (root / kind).mkdir(parents=True, exist_ok=True)
        content = f"{text}\nGrüße\n" if i % 4 == 0 else f"{text}\n"
        (root / kind / f"{i:03}.txt").write_bytes(
            content.encode("cp1252" if i % 8 == 0 else "utf-8")
        )
    return {"source": "TextFolder", "root": "data/mails"}


def text_project(data: dict[str, Any]) -> Project:
    """The mean of what the first five tokens stand for, and a layer."""
    read_own(data)
    nodes = {
        "tokens": {"block": "Input", "settings": {"shape": [5], "dtype": "int64"}},
        "embed": {"block": "Embedding", "settings": {"num_embeddings": 40, "embedding_dim": 4}},
        "mean": {"block": "mean", "settings": {"dim": 1}},
        "fc": {"block": "Linear", "settings": {"out_features": 2}},
        "scores": {"block": "Output"},
    }
    names = list(nodes)
    wires = [f"{a} -> {b}" for a, b in zip(names, names[1:], strict=False)]  # noqa: RUF007
    return project({"nodes": nodes, "edges": wires}, data, epochs=1, threads=1, device="cpu")


def again(data: Mapping[str, Any], rows: list[int]) -> list[str]:
    """Texts of the data by their places, as its files have them."""
    if data["source"] == "TextCSV":
        with locate(data["file"], "file").open(encoding="cp1252", newline="") as file:
            read = list(csv.DictReader(file, delimiter=";"))
        return [read[row]["text"] for row in rows]
    root = locate(data["root"], "root")
    files = [f for kind in sorted(root.iterdir()) for f in sorted(kind.iterdir())]
    contents = [files[row].read_bytes() for row in rows]
    return [c.decode("cp1252" if b"\xfc" in c else "utf-8") for c in contents]
