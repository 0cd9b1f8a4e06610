"""Recording a step, with a tape in place of a GPU: what is played equals what is calculated."""

import sys
from typing import Any

import pytest
import torch
from torch import Tensor

from core.settings.optimizers import with_trait
from core.worker.run_logger import ThroughputMonitor
from tests.gpu.engines import apart, engine, trained
from tests.gpu.tape import taped

SGD = {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.875}}


def losses(made: Any) -> list[float]:
    torch.manual_seed(1)
    found: list[float] = []
    for _ in made.fit():
        found += made.drain_metrics()["loss"]
    return found + made.drain_metrics()["loss"]


@pytest.mark.gate
@pytest.mark.parametrize(
    "settings",
    [
        {},
        SGD,
        {"optimizer": "AdamW", "clip_norm": 0.5},
        {"clip_value": 0.015625},
        {"ema_decay": 0.875},
        {"precision": "bfloat16", "channels_last": "on"},
        {"decay_of": "matrices", "optimizer": "AdamW"},
    ],
)
def test_steps_that_are_played_give_the_weights_and_losses_of_steps_that_are_calculated(
    settings: dict[str, Any],
) -> None:
    plain, played = engine(**settings), engine(**settings)
    played.module.train()
    played.capture(record=taped)
    assert played.notes == []
    assert played.captured is not None
    assert played.captured.exact
    wanted, found = losses(plain), losses(played)
    assert len(found) == 46
    assert found == wanted
    assert apart(plain.module.state_dict(), played.module.state_dict()) == 0.0
    assert played.newest == plain.newest
    if plain.average:
        assert played.average is not None
        assert apart(plain.average.state_dict(), played.average.state_dict()) == 0.0


def test_a_schedule_moves_the_rate_of_steps_that_are_played() -> None:
    settings = {**SGD, "scheduler": "CosineAnnealingLR", "warmup": 1, "epochs": 4}
    plain, played = engine(**settings), engine(**settings)
    played.capture(record=taped)
    assert apart(trained(plain), trained(played)) < 1e-5
    assert played.recipe.lr == plain.recipe.lr


@pytest.mark.slow
@pytest.mark.parametrize("name", with_trait("recordable"))
def test_every_optimiser_that_is_recorded_counts_its_own_steps(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU torch counts them there; for once it is made to believe that a processor can."""
    for module in [m for n, m in sys.modules.items() if n.startswith("torch.optim.")]:
        if hasattr(module, "_get_capturable_supported_devices"):
            monkeypatch.setattr(
                module, "_get_capturable_supported_devices", lambda *_, **__: ["cpu"]
            )
    plain, played = engine(optimizer=name), engine(optimizer=name)
    for made in (plain, played):
        for group in made.recipe.optimisers[0].param_groups:
            if "capturable" in group and not group.get("fused"):
                group |= {"capturable": True, "foreach": True}  # as torch chooses on a GPU
    played.capture(record=taped)
    assert played.notes == []
    assert apart(trained(plain), trained(played)) < 1e-5


def test_the_gradient_norm_is_that_of_the_newest_step_also_when_it_was_played() -> None:
    norms: list[list[Any]] = []
    for record in (None, taped):
        made = engine()
        if record:
            made.capture(record=record)
        made.module.train()
        torch.manual_seed(1)
        pulse, found = ThroughputMonitor(0), list[Any]()
        groups = made.batches_of_epoch()
        for at, group in enumerate([groups[0], groups[-1], *groups[1:4]], 1):
            made.make_step(group)  # the second one, of another size, is calculated in between
            found += pulse.read(made.gradient_norm(), at, 64)["grad_norm"]
        norms.append(found)
    assert norms[0] == norms[1]
    assert len(set(norms[0])) == 5


def test_a_run_goes_on_to_the_bit_with_steps_that_are_played() -> None:
    settings = {**SGD, "ema_decay": 0.875}
    whole = engine(**settings)
    whole.capture(record=taped)
    wanted = trained(whole)
    first = engine(**settings)
    first.capture(record=taped)
    torch.manual_seed(1)
    for _ in first.fit(tick_s=0.0):
        if first.step == 29:  # in the second epoch
            break
    state = first.state_dict()
    again = engine(**settings)
    again.load_state_dict(state)
    again.capture(record=taped)
    for _ in again.fit():
        again.drain_metrics()
    assert apart(again.module.state_dict(), wanted) == 0.0


def test_a_step_that_reads_a_number_is_not_recorded_and_the_run_trains_as_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, plain = engine(), engine()
    forward = made.module.forward

    def reading(x: Tensor) -> Tensor:
        assert float(x.sum().detach()) > 0
        return forward(x)

    monkeypatch.setattr(made.module, "forward", reading)
    made.capture(record=taped)
    assert made.captured is None
    assert made.uncaptured == "operation not permitted when stream is capturing"
    assert apart(trained(made), trained(plain)) == 0.0
