"""A stranger's code on the Build page: nothing of it runs until its own button was pressed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.canvas import custom_blocks
from app.canvas.protocol import Action
from app.process import pool
from core.files.trust import digest, trust, trusted
from tests.app.tab import Tab
from tests.wing_parts import rows

BODY = """class Gate(nn.Module):
    open("{marker}", "w").close()

    def forward(self, x: Tensor) -> Tensor:
        return x * 2"""


@pytest.fixture
def marker(workspace) -> Path:
    return workspace / "it-ran"


@pytest.fixture
def text(marker) -> str:
    return BODY.replace("{marker}", marker.as_posix())


@pytest.fixture
def worker(workspace):
    """Workers that ask this test's own home what is trusted."""
    pool.close()
    yield
    pool.close()


@pytest.fixture
def stranger(workspace, text) -> Tab:
    """A tab on Build with a project that came with code."""
    project = {
        "layerloom": 1,
        "name": "From *afar*",
        "graph": {
            "nodes": {
                "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
                "gate1": {"block": "Gate"},
                "logits": {"block": "Output"},
            },
            "edges": ["image -> gate1", "gate1 -> logits"],
        },
        "composites": {"Gate": {"python": text.split("\n")}},
        "data": {"source": "digits"},
    }
    (workspace / "afar.loom.json").write_text(json.dumps(project), encoding="utf-8")
    return Tab("build", project="afar.loom.json")


def ask(tab: Tab, name: str, block: str = "") -> None:
    """Ask for a dialog. A run of AppTest is one of the whole page, so each step asks anew."""
    tab.at.session_state["custom:asked"] = (name, block)
    tab.at.run()


def press(tab: Tab, key: str, name: str, block: str = "") -> None:
    """Press a button of the dialog that was asked for."""
    tab.at.session_state["custom:asked"] = (name, block)
    tab.press(key)


def code_of(tab: Tab) -> str:
    """The code that the editor was given."""
    found = [json.loads(each.proto.json) for each in tab.at.get("bidi_component")]
    [code] = [data["code"] for data in found if "faults" in data]
    return code


def write(tab: Tab, text: str, name: str, block: str = "") -> None:
    """Write into the editor that was asked for, as if the browser had told what was typed."""
    begun = custom_blocks.code_of(tab.document.project.graph, block)
    tab.at.session_state[f"custom:draft:{digest(begun)}"] = text
    ask(tab, name, block)


def trust_key(tab: Tab) -> str:
    [key] = [b.key for b in tab.at.button if b.key and b.key.startswith("trust_")]
    return key


def gate(tab: Tab) -> str:
    return tab.document.project.graph.composites["Gate"].python


@pytest.mark.gate
def test_a_stranger_s_project_opens_with_a_warning_and_runs_nothing(
    worker, stranger, marker
) -> None:
    stranger.assert_calm()
    assert stranger.texts == [
        "**Gate** contains Python code that you have not trusted yet. It does not run, so "
        "the blocks after it cannot be checked."
    ]
    assert [e["code"] for e in stranger.document.analysed()["errors"]] == ["untrusted"]
    assert not marker.exists()


@pytest.mark.gate
def test_the_question_shows_whose_code_all_of_it_and_what_trust_means(stranger, text) -> None:
    stranger.press("review")
    assert [code.value for code in stranger.at.code] == [text]
    texts = [m.value.replace("\\", "") for m in stranger.at.markdown]
    assert any("It came with the project **From *afar***, from afar.loom.json." in m for m in texts)
    assert any(
        "the code runs as you, on this computer, with all your permissions" in m for m in texts
    )
    assert not trusted(text)


@pytest.mark.gate
def test_its_button_trusts_exactly_this_text_and_the_drawing_is_checked_anew(
    worker, stranger, text, marker
) -> None:
    stranger.press("review")
    press(stranger, trust_key(stranger), "review")
    assert trusted(text)
    assert not trusted(text + " ")
    stranger.at.run()
    assert stranger.texts == []
    assert stranger.document.analysed()["errors"] == []
    assert marker.exists()


@pytest.mark.gate
def test_a_button_trusts_the_text_above_it_though_the_project_holds_another_by_now(
    stranger, text
) -> None:
    stranger.press("review")
    button = stranger.at.button(key=trust_key(stranger))
    other = text.replace("x * 2", "x * 3")
    graph = stranger.document.project.graph
    stranger.document.put_graph(custom_blocks.put(graph, other, "Gate"))
    stranger.at.session_state["custom:asked"] = ("review", "")
    button.click().run()
    assert (trusted(text), trusted(other)) == (True, False)
    assert gate(stranger) == other


def test_blocks_of_the_same_text_are_each_asked_for(stranger, text) -> None:
    graph = stranger.document.project.graph
    twice = {**graph.composites, "Other": graph.composites["Gate"]}
    stranger.document.put_graph(replace(graph, composites=twice))
    ask(stranger, "review")
    assert not stranger.at.exception
    assert [code.value for code in stranger.at.code] == [text, text]


def test_a_list_that_cannot_be_kept_is_shown_in_the_question(stranger, text, monkeypatch) -> None:
    stranger.press("review")
    monkeypatch.setenv("LAYERLOOM_PYTHON", "off")
    press(stranger, trust_key(stranger), "review")
    monkeypatch.delenv("LAYERLOOM_PYTHON")
    assert not trusted(text)
    assert [box.value for box in stranger.at.error] != []


def test_the_canvas_may_ask_for_the_question_but_not_answer_it(stranger, text) -> None:
    for number, name in enumerate(("code", "review")):
        stranger.document.session._browser.action = Action(str(number), name, {"block": "Gate"})
        stranger.at.run()
        assert [code.value for code in stranger.at.code] == [text]
        assert not trusted(text)


def test_code_can_be_changed_without_trusting_it(stranger, text, marker) -> None:
    ask(stranger, "change", "Gate")
    assert code_of(stranger) == text
    changed = text.replace("x * 2", "x * 3")
    write(stranger, changed, "change", "Gate")
    press(stranger, "custom_add", "change", "Gate")
    assert gate(stranger) == changed
    assert not trusted(changed)
    assert not marker.exists()


@pytest.mark.gate
def test_the_example_becomes_a_block_that_may_run(stranger) -> None:
    ask(stranger, "code")
    assert code_of(stranger).startswith("class Gate2(nn.Module):")
    press(stranger, "custom_add", "code")
    part = stranger.document.project.graph.composites["Gate2"]
    assert trusted(part.python)
    assert list(part.settings.items()) == [("slope", 1.0)]


def test_code_with_faults_is_not_added_and_each_fault_has_its_line(stranger) -> None:
    ask(stranger, "code")
    write(stranger, "class Gate2(nn.Module):\n    pass\nprint('<b>')", "code")
    press(stranger, "custom_add", "code")
    [html] = [
        h for h in stranger.at.get("html") if h.proto.body.startswith('<div class="ll-faults')
    ]
    assert "<li>Line 3 follows the class" in html.proto.body
    assert "<code>print(&#x27;&lt;b&gt;&#x27;)</code>" in html.proto.body
    assert list(stranger.document.project.graph.composites) == ["Gate"]


def test_what_was_typed_is_still_there_when_the_dialog_was_closed(stranger) -> None:
    ask(stranger, "code")
    write(stranger, "class Mine(nn.Module):", "code")
    stranger.at.run()
    ask(stranger, "code")
    assert code_of(stranger) == "class Mine(nn.Module):"


def test_changed_code_of_one_s_own_is_trusted_as_it_is_now(stranger, text) -> None:
    trust(text)
    ask(stranger, "code", "Gate")
    changed = text.replace("x * 2", "x * 3")
    write(stranger, changed, "code", "Gate")
    press(stranger, "custom_add", "code", "Gate")
    assert (gate(stranger), trusted(changed)) == (changed, True)


PAGES = ("data", "train", "inside", "compare", "export", *rows("pages", "WITH_PROJECT"), "build")


@pytest.mark.gate
def test_no_page_runs_a_stranger_s_code(worker, stranger, marker) -> None:
    for page in PAGES:
        stranger.go(page)
        assert not stranger.at.exception, page
        assert not marker.exists(), page
    assert [t for t in stranger.go("train").texts if "you have not trusted yet" in t]
    stranger.document.session._browser.action = Action("7", "train", {})
    stranger.go("build")
    assert not marker.exists()


@pytest.mark.gate
def test_a_new_block_begins_with_what_is_chosen_until_something_is_typed(stranger) -> None:
    ask(stranger, "code")
    assert code_of(stranger).startswith("class Gate2(nn.Module):")
    pills = stranger.at.pills(key="custom_example")
    assert pills.options[1] == "An operator"
    stranger.at.session_state["custom:asked"] = ("code", "")
    pills.select("An operator").run()
    assert code_of(stranger).startswith("class ScaledTanh(nn.Module):")
    write(stranger, "class Mine(nn.Module):\n    pass", "code")
    assert code_of(stranger).startswith("class Mine(nn.Module):")
    assert [each.key for each in stranger.at.get("pills")] == []


def test_a_choice_that_comes_late_takes_nothing_that_was_typed(stranger) -> None:
    ask(stranger, "code")
    pills = stranger.at.pills(key="custom_example")
    stranger.at.session_state[f"custom:draft:{digest('')}"] = "class Mine(nn.Module):\n    pass"
    stranger.at.session_state["custom:asked"] = ("code", "")
    pills.select("An operator").run()
    assert code_of(stranger).startswith("class Mine(nn.Module):")
