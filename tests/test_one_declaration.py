"""An optimiser, a schedule, a metric, a loss, a launcher is one declaration: one that is added is
known to the settings, checks, scripts, sweeps and verdicts, and no other line says so."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.wing_parts import modules

pytestmark = pytest.mark.gate


@cache
def said() -> dict[str, dict[str, Any]]:
    """What a process says in which one of each kind was added."""
    command = [sys.executable, "-m", "tests.added_declarations"]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def of_wings(kind: str) -> dict[str, Any]:
    """What the wings that are here add to the claims of a kind."""
    found = (each.EXPECTED.get(kind, {}) for each in modules("declared"))
    return {key: claim for claims in found for key, claim in claims.items()}


def test_an_added_optimiser_is_known_everywhere() -> None:
    assert said()["of_optimiser"] == {
        "form": True,
        "lr": 0.25,
        "check": "Halved needs another momentum.",
        "recorded": "The step cannot be recorded: Halved makes decisions on the CPU.",
        "compiled": "",
        "sharded": "Sharded weights (fsdp) need an optimiser that treats each number alone, not "
        "Halved.",
        "rate": 0.125,
        "clipped": ["Clip gradients at 1"],
        "script": ["optimizer = torch.optim.Halved(model.parameters(), lr=args.lr, fused=True)"],
        **of_wings("of_optimiser"),
    }


def test_an_added_schedule_is_known_everywhere() -> None:
    assert said()["of_schedule"] == {
        "form": True,
        "warmup": "training.warmup is 1 but Sawtooth cannot start after a warm-up.",
        "check": ["Sawtooth sleeps for 10 of 10 epochs."],
        "joined": "Sawtooth also changes the momentum",
        "compiled": "The step cannot be compiled: Sawtooth also changes the momentum.",
        "preview": "It drops when the validation loss stops improving, so it is not known in "
        "advance.",
        "rate": 0.01,
        "script": ["scheduler = torch.optim.lr_scheduler.Sawtooth(optimizer, step_size=10)"],
        "moved": ["scheduler.step(val_loss)"],
    }


def test_an_added_metric_is_known_everywhere() -> None:
    assert said()["of_metric"] == {
        "words": "validation Gini coefficient",
        "shown": "25.0%",
        "chart": {"words": "Gini coefficient", "percent": True, "logarithmic": False},
        "script": ".1%",
        "verdict": [True, pytest.approx([0.0, 0.5, 0.2]), 1, 64],
        **of_wings("of_metric"),
    }


def test_an_added_loss_is_known_everywhere() -> None:
    text = "FadedLoss needs log-probabilities, but the network outputs other numbers."
    assert said()["of_loss"] == {
        "form": True,
        "balanced": True,
        "teacher": True,
        "in_16_bits": "FadedLoss is unsafe in bfloat16: it would take the logarithm of 0.",
        "verdict": [[text, "Use CrossEntropyLoss"]],
    }


def test_an_added_data_source_is_read_and_written_into_scripts() -> None:
    assert said()["of_source"] == {
        "listed": True,
        "sizes": [32, 8],
        "script": ["inputs, labels = xor(40, 0.25, 0)"],
    }


def test_an_added_launcher_is_known_to_who_starts_runs() -> None:
    assert said()["of_launcher"] == {
        "elsewhere": True,
        "destination": 'would sail to the port "x"',
        "trusted": [False, True],
    }
