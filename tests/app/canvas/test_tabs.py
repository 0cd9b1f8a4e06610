"""Two tabs on one project: the second is told, and neither takes the other's edits away."""

import copy
import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app.canvas import tabs
from app.canvas.session import DocSession
from app.services import documents
from app.services.document import Document
from core.project.drafts import list_backups, load_draft, save_draft
from tests.app.canvas.test_session import FIXTURE, project


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    monkeypatch.setattr("app.process.pool.analyse", lambda *_, **__: {})
    return tmp_path


@pytest.fixture
def name() -> str:
    return f"new-{secrets.token_hex(6)}"


def opened(name: str) -> DocSession:
    draft = load_draft(name)
    document = Document(name, draft.project if draft else project(), None)
    return document.session


def draw(doc: DocSession, channels: int, action: str = "", tab: str = "") -> dict[str, Any]:
    """Set conv1's channels in the tab of `doc`, or only press a button there (channels 0)."""
    up: dict[str, Any] = copy.deepcopy(FIXTURE["up"])
    rev = doc.rev + (1 if channels else 0)
    up |= {"client": tab or doc.sid}
    up |= {"doc": doc.doc_id, "sid": doc.sid, "epoch": doc.epoch, "rev": rev, "semRev": rev}
    up["graph"]["nodes"]["conv1"]["settings"]["out_channels"] = channels or channels_of(doc)
    if action:
        up["action"] = {"id": secrets.token_hex(4), "name": action, "args": {}}
    assert doc.receive(up)
    return doc.down()


def channels_of(doc: DocSession) -> Any:
    return doc.project.graph.nodes["conv1"].settings["out_channels"]


def kept(name: str) -> Any:
    draft = load_draft(name)
    return draft and draft.project.graph.nodes["conv1"].settings["out_channels"]


def test_a_tab_alone_shows_no_edits_elsewhere(name: str) -> None:
    doc = opened(name)
    assert [draw(doc, n)["elsewhere"] for n in (5, 6, 7)] == [False, False, False]
    assert kept(name) == 7


def test_the_other_tab_is_notified_and_its_edits_do_not_overwrite(name: str) -> None:
    first, second = opened(name), opened(name)
    assert not draw(first, 11)["elsewhere"]
    assert second.down()["elsewhere"]
    assert draw(second, 22)["elsewhere"]
    assert kept(name) == 11
    assert channels_of(second) == 22


def test_edits_that_wait_for_the_choice_are_a_draft_of_their_own(name: str) -> None:
    first, second = opened(name), opened(name)
    draw(first, 11)
    draw(second, 22)
    assert kept(f"new-{second.sid[:12]}") == 22


def test_taking_theirs_shows_it_as_a_new_drawing_and_ends_the_question(name: str) -> None:
    first, second = opened(name), opened(name)
    draw(first, 11)
    draw(second, 22)
    down = draw(second, 0, "theirs")
    assert (channels_of(second), down["epoch"], down["elsewhere"]) == (11, 2, False)
    assert down["graph"]["nodes"]["conv1"]["settings"]["out_channels"] == 11
    assert not first.down()["elsewhere"]
    assert kept(name) == 11
    assert kept(f"new-{second.sid[:12]}") == 22


def test_keeping_mine_makes_theirs_a_backup_and_tells_the_other_tab(name: str) -> None:
    first, second = opened(name), opened(name)
    draw(first, 11)
    draw(second, 22)
    assert not draw(second, 0, "mine")["elsewhere"]
    assert kept(name) == 22
    assert '"out_channels": 11' in list_backups(name)[0].read_text()
    assert first.down()["elsewhere"]
    assert draw(first, 0, "theirs")["elsewhere"] is False
    assert channels_of(first) == 22


def test_a_choice_is_no_action_for_the_page(name: str) -> None:
    first, second = opened(name), opened(name)
    draw(first, 11)
    draw(second, 0, "theirs")
    assert second.take_action() is None


def test_two_tabs_that_come_to_the_same_are_not_asked(name: str) -> None:
    first, second = opened(name), opened(name)
    draw(first, 11)
    draw(second, 11)
    assert not second.down()["elsewhere"]
    assert not draw(second, 12)["elsewhere"]
    assert kept(name) == 12


def draw_on_another_server(name: str, channels: int) -> None:
    """Write a draft as a second server of the workspace does, which does not know our tabs."""
    graph = project().graph
    conv = graph.nodes["conv1"]
    conv = replace(conv, settings={**conv.settings, "out_channels": channels})
    save_draft(name, replace(project(), graph=replace(graph, nodes={**graph.nodes, "conv1": conv})))


@pytest.mark.parametrize("before", [False, True])
def test_what_another_server_drew_is_asked_about_and_not_written_over(
    name: str, before: bool
) -> None:
    doc = opened(name)
    if before:
        draw(doc, 5)
    draw_on_another_server(name, 11)
    assert draw(doc, 22)["elsewhere"]
    assert (kept(name), kept(f"new-{doc.sid[:12]}")) == (11, 22)
    assert not draw(doc, 0, "mine")["elsewhere"]
    assert kept(name) == 22
    assert '"out_channels": 11' in list_backups(name)[0].read_text()
    assert not draw(doc, 23)["elsewhere"]
    assert kept(name) == 23


def test_a_draft_that_another_server_left_is_gone_on_with(name: str) -> None:
    draw_on_another_server(name, 11)
    first, second = opened(name), opened(name)
    assert channels_of(first) == 11
    assert not draw(first, 12)["elsewhere"]
    assert draw(second, 22)["elsewhere"]
    assert kept(name) == 12


def test_a_tab_opened_while_a_change_is_written_starts_with_that_change(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, writing, written = opened(name), Event(), Event()
    draw(first, 5)

    def slow(*given: Any) -> None:
        writing.set()
        assert written.wait(600)
        save_draft(*given)

    monkeypatch.setattr("app.services.draft_store.save_draft", slow)
    with ThreadPoolExecutor(2) as pool:
        drawing = pool.submit(draw, first, 11)
        assert writing.wait(600)
        opening = pool.submit(documents.restore, name)
        begun = not wait([opening], timeout=0.3).done
        written.set()
        drawing.result(20)
        later = opening.result(20).session
    assert begun
    assert channels_of(later) == 11


def test_a_tab_opened_later_starts_from_the_newest(name: str) -> None:
    draw(opened(name), 11)
    later = opened(name)
    assert channels_of(later) == 11
    assert not draw(later, 12)["elsewhere"]
    assert kept(name) == 12


def test_training_settings_count_as_a_change(name: str) -> None:
    first, second = opened(name), opened(name)
    first.update(training={"epochs": 3})
    assert second.down()["elsewhere"]
    second.settle("theirs")
    assert second.project.training == {"epochs": 3}


def test_other_projects_have_nothing_to_do_with_it(name: str) -> None:
    draw(opened(name), 11)
    assert not opened(f"new-{secrets.token_hex(6)}").down()["elsewhere"]


def test_a_change_on_top_of_an_unseen_one_is_not_noted(name: str) -> None:
    a, b = tabs.Visit("a", "tab a", 1), tabs.Visit("b", "tab b", 2)
    one = tabs.record_change(name, a, project(), 0)
    assert one is not None
    assert tabs.record_change(name, b, replace(project(), name="B"), one.stamp - 1) is None
    assert tabs.newest(name) == one
    noted = tabs.record_change(name, b, replace(project(), name="B"), one.stamp)
    assert noted is not None
    assert noted.stamp == one.stamp + 1


def test_what_a_reloaded_tab_sent_before_is_not_another_tab(name: str) -> None:
    before = opened(name)
    draw(before, 11, tab="mine")
    after = opened(name)
    draw(before, 12, tab="mine")  # on its way while the page was loaded anew
    assert not draw(after, 13, tab="mine")["elsewhere"]
    assert kept(name) == 13


def test_an_edit_that_comes_late_never_ends_what_was_drawn_after_the_reload(name: str) -> None:
    before = opened(name)
    draw(before, 11, tab="mine")
    after = opened(name)
    draw(after, 13, tab="mine")
    draw(before, 12, tab="mine")
    assert kept(name) == 13
    assert not draw(after, 14, tab="mine")["elsewhere"]
    assert kept(name) == 14


def test_a_reload_keeps_the_question_that_another_tab_raised(name: str) -> None:
    mine, other = opened(name), opened(name)
    draw(mine, 11, tab="mine")
    draw(other, 22, tab="other")
    again = opened(name)
    draw(other, 0, "mine", tab="other")
    assert draw(again, 13, tab="mine")["elsewhere"]
    assert kept(name) == 22
