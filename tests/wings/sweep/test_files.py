"""What stands in a sweep's folder may be damaged, or from anybody."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import SweepError
from core.wings.sweep import driver, start
from core.wings.sweep.files import entered, read_request
from core.worker import launch
from tests.core.small_runs import project, table_net

IRIS = project(table_net(4, 3), {"source": "iris"}, epochs=1, threads=1)


def sweep_of(tmp_path: Path) -> Path:
    asked = start.request_of(IRIS, tmp_path / "i.loom.json", ["lr=1e-4..1:log"], 1, {})
    return entered(tmp_path / "runs", asked, IRIS)


@pytest.mark.parametrize("line", ['{"x": 1}', '{"op_code": 99}', '{"op_code": 4}', "[]", "no JSON"])
def test_a_damaged_journal_is_one_sentence(line: str, tmp_path: Path) -> None:
    folder = sweep_of(tmp_path)
    (folder / "journal.log").write_text(f"{line}\n", encoding="utf-8")
    message = rf"journal.log of {folder.name} is damaged"
    with pytest.raises(SweepError, match=message), start.open_study(folder, tmp_path / "runs"):
        pass


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trials", "x"),
        ("trials", True),
        ("seed", None),
        ("search", [1]),
        ("fixed", []),
        ("file", 3),
    ],
)
def test_what_was_asked_has_a_kind_for_each_value(name: str, value: Any, tmp_path: Path) -> None:
    file = sweep_of(tmp_path) / "sweep.json"
    request = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**request, name: value}), encoding="utf-8")
    with pytest.raises(SweepError, match=r"sweep.json of .* is not a valid sweep"):
        read_request(file.parent)


@pytest.mark.parametrize("name", ["../elsewhere", "/tmp/elsewhere", "..", "", 3, "link"])
def test_a_journal_that_names_a_run_elsewhere_touches_nothing_there(
    name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[Path] = []
    for act in ("start", "resume", "stop"):
        monkeypatch.setattr(launch, act, lambda run_dir, *_: touched.append(run_dir))
    folder = sweep_of(tmp_path)
    runs = tmp_path / "runs"
    (tmp_path / "elsewhere").mkdir()
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    with start.open_study(folder, runs) as sweep:
        sweep.study.ask().set_user_attr("run", name)
        driver.stop(sweep)
        looks = [look.ended for look in driver.drive(sweep)]
        assert looks[0] == (0,)
        assert "which is not a run" in sweep.study.trials[0].user_attrs["reason"]
    assert touched == []
