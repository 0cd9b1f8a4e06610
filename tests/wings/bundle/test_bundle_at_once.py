"""What came in a bundle can be used at once, and a bundle given as a project says how it opens."""

import json
from pathlib import Path

import pytest

from core.common.errors import ProjectError, RunError
from core.data import read_settings
from core.project import open_project
from core.runs.files import threads_of
from core.wings.bundle import run_files
from tests.core.small_runs import table_project
from tests.wings.bundle.shared import CSV, bundled, opened, saved


def test_a_bundle_given_as_a_project_says_how_it_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "their net.loom.zip"
    file.write_bytes(b"PK\x03\x04\xff\xff")
    with pytest.raises(ProjectError) as raised:
        open_project(file)
    assert raised.value.message == "is a bundle, not a project."
    assert raised.value.hint.startswith("Open it first: `layerloom '")


def test_data_that_came_along_is_read_on_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    file = saved(table_project(), mine)
    (mine / "data").mkdir()
    (mine / "data/kinds.csv").write_text(CSV)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(mine))
    bundle = bundled(file, mine / "runs", data=True).path
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
    made = opened(bundle, theirs)
    found = read_settings(dict(open_project(made.project).data))
    assert found.source.classes == ("a", "b")


@pytest.mark.parametrize("count", ["1\n2", 0, True, 1.5, None, 5000])
def test_threads_that_are_no_number_of_threads_are_named(count: object) -> None:
    with pytest.raises(RunError, match=r"spec.json of net-001 needs a whole number of threads"):
        threads_of({"threads": count}, "net-001")
    assert threads_of({"threads": 2}, "net-001") == 2
    assert threads_of({}, "net-001") == 1


@pytest.mark.parametrize("branch", [{"run": []}, {"run": {"a": 1}}, ["net-001"]])
def test_a_branch_of_no_run_is_refused(branch: object) -> None:
    texts = dict.fromkeys(run_files.TEXT_KEYS, "x")
    spec = {"format": run_files.FORMAT, **texts, "training": {"epochs": 1}, "data": {}, "params": 1}
    run_files._check_spec(spec, "spec.json")
    with pytest.raises(ProjectError, match="but receives"):
        run_files._check_spec(spec | {"branch": branch}, "spec.json")


def test_half_a_character_in_a_run_that_is_shared_is_named() -> None:
    with pytest.raises(RunError, match=r"spec.json of net-001 contains half a character"):
        run_files._json("net-001", "spec.json", json.loads('{"note": "\\ud800"}'))
