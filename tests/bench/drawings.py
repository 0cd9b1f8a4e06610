"""How well drawings can be read as the canvas lays them out: what their wires cross and lie on.

    python -m tests.bench.drawings [--imported FOLDER] [--only TEXT] [--out FILE.md]

Drawn are all templates, 60 random networks and the projects of FOLDER, such as
`layerloom import torchvision:resnet18` writes, each with the composites it holds, rightwards and
downwards; and for the time two networks of 1,000 blocks. Beside them stand the same as dagre lays
them out by itself with a curve for each wire, and the counts of commit c2ef491c, which folded a
drawing wherever the width ended. Needs Node. --only: names that hold the text.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.canvas.annotations import catalogue
from tests.bench.workbench import ROOT

FRONTEND = ROOT / "app" / "canvas" / "frontend"
COUNTS = ("crossings", "overlaps", "through", "labels", "unlabelled", "bends")
HEADS = ("wires cross", "on another", "through a card", "labels struck", "labels hidden", "bends")
WAYS = {"before": "c2ef491c", "dagre": "plain dagre", "new": "now"}
BEFORE: Mapping[tuple[str, str], Sequence[int]] = {
    ("template", "right"): (58, 23, 9, 0, 38, 1, 639),
    ("template", "down"): (58, 5, 1, 2, 9, 13, 125),
    ("imported", "right"): (200, 136, 34, 0, 185, 6, 1678),
    ("imported", "down"): (200, 19, 6, 72, 94, 89, 398),
    ("random", "right"): (60, 631, 110, 0, 480, 28, 2697),
    ("random", "down"): (60, 209, 5, 59, 241, 131, 1256),
}
"""The same counts of the layout at commit c2ef491c, by set and direction."""
HEAD = """# How well drawings can be read

Written by `python -m tests.bench.drawings --out tests/bench/drawings.md`, which says what is drawn;
`imported` are 20 models of torchvision, whose projects are in the FOLDER of `--imported FOLDER`. A
wire lies on another for more than 24 pixels, or on that of the same output which leads on for more
than 60; bends are corners and curves.
"""

Graph = dict[str, Any]


def templates() -> dict[str, Graph]:
    """The graphs of all templates, and of the composites in them."""
    return of_files("template", sorted((ROOT / "projects").glob("*.loom.json")))


def of_files(kind: str, files: Iterable[Path]) -> dict[str, Graph]:
    """The graphs of projects, and of the composites in them, which are drawn when opened."""
    graphs: dict[str, Graph] = {}
    for file in files:
        read = json.loads(file.read_text("utf-8"))
        inner = read.get("composites", {})
        name = f"{kind} {file.name.partition('.')[0]}"
        graphs[name] = {**read["graph"], "composites": inner}
        for part, graph in inner.items():
            kept = {key: graph[key] for key in ("nodes", "edges")}
            graphs[f"{name} {part}"] = {**kept, "composites": inner}
    return graphs


def random_graph(chance: random.Random, count: int) -> Graph:
    """A network in which three blocks of ten add what another of the last seven gives."""
    nodes, edges, ids = {"image": {"block": "Input"}}, list[str](), ["image"]
    used = set[str]()
    for i in range(count):
        name, last = f"b{i}", ids[-1]
        if i and chance.random() < 0.3:
            other = chance.choice(ids[-7:-1] or ids)
            nodes[name] = {"block": "add"}
            edges += [f"{last} -> {name}.input", f"{other} -> {name}.other"]
            used |= {last, other}
        else:
            source = last if chance.random() < 0.8 else chance.choice(ids[-4:])
            nodes[name] = {"block": "ReLU"}
            edges.append(f"{source} -> {name}")
            used.add(source)
        ids.append(name)
    for i, left in enumerate(name for name in ids if name not in used):
        nodes[f"out{i}"] = {"block": "Output"}
        edges.append(f"{left} -> out{i}")
    return {"nodes": nodes, "edges": edges}


def residual(count: int) -> Graph:
    """Residual blocks of four layers one after the other."""
    nodes, edges, last = {"image": {"block": "Input"}}, list[str](), "image"
    for i in range(count // 5):
        ids = [f"{letter}{i}" for letter in "abcd"]
        nodes |= {name: {"block": "ReLU"} for name in ids} | {f"add{i}": {"block": "add"}}
        edges += [f"{a} -> {b}" for a, b in zip([last, *ids], ids, strict=False)]
        edges += [f"d{i} -> add{i}.input", f"a{i} -> add{i}.other"]
        last = f"add{i}"
    return {"nodes": nodes, "edges": edges}


def drawings(imported: Path | None, only: str) -> dict[str, Graph]:
    """All that are drawn, by name; the first word says of which set each is."""
    chance = random.Random(0)
    graphs = templates() | of_files(
        "imported", sorted(imported.glob("*.loom.json")) if imported else ()
    )
    graphs |= {
        f"random {i}": random_graph(chance, chance.choice([8, 12, 16, 24, 40])) for i in range(60)
    }
    graphs |= {
        "large residual": residual(1000),
        "large random": random_graph(random.Random(1), 1000),
    }
    return {name: graph for name, graph in graphs.items() if only in name}


def scored(graphs: Mapping[str, Graph]) -> list[dict[str, Any]]:
    """The score of each, in both directions, as the front end lays it out."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawings.json"
        file.write_text(json.dumps({"catalogue": catalogue(), "graphs": graphs}), "utf-8")
        subprocess.run(
            ["npx", "vitest", "run", "tests/drawingsScored.test.ts"], cwd=FRONTEND, check=True,
            env={**os.environ, "LAYERLOOM_DRAWINGS": str(file)}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return json.loads(Path(f"{file}.scores").read_text("utf-8"))


def summed(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], list[int]]:
    """The counts of each set, direction and way, and how many drawings they are of."""
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0] * (len(COUNTS) + 1))
    for row in rows:
        if "crossings" in row:
            key = (row["name"].split()[0], row["direction"], row["way"])
            values = [1, *(row[count] for count in COUNTS)]
            sums[key] = [a + b for a, b in zip(sums[key], values, strict=True)]
    return dict(sums)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The page: counts by set, direction and way, then the times."""
    found = summed(rows)
    lines = [HEAD, f"| set | drawings | direction | way | {' | '.join(HEADS)} |", "|---" * 10 + "|"]
    for kind, direction in dict.fromkeys(key[:2] for key in found):
        for way, title in WAYS.items():
            count, *values = found.get((kind, direction, way), [0])
            if way == "before":
                count, *values = BEFORE.get((kind, direction), [0])
            if values:
                cells = " | ".join(map(str, values))
                lines.append(f"| {kind} | {count} | {direction} | {title} | {cells} |")
    lines += [
        "",
        "| 1,000 blocks | direction | laid out, ms | wires routed, ms |",
        "|---|---|---|---|",
    ]
    for row in rows:
        if row["name"].startswith("large "):
            kind = row["name"].removeprefix("large ")
            lines.append(
                f"| {kind} | {row['direction']} | {row['tidyMs']:.0f} | {row['routeMs']:.0f} |"
            )
    lines.append("\nTimes are processor time, once, with nothing compiled yet.")
    return "\n".join(lines) + "\n"


def main(words: Sequence[str] | None = None) -> None:
    """Draw, score and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--imported", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args(words)
    text = table(scored(drawings(args.imported, args.only)))
    if args.out:
        args.out.write_text(text, "utf-8")
    else:
        print(text)  # noqa: T201


if __name__ == "__main__":
    main()
