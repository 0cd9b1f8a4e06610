"""A class that nothing is learned from, or that is never validated, is told of."""

from pathlib import Path

from core.data import load
from core.data.facts.metadata import read_own
from core.worker.run_data import absent_classes

TABLE = {"source": "CSV", "file": "t.csv", "validation": 0.2}


def messages(workspace: Path, kinds: str) -> list[str]:
    rows = "".join(f"{i},{i % 3},{kind}\n" for i, kind in enumerate(kinds))
    (workspace / "t.csv").write_text(f"x,y,kind\n{rows}")
    read_own(TABLE)
    return absent_classes(load(TABLE, (2,), (len(set(kinds)),)))


def test_a_class_of_one_sample_is_in_one_part_only(workspace: Path):
    last, middle = "a" * 10 + "b" * 9 + "c", "a" * 10 + "b" + "c" * 9
    assert messages(workspace, last) == ["The training split has no samples of class c."]
    assert messages(workspace, middle) == ["The validation split has no samples of class b."]


def test_classes_in_both_parts_are_not_reported(workspace: Path):
    assert messages(workspace, "ab" * 10) == []
