"""Outside its declaration a kind of target is known by its traits, not by its name."""

from collections import Counter
from pathlib import Path

from tests.core.tasks.kind_literals import comparisons

ROOT = Path(__file__).parents[3]
STILL_BY_NAME = {
    "core/script/notebook_cells.py": 1,
    "core/script/optim.py": 1,
}
"""It only shrinks: a new trait of `TargetKind` or `Task` takes the place of a name."""


def test_no_kind_of_target_and_no_task_is_compared_with_its_name() -> None:
    found = Counter(path for path, _, _ in comparisons(ROOT))
    more = {path: n for path, n in found.items() if n > STILL_BY_NAME.get(path, 0)}
    assert more == {}, "declare a trait in core/tasks/task.py and ask for it"


def test_a_comparison_by_name_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "core" / "insight"
    folder.mkdir(parents=True)
    (folder / "views.py").write_text(
        'SINGLE = ("classes", "labels")\n'
        'a = term.kind == "tokens"\n'
        "b = measure.kind in SINGLE\n"
        'c = found["task"] != "classification"\n'
        'd = info.kind == "image" or source.kind == "text"\n'  # kinds of data
    )
    assert [line for _, line, _ in comparisons(tmp_path)] == [2, 3, 4]
