"""Half a character in a file of a run, which no page and no file can hold, ends nothing."""

import json
from pathlib import Path

import pytest

from core.common.json_types import loads
from core.runs.files import read_json, write_json
from core.runs.jsonl import parse
from core.runs.listing import view_run


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (rb'["a\ud800b"]', ["a?b"]),
        (rb'{"\uDFFF": "\uDC00\uD83D"}', {"?": "??"}),
        (b'["\xed\xa0\x80"]', ["?"]),
        (rb'["\ud83d\ude00", 1e5, NaN]', ["😀", 1e5, None]),
        ('["한 é"]'.encode(), ["한 é"]),
        (rb'["\\ud800"]', [r"\ud800"]),
    ],
)
def test_half_a_character_is_a_question_mark(data: bytes, value: object) -> None:
    read = loads(data)
    assert json.loads(json.dumps(read).replace("NaN", "null")) == value


def test_a_run_with_half_a_name_can_be_shown_and_written_again(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(r'{"project": "a\ud800b", "task": "\udfff"}')
    (tmp_path / "status.json").write_text(r'{"state": "failed", "message": "m\ud800"}')
    view = view_run(tmp_path)
    assert (view.project_name, view.message) == ("a?b", "m?")
    write_json(tmp_path / "spec.json", read_json(tmp_path / "spec.json"))
    assert parse(rb'{"message": "\ud800"}') == {"message": "?"}
