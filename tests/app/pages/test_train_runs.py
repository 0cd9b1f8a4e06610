"""The list of runs on the Train page: every run can be reached, searched and told apart."""

import json
import os
import re

import pytest

from app.services import documents, paths
from app.services.project_runs import is_run_of
from core.export.formats import FORMATS
from core.runs import listing
from core.runs.run_notes import RunNotes, write_notes
from core.worker import launch


def made(number, state="finished", accuracy=0.9, **more):
    """A run that has ended, as its folder tells it; a larger number is newer. more: of its spec."""
    folder = paths.runs_dir() / f"lenet-{number:03}"
    folder.mkdir(parents=True)
    spec = {"project": "LeNet on digits", "training": {"epochs": 1}, "task": "classification"}
    spec |= more
    metrics = {"val_accuracy": accuracy}
    status = {"state": state, "attempt": 1, "epoch": 1, "metrics": metrics}
    for name, content in (("spec.json", spec), ("status.json", status)):
        (folder / name).write_text(json.dumps(content))
    os.utime(folder / "spec.json", (number, number))
    return folder


@pytest.fixture
def many(lenet):
    """A tab with LeNet open and 40 runs."""
    for number in range(1, 41):
        made(number, "failed" if number == 7 else "finished")
    return lenet


def listed(tab):
    names = [button.key for button in tab.at.button if (button.key or "").startswith("run_lenet")]
    return [name.removeprefix("run_lenet-") for name in names]


def test_the_newest_twelve_are_listed_and_the_others_are_a_press_away(many):
    many.go("train").assert_calm()
    assert listed(many) == [f"{n:03}" for n in range(40, 28, -1)]
    many.press("runs_more").assert_calm()
    assert listed(many) == [f"{n:03}" for n in range(40, 4, -1)]
    many.press("runs_more").assert_calm()
    assert listed(many) == [f"{n:03}" for n in range(40, 0, -1)]
    assert not [button for button in many.at.button if button.key == "runs_more"]


def test_train_opens_on_this_projects_newest_run_and_lists_its_runs_first(lenet):
    own = lenet.document.doc_id
    made(1, document=own, project="Its name of yesterday")
    made(2, document=own)
    made(3, document="new-0123456789ab")  # another draft of the same template
    made(4, document="other.loom.json", project="Other")
    lenet.go("train").assert_calm()
    assert lenet.at.session_state["run"] == "lenet-002"
    assert listed(lenet) == ["002", "001", "004", "003"]
    captions = [caption.value for caption in lenet.at.caption]
    assert "Runs of other projects" in [expander.label for expander in lenet.at.expander]
    assert "Project: LeNet on digits" not in captions
    lenet.press("run_lenet-004").assert_calm()
    assert "Project: Other" in [caption.value for caption in lenet.at.caption]


def test_a_run_of_the_draft_is_one_of_the_file_it_was_saved_to(lenet):
    made(1, document=lenet.document.doc_id)
    lenet.carry_out("save")
    view = listing.list_runs(paths.runs_dir())[0]
    assert lenet.document.address == "lenet-on-digits.loom.json"
    assert is_run_of(lenet.document, view)
    again = documents.from_file(lenet.document.path)
    assert is_run_of(again, view)
    assert not is_run_of(documents.from_template("lenet_digits"), view)


def test_a_project_without_a_run_shows_what_will_be_trained(lenet):
    made(1, document="other.loom.json", project="Other")
    lenet.go("train").assert_calm()
    shown = " ".join(block.proto.body for block in lenet.at.get("html"))
    words = re.sub(r"<i role.*?</i>|<(?!b)[^>]*>", "", shown)
    assert "<b>1,438Training samples" in words
    assert "<b>61,706Parameters" in words
    assert "run" not in lenet.at.session_state
    assert listed(lenet) == ["001"]


def test_a_row_is_what_a_run_reached_and_those_of_other_projects_are_folded(lenet):
    for number in range(1, 14):
        made(number, document="other.loom.json", project="Other", task="classification")
    lenet.go("train").assert_calm()
    row = '<div class="ll-run"><i></i><b>90.0%</b><span></span></div>'
    assert row in [block.proto.body for block in lenet.at.get("html")]
    others = next(e for e in lenet.at.expander if e.label == "Runs of other projects")
    assert not others.proto.expanded
    assert others.button[-1].label == "Show 1 more of 13"
    lenet.press("run_lenet-013").assert_calm()
    others = next(e for e in lenet.at.expander if e.label == "Runs of other projects")
    assert others.proto.expanded


def test_delete_stands_far_from_where_stop_was(lenet):
    made(1)
    lenet.go("train")
    keys = [button.key for button in lenet.at.button]
    assert keys.index("train") < keys.index("delete_run") < keys.index("run_lenet-001")


@pytest.mark.gate
def test_an_old_run_is_found_by_its_name_its_tag_its_note_and_how_it_ended(many):
    runs = paths.runs_dir()
    write_notes(runs / "lenet-003", RunNotes(tags=("small kernel",)))
    write_notes(runs / "lenet-004", RunNotes(note="The teacher's own"))
    many.go("train")
    for words, found in {
        "005": ["005"],
        "small": ["003"],
        "teacher own": ["004"],
        "failed": ["007"],
        "nonsense": [],
    }.items():
        many.at.text_input(key="runs_search").set_value(words).run()
        many.assert_calm()
        assert listed(many) == found
    assert any(caption.value.startswith("No results.") for caption in many.at.caption)


def test_a_pinned_run_stands_first_and_shows_its_tags(many):
    write_notes(paths.runs_dir() / "lenet-002", RunNotes(tags=("best",), pinned=True))
    many.go("train").assert_calm()
    assert listed(many)[:2] == ["002", "040"]
    assert ":material/keep: best" in [caption.value for caption in many.at.caption]


def test_few_runs_need_no_search(lenet):
    made(1)
    lenet.go("train").assert_calm()
    assert listed(lenet) == ["001"]
    assert "runs_search" not in [field.key for field in lenet.at.text_input]


def test_compare_searches_too_and_keeps_what_is_ticked(many):
    many.go("compare").assert_calm()
    assert ticked(many) == ["lenet-040", "lenet-039"]
    many.at.text_input(key="compare_search").set_value("lenet-005").run()
    many.assert_calm()
    assert [box.label for box in many.at.checkbox] == ["lenet-040", "lenet-039", "lenet-005"]
    many.at.checkbox(key="compare_lenet-005").check().run()
    many.at.checkbox(key="compare_lenet-040").uncheck().run()
    many.at.text_input(key="compare_search").set_value("failed").run()
    many.assert_calm()
    assert ticked(many) == ["lenet-039", "lenet-005"]
    assert [box.label for box in many.at.checkbox][-1] == "lenet-005"
    assert "**90\\.0\\%** · :red[:material/error:] Failed" in [
        caption.value for caption in many.at.caption
    ]


def test_compare_begins_with_runs_of_the_open_project(many):
    for name in ("other-041", "other-042"):
        folder = paths.runs_dir() / name
        folder.mkdir()
        (folder / "spec.json").write_text(json.dumps({"project": "Other", "training": {}}))
        (folder / "status.json").write_text(json.dumps({"state": "finished", "attempt": 1}))
    many.go("compare").assert_calm()
    assert [box.label for box in many.at.checkbox][:2] == ["lenet-040", "lenet-039"]
    assert ticked(many) == ["lenet-040", "lenet-039"]
    assert [box.label for box in many.at.checkbox][-2:] == ["other-042", "other-041"]


def ticked(tab):
    return [box.label for box in tab.at.checkbox if box.value]


def test_a_run_is_deleted_after_a_question(many):
    many.go("train").press("run_lenet-040").assert_calm()
    many.press("delete_run").assert_calm()
    assert listed(many)[:2] == ["039", "038"]
    assert paths.find_run("lenet-040") is None
    assert many.at.session_state["run"] == "lenet-039"  # the next one of this project


def test_a_run_without_weights_offers_no_page_that_needs_them(lenet):
    folder = made(1, "stopped")
    lenet.go("train").press("run_lenet-001").assert_calm()
    assert "Export" not in links(lenet)
    (folder / "ckpt").mkdir()
    (folder / "ckpt" / "best.pt").write_bytes(b"weights")
    lenet.at.run()
    assert "Export" in links(lenet)


def links(tab):
    return [link.proto.label for link in tab.at.get("page_link")]


@pytest.mark.gate
def test_a_run_of_another_project_says_whose_it_is(many):
    many.go("train").press("run_lenet-040")
    assert "Project: LeNet on digits" not in [caption.value for caption in many.at.caption]
    many.document.change(name="Mine")
    many.at.run()
    many.assert_calm()
    assert "Project: LeNet on digits" in [caption.value for caption in many.at.caption]


def test_a_run_is_listed_with_what_its_best_checkpoint_reaches(lenet):
    folder = made(1, accuracy=0.5)
    best = {"metric": "val_loss", "value": 0.1, "epoch": 1, "metrics": {"val_accuracy": 0.875}}
    status = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(json.dumps(status | {"best": best}))
    lenet.go("train").assert_calm()
    listed_html = " ".join(block.proto.body for block in lenet.at.get("html"))
    assert "<b>87.5%</b>" in listed_html


def test_resume_and_export_offer_each_checkpoint_of_a_run(lenet, monkeypatch):
    folder, asked = made(1, "stopped", document=lenet.document.doc_id), []
    (folder / "ckpt").mkdir()
    for name, step in (("last", 200), ("previous", 150), ("best", 120)):
        entry = {"which": name, "sha256": "0" * 64, "bytes": 1, "epoch": 1, "step": step}
        (folder / "ckpt" / f"{name}.pt").write_bytes(b"x")
        (folder / "ckpt" / f"{name}.json").write_text(json.dumps(entry))
    monkeypatch.setattr(launch, "resume", lambda run_dir, which: asked.append((run_dir, which)))
    lenet.go("train").assert_calm()
    (choice,) = [box for box in lenet.at.selectbox if box.key == "resume_from:lenet-001"]
    assert choice.options == ["Last weights, step 200", "Previous weights, step 150"]
    choice.select("previous")
    lenet.press("resume").assert_calm()
    assert asked == [(folder, "previous")]
    lenet.go("export")  # where the figure says that this run has no project
    (choice,) = [box for box in lenet.at.selectbox if box.key == "export_of:lenet-001"]
    assert choice.options[0] == "Best weights, step 120"
    choice.select("last").run()
    if "server" in FORMATS:  # of a wing, which then names the command
        lenet.at.selectbox(key="export_more").set_value("server").run()
        assert any("--checkpoint last" in code.value for code in lenet.at.code)
