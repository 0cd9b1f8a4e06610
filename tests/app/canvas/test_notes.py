"""Notes on the drawing: from the file to the canvas and back, and what is no note stays."""

import json
from typing import Any

import pytest

from app.canvas import protocol
from app.canvas.notes import MAX_NOTES, clean, read_notes
from app.canvas.protocol import BadMessage
from app.canvas.session import DocSession
from core.project import Project, read_text, write_text

NOTES: list[Any] = [
    {"text": "3x3 is enough", "node": "conv1", "at": [0, -76]},
    {"text": "<b>free</b>\nof markup", "at": [40, 600], "size": [200, 64]},
    {"text": "inside", "node": "relu1", "inside": "Part", "at": [8, 8]},
    {"later": "a note of a newer version"},
]
PROJECT: dict[str, Any] = {
    "layerloom": 1,
    "name": "Noted",
    "graph": {
        "nodes": {
            "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
            "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
            "part1": {"block": "Part"},
            "logits": {"block": "Output"},
        },
        "edges": ["image -> conv1", "conv1 -> part1", "part1 -> logits"],
    },
    "composites": {
        "Part": {
            "nodes": {
                "input": {"block": "Input"},
                "relu1": {"block": "ReLU"},
                "output": {"block": "Output"},
            },
            "edges": ["input -> relu1", "relu1 -> output"],
        }
    },
    "notes": NOTES,
}


def project() -> Project:
    return read_text(json.dumps(PROJECT))


def answer(doc: DocSession) -> dict[str, Any]:
    return json.loads(json.dumps(doc.down(), allow_nan=False))


def send(doc: DocSession, notes: Any, rev: int = 1) -> bool:
    found = answer(DocSession("d", project(), None, lambda _: {}))
    up = {
        "v": protocol.VERSION,
        "doc": "d",
        "client": "c",
        "sid": doc.sid,
        "epoch": 1,
        "rev": rev,
        "semRev": 0,
    }
    body = {"graph": found["graph"], "layout": {}, "notes": notes, "need": [], "action": None}
    return doc.receive(up | body)


def test_notes_go_down_with_the_drawing_and_come_back_as_they_were() -> None:
    doc = DocSession("d", project(), None, lambda _: {})
    before = write_text(doc.project)
    down = answer(doc)
    assert down["notes"] == NOTES
    assert send(doc, down["notes"])
    assert json.loads(write_text(doc.project))["notes"] == NOTES
    assert json.loads(before)["notes"] == NOTES


def test_each_note_is_one_line_of_the_file() -> None:
    lines = write_text(project()).splitlines()
    assert '    {"text": "3x3 is enough", "node": "conv1", "at": [0, -76]},' in lines


def test_a_page_that_knows_no_notes_leaves_them_alone() -> None:
    doc = DocSession("d", project(), None, lambda _: {})
    assert send(doc, None)
    assert doc.rev == 1
    assert json.loads(write_text(doc.project))["notes"] == NOTES


def test_a_change_of_a_note_is_a_change_of_the_project() -> None:
    doc = DocSession("d", project(), None, lambda _: {})
    doc.mark_saved()
    assert send(doc, [*NOTES[:1], *NOTES[2:]])
    assert not doc.saved
    assert [note["text"] for note in doc.project.notes[:2]] == ["3x3 is enough", "inside"]


@pytest.mark.parametrize(
    "bad",
    [
        7,
        "text",
        {"text": "no place"},
        {"text": "to nobody", "node": "gone", "at": [0, 0]},
        {"text": "to the wrong place", "node": "relu1", "at": [0, 0]},
        {"text": "nowhere", "inside": "Gone", "at": [0, 0]},
        {"text": "far", "at": [0, 1e7]},
        {"text": "odd", "at": [0, 0], "onload": "alert(1)"},
        {"text": "long" * 1001, "at": [0, 0]},
        {"text": ["list"], "at": [0, 0]},
        {"text": "strange", "node": ["conv1"], "at": [0, 0]},
        {"text": "strange", "inside": {"a": 1}, "at": [0, 0]},
    ],
)
def test_what_is_no_note_is_not_taken(bad: Any) -> None:
    assert read_notes([bad], project().graph, ()) == ()


def test_too_many_notes_are_refused_with_the_numbers() -> None:
    notes = [{"text": "x", "at": [0, 0]}] * (MAX_NOTES + 1)
    with pytest.raises(BadMessage, match="may have 500 notes; this one has 501"):
        read_notes(notes, project().graph, ())


def test_invisible_characters_do_not_reach_the_file() -> None:
    assert clean("a\u202eb\x00c\r\nd\ud800e\u2028f") == "ab" + "c\ndef"
    assert clean("e\u0301") == "\u00e9"
