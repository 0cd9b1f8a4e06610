"""All pages speak of one run: the one that is named, else the best of the drawing."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.shared import networks
from app.services import current_run, one_sample, paths
from app.services.document import Document
from core.project import templates, write_text
from core.runs.listing import list_runs
from tests.wing_parts import modules

from tests.app.tab import Tab  # isort: skip

IRIS = templates.load_template("mlp_iris")


def made(
    number: int, accuracy: float, document: str, project=IRIS, status: str = "finished", **spec
) -> Path:
    """A run that has best weights, as far as pages look at them before they are read."""
    folder = paths.runs_dir() / f"iris-{number:03}"
    (folder / "ckpt").mkdir(parents=True)
    best = {"metric": "val_accuracy", "value": accuracy, "metrics": {"val_accuracy": accuracy}}
    (folder / "status.json").write_text(json.dumps({"state": status, "attempt": 1, "best": best}))
    (folder / "ckpt" / "best.pt").write_bytes(b"weights")
    (folder / "project.loom.json").write_text(write_text(project))
    about = {"project": "MLP on iris", "document": document, "training": {}, **spec}
    about.setdefault("data", {"source": project.data["source"]})
    (folder / "spec.json").write_text(json.dumps(about))
    os.utime(folder / "spec.json", (1000 + number,) * 2)
    return folder


@pytest.fixture
def document(workspace) -> Document:
    """The project iris, whose best of four runs is the second; the newest is a trial that failed
    to learn, and run 1 learned other data better."""
    opened = Document("new-0123456789ab", IRIS, None)
    opened.drafts.keep(IRIS)
    made(1, 0.99, opened.doc_id, replace(IRIS, data={"source": "wine"}))
    made(2, 0.95, opened.doc_id)
    made(3, 0.90, opened.doc_id)
    made(4, 0.40, opened.doc_id, sweep={"name": "rates"})
    return opened


def test_it_is_the_best_of_this_drawing_on_its_data_where_none_is_named(document):
    assert current_run.run_to_show(document).name == "iris-002"


def test_the_named_one_is_taken_unless_a_page_cannot_use_it(document):
    document.run = "iris-004"
    assert current_run.run_to_show(document).name == "iris-004"
    assert (
        current_run.run_to_show(document, lambda view: view.name != "iris-004").name == "iris-002"
    )


def test_a_run_under_way_comes_before_the_best_and_a_trial_under_way_does_not(
    document, monkeypatch
):
    views = list_runs(paths.runs_dir())
    going = [replace(view, state="running") if view.name == "iris-004" else view for view in views]
    assert current_run.run_to_show(document, views=going).name == "iris-002"
    going = [replace(view, state="running") if view.name == "iris-003" else view for view in views]
    assert current_run.run_to_show(document, views=going).name == "iris-003"


def test_without_one_of_this_drawing_it_is_the_best_of_those_judged_like_the_newest(document):
    document.session.project = replace(IRIS, graph=templates.load_template("lenet_digits").graph)
    assert current_run.run_to_show(document).name == "iris-002"


def test_a_loss_is_better_where_it_is_lower_and_a_run_without_a_value_comes_last(document):
    for number, loss in ((2, 0.2), (3, 0.1), (4, None)):
        best = {"metric": "val_loss", "value": loss}
        path = paths.runs_dir() / f"iris-{number:03}" / "status.json"
        path.write_text(json.dumps({"state": "finished", "attempt": 1, "best": best}))
    assert current_run.run_to_show(document).name == "iris-003"


ONE_RUN = modules("one_run")
"""What wings show of a run."""


@pytest.fixture
def seen(document, monkeypatch) -> dict[str, str]:
    """Which run each door shows, with what it would then read left out."""
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    shown: dict[str, str] = {}
    monkeypatch.setattr("app.pages.train.page._runs", lambda *given: shown.update(
        train=given[3].name))  # fmt: skip
    monkeypatch.setattr("app.pages.train.page._form", lambda _: (None, None, "left out"))
    monkeypatch.setattr("app.pages.train.settings_sheet.line", lambda _: None)
    monkeypatch.setattr("app.pages.train.page._start", lambda *_: None)
    monkeypatch.setattr("app.pages.train.trials.show", lambda *_: True)
    monkeypatch.setattr(networks, "warn_if_unfinished", lambda *_: True)
    chosen = networks.select_network

    def select(names, preferred, key):
        shown[key] = preferred
        return chosen(names, preferred, key)

    monkeypatch.setattr(networks, "select_network", select)
    monkeypatch.setattr("app.pages.compare.page._compared", lambda folders: shown.update(
        compare=folders[0].name))  # fmt: skip
    for part in ONE_RUN:
        part.watch(monkeypatch, shown)
    return shown


DOORS = ("look", "export", "compare", "train", "V", *(part.DOOR for part in ONE_RUN))


@pytest.mark.parametrize("named", ["", "iris-003"])
def test_every_door_shows_the_same_run_after_a_sweep_whose_newest_trial_is_bad(
    named, document, seen
):
    for page in ("inside", "export", "compare", "train"):
        tab = Tab(page, project=document.doc_id, **({"run": named} if named else {}))
        tab.assert_calm()
        for part in ONE_RUN:
            part.press(tab, page)
    document.run = named
    seen["V"] = one_sample.network_of(document).run
    assert {door: seen[door] for door in DOORS} == dict.fromkeys(DOORS, named or "iris-002")


def test_compare_ticks_no_run_of_another_project_and_names_it(document, seen):
    for number in (1, 3, 4):
        made_before = paths.runs_dir() / f"iris-{number:03}"
        spec = json.loads((made_before / "spec.json").read_text())
        spec |= {"document": "other.loom.json", "project": "Other"}
        (made_before / "spec.json").write_text(json.dumps(spec))
    tab = Tab("compare", project=document.doc_id)
    tab.assert_calm()
    assert [box.label for box in tab.at.checkbox if box.value] == ["iris-002"]
    captions = [caption.value.replace("\\", "") for caption in tab.at.caption]
    assert any(caption.endswith(" · other project: Other on wine") for caption in captions)
    others = [box.label for each in tab.at.expander for box in each.checkbox]
    assert sorted(others) == ["iris-001", "iris-003", "iris-004"]  # folded: not of this project


def test_the_tab_is_called_after_project_and_page(document, monkeypatch):
    titles: list[str] = []
    monkeypatch.setattr("app.pages.navigation.st.set_page_config",
                        lambda title, *_, **__: titles.append(title))  # fmt: skip
    Tab("work", project=document.doc_id)
    Tab("compare", project=document.doc_id)
    assert titles[-1] == "MLP on iris · Compare"
    assert "My work · Layerloom" in titles
    assert titles[:2] == ["Layerloom", "Layerloom"]


def test_a_run_chosen_on_the_canvas_is_that_of_all_pages_and_the_address(document, monkeypatch):
    pressed = [{"name": "run", "args": {"run": name}} for name in ("iris-003", "of-others")]
    press = lambda _, on_action: on_action(pressed.pop()) if pressed else None  # noqa: E731
    monkeypatch.setattr("app.pages.build.page.canvas", press)
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    tab = Tab("build", project=document.doc_id)
    tab.assert_calm()
    assert tab.at.query_params.get("run") is None  # no other project's run
    tab.go("build").assert_calm()
    assert tab.at.query_params["run"] == "iris-003"
    assert one_sample.network_of(tab.at.session_state["document"]).run == "iris-003"


def test_the_canvas_offers_the_runs_of_this_drawing_those_on_its_data_first(document, monkeypatch):
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    runs = one_sample.network_of(document).runs
    assert runs == ("iris-002", "iris-003", "iris-004", "iris-001")
