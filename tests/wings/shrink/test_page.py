"""The Shrink page: what it asks for, what it begins, and what becomes of a try."""

import zipfile
from io import BytesIO

import pytest

from app.services import paths
from app.wings.shrink import plots
from app.wings.shrink import service as shrinking
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project, templates
from core.wings.shrink import files
from core.wings.shrink.catalogue import tries_of
from core.wings.shrink.run import shrink
from core.wings.shrink.sensitivity import sensitivity
from tests.core.small_runs import train_here


@pytest.fixture
def run(tab):
    """A tab with the MLP on wine open, and a run of it."""
    tab.press("open_template_mlp_wine")
    project = templates.load_template("mlp_wine")
    made = prepare(
        project, analyse_project(project), paths.runs_dir(), {"epochs": 3, "threads": 1},
        document=tab.document.doc_id,
    )  # fmt: skip
    train_here(made)
    return made


def test_without_a_run_it_leads_to_training(tab):
    tab.press("open_template_mlp_iris").go("shrink").assert_calm()
    markdown = " ".join(text.value for text in tab.at.markdown)
    assert "Train the network first" in markdown
    assert not [button for button in tab.at.button if button.key == "shrink_start"]


@pytest.mark.slow
def test_tries_are_asked_for_shown_opened_and_forgotten(tab, run, monkeypatch):
    started = []
    monkeypatch.setattr(shrinking, "begin", lambda *asked: started.append(asked))
    tab.go("shrink").assert_calm()
    tab.at.checkbox(key=f"shrink:{run.name}:onnx-int8").uncheck().run()
    tab.at.checkbox(key=f"shrink:{run.name}:unstructured").uncheck().run()
    tab.at.slider(key=f"shrink:{run.name}:structured:amount").set_value(50).run()
    tab.at.number_input(key=f"shrink:{run.name}:epochs").set_value(0).run()
    command = f"layerloom shrink {run.name} --try structured:0.5 --epochs 0"
    assert command in [block.value for block in tab.at.code]
    tab.press("shrink_start")
    assert started == [(run, ["structured:0.5"], 0)]
    whole, narrow, refused = shrink(run, tries_of(["structured:0.5", "fuse"], 0))
    tab.go("shrink").assert_calm()
    html = " ".join(block.proto.body for block in tab.at.get("html"))
    assert f'<td class="n">{narrow.size_bytes / 1e3:.3g} kB' in html
    assert "Metric against size. Best trade-offs: " in html
    assert "has no batch norm" in tab.texts[-1]
    lines = files.read_lines(run, "structured-50")
    assert lines in [block.value for block in tab.at.code]
    with zipfile.ZipFile(BytesIO(shrinking.code_archive(run, "structured-50"))) as archive:
        assert sorted(archive.namelist()) == [
            "lines.py", "network.py", "network.safetensors", "samples.safetensors",
        ]  # fmt: skip
    tab.press("shrink_open").assert_calm()
    opened = open_project(tab.document.path)
    assert opened.name == "MLP on wine, 50% of the channels"
    weights = tab.document.path.with_name(opened.training["start_from"]["weights"])
    assert weights.stat().st_size == narrow.size_bytes
    tab.go("shrink")
    tab.press("shrink_forget").assert_calm()
    assert [row.name for row in files.rows(run)] == [whole.name, refused.name]


@pytest.mark.gate
def test_each_block_is_asked_and_shown_as_heat(tab, run, monkeypatch):
    started = []
    monkeypatch.setattr(shrinking, "begin", lambda *asked: started.append(asked))
    assert [row.name for row in shrink(run, [])] == ["original"]
    tab.go("shrink").press("shrink_ask")
    assert started == [(run, [], None)]
    assert shrinking.command_of(run, [], None) == ["shrink", run.name, "--sensitivity"]
    sensitivity(run)
    tab.go("shrink").assert_calm()
    html = " ".join(block.proto.body for block in tab.at.get("html"))
    assert "The redder a block, the more sensitive it is" in html
    assert html.count("<td>fc") == 2


@pytest.mark.gate
def test_a_picture_needs_two_points_and_names_the_front(run):
    rows = list(shrink(run, tries_of(["structured:0.5"], 0)))
    assert plots.against(rows[:1], "size_bytes", "size", ["", ""]) == ""
    assert "structured-50" in plots.against(rows, "size_bytes", "size", ["1 kB", "2 kB"])
