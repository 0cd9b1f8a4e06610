"""A project drawn in the browser: written to the workspace, opened, changed, saved, read again."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

CHAIN: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "relu1": {"block": "ReLU"},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 10}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> conv1", "conv1 -> relu1", "relu1 -> flat", "flat -> fc1", "fc1 -> logits"],
}


def checked(page: Page) -> None:
    """Wait until the canvas has the answer to the last edit."""
    status = page.get_by_test_id("status")
    expect(status).to_have_attribute("data-status", "checked")


def open_drawing(page: Page, server: Any, name: str, graph: dict[str, Any] = CHAIN) -> Path:
    """Write a project of this graph to the workspace and open it in the browser."""
    places = {node: [300 * (i % 3), 160 * (i // 3)] for i, node in enumerate(graph["nodes"])}
    project = {"layerloom": 1, "name": name, "graph": graph, "layout": places}
    path = server.workspace / f"{name}.loom.json"
    path.write_text(json.dumps(project), encoding="utf-8")
    page.goto(f"{server.address}/build?project={path.name}")
    checked(page)
    return path


def saved(page: Page, path: Path) -> dict[str, Any]:
    """Save with the keyboard and read the file: its graph and composites as written."""
    checked(page)
    page.get_by_test_id("workbench").press("Control+s")
    expect(page.get_by_test_id("status")).to_contain_text("saved in")
    return json.loads(path.read_text("utf-8"))


def choose(page: Page, *nodes: str) -> None:
    """Select blocks with the mouse."""
    for i, node in enumerate(nodes):
        modifiers: list[Any] = ["Control"] if i else []
        page.get_by_test_id(f"node-{node}").click(modifiers=modifiers, position={"x": 40, "y": 14})
