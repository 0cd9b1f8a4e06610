"""The list of runs on the Train page: every run can be reached, searched and told apart."""

import json
import os

import pytest

from app.services import paths
from core.runs.run_notes import RunNotes, write_notes


def made(number, state="finished", accuracy=0.9):
    """A run that has ended, as its folder tells it; a larger number is newer."""
    folder = paths.runs_dir() / f"lenet-{number:03}"
    folder.mkdir(parents=True)
    spec = {"project": "LeNet on digits", "training": {"epochs": 1}, "task": "classification"}
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
    assert "No run has these words." in many.at.caption[-1].value


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
    assert ":red[:material/error:] Failed" in [caption.value for caption in many.at.caption]


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
    assert "delete_run" not in [button.key for button in many.at.button]


def test_a_run_without_weights_offers_no_page_that_needs_them(lenet):
    folder = made(1, "stopped")
    lenet.go("train").press("run_lenet-001").assert_calm()
    assert "Take it home" not in links(lenet)
    (folder / "ckpt").mkdir()
    (folder / "ckpt" / "best.pt").write_bytes(b"weights")
    lenet.at.run()
    assert "Take it home" in links(lenet)


def links(tab):
    return [link.proto.label for link in tab.at.get("page_link")]


def test_a_run_of_another_project_says_whose_it_is(many):
    many.go("train").press("run_lenet-040")
    assert "A run of LeNet on digits." not in [caption.value for caption in many.at.caption]
    many.document.change(name="Mine")
    many.at.run()
    many.assert_calm()
    assert "A run of LeNet on digits." in [caption.value for caption in many.at.caption]


def test_a_run_is_listed_with_what_its_best_checkpoint_reaches(lenet):
    folder = made(1, accuracy=0.5)
    best = {"metric": "val_loss", "value": 0.1, "epoch": 1, "metrics": {"val_accuracy": 0.875}}
    status = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(json.dumps(status | {"best": best}))
    lenet.go("train").assert_calm()
    assert "87\\.5\\%" in [caption.value for caption in lenet.at.caption]
