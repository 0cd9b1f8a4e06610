"""The small parts of the command line: overrides, numbers for people, curves."""

import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli import output, overrides, progress
from app.cli.watch_run import report_end
from blocks import Setting
from core.runs import curve_chart
from core.runs.duration import duration
from core.settings.schema import TRAINING

KNOWN = (
    Setting("lr", "float", "Learning rate.", default=1e-3),
    Setting("epochs", "int", "Passes.", default=10),
    Setting("histograms", "bool", "Write them.", default=False),
    Setting("optimizer", "choice", "How.", default="AdamW", choices=("AdamW", "SGD")),
    Setting("clip_norm", "float", "Longest.", default=None, optional=True),
)


def test_overrides_have_the_type_of_their_setting() -> None:
    given = ["lr=0.01", "epochs=3", "histograms=true", "optimizer=SGD", "clip_norm=null"]
    assert overrides.read(given, KNOWN) == {
        "lr": 0.01,
        "epochs": 3,
        "histograms": True,
        "optimizer": "SGD",
        "clip_norm": None,
    }


def test_a_weight_for_each_class_is_a_list() -> None:
    known = (next(s for s in TRAINING if s.name == "class_weights"),)
    for text, value in (("[1,20]", [1, 20]), ("balanced", "balanced"), ("none", None)):
        assert overrides.read([f"class_weights={text}"], known) == {"class_weights": value}


def test_a_dot_reaches_inside_a_group() -> None:
    given = ["scheduler.name=StepLR", "scheduler.step_size=5", "training.lr=1", "data.noise=0.5"]
    assert overrides.read(given, KNOWN) == {
        "scheduler": {"name": "StepLR", "step_size": 5},
        "lr": 1,
        "data.noise": 0.5,
    }


def test_a_setting_of_the_schedule_in_the_file_leaves_its_name() -> None:
    assert overrides.read(["scheduler.step_size=5"], KNOWN) == {"scheduler.step_size": 5}


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("lr", "--set needs KEY=VALUE but receives lr."),
        ("learning=1", "There is no training setting called learning."),
        ("lr=fast", "lr needs a number but receives fast."),
        ("lr=NaN", "lr needs a number but receives NaN."),
        ("lr=true", "lr needs a number but receives true."),
        ("epochs=2.5", "epochs needs a whole number but receives 2.5."),
        ("epochs=", "epochs needs a whole number but receives nothing."),
        ("epochs=null", "epochs needs a whole number but receives null."),
        ("histograms=1", "histograms needs true or false but receives 1."),
        ("lr.x=1", "There is no training setting called lr.x."),
        ("data.=1", "There is no training setting called data.."),
    ],
)
def test_a_wrong_override_is_named(pair: str, message: str) -> None:
    with pytest.raises(output.UsageError) as error:
        overrides.read([pair], KNOWN)
    assert error.value.message == message


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (8, "8 s"), (60, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_bar_shows_share_and_time_left() -> None:
    view = SimpleNamespace(state="running", epoch=3, epochs=12, step=60, steps=240, left_s=75.0)
    line = progress.bar(view)
    assert line.count("█") == 6
    assert line.count("░") == 18
    assert line.endswith("step 60/240  1 min 15 s left")


def test_a_stopped_run_without_a_checkpoint_is_not_said_to_continue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = {
        "name": "a",
        "state": "stopped",
        "elapsed_s": 0,
        "epoch": 0,
        "epochs": 3,
        "dir": tmp_path,
    }
    report_end(SimpleNamespace(**end, test=None, message="", hint=""))
    assert capsys.readouterr().err.endswith(f"`layerloom resume {tmp_path}` starts it again.\n")


def test_a_columnar_record_becomes_rows() -> None:
    record = {"kind": "epoch", "epoch": [1, 2], "val_loss": [0.5, 0.25]}
    assert progress.rows(record) == [
        {"epoch": 1, "val_loss": 0.5},
        {"epoch": 2, "val_loss": 0.25},
    ]


def test_the_end_of_a_run_that_failed_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    end = {"name": "lenet-001", "state": "failed", "elapsed_s": 1.2, "epoch": 0, "epochs": 3}
    view = SimpleNamespace(
        **end, test=None, message="The loss became NaN.", hint="Lower the learning rate."
    )
    assert report_end(view) == 1
    assert capsys.readouterr().err == (
        "lenet-001 failed after 1 s, at epoch 0 of 3.\n"
        "The loss became NaN.\n  hint: Lower the learning rate.\n"
    )


def test_tables_set_numbers_to_the_right() -> None:
    text = output.table(("node", "parameters"), [("conv1", "156"), ("flat", "61,706")])
    assert text == "node   parameters\nconv1         156\nflat       61,706"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.03, 2.2, [0.0, 1.0, 2.0, 3.0]),
        (0.12, 0.99, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (5.0, 5.0, [4.0, 6.0]),
        (0.0, 0.0, [0.0, 0.25]),
    ],
)
def test_ticks_are_round_and_hold_all_values(low: float, high: float, ticks: list[float]) -> None:
    assert curve_chart.steps(low, high) == ticks


def test_curves_are_valid_svg_with_a_gap_where_a_value_is_missing() -> None:
    drawing = curve_chart.draw(
        [1, 2, 3, 4],
        {"train_loss": [4.0, 3.0, 2.0, 1.0], "val_loss": [4.0, 3.0, None, 1.0], "lr": [1.0] * 4},
    )
    lines = [
        path.get("d", "")
        for path in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}path")
    ]
    assert [line.count("M") for line in lines] == [1, 2, 1, 1]
    assert len(list(ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}g"))) == 1


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("net.loom.json", "net.loom.json"),
        ("my net; rm -rf ~.loom.json", "'my net; rm -rf ~.loom.json'"),
        ("$(id)`id`'.loom.json", "'$(id)`id`'\"'\"'.loom.json'"),
        ("-h.loom.json", "./-h.loom.json"),
    ],
)
def test_a_name_in_an_offered_command_is_one_word_of_the_shell(name: str, word: str):
    assert output.shell_word(name) == word
    assert len(shlex.split(f"layerloom {word}")) == 2


def test_no_command_is_offered_with_a_bare_name():
    """What stands in braces behind `layerloom ...` in a text goes through `output.shell_word`."""
    root = Path(__file__).parents[3]
    bare = r"\{(?!output\.shell_word\(|word\}|runs_option\(|near\[)[^}]*\}"
    offered = re.compile(r"`(?:layerloom|git add)\b[^`\n]*?" + bare)
    found = [
        f"{path.relative_to(root)}: {hit}"
        for folder in ("app", "core")
        for path in sorted((root / folder).rglob("*.py"))
        for hit in offered.findall(path.read_text("utf-8"))
    ]
    assert found == []
