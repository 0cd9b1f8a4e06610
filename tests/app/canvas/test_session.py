"""The Python half of the canvas: revisions, epochs, drafts, annotations."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from app.canvas.session import DocSession
from app.process.pool import PoolError
from core.project import Project, graph_to_json, read_text, write_text

FIXTURE: dict[str, Any] = json.loads((Path(__file__).parent / "protocol.json").read_text("utf-8"))
DOC = "two.loom.json"


def project() -> Project:
    return read_text(json.dumps(FIXTURE["project"]))


class Analysis:
    """Stands in for the worker: remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.fails = ""

    def __call__(self, project: Project) -> dict[str, Any]:
        self.asked.append(graph_to_json(project.graph))
        if self.fails:
            raise PoolError(self.fails)
        conv = {
            "state": "ok",
            "outputs": {"output": {"shape": ["N", 8, 8, 8], "dtype": "float32"}},
            "settings": {"in_channels": 1},
            "inferred": ["in_channels"],
            "params": 80,
        }
        ids = {"outputs": {"output": {"shape": ["N"], "dtype": "int64"}}, "mult_adds": float("nan")}
        return {
            "nodes": {"conv1": conv, "ids": ids},
            "lines": {"conv1": [3, 9]},
            "total_params": 80,
            "source": "import torch\n",
        }


class Kept:
    """Stands in for the disk: `keep` takes every draft."""

    def __init__(self, keep: Any) -> None:
        self.keep = keep

    def elsewhere(self) -> None:
        """No other server runs."""

    def keep_aside(self, project: Project, sid: str) -> None:
        raise AssertionError((project, sid))

    def back_up(self, sid: str) -> None:
        raise AssertionError(sid)


class Bench:
    def __init__(self, path: Path | None = None, keep: Any = None) -> None:
        self.analysis = Analysis()
        drafts = Kept(keep) if keep else None
        self.doc = DocSession(DOC, project(), path, self.analysis, drafts)

    def up(self, **changes: Any) -> dict[str, Any]:
        return {**copy.deepcopy(FIXTURE["up"]), "sid": self.doc.sid, **changes}

    def send(self, **changes: Any) -> dict[str, Any]:
        assert self.doc.receive(self.up(**changes))
        return json.loads(json.dumps(self.doc.down(), allow_nan=False))


def channels(bench: Bench) -> Any:
    return bench.doc.project.graph.nodes["conv1"].settings["out_channels"]


def test_a_newer_snapshot_becomes_the_project() -> None:
    bench = Bench()
    down = bench.send()
    assert channels(bench) == 8
    assert bench.doc.project.layout["conv1"] == (312, 8)
    assert (down["ackRev"], down["annRev"]) == (1, 1)


def test_a_repeated_or_older_snapshot_changes_nothing() -> None:
    bench = Bench()
    bench.send(rev=5, semRev=5)
    older = copy.deepcopy(FIXTURE["up"]["graph"])
    older["nodes"]["conv1"]["settings"]["out_channels"] = 99
    for rev in (4, 5):
        assert bench.send(rev=rev, semRev=rev, graph=older)["ackRev"] == 5
    assert channels(bench) == 8


def test_drawing_and_catalogue_go_down_until_the_browser_has_them() -> None:
    bench = Bench()
    first = bench.doc.down()
    assert first["graph"]["nodes"]["conv1"]["block"] == "Conv2d"
    assert "Conv2d" in first["catalogue"]["blocks"]
    later = bench.send()
    assert later["graph"] is None
    assert later["layout"] is None
    assert later["catalogue"] is None
    again = bench.send(rev=0, semRev=0, graph=None, layout=None, need=["graph", "catalogue"])
    assert again["graph"]["nodes"]["conv1"]["settings"]["out_channels"] == 8
    assert again["catalogue"] is not None


def test_messages_for_another_session_epoch_or_document_change_nothing() -> None:
    bench = Bench()
    bench.send(sid="of a server that was stopped")
    bench.send(epoch=7)
    assert not bench.doc.receive(bench.up(doc="other.loom.json"))
    assert not bench.doc.receive({"v": 3})
    assert channels(bench) == 4
    assert bench.doc.rev == 0


def test_replacing_the_project_makes_a_new_epoch_and_outdated_edits_are_ignored() -> None:
    bench = Bench()
    bench.send()
    bench.doc.replace(project())
    down = bench.send(rev=2, semRev=2)
    assert (down["epoch"], down["ackRev"]) == (2, 2)
    assert down["graph"]["nodes"]["conv1"]["settings"]["out_channels"] == 4
    assert channels(bench) == 4


def test_only_a_change_of_meaning_is_analysed() -> None:
    bench = Bench()
    bench.doc.down()
    bench.send()
    moved = {**FIXTURE["up"]["layout"], "conv1": [0, 0]}
    down = bench.send(rev=2, semRev=1, layout=moved)
    assert len(bench.analysis.asked) == 2
    assert (down["ackRev"], down["annRev"]) == (2, 1)


def test_the_order_of_nodes_is_part_of_the_meaning() -> None:
    bench = Bench()
    bench.send()
    graph = copy.deepcopy(FIXTURE["up"]["graph"])
    graph["nodes"] = {"conv1": graph["nodes"].pop("conv1"), **graph["nodes"]}
    bench.send(rev=2, semRev=2, graph=graph)
    assert next(iter(bench.analysis.asked[-1]["nodes"])) == "conv1"


def test_annotations_are_small_and_hold_shapes_as_the_report_does() -> None:
    notes = Bench().send()["annotations"]
    assert notes["nodes"]["conv1"] == {
        "outputs": {"output": {"shape": ["N", 8, 8, 8], "dtype": "float32"}},
        "inferred": {"in_channels": 1},
        "params": 80,
        "lines": [3, 9],
    }
    assert notes["nodes"]["ids"]["outputs"] == {"output": {"shape": ["N"], "dtype": "int64"}}
    assert notes["nodes"]["ids"]["multAdds"] is None
    assert notes["params"] == 80


def test_an_analysis_that_fails_is_reported_and_the_drawing_kept() -> None:
    bench = Bench()
    bench.analysis.fails = "The analysis took longer than 10 s."
    down = bench.send()
    assert down["annotations"]["failed"] == "The analysis took longer than 10 s."
    assert down["ackRev"] == 1
    assert channels(bench) == 8
    bench.analysis.fails = ""
    assert bench.send()["annotations"]["failed"] == ""


def test_a_graph_that_cannot_be_read_is_refused_and_nothing_is_lost() -> None:
    bench = Bench()
    bench.send()
    bad = {"nodes": {"self": {"block": "ReLU"}}, "edges": []}
    action = {"id": "a1", "name": "train", "args": {}}
    down = bench.send(rev=2, semRev=2, graph=bad, action=action)
    assert down["refused"]["rev"] == 2
    assert "self" in down["refused"]["message"]
    assert (down["ackRev"], down["ackAction"]) == (1, "a1")
    assert bench.doc.take_action() is None
    assert channels(bench) == 8
    assert bench.send(rev=3, semRev=3)["refused"] is None


def test_an_action_is_taken_once_with_its_drawing() -> None:
    bench = Bench()
    action = {"id": "a1", "name": "train", "args": {}}
    for _ in range(2):
        assert bench.send(action=action)["ackAction"] == "a1"
    assert bench.doc.take_action() == action
    assert bench.doc.take_action() is None
    assert channels(bench) == 8


def test_an_action_without_an_edit_is_taken_too() -> None:
    bench = Bench()
    bench.send()
    bench.send(action={"id": "a1", "name": "save", "args": {}})
    assert bench.doc.take_action() == {"id": "a1", "name": "save", "args": {}}


def test_whole_numbers_that_were_written_as_floats_stay_floats() -> None:
    bench = Bench()
    bench.send()
    assert '"alpha": 2.0' in write_text(bench.doc.project)


def test_every_edit_is_kept_as_a_draft_before_it_is_acknowledged() -> None:
    kept: list[Project] = []
    bench = Bench(keep=kept.append)
    bench.send()
    assert kept[-1].graph.nodes["conv1"].settings["out_channels"] == 8


def test_a_draft_that_cannot_be_kept_is_reported() -> None:
    def full(_: Project) -> None:
        raise OSError(28, "No space left on device")

    down = Bench(keep=full).send()
    assert down["ackRev"] == 1
    assert "No space left on device" in down["annotations"]["failed"]


def test_saved_means_that_the_file_holds_exactly_this(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "two.loom.json")
    assert bench.doc.down()["saved"]
    assert not bench.send()["saved"]
    bench.doc.mark_saved()
    assert bench.doc.down()["saved"]
    bench.doc.update(name="Other")
    assert not bench.doc.down()["saved"]


def test_a_draft_is_never_called_saved() -> None:
    assert not Bench().doc.down()["saved"]


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_each_answer_differs_from_the_one_before(seq: int) -> None:
    bench = Bench()
    answers = [json.dumps(bench.send()) for _ in range(seq + 1)]
    assert len(set(answers)) == seq + 1


def test_a_block_asked_for_on_another_page_is_sent_until_the_next_edit() -> None:
    bench = Bench()
    bench.doc.show("stage1.conv2")
    look = bench.doc.down()["look"]
    assert look["node"] == "stage1.conv2"
    assert bench.doc.down()["look"] == look
    bench.doc.show("stage1.conv2")
    assert bench.doc.down()["look"]["n"] != look["n"]
    assert bench.send()["look"] is None


def test_what_no_draft_could_keep_is_said_until_a_save_went_well(tmp_path: Path) -> None:
    def full(_: Project) -> None:
        raise OSError(30, "Read-only file system")

    bench = Bench(keep=full)
    down = bench.send()
    assert down["unkept"] is True
    assert down["annotations"]["failed"] == "The draft could not be saved: Read-only file system."
    bench.doc.mark_saved(tmp_path / DOC)
    down = json.loads(json.dumps(bench.doc.down()))
    assert down["unkept"] is False
    assert down["annotations"]["failed"] == ""
