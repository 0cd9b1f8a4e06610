"""Every benchmark runs in its shortest form and measures what it says it does; no figure is judged.

Those that drive a browser are in tests/browser/test_benches_run.py, and what only a GPU can do
(a recorded step) is measured where there is one.
"""

import json
import math
import re
from pathlib import Path

import pytest
import torch

from tests.bench import (
    auto_templates,
    compile_costs,
    drawings,
    engine_modes,
    engine_table,
    engine_vs_loop,
    exports,
    first_curve,
    first_networks,
    kills,
    modes_timed,
    peers,
    soak,
    stops,
    texts,
    thirty_students,
    verdicts,
)
from tests.bench.engine_tasks import task_of
from tests.core.engine.test_compiled_step import as_noted

pytestmark = pytest.mark.slow

BENCH = Path(__file__).parent
IN_A_BROWSER = {"canvas_figures", "journeys", "pages", "pen_to_prediction", "start_page"}
IN_A_PROCESS = {"exports_run", "tables"}
"""exports runs the others; tables starts all of them."""


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch):
    """A benchmark has its process to itself: what it sets there is set back."""
    for name in ("LAYERLOOM_HOME", "LAYERLOOM_RUNS", "LAYERLOOM_WORKSPACE"):
        monkeypatch.setenv(name, "")  # so that it is known what was there before
        monkeypatch.delenv(name)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def test_each_benchmark_has_a_test_of_its_shortest_form():
    started = '\nif __name__ == "__main__"'
    commands = {file.stem for file in BENCH.glob("*.py") if started in file.read_text("utf-8")}
    mine = Path(__file__).read_text("utf-8")
    here = {name for name in commands if f"    {name},\n" in mine}
    assert commands - here == IN_A_BROWSER | IN_A_PROCESS


@pytest.mark.skipif(not (drawings.FRONTEND / "node_modules").is_dir(), reason="no Node modules")
def test_drawings_are_scored_beside_those_of_before(capsys: pytest.CaptureFixture[str]):
    drawings.main(["--only", "resnet_digits"])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if " now " in line]
    assert [(row[1], row[2], row[4:8]) for row in rows] == [
        ("2", "right", ["1", "0", "0", "0"]),  # 1: a block of seven layers takes two rows
        ("2", "down", ["0", "0", "0", "0"]),
    ]


def test_every_export_is_run_by_its_own_runtime(tmp_path: Path):
    kept, out = tmp_path / "rows.json", tmp_path / "table.md"
    forms = ["python", "safetensors", "onnx"]
    exports.main(["--templates", "mlp_iris", "--formats", *forms, "--results", str(kept), "--out",
                  str(out)])  # fmt: skip
    row = json.loads(kept.read_text("utf-8"))["mlp_iris"]
    assert [row[form]["difference"] for form in forms[:2]] == [0.0, 0.0]
    assert row["onnx"]["difference"] < 1e-5
    counted = "0 made and different, 0 refused with a reason, 0 faults."
    last = "3 made and equal to 1e-05, 0 made in 8 bits or half precision, " + counted
    assert out.read_text("utf-8").splitlines()[-1] == last
    made = {"here": 0.4, "seconds": 1}
    rows = {"a": {"onnx": made, "onnx-int8": made, "pt2": {"error": "it ended"}}}
    assert exports.table(rows, ["onnx", "onnx-int8", "pt2"]).endswith(
        "0 made and equal to 1e-05, 1 made in 8 bits or half precision, 1 made and different, "
        "0 refused with a reason, 1 faults."
    )


def test_the_engine_is_timed_beside_the_loop_and_its_peers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr("core.engine.compiled_step.inductor", as_noted)
    monkeypatch.setattr(compile_costs, "MOST_TURNS", 1)
    monkeypatch.setattr(compile_costs, "WHOLE_RUN", 2)
    monkeypatch.setitem(engine_vs_loop.TASKS, "mlp_iris", (1, 4))
    monkeypatch.setattr(engine_vs_loop, "NOISE", 1.0)  # nobody has learnt much by then
    some = {"Fabric, tuned", "Lightning, tuned", "tutorial loop"}
    fits = {n: f for n, f in {**engine_vs_loop.CONTENDERS, **peers.installed()}.items()
            if n in engine_vs_loop.CONTENDERS or n in some}  # fmt: skip
    found = engine_vs_loop.figures("mlp_iris", fits, 1)
    assert list(found["times"]) == list(fits)
    rows = [row for rows in found["times"].values() for row in rows]
    assert all(math.isfinite(spent) for row in rows for spent in row)
    assert found["steps"] == 8
    assert [[run["compiled"] for run in each] for each in found["runs"].values()] == [
        [None], [None], [],
    ]  # fmt: skip
    assert capsys.readouterr().out.count("mlp_iris") == len(fits)
    monkeypatch.setattr(engine_table, "FIGURES", tmp_path / "figures.md")
    engine_table.write({"mlp_iris": found})
    assert f"| {engine_table.BAR} |" in (tmp_path / "figures.md").read_text()


def test_costs_of_compiling_are_weighed_over_a_whole_run() -> None:
    off = [{"seconds": seconds, "compiled": None} for seconds in (2.6, 2.0)]
    auto = [{"seconds": 1.6, "compiled": {"from_step": 1234}}, {"seconds": 2.0, "compiled": None}]
    runs = {"off": off, "auto": auto, "auto again": [{"seconds": 1.4, "compiled": None}]}
    times = {engine_table.BAR: [(1000.0, 1.0)], engine_table.COMPILED: [(500.0, 1.0)]}
    figures = engine_table.Figures(times=times, steps=100, cold=20.0, kept=1.0, runs=runs)
    cells = [re.split(r"  +", line)[-1] for line in engine_table.costs("x", figures)]
    assert cells == [
        "20.0, 1.0",
        "1.50, 0.55",  # 10 s of steps where the loop takes 20
        "0.80, bar 1.02, 1 of 2 changed over, the first at step 1,234; "
        "kept on the disk 0.70, bar 1.02",
    ]
    slow = {"off": off, "auto": [{**off[0], "seconds": 2.2}], "auto again": []}
    assert engine_table.auto_cell(slow) == "1.10, MISSES its bar 1.02, never changed over"


@pytest.mark.parametrize(
    ("turns", "took", "enough"),
    [(2, 100.0, False), (3, 20.0, True), (24, 1.0, False), (25, 1, True)],
)
def test_whole_runs_are_repeated_three_times_and_for_a_minute(
    turns: int, took: float, enough: bool
) -> None:
    runs = [{"seconds": took, "compiled": None}] * turns
    assert compile_costs.complete({"off": runs, "auto": runs, "auto again": []}) is enough


def test_the_largest_network_is_torchvisions_and_its_pictures_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    task = task_of("resnet18")
    assert sum(weight.numel() for weight in task.module().parameters()) == 11_181_642
    assert [len(part) for part in task.parts] == [256, 64]


def test_a_figure_that_misses_its_bar_says_so() -> None:
    assert engine_table.judged(0.399, 0.4) == "0.40, bar 0.40"
    assert engine_table.judged(0.45, 0.4) == "0.45, MISSES its bar 0.40"
    run = {"seconds": 1.03, "metric": "val_loss", "value": 0.5, "compiled": {"from_step": 9}}
    runs = {"auto": [run], "off": [{**run, "seconds": 1.0, "compiled": None}]}
    assert auto_templates.row("mlp_iris", 3, runs) == (
        "| mlp_iris | 3 | 1.0 | 1.030 (1.03 to 1.03), MISSES its bar 1.02 | val_loss | 0.5 ± 0"
        " | 0.5 ± 0 | 1 of 1 | yes |"
    )


def test_templates_are_trained_with_auto_beside_off_and_kept_runs_are_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, out = tmp_path / "runs.json", tmp_path / "table.md"
    words = ["mlp_iris", "--seconds", "0.01", "--results", str(results), "--out", str(out)]
    auto_templates.main([*words, "--seeds", "1"])
    found = json.loads(results.read_text())["rows"]["mlp_iris"]
    (auto,), (off,) = found["auto"], found["off"]
    assert auto["value"] == off["value"]  # too short to change over: the same to the bit
    assert auto["compiled"] is None
    line = auto_templates.row("mlp_iris", found["epochs"], found)
    assert line.endswith(" | 0 of 1 | yes |")
    assert line in out.read_text()
    monkeypatch.setattr(auto_templates, "begun", lambda *_, **settings: settings)
    monkeypatch.setattr(auto_templates, "result", lambda _, settings: {**auto, **settings})
    auto_templates.main([*words, "--seeds", "2"])
    again = json.loads(results.read_text())["rows"]["mlp_iris"]
    assert again["off"][0] == off
    assert [run.get("seed") for run in again["auto"]] == [None, 1]


def test_ways_of_calculating_a_step_are_timed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(modes_timed, "ROUND_S", {"cpu": 0.01})
    file = tmp_path / "modes.md"
    engine_modes.main(
        ["--device", "cpu", "--tasks", "mlp_breast_cancer", "--modes", "eager", "bfloat16",
         "--rounds", "1", "--write", str(file)]
    )  # fmt: skip
    lines = [line for line in file.read_text().splitlines() if line.startswith("| mlp")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[:3] for row in rows] == [
        ["mlp_breast_cancer", "64", "eager"], ["mlp_breast_cancer", "64", "bfloat16"],
    ]  # fmt: skip
    assert all(float(row[3]) > 0 and row[-1] == "yes" for row in rows)
    assert "resumes yes" in capsys.readouterr().out


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU")
def test_a_recorded_step_is_timed_on_a_gpu(tmp_path: Path):
    file = tmp_path / "modes.md"
    engine_modes.main(
        ["--device", "cuda", "--tasks", "mlp_breast_cancer", "--modes", "eager", "CUDA graph",
         "--batches", "64", "--rounds", "1", "--write", str(file)]
    )  # fmt: skip
    assert "| mlp_breast_cancer | 64 | CUDA graph" in file.read_text()


def test_first_networks_are_a_table_and_are_not_trained_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["--sets", "iris", "--shapes", "linear", "--seeds", "0"]
    words += ["--results", str(tmp_path / "rows.json"), "--out", str(tmp_path / "out.md")]
    first_networks.main(words)
    first_networks.main(words)
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert list(rows) == ["iris | template", "iris | linear"]
    assert rows["iris | linear"]["figure"] > 80
    assert rows["iris | linear"]["training"]["scheduler"] == {"name": "OneCycleLR"}
    assert "| iris | linear | " in (tmp_path / "out.md").read_text()
    assert capsys.readouterr().out.count("iris") == 2


@pytest.mark.slow
def test_a_run_is_killed_and_ends_as_if_it_never_was(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(kills.SETTINGS, "epochs", 4)
    alike, hits = kills.measured(1, 1, 0)
    assert alike == 1
    assert hits in (0, 1)  # on a fast machine it may end before it is killed


@pytest.mark.slow
def test_students_edit_and_turn_pages():
    lesson = thirty_students.Lesson(actions=4, alone=4, every_s=0.05, turns=1)
    found = thirty_students.measured(2, lesson)
    counts = {name: len(waits) for name, waits in found.waits.items()}
    assert counts == {
        "edit, alone": 3, "page, alone": 1, "edit, 2 at once": 6, "page, 2 at once": 2,
    }  # fmt: skip
    assert all(wait > 0 for waits in found.waits.values() for wait in waits)
    assert found.memory_mb > 0


def test_stops_are_measured_by_state_and_door():
    ((cell, stop),) = stops.measure(["export"]).items()
    assert cell == ("export", "Ctrl-C")
    assert 0 < stop.seconds < math.inf
    text = stops.table({cell: stop._replace(seconds=0.12), ("card", "page"): stop})
    assert "\n| export | 0.1 | - | - |\n" in text


@pytest.mark.slow
def test_students_train_and_stop_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(soak, "FIGURES", tmp_path / "soak.md")
    found = soak.measure(2, 0.2)
    assert found.errors == []
    assert found.ended.total() >= 2
    assert soak.FIGURES.read_text().startswith("# 2 students for 0.2 minutes, with trainings")


def test_students_edit_beside_one_whose_block_loops():
    lesson = thirty_students.Lesson(actions=3, alone=1, every_s=0.05)
    said = thirty_students.beside_a_loop(2, lesson)
    assert said.startswith("Edits of 2 students (95 of 100): ")
    assert said.endswith(" times as long.")


def test_a_first_curve_is_timed_with_its_summary_and_without():
    size, without, having = first_curve.measured(1_000, 1)
    assert size > 10_000
    assert min(without, having) > 0


def test_verdicts_are_measured_with_their_remedies():
    rows = verdicts.main(["rate much too low", "gradients clipped away"], out=None)
    assert [row.verdict.kind for row in rows] == ["guessing", "guessing"]
    assert [row.first_helps for row in rows] == [True, True]
    table = verdicts.table(rows)
    assert "The right verdict for **2 of 2**; the first remedy helps in **2**" in table


def test_texts_are_learned_by_the_default_network_and_by_a_linear_model():
    row = texts.line("messages", texts.messages(), range(1))
    name, count, mine, theirs, *_ = [cell.strip() for cell in row.strip("| ").split("|")]
    assert (name, count) == ("messages", "60")
    assert 0 <= float(mine) <= 100
    assert 0 <= float(theirs) <= 100
