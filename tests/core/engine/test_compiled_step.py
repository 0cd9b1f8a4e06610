"""Whole steps as one function: equal to calculated ones to rounding, to themselves to the bit."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from core.engine import compiled_step
from core.engine.compile_cache import kept_in, make_room, use_cache
from core.engine.compiled_step import (
    CompiledStep,
    inductor,
    leave_to_torch,
    tanh_is_fast,
)
from core.engine.snapshot import restore_snapshot, snapshot
from core.runs.checkpoint import load
from core.runs.files import read_json
from core.settings.accelerations import ALL_OR_NONE, MEANWHILE, accelerations_of
from core.settings.optimizers import with_trait
from core.settings.validate import resolve
from tests.core.small_runs import train_here
from tests.gpu.engines import apart, engine, trained

Make = Callable[..., Path]
WHOLE: dict[str, Any] = {"compile_step": "on"}
CHANCY = {"optimizer": "SGD", "ema_decay": 0.875, "grad_noise": 0.01, "clip_norm": 1.0}


def as_noted(graph: GraphModule, _: list[Tensor]) -> Callable[[list[Tensor]], Any]:
    """What was noted of a step, operation by operation: all but the compiler."""
    return lambda tensors: graph(*tensors)


@pytest.fixture(autouse=True)
def _not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.engine.compiled_step.inductor", as_noted)


@pytest.mark.gate
@pytest.mark.parametrize(
    "settings",
    [
        {"optimizer": "AdamW", "clip_norm": 1.0, "scheduler": "CosineAnnealingLR"},
        {"optimizer": "AdamW", "scheduler": "OneCycleLR"},
        {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.9, "nesterov": True}},
        CHANCY,
    ],
)
def test_a_noted_step_trains_as_a_calculated_one(settings: dict[str, Any]) -> None:
    """With dropout, noise and BatchNorm: what is random is drawn in the same order."""
    plain, whole = engine(**settings), engine(**settings | WHOLE)
    wanted, found = trained(plain), trained(whole)
    assert isinstance(whole.captured, CompiledStep)
    assert whole.notes == []
    assert apart(moved(wanted), moved(found)) < 1e-3
    assert whole.recipe.lr == plain.recipe.lr
    theirs, mine = plain.record, whole.record
    assert theirs["train_accuracy"] == mine["train_accuracy"]
    assert theirs["train_loss"] == pytest.approx(mine["train_loss"], rel=1e-4)


@pytest.mark.gate
def test_where_an_epoch_has_few_steps_its_last_smaller_batch_is_compiled_too() -> None:
    settings: dict[str, Any] = {"batch_size": 128, "ema_decay": 0.875, "clip_norm": 1.0}
    plain, whole = engine(**settings), engine(**settings | WHOLE)
    whole.capture()
    assert whole.captured_last is not None
    assert whole.captured_last.indices.size(0) == 1438 % 128
    wanted, found = trained(plain), trained(whole)
    assert apart(moved(wanted), moved(found)) < 1e-3
    many = engine(**WHOLE)
    many.capture()
    assert many.captured is not None
    assert many.captured_last is None


def moved(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Without the bias before BatchNorm: its gradient is rounding and nothing else."""
    return {k: v for k, v in state.items() if k not in ("conv1.bias", "norm1.running_mean")}


@pytest.mark.gate
@pytest.mark.parametrize("name", with_trait("compilable"))
def test_every_optimiser_that_is_compiled_steps_as_torch_steps(name: str) -> None:
    plain, whole = engine(optimizer=name), engine(optimizer=name)
    for one in (plain, whole):
        one.module.train()
    made = CompiledStep(whole, 64, as_noted)
    for one, captured in ((plain, None), (whole, made)):
        torch.manual_seed(1)
        one.captured = captured
        for group in one.batches_of_epoch()[:5]:
            one.make_step(group)
    wanted, found = (moved(one.module.state_dict()) for one in (plain, whole))
    assert apart(wanted, found) < 2e-5


@pytest.mark.gate
def test_a_compiled_run_goes_on_to_the_bit() -> None:
    settings: dict[str, Any] = {**CHANCY, **WHOLE, "optimizer": "AdamW"}
    wanted = trained(engine(**settings))
    assert apart(goes_on(settings), wanted) == 0.0


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_wherever_a_run_goes_on_its_compiled_steps_are_close_enough_to_calculated_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the bias before BatchNorm goes is rounding alone, under Adam as far as any weight."""
    monkeypatch.setattr("core.engine.compiled_step.inductor", inductor)
    one_cycle = {"lr": 0.01, "clip_norm": 1.0, "scheduler": {"name": "OneCycleLR"}}
    made = engine(**one_cycle, epochs=8, seed=1, compile_step="on")
    checked = 0
    for _ in made.fit(tick_s=0.0):
        made.drain_metrics()
        if made.captured and made.step % 2:
            continue
        assert isinstance(made.captured, CompiledStep)
        made.captured.write_rates()
        before = snapshot(made)
        made.captured.compare(before)
        restore_snapshot(made, before)
        checked += 1
    assert checked > 90


def goes_on(settings: dict[str, Any]) -> dict[str, Tensor]:
    """Stopped amid the second epoch, and gone on with by another engine."""
    first = engine(**settings)
    torch.manual_seed(1)
    for _ in first.fit(tick_s=0.0):
        if first.step == 29:
            break
    state = first.state_dict()
    again = engine(**settings)
    again.load_state_dict(state)
    for _ in again.fit():
        again.drain_metrics()
    assert isinstance(again.captured, CompiledStep)
    return again.module.state_dict()


@pytest.mark.parametrize(
    ("fast", "device", "leaves"),
    [(True, "cpu", True), (False, "cpu", False), (True, "meta", False)],
)
def test_only_the_tanh_of_large_tensors_is_left_to_torch_and_only_where_that_is_faster(
    monkeypatch: pytest.MonkeyPatch, fast: bool, device: str, leaves: bool
) -> None:
    monkeypatch.setattr(compiled_step, "tanh_is_fast", lambda: fast)
    example = torch.ones(128, 128, device=device)
    graph = make_fx(lambda x: x.tanh() + x[:8, :8].tanh().sum())(example)
    leave_to_torch(graph)
    tanhs = [n for n in graph.graph.nodes if n.target is torch.ops.aten.tanh.default]
    left = {"fallback_to_eager": True} if leaves else None
    assert [n.meta.get("custom") for n in tanhs] == [left, None]


@pytest.mark.parametrize(("maker", "mkl", "fast"), [
    ("GenuineIntel", True, True), ("GenuineIntel", False, False), ("AuthenticAMD", True, False),
])  # fmt: skip
def test_torchs_tanh_is_fast_where_it_is_mkls_on_a_processor_of_intel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, maker: str, mkl: bool, fast: bool
) -> None:
    facts = tmp_path / "cpuinfo"
    monkeypatch.setattr(compiled_step, "CPU_FACTS", facts)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
    monkeypatch.setattr("platform.processor", lambda: f"Family 6, {maker}")
    assert tanh_is_fast() is fast  # not Linux
    facts.write_text(f"vendor_id\t: {maker}\n", "utf-8")
    assert tanh_is_fast() is fast


def test_a_step_that_reads_a_number_is_not_compiled_and_the_run_trains_as_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, plain = engine(**WHOLE), engine()
    forward = made.module.forward

    def reading(x: Tensor) -> Tensor:
        assert float(x.sum().detach()) != 0.5
        return forward(x)

    monkeypatch.setattr(made.module, "forward", reading)
    assert apart(trained(made), trained(plain)) == 0.0
    assert made.captured is None
    assert made.notes == ["Steps are not compiled: the step reads a value back to Python."]


def test_draws_by_what_was_calculated_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(**WHOLE)
    forward = made.module.forward
    drawing = lambda x: forward(x * torch.bernoulli(x.clamp(0, 1)))  # noqa: E731
    monkeypatch.setattr(made.module, "forward", drawing)
    made.capture()
    assert made.uncaptured == "bernoulli draws random numbers that depend on earlier results"


@pytest.mark.parametrize(
    ("settings", "device", "why"),
    [
        ({}, "cpu", ""),
        ({"optimizer": "Rprop"}, "cpu", "Rprop makes decisions that depend on values"),
        ({"accumulate": 2}, "cpu", "accumulate is 2"),
        ({"on_not_finite": "skip"}, "cpu", "on_not_finite checks each step"),
        ({"scheduler": "OneCycleLR", "optimizer": "AdamW"}, "cpu", ""),
        (
            {"scheduler": "OneCycleLR", "optimizer": "SGD"},
            "cpu",
            "OneCycleLR also changes the momentum",
        ),
        ({"precision": "float16"}, "cpu", "float16 checks each gradient"),
        ({}, "cuda", "on a GPU they are recorded"),
    ],
)
def test_where_it_cannot_be_done_the_reason_is_given(
    settings: dict[str, Any], device: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.accelerations.cpp_compiler", lambda: "/usr/bin/g++")
    training = resolve({**WHOLE, "compile": "on", **settings}, "classification")
    modes = accelerations_of(training, device, "")
    assert modes["compile_step"].on is not bool(why)
    assert why in modes["compile_step"].why
    assert modes["compile"].on is bool(why)  # of the network alone: in it, where the step is


@pytest.mark.parametrize(
    ("settings", "device", "why"),
    [
        ({}, "cpu", MEANWHILE),
        ({}, "cuda", ""),
        ({"deterministic": True}, "cpu", ALL_OR_NONE),
        ({"accumulate": 2}, "cpu", "The step cannot be compiled: accumulate is 2."),
        ({"compile": "on"}, "cpu", "Auto leaves it off because the network is compiled."),
    ],
)
def test_auto_leaves_it_to_the_run_where_it_can_be_done_and_else_says_why_not(
    settings: dict[str, Any], device: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.accelerations.cpp_compiler", lambda: "/usr/bin/g++")
    training = resolve({"compile_step": "auto", **settings}, "classification")
    found = accelerations_of(training, device, "")["compile_step"]
    assert (found.on, found.why, found.open) == (False, why, why == MEANWHILE)


@pytest.mark.gate
def test_without_a_compiler_steps_are_calculated_and_the_run_says_so(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.accelerations.cpp_compiler", lambda: "")
    run_dir = small_run(compile_step="on", epochs=1)
    assert train_here(run_dir).state == "finished"
    assert read_json(run_dir / "modes.json")["compile_step"] == {
        "on": False,
        "why": "There is no C++ compiler (g++ or clang++) on this machine, so steps are not"
        " compiled.",
    }


@pytest.mark.gate
def test_a_compiler_that_fails_costs_the_compiling_and_not_the_run(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("g++: fatal error: no input files")

    monkeypatch.setattr("core.settings.accelerations.cpp_compiler", lambda: "/usr/bin/g++")
    monkeypatch.setattr("core.engine.compiled_step.inductor", fail)
    run_dir = small_run(compile_step="on", epochs=1)
    assert train_here(run_dir).state == "finished"
    why = "The step could not be compiled: g++: fatal error: no input files"
    assert read_json(run_dir / "modes.json")["compile_step"] == {"on": False, "why": why}
    assert "calculation" not in load(run_dir, "last")["fingerprint"]
    plain = small_run(epochs=1)
    train_here(plain)
    assert apart(load(run_dir, "last")["model"], load(plain, "last")["model"]) == 0.0


def test_what_was_compiled_is_kept_for_its_user_alone_and_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    use_cache()
    folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
    assert folder == tmp_path / ".cache/layerloom/compiled"
    assert folder.stat().st_mode & 0o777 == 0o700
    for age, name in enumerate(("new", "old", "older")):
        (folder / name).write_bytes(bytes(100))
        os.utime(folder / name, (1000 - age, 1000 - age))
    make_room(folder, 250)
    assert sorted(path.name for path in folder.iterdir()) == ["new", "old"]


def test_others_may_not_write_what_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".cache/layerloom/compiled"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    use_cache()
    own = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
    assert own.name.startswith("layerloom-compiled-")
    assert own.stat().st_mode & 0o777 == 0o700
    assert kept_in() is None
