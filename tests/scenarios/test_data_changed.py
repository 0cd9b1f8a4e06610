"""Own data that changes: while it is decoded, while a run trains, between stop and resume."""

import gc
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.data import DataError
from core.data.facts.metadata import listing_of, read_own
from core.data.pictures import cache_eviction
from core.data.pictures.cache import find_cache, progress_of
from core.data.pictures.decoding import decode_pictures
from core.data.sources.custom_source import CustomSource, read_custom_source
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.runs import checkpoint
from core.runs.status import Status
from core.worker import launch
from core.worker.run_loop import RunLoop
from tests.core.data.own_sets import CSV, write_pictures, write_table
from tests.core.small_runs import project, table_net, train_here

pytestmark = pytest.mark.usefixtures("workspace")

TABLE = {"source": "CSV", "file": "data/iris.csv"}
FOLDER = {"source": "ImageFolder", "root": "data/shapes"}
PICTURE_NET = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [3, 6, 6]}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 3}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> flat", "flat -> fc1", "fc1 -> logits"],
}


def run_on(workspace: Path, net: dict[str, Any], data: dict[str, Any], epochs: int = 4) -> Path:
    read_own(data)
    found = project(net, data, epochs=epochs, batch_size=4, threads=1, lr=0.01)
    return prepare(found, analyse_project(found), workspace / "runs")


def stop_after_an_epoch(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        epoch = RunLoop._epoch

        def epoch_then_stop(session: RunLoop) -> None:
            epoch(session)
            session.stop_signal = "SIGTERM"

        patch.setattr(RunLoop, "_epoch", epoch_then_stop)
        assert train_here(run_dir).state == "stopped"


def test_a_run_refuses_to_go_on_with_a_table_that_changed_and_goes_on_with_the_old_one(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_table(workspace / "data/iris.csv")
    run_dir = run_on(workspace, table_net(5, 2), TABLE)
    stop_after_an_epoch(run_dir, monkeypatch)
    kept = checkpoint.hash_of(run_dir / "ckpt/last.pt")
    write_table(file, CSV.replace("1.4;0.2;hill", "1.4;0.3;hill"))
    view = train_here(run_dir)
    assert view.state == "failed"
    began, now = (view.message.split(" ")[i] for i in (13, 16))
    assert view.message == (
        "data/iris.csv is not the data that this run started with: "
        f"its checksum was {began} and is {now} now."
    )
    assert view.hint.startswith("Restore the original file and resume, or start a new run")
    assert checkpoint.hash_of(run_dir / "ckpt/last.pt") == kept
    assert view.resumable
    write_table(file, CSV)
    view = train_here(run_dir)
    assert (view.state, view.epoch, view.warnings) == ("finished", 4, ())


def test_a_run_that_begins_again_takes_the_data_as_it_is_now(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_table(workspace / "data/iris.csv")
    run_dir = run_on(workspace, table_net(5, 2), TABLE)
    stop_after_an_epoch(run_dir, monkeypatch)
    write_table(file, CSV.replace("1.4;0.2;hill", "1.4;0.3;hill"))
    launch.request(run_dir, "run", **{"from": "start"})
    assert train_here(run_dir).state == "finished"


def test_a_file_that_is_gone_fails_the_run_by_name_and_keeps_its_weights(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_table(workspace / "data/iris.csv")
    run_dir = run_on(workspace, table_net(5, 2), TABLE)
    stop_after_an_epoch(run_dir, monkeypatch)
    file.rename(workspace / "data/elsewhere.csv")
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message == f"data/iris.csv is not in {workspace}."
    assert checkpoint.intact(run_dir) == ["last", "best"]


def test_pictures_that_go_while_a_run_trains_do_not_disturb_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_pictures(workspace / "data/shapes", 6)
    whole = train_here(run_on(workspace, PICTURE_NET, FOLDER))
    epoch, gone = RunLoop._epoch, []

    def delete(session: RunLoop) -> None:
        epoch(session)
        gone.extend(p for p in root.rglob("*.png") if p.exists())
        for path in root.rglob("*.png"):
            path.unlink()

    run_dir = run_on(workspace, PICTURE_NET, FOLDER)
    monkeypatch.setattr(RunLoop, "_epoch", delete)
    view = train_here(run_dir)
    assert len(gone) == 18
    figures = [{k: v for k, v in run.metrics.items() if k != "elapsed_s"} for run in (view, whole)]
    assert (view.state, whole.state) == ("finished", "finished")
    assert figures[0] == figures[1]


def test_a_picture_that_comes_between_stop_and_resume_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_pictures(workspace / "data/shapes", 6)
    run_dir = run_on(workspace, PICTURE_NET, FOLDER)
    stop_after_an_epoch(run_dir, monkeypatch)
    more = root / "circle/new.png"
    more.write_bytes((root / "circle/0000.png").read_bytes())
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message.startswith("data/shapes is not the data that this run started with")
    more.unlink()
    assert train_here(run_dir).state == "finished"


def test_a_folder_that_changes_while_it_is_decoded_is_never_kept(workspace: Path) -> None:
    root = write_pictures(workspace / "data/shapes", 30)
    read_own(FOLDER)
    given = read_custom_source(FOLDER)
    assert given is not None
    listing, shape = listing_of(given), (3, 6, 6)

    def change(done: int, total: int, damaged: int) -> None:
        (root / "square/0000.png").write_bytes((root / "circle/0000.png").read_bytes())

    with pytest.raises(DataError) as error:
        decode_pictures(listing, shape, False, change)
    assert error.value.message == "shapes changed while its pictures were decoded."
    assert find_cache(listing, shape) is None
    assert progress_of(listing, shape).done == 0
    assert decode_pictures(listing_of(given), shape, False).rows == 90


def test_a_worker_tells_how_many_pictures_are_decoded_and_how_many_cannot_be(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_pictures(workspace / "data/shapes", 40)
    for name in ("circle/0001.png", "stripes/0002.png"):
        (root / name).write_bytes(b"no picture")
    phases: list[str] = []
    monkeypatch.setattr("core.worker.run_data.TELL_S", 0.0)
    write = Status.write

    def listen(status: Any, durable: bool = False, **fields: Any) -> bool:
        phases.append(fields.get("phase", ""))
        return write(status, durable, **fields)

    monkeypatch.setattr(Status, "write", listen)
    view = train_here(run_on(workspace, PICTURE_NET, FOLDER | {"skip_corrupt": True}, 1))
    assert view.state == "finished"
    assert [text for text in phases if "decoding" in text] == [
        "decoding pictures: 64 of 120, 1 cannot be read",
        "decoding pictures: 120 of 120, 2 cannot be read",
    ]
    assert view.warnings == (
        "2 of 120 pictures cannot be read and are skipped: circle/0001.png, stripes/0002.png.",
    )


@pytest.mark.slow
def test_decoded_pictures_of_a_live_run_stay_and_those_of_a_stopped_one_are_made_again(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pictures(workspace / "data/shapes", 4)
    write_pictures(workspace / "data/other", 4)
    whole, part = (run_on(workspace, PICTURE_NET, FOLDER) for _ in range(2))
    assert train_here(whole).state == "finished"
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", 1)
    listing = listing_of(given_of(FOLDER))
    kept: list[bool] = []
    with monkeypatch.context() as patch:
        epoch = RunLoop._epoch

        def others_decode(session: RunLoop) -> None:
            decode_pictures(
                listing_of(given_of({**FOLDER, "root": "data/other"})), (3, 6, 6), False
            )
            kept.append(find_cache(listing, (3, 6, 6)) is not None)
            epoch(session)
            session.stop_signal = "SIGTERM"

        patch.setattr(RunLoop, "_epoch", others_decode)
        assert train_here(part).state == "stopped"
    assert kept == [True]
    gc.unfreeze()  # a worker freezes what it has; its process would be gone
    gc.collect()
    decode_pictures(listing_of(given_of({**FOLDER, "root": "data/other"})), (3, 5, 5), False)
    assert find_cache(listing, (3, 6, 6)) is None
    view = train_here(part)
    expected = ("The validation split has no samples of class circle.",)  # of 12, two validate
    assert (view.state, view.epoch, view.warnings) == ("finished", 4, expected)
    ended, other = (load_module(run, "last").state_dict() for run in (whole, part))
    assert [key for key in ended if not torch.equal(ended[key], other[key])] == []


def given_of(data: dict[str, Any]) -> CustomSource:
    found = read_custom_source(data)
    assert found is not None
    return found
