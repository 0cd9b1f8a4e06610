"""TensorBoard on the Train page: begun by a button, opened by a link, ended by a button."""

from app.services import paths, tensorboard
from tests.app.pages.test_train_runs import made


def captions(tab):
    return " ".join(caption.value for caption in tab.at.caption).replace("\\", "")


def test_a_run_that_wrote_event_files_has_a_button(lenet, monkeypatch):
    run = made(1, document=lenet.document.doc_id)
    lenet.go("train").assert_calm()
    assert "This run has written nothing for TensorBoard." in captions(lenet)
    (run / "tensorboard").mkdir()
    (run / "tensorboard" / "events.out.tfevents.1").touch()
    begun = []
    monkeypatch.setattr(tensorboard, "begin", begun.append)
    lenet.go("train").press("tensorboard").assert_calm()
    assert begun == [paths.runs_dir() / "lenet-001"]


def test_one_that_is_served_has_a_link_and_a_button_that_ends_it(lenet, monkeypatch):
    run = made(1, document=lenet.document.doc_id)
    (run / "tensorboard").mkdir()
    (run / "tensorboard" / "events.out.tfevents.1").touch()
    ended = []
    monkeypatch.setattr(
        tensorboard, "address", lambda run: "" if ended else "http://127.0.0.1:6006/"
    )
    monkeypatch.setattr(tensorboard, "end", ended.append)
    lenet.go("train").assert_calm()
    (link,) = [
        each for each in lenet.at.get("link_button") if each.proto.label == "Open TensorBoard"
    ]
    assert link.proto.url == "http://127.0.0.1:6006/"
    lenet.press("tensorboard_end").assert_calm()
    assert ended == [run]
    assert [b.key for b in lenet.at.button if "tensorboard" in (b.key or "")] == ["tensorboard"]


def test_where_it_is_not_installed_the_page_says_how_to_get_it(lenet, monkeypatch):
    made(1, document=lenet.document.doc_id)
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    lenet.go("train").assert_calm()
    assert "TensorBoard is not installed here: pip install tensorboard." in captions(lenet)
