"""`layerloom export --list`: what every format is for, and what is lacking for it here."""

import json

import pytest

from app.cli import main
from core.export.formats import FORMATS, GROUPS, grouped


def test_every_format_stands_in_one_group() -> None:
    assert [group.title for group, _ in grouped()] == [group.title for group in GROUPS.values()]
    assert all(kinds for _, kinds in grouped())
    assert sorted(kind.name for _, kinds in grouped() for kind in kinds) == sorted(FORMATS)


def test_the_list_is_for_people_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "In Python. Source code, training scripts and files for PyTorch."
    assert lines[1].startswith("  python               The network as a plain nn.Module")
    assert main(["export", "--list", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [group["title"] for group in output["groups"]][:2] == ["In Python", "In any language"]
    assert output["groups"][1]["formats"][0] == {
        "format": "onnx",
        "title": "ONNX",
        "ending": ".onnx",
        "about": FORMATS["onnx"].about,
        "deprecated": "",
        "missing": "",
    }


def test_without_a_list_a_source_a_format_and_a_file_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["export", "net.loom.json"]) == 2
    stderr = capsys.readouterr().err
    assert "the following arguments are required: --format, -o/--out." in stderr
    assert "layerloom export --list shows the formats." in stderr
