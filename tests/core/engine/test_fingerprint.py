"""A run that goes on under other conditions says which, and that the bits may differ."""

import json
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import torch

from core.engine.fingerprint import changes, float32
from core.runs import checkpoint
from core.runs.files import read_json, write_json
from core.worker import launch
from core.worker.launch import start
from tests.core.small_runs import ended, train_here, until

Make = Callable[..., Path]
Products = Callable[[str, str], None]


@pytest.fixture
def products() -> Iterator[Products]:
    """Set in what products of float32 numbers are calculated, for this test."""
    before: list[tuple[Any, str]] = []

    def put(place: str, kind: str) -> None:
        found = attrgetter(place)(torch.backends)
        before.append((found, found.fp32_precision))
        found.fp32_precision = kind

    yield put
    for found, kind in before:
        found.fp32_precision = kind


@pytest.fixture
def stopped(iris_run: Make) -> Path:
    """A run that was stopped in the middle."""
    run_dir = iris_run(epochs=3000)
    start(run_dir)
    until(run_dir, lambda view: view.step > 10)
    launch.stop(run_dir)
    assert until(run_dir, ended).state == "stopped"
    return run_dir


def rewritten(run_dir: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Put a checkpoint in the place of the last one that says something else of its run."""
    state = checkpoint.load(run_dir, "last")
    change(state["fingerprint"])
    checkpoint.save(run_dir, "last", state)
    spec = json.loads((run_dir / "spec.json").read_text())
    spec["training"]["epochs"] = state["epoch"] + 2
    write_json(run_dir / "spec.json", spec)


def gone_on(run_dir: Path) -> tuple[bool, tuple[str, ...]]:
    """Whether a run goes on exactly, and what it warns of."""
    launch.request(run_dir, "run", **{"from": "last"})
    view = train_here(run_dir)
    assert view.state == "finished", view
    return read_json(run_dir / "final.json")["exact"], view.warnings


@pytest.mark.gate
def test_a_run_under_the_same_conditions_goes_on_exactly(stopped: Path) -> None:
    rewritten(stopped, lambda found: None)
    assert gone_on(stopped) == (True, ())


@pytest.mark.slow
def test_a_checkpoint_without_the_precision_of_products_goes_on_exactly(stopped: Path) -> None:
    rewritten(stopped, lambda found: found.pop("float32"))
    assert gone_on(stopped) == (True, ())


@pytest.mark.slow
def test_another_torch_is_a_warning_and_the_run_goes_on(stopped: Path) -> None:
    rewritten(stopped, lambda found: found.update(torch="2.11.0"))
    warning = f"Resumed, but not bit for bit, because of torch 2.11.0 -> {torch.__version__}."
    assert gone_on(stopped) == (False, (warning,))


@pytest.mark.slow
def test_products_in_fewer_bits_are_a_warning(stopped: Path, products: Products) -> None:
    rewritten(stopped, lambda found: None)
    products("mkldnn.conv", "bf16")
    warning = (
        "Resumed, but not bit for bit, because of float32 matmul full, conv full, rnn full"
        " -> matmul full, conv bf16, rnn full."
    )
    assert gone_on(stopped) == (False, (warning,))


def test_what_torch_tells_of_products_is_listed_by_device(
    products: Products, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert float32("cpu") == "matmul full, conv full, rnn full"
    assert float32("cuda") == "matmul full, conv tf32, rnn tf32"
    products("cuda.matmul", "tf32")
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "0")
    assert float32("cuda") == "matmul tf32, conv tf32, rnn tf32, override 0"


def test_only_what_is_new_may_be_missing() -> None:
    new = {"torch": "2.14.1", "float32": "matmul full", "threads": 1}
    assert changes({"threads": 1}, new) == ["torch None -> 2.14.1"]
    assert changes({"threads": 2, "torch": "2.14.1"}, new) == ["threads 2 -> 1"]
