"""Own Python that decides by values is named before a format is chosen that would lose it."""

import json
from pathlib import Path

import pytest

from app.process import pool
from core.files.trust import trust
from tests.app.tab import Tab
from tests.core.export.test_wrong_files import GATE

PROJECT = {
    "layerloom": 1,
    "name": "Gate",
    "graph": {
        "nodes": {
            "x": {"block": "Input", "settings": {"shape": [4]}},
            "gate": {"block": "Gate"},
            "out": {"block": "Output"},
        },
        "edges": ["x -> gate", "gate -> out"],
    },
    "composites": {"Gate": {"python": GATE.split("\n")}},
}
SENTENCE = (
    "gate branches on the values it receives (Gate, line 4: if y.mean() > 0:). Scripted "
    "TorchScript keeps it; ONNX, web pages, traced TorchScript and compiled files cannot. "
    "torch.where(condition, a, b) computes both and selects by value."
)


def said(texts: list[str]) -> list[str]:
    """Without what keeps Markdown from reading signs in it."""
    return [text.replace("\\", "").replace("\u2060", "") for text in texts]


@pytest.mark.gate
def test_the_page_warns_first_and_gives_no_file_that_computes_something_else(
    workspace: Path,
) -> None:
    pool.close()  # its workers know the home of another test
    trust(GATE, "Gate")
    (workspace / "gate.loom.json").write_text(json.dumps(PROJECT), encoding="utf-8")
    tab = Tab("export", project="gate.loom.json")
    tab.assert_calm()
    assert said(tab.texts) == [SENTENCE]
    [make] = [b.key for b in tab.at.button if b.key and b.key.startswith("export:onnx:")]
    tab.press(make)
    [error] = said([box.value for box in tab.at.error])
    assert "gate branches on the values it receives (Gate, line 4: if y.mean() > 0:)" in error
    downloads = [each.key for each in tab.at.get("download_button")]
    assert [key for key in downloads if key.startswith("export:")] == []
    pool.close()
