"""Every malformed file gives its one clear message, and stays as it is."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from core.project import ProjectError, open_project, read_text, save_project, write_text

FOLDER = Path(__file__).parents[2] / "broken"
EXPECTED: dict[str, str | list[str]] = json.loads((FOLDER / "expected.json").read_text("utf-8"))
REFUSED = {name: text for name, text in EXPECTED.items() if isinstance(text, str)}
KEPT = {name: texts for name, texts in EXPECTED.items() if isinstance(texts, list)}


def file(name: str) -> Path:
    return FOLDER / f"{name}.loom.json"


def test_every_broken_file_has_an_expected_message():
    assert {path.name.removesuffix(".loom.json") for path in FOLDER.glob("*.loom.json")} == set(
        EXPECTED
    )
    assert len(REFUSED) >= 40


@pytest.mark.gate
@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_refused_with_its_message(name: str):
    before = file(name).read_bytes()
    with pytest.raises(ProjectError) as caught:
        open_project(file(name))
    assert str(caught.value) == REFUSED[name]
    assert caught.value.hint
    assert file(name).read_bytes() == before


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_understood_is_reported_and_kept(name: str, tmp_path: Path):
    project = open_project(file(name))
    assert [" ".join(notice) for notice in project.notices] == KEPT[name]
    save_project(project, tmp_path / "copy.loom.json")
    copy = (tmp_path / "copy.loom.json").read_text("utf-8")
    usual = {"bom": "\ufeff", "label_decomposed": "e\\u0301"}  # the two that saving makes usual
    original = file(name).read_text("utf-8").replace(usual.get(name, "\0"), "é"[: name != "bom"])
    assert json.loads(copy) == json.loads(original)


def graph_text(nodes: int, edges: list[str]) -> str:
    found = {f"n{i}": {"block": "Linear", "settings": {"out_features": 8}} for i in range(nodes)}
    return json.dumps({"layerloom": 1, "graph": {"nodes": found, "edges": edges}})


def refusal(text: str) -> str:
    start = time.process_time()
    with pytest.raises(ProjectError) as caught:
        read_text(text, "big.loom.json")
    assert time.process_time() - start < 10  # 0.3 s on a quiet machine
    return str(caught.value)


def test_2001_nodes_are_refused():
    assert refusal(graph_text(2001, [])) == (
        "big.loom.json: graph has 2001 nodes; at most 2000 are allowed. Split the project."
    )


def test_10001_edges_are_refused():
    edges = [f"n0 -> n1.x{i}" for i in range(10_001)]
    assert refusal(graph_text(2, edges)) == (
        "big.loom.json: graph has 10001 edges; at most 10000 are allowed. Split the project."
    )


def test_nodes_of_composites_count():
    part = {"nodes": {f"n{i}": {"block": "Linear"} for i in range(1001)}}
    found = {"layerloom": 1, "graph": {"nodes": {}}, "composites": {"One": part, "Two": part}}
    assert "has 2002 nodes; at most 2000" in refusal(json.dumps(found))


@pytest.mark.gate
@pytest.mark.parametrize(
    "text",
    [
        " " * 5_000_001,
        "[" * 2_000_000,
        '{"a":' * 500_000,
        '"' + '\\"' * 2_000_000,
        '"' * 1_000_001,
        "9" * 4_000_000,
        "[" + "1e1," * 200_000,
        "\\ud800" * 200_000,
        '["' + "\\ud83d\\ude00" * 100_000 + '\\ud83d"]',
        '{"a"' + " " * 1_000_000,
    ],
    ids=range(10),
)
def test_a_large_hostile_text_is_refused_at_once(text: str):
    assert refusal(text).startswith("big.loom.json")


def test_a_file_over_5_mb_is_refused_before_it_is_parsed(tmp_path: Path):
    path = tmp_path / "big.loom.json"
    path.write_bytes(b"[" * 5_000_001)
    with pytest.raises(ProjectError, match="is larger than 5 MB"):
        open_project(path)


def test_a_chain_of_2000_nodes_opens():
    edges = [f"n{i} -> n{i + 1}" for i in range(1999)]
    project = read_text(graph_text(2000, edges))
    assert len(project.graph.edges) == 1999
    assert read_text(write_text(project)) == project


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "x.loom.json does not exist. Check the name and the folder."),
        (lambda p: p.mkdir(), "x.loom.json is not a file. Choose a file that ends in .loom.json."),
        (lambda p: p.symlink_to(p), "x.loom.json cannot be read: "),
    ],
)
def test_what_is_no_file_is_refused(tmp_path: Path, make: Any, message: str):
    path = tmp_path / "x.loom.json"
    make(path)
    with pytest.raises(ProjectError) as caught:
        open_project(path)
    assert str(caught.value).startswith(message)
