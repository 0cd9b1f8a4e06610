"""`layerloom data`: a table, a project, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from tests.wings.findings.planted import codes, people, write


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAYERLOOM_BESIDE", "")


def test_a_table_is_looked_at_as_it_would_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(codes(np.random.default_rng(7))[0].table, tmp_path / "trees.csv")
    assert main(["data", str(tmp_path / "trees.csv")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "CSV: 240 rows, 1 thing to look at"
    assert printed[2].startswith("- species_id predicts 100 % of label by itself")
    assert printed[3] == "  mend: Leave out species_id"


def test_the_document_has_findings_with_the_settings_that_mend_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(codes(np.random.default_rng(7))[0].table, tmp_path / "trees.csv")
    assert main(["data", str(tmp_path / "trees.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["source"], found["samples"]) == (True, "CSV", 240)
    (finding,) = found["findings"]
    assert (finding["kind"], finding["columns"], finding["score"]) == ("leak", ["species_id"], 1.0)
    assert finding["mend"]["data"]["columns"] == ["age", "height", "income", "city"]
    assert found["data"] == {"source": "CSV", "file": "trees.csv"}


def test_a_project_is_looked_at_by_its_own_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(codes(np.random.default_rng(7))[0].table, tmp_path / "trees.csv")
    data = {"source": "CSV", "file": "trees.csv", "columns": ["age", "city"]}
    project = {"layerloom": 1, "name": "trees", "graph": {"nodes": {}, "edges": []}, "data": data}
    (tmp_path / "trees.loom.json").write_text(json.dumps(project))
    assert main(["data", str(tmp_path / "trees.loom.json")]) == 0
    assert capsys.readouterr().out == "CSV: 240 rows, nothing to look at\n"


def test_python_of_a_project_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text("raise SystemExit('ran')\n")
    project = {
        "layerloom": 1, "name": "own", "graph": {"nodes": {}, "edges": []},
        "data": {"source": "Dataset", "file": "own.py"},
    }  # fmt: skip
    (tmp_path / "own.loom.json").write_text(json.dumps(project))
    assert main(["data", str(tmp_path / "own.loom.json")]) == 0
    assert "A Dataset in Python is not checked" in capsys.readouterr().out


def test_another_target_is_looked_at_where_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = people(np.random.default_rng(1), numbers=True)
    table["euros"] = [round(0.9 * v, 2) for v in table["amount"]]
    write(table, tmp_path / "people.csv")
    assert main(["data", str(tmp_path / "people.csv"), "--target", "amount", "--json"]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["kind"], finding["columns"]) == ("leak", ["euros"])


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "nothing.csv"]) == 2
    assert "There is no file called nothing.csv." in capsys.readouterr().err
