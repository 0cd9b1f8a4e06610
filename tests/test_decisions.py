"""DECISIONS.md: rising numbers, a status each, a complete index, and no file that is gone."""

import re
from pathlib import Path

import pytest

from tests.wing_parts import left_out

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "DECISIONS.md").read_text("utf-8")
ENTRY = re.compile(r"^## (\d+)\. (.+)\n(.*)\n", re.MULTILINE)
INDEX = re.compile(r"^- \[(\d+)\. (.+)\]\(#(.+)\)$", re.MULTILINE)
ENTRIES = {int(number): (title, status) for number, title, status in ENTRY.findall(TEXT)}


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets in rendered Markdown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_numbers_rise_and_none_is_used_twice() -> None:
    numbers = [int(entry[0]) for entry in ENTRY.findall(TEXT)]
    assert numbers[:3] == [1, 2, 3]
    assert numbers == sorted(set(numbers))


def test_the_index_lists_every_decision_once_with_its_title_and_a_link_to_it() -> None:
    listed = INDEX.findall(TEXT)
    assert sorted((int(number), title) for number, title, _ in listed) == [
        (number, title) for number, (title, _) in sorted(ENTRIES.items())
    ]
    assert [link for number, title, link in listed if link != anchor(f"{number}. {title}")] == []


def unknown_statuses(entries: dict[int, tuple[str, str]]) -> dict[int, str]:
    """Return statuses that are neither `holds` nor point to a later decision that is there."""
    wrong = {}
    for number, (_, status) in entries.items():
        known = re.fullmatch(r"Status: (?:holds|(?:amended|superseded) by (\d+))", status)
        later = int(known[1]) if known and known[1] else None
        if known is None or (later is not None and not (later > number and later in entries)):
            wrong[number] = status
    return wrong


def test_every_decision_has_a_known_status() -> None:
    assert unknown_statuses(ENTRIES) == {}


@pytest.mark.parametrize(
    "status", ["", "Status: kept", "Status: superseded by 1", "Status: amended by 9"]
)
def test_a_status_that_points_back_or_nowhere_is_unknown(status: str) -> None:
    entries = {1: ("First", "Status: superseded by 2"), 2: ("Second", status)}
    assert unknown_statuses(entries) == {2: status}


def test_no_decision_names_a_file_that_is_gone() -> None:
    paths = set(
        re.findall(r"(?<![\w/.])(?:app|blocks|core|tests|projects|assets)/[\w/.-]*\w", TEXT)
    )
    assert "core/engine/step.py" in paths
    gone = {path for path in paths if not (ROOT / path).exists() and not left_out(path)}
    assert sorted(gone) == []
    names = set(re.findall(r"(?<![\w/.*])[a-z]\w*\.(?:py|md)\b", TEXT))
    there = {
        path.name
        for room in ("app", "blocks", "core", "tests", "projects", "assets")
        for ending in ("py", "md")
        for path in (ROOT / room).rglob(f"*.{ending}")
        if "node_modules" not in path.parts
    }
    assert sorted(names - there) == []
