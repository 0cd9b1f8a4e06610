"""The Import page without a browser: what it offers, and what it refuses in one sentence."""

import time
from pathlib import Path

import pytest

from app.services import weights_beside
from app.wings.importing import model_search, page, verdicts
from app.wings.importing.service import Import
from core.project import open_project, save_project, templates
from core.project.comparison import (
    Comparison,
    OutputComparison,
    beside,
    read_comparison,
    write_comparison,
)
from tests.app.tab import Tab

LISTED = {"name": "resnet18", "family": "classification", "params": 11_689_512, "score": 69.758,
          "score_of": "top-1", "side": 224, "trained": True}  # fmt: skip


def ended(job: Import) -> Import:
    begin = time.monotonic()
    while job.state in ("running", "drawn"):
        assert time.monotonic() < begin + 800, job.state
        time.sleep(0.05)
    return job


def test_a_model_is_searched_by_all_that_is_published():
    expected = "resnet18  ·  classification  ·  11.7 M  ·  top-1 69.8  ·  224 px"
    assert model_search.model_title(LISTED) == expected


@pytest.mark.parametrize(
    ("text", "inputs"),
    [("", []), ("3,224,224", ["3,224,224"]), ("3, 8, 8; 10", ["3,8,8", "10"]),
     ("12:int64<100; ids = 7 : int64", ["12:int64<100", "ids=7:int64"])],
)  # fmt: skip
def test_inputs_are_read_as_the_command_reads_them(text: str, inputs: object):
    assert page.inputs_of(text) == inputs


FOUND = Comparison(
    (OutputComparison("the sample", True), OutputComparison("another batch", False, "<b>result "
                                                                                    "1</b>"),
     OutputComparison("another image size", None, "no")), ("one training step",),
)  # fmt: skip


@pytest.mark.parametrize(("goes_on", "word"), [(True, "comparing"), (False, "not compared")])
def test_verdicts_are_rows_with_a_word_and_escaped_notes(goes_on: bool, word: str):
    rows = verdicts.table(FOUND, goes_on)
    assert "bit for bit" in rows
    assert "&lt;b&gt;result 1&lt;/b&gt;" in rows
    words = [f"</i>{label}<" in rows for label in ("equal", "differs", "not tried", word)]
    assert words == [True] * 4


EQUAL = tuple(OutputComparison(name, True) for name in ("the sample", "another batch"))
UNTRIED = OutputComparison("another image size", None, "no input is an image")


@pytest.mark.parametrize(
    ("found", "goes_on", "expected"),
    [
        (Comparison(EQUAL, ("a", "b")), True,
         ("now", "Comparing with the original: 2 of 4 equal so far")),
        (Comparison(EQUAL), False, ("good", "Equal to the original in all 2 comparisons.")),
        (Comparison((*EQUAL, UNTRIED)), False,
         ("good", "Equal to the original in 2 of 3 comparisons, not tried: another image size.")),
        (Comparison((UNTRIED,)), False,
         ("open", "Not compared with the original: the original model itself fails.")),
        (Comparison((), ("a", "b"), "It was killed."), False,
         ("open", "The comparison with the original ended early: not compared yet. "
                  "It was killed.")),
        (Comparison(EQUAL, ("a",), "It was killed."), False,
         ("open", "The comparison with the original ended early: 2 of 3 equal, not compared: a. "
                  "It was killed.")),
        (Comparison((OutputComparison("the sample", False, "by 1.0"),), ("a",)), True,
         ("bad", "As imported, it differs from the original on the sample (by 1.0).")),
    ],
)  # fmt: skip
def test_a_comparison_is_one_sentence(found: Comparison, goes_on: bool, expected: tuple[str, str]):
    assert verdicts.sentence(found, goes_on) == expected


def opened(workspace: Path, found: Comparison | None) -> Tab:
    """A tab on an imported project."""
    path = workspace / "net.loom.json"
    save_project(templates.load_template("mlp_iris"), path)
    if found:
        write_comparison(path, found)
    return Tab("build", project="net.loom.json")


def lines(tab: Tab) -> list[str]:
    """What the line over the page says."""
    bodies = [html.body for html in tab.at.get("html") if 'class="ll-said"' in html.body]
    return [text.partition("</i>")[2].removesuffix("</p>") for text in bodies]


DIFFERS = Comparison((EQUAL[0], OutputComparison("another batch", False, "by 1.0")))
MESSAGE = (
    "As imported, it differs from the original on another batch (by 1.0). Equal on the sample."
)


@pytest.mark.slow
def test_a_drawing_that_differs_says_so_on_every_page_until_the_line_is_taken_away(
    workspace: Path,
):
    tab = opened(workspace, DIFFERS)
    assert lines(tab) == [MESSAGE]
    assert lines(tab.go("compare")) == [MESSAGE]
    assert lines(tab.press("import_line_close")) == []
    assert lines(opened(workspace, None)) == [MESSAGE]


@pytest.mark.parametrize("found", [None, Comparison(EQUAL)])
def test_a_drawing_that_is_equal_or_was_not_imported_has_no_line(
    workspace: Path, found: Comparison | None
):
    assert lines(opened(workspace, found)) == []


def test_a_damaged_file_beside_the_project_is_one_sentence(workspace: Path):
    beside(workspace / "net.loom.json").write_text("{}")
    reason = "is not a comparison of an imported model. Import the model again."
    message = f"The comparison with the original cannot be read: {reason}"
    assert lines(opened(workspace, None)) == [message]


def test_project_and_weights_are_kept_side_by_side_and_never_over_others(workspace: Path):
    (workspace / "net.safetensors").write_bytes(b"")
    assert weights_beside.free_path("net").name == "net-2.loom.json"
    (workspace / "net-2.compared.json").write_bytes(b"")
    assert weights_beside.free_path("net").name == "net-3.loom.json"
    assert weights_beside.free_path("../etc/net<1>").name == "etc_net_1.loom.json"


@pytest.mark.slow
def test_an_import_runs_in_a_process_of_its_own_and_is_kept(workspace: Path):
    job = ended(Import("squeezenet1_1", {"source": "torchvision:squeezenet1_1",
                                         "inputs": ["3,64,64"]}))  # fmt: skip
    assert (job.state, job.message) == ("done", "")
    assert [v.equal for v in job.comparison().verdicts] == [True] * 4
    path = job.keep()
    assert read_comparison(path) == job.comparison()
    assert job.keep() == path
    assert open_project(path).name == "squeezenet1_1"
    assert weights_beside.weights_of(path).stat().st_size > 4 * 1_235_496


@pytest.mark.gate
def test_a_refused_import_says_one_sentence(workspace: Path):
    job = ended(Import("net.onnx", {"name": "net.onnx"}, b"nothing"))
    assert (job.state, job.message) == ("failed", "net.onnx is not an ONNX file.")


HALVES = {"source": "python:tests.wings.importing.models:Halved", "inputs": ["4"]}
BUTTONS = ["Draw the branches of this sample", "Import the class as your own Python block"]

DRAWN = {"specialise": (True, [False]), "own_python": (False, [True])}
"""Whether decisions are noted, and whether the first comparison is equal: it divides more often."""


def offers(tab: Tab) -> list[str]:
    """What the page offers beside a refusal."""
    return [button.label for button in tab.at.button if str(button.key).startswith("import_with_")]


@pytest.mark.slow
@pytest.mark.parametrize("option", ["specialise", "own_python"])
def test_a_refusal_offers_what_would_draw_the_model(workspace: Path, option: str):
    tab = Tab("import")
    tab.at.session_state[page.JOB] = ended(Import("Halved", HALVES))
    tab.at.run()
    (message,) = [box.value.replace("\\", "") for box in tab.at.error]
    assert "(models.py, line " in message
    assert message.endswith("Use tensor operations, such as torch.where.")
    assert offers(tab) == BUTTONS
    tab.press(f"import_with_{option}")
    job = ended(tab.at.session_state[page.JOB])
    assert (job.state, job.message, job.offers) == ("done", "", ())
    equal = [v.equal for v in job.comparison().verdicts[:1]]
    assert (bool(job.report()["decisions"]), equal) == DRAWN[option]


@pytest.mark.slow
def test_a_refused_file_offers_nothing_that_would_not_help(workspace: Path):
    tab = Tab("import")
    tab.at.session_state[page.JOB] = ended(Import("net.onnx", {"name": "net.onnx"}, b"no"))
    tab.at.run()
    assert offers(tab) == []


@pytest.mark.slow
def test_the_form_has_the_options_of_the_command(workspace: Path):
    tab = Tab("import")
    tab.at.session_state["import_search"] = "googlenet"
    tab.at.run()
    found = [box.key for box in tab.at.checkbox if str(box.key).endswith(":googlenet")]
    names = ("trained", "heads", "keep_unused", "specialise", "own_python")
    assert found == [f"import_{name}:googlenet" for name in names]
    assert not any(box.value for box in tab.at.checkbox)


@pytest.mark.slow
def test_the_page_opens_without_a_project(workspace: Path):
    tab = Tab("import")
    tab.assert_calm()
    assert tab.at.selectbox[0].label.startswith("Search 121 models")


@pytest.mark.slow
def test_a_model_is_drawn_with_the_image_that_its_weights_take(workspace: Path):
    """The trained vit_h_14 insists on 518 pixels: without the weights it is the same model."""
    tab = Tab("import")
    tab.at.session_state["import_search"] = "vit_h_14"
    tab.at.run()
    sides = [box.value for box in tab.at.number_input]
    tab.at.checkbox(key="import_trained:vit_h_14").check().run()
    assert [sides, [box.value for box in tab.at.number_input]] == [[518], [518]]


@pytest.mark.slow
def test_a_detector_is_offered_with_what_has_to_be_known_of_it(workspace: Path):
    tab = Tab("import")
    tab.at.session_state["import_search"] = "fasterrcnn_mobilenet_v3_large_320_fpn"
    tab.at.run()
    tab.assert_calm()
    assert tab.texts[0].startswith("A detector is drawn for one image; of a batch, it uses the")
    assert not tab.at.button(key="import_go").disabled


@pytest.mark.slow
def test_a_detector_is_imported_as_on_the_command_line(workspace: Path):
    name = "ssdlite320_mobilenet_v3_large"
    given = {"source": f"torchvision:{name}", "inputs": ["3,64,64"], "specialise": True}
    job = ended(Import(name, given))
    assert (job.state, job.message) == ("done", "")
    assert [v.equal for v in job.comparison().verdicts[:2]] == [True, True]
    assert job.report()["params"] == 3_440_060


@pytest.mark.slow
@pytest.mark.parametrize("keep", [False, True])
def test_what_was_left_out_names_the_option_that_keeps_it(workspace: Path, keep: bool):
    source = "python:tests.wings.importing.draw.test_unused:WithHead"
    given = {"source": source, "inputs": ["3,8,8"], "keep_unused": keep}
    tab = Tab("import")
    tab.at.session_state[page.JOB] = ended(Import("WithHead", given))
    tab.at.run()
    assert not tab.at.exception
    texts = [box.value.replace("\\", "") for box in tab.at.markdown]
    remarks = [text for text in texts if "Left out, because never used" in text]
    hint = "To draw their layers, tick *Keep layers that forward does not use*"
    assert [hint in text for text in remarks] == ([] if keep else [True])
