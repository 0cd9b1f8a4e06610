"""Steps of the engine on a GPU: every way of calculating them, recorded ones, none that waits."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor

from core.engine.precision import use_deterministic_algorithms
from core.engine.trainer import Trainer
from core.settings.optimizers import with_trait
from tests.gpu.engines import apart, engine, template, trained

BF16, FP16 = {"precision": "bfloat16"}, {"precision": "float16"}
LAST, GRAPH, COMPILED = {"channels_last": "on"}, {"cuda_graph": "on"}, {"compile": "on"}
MOMENTUM = {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.875}}
CUDA = torch.device("cuda")


@pytest.fixture
def same_bits() -> Iterator[None]:
    """Only ways of calculating that give the same bits."""
    use_deterministic_algorithms(True, CUDA)
    yield
    use_deterministic_algorithms(False, CUDA)


@pytest.mark.gate
@pytest.mark.parametrize("mode", [{}, BF16, FP16, LAST, BF16 | LAST])
def test_every_way_of_calculating_learns_the_digits(device: str, mode: dict[str, Any]) -> None:
    made = engine(device, **mode)
    trained(made)
    assert made.newest["val_accuracy"] > 0.8
    assert {value.device.type for value in made.module.state_dict().values()} == {device}


@pytest.mark.gpu
@pytest.mark.parametrize("mode", [GRAPH, BF16 | LAST | GRAPH, COMPILED, BF16 | COMPILED | GRAPH])
def test_ways_that_only_a_gpu_has_learn_the_digits(mode: dict[str, Any]) -> None:
    made = engine("cuda", **mode)
    trained(made)
    assert made.notes == []
    assert (made.captured is not None) == ("cuda_graph" in mode)
    assert made.newest["val_accuracy"] > 0.8


@pytest.mark.gpu
@pytest.mark.parametrize(
    "settings",
    [{}, MOMENTUM, {"clip_norm": 0.5}, {"clip_value": 0.015625}, {"ema_decay": 0.875}, BF16],
)
@pytest.mark.usefixtures("same_bits")
def test_a_recorded_step_gives_the_bits_of_a_calculated_one(settings: dict[str, Any]) -> None:
    plain, played = engine("cuda", **settings), engine("cuda", **settings, **GRAPH)
    wanted, found = trained(plain), trained(played)
    assert played.notes == []
    assert played.captured is not None
    assert played.captured.exact
    assert apart(found, wanted) == 0.0
    assert played.newest == plain.newest


@pytest.mark.gpu
@pytest.mark.parametrize("name", with_trait("recordable"))
@pytest.mark.usefixtures("same_bits")
def test_every_optimiser_that_is_recorded_trains_so(name: str) -> None:
    """Compared with one that counts its steps on the GPU too, as rounding tells the ways apart.

    What is left out has no gradient but rounding, which Adam and its like make a whole step of: the
    bias before the batch norm, and the mean that follows it.
    """
    plain, played = engine("cuda", optimizer=name), engine("cuda", optimizer=name, **GRAPH)
    for group in plain.recipe.optimisers[0].param_groups:
        if "capturable" in group:
            group["capturable"] = True
    wanted, found = trained(plain), trained(played)
    assert played.notes == []
    noise = ("conv1.bias", "norm1.running_mean")
    assert apart({k: v for k, v in found.items() if k not in noise}, wanted) < 1e-3


@pytest.mark.gate
@pytest.mark.parametrize("settings", [{}, GRAPH, GRAPH | {"ema_decay": 0.875}, BF16 | GRAPH])
@pytest.mark.usefixtures("same_bits")
def test_a_run_goes_on_to_the_bit_with_its_dropout(device: str, settings: dict[str, Any]) -> None:
    settings = settings if device == "cuda" else {k: v for k, v in settings.items() if v != "on"}
    wanted = trained(engine(device, **settings))
    first = engine(device, **settings)
    torch.manual_seed(1)
    for _ in first.fit(tick_s=0.0):
        if first.step == 29:  # in the second epoch
            break
    state = first.state_dict()
    state = torch.load(_written(state), weights_only=True, map_location="cpu")
    again = engine(device, **settings)
    again.load_state_dict(state)
    for _ in again.fit():
        again.drain_metrics()
    assert again.notes == []
    assert apart(again.module.state_dict(), wanted) == 0.0


def _written(state: dict[str, Any]) -> Any:
    import io

    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return file


def reading(made: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the network read a number in the middle of its forward pass."""
    forward = made.module.forward

    def read(x: Tensor) -> Tensor:
        assert float(x.detach().abs().sum()) > 0
        return forward(x)

    monkeypatch.setattr(made.module, "forward", read)


@pytest.mark.gpu
@pytest.mark.parametrize("seen_before", [True, False])
@pytest.mark.usefixtures("same_bits")
def test_a_step_that_waits_is_not_recorded_and_its_dropout_goes_on(
    seen_before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """seen_before: whether it is found out before the recording, or by the recording's failure."""
    if not seen_before:
        monkeypatch.setattr("core.engine.cuda_graph._waiting_forbidden", nullcontext)
    made = engine("cuda", **GRAPH)
    stream = torch.cuda.current_stream()
    reading(made, monkeypatch)
    found = trained(made)
    assert made.captured is None
    assert made.uncaptured != ""
    assert torch.cuda.current_stream() == stream
    assert apart(found, trained(engine("cuda"))) == 0.0
    after = engine("cuda", **GRAPH)  # the next recording works
    trained(after)
    assert after.notes == []


@pytest.mark.gpu
def test_memory_can_be_given_back_after_a_recording_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.engine.cuda_graph._waiting_forbidden", nullcontext)
    made = engine("cuda", **GRAPH)
    reading(made, monkeypatch)
    made.module.train()
    made.capture()
    assert made.captured is None
    torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    kept = torch.cuda.memory_reserved()
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() <= kept - (64 << 20)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "settings", [{}, {"accumulate": 3}, {"ema_decay": 0.9}, BF16, FP16 | {"clip_norm": 1.0}, GRAPH]
)
def test_no_step_waits_for_the_gpu(settings: dict[str, Any]) -> None:
    made = engine("cuda", **settings)
    made.module.train()
    if settings == GRAPH:
        made.capture()
    groups = made.batches_of_epoch()
    for group in (groups[0], groups[-1]):
        made.make_step(group)  # libraries choose their kernels
    torch.cuda.set_sync_debug_mode("error")
    try:
        for group in (groups[0], groups[-1], groups[1]):
            made.make_step(group)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len(made.drain_metrics()["loss"]) == 5


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["lstm_waves", "gru_digits", "vit_digits", "gpt_text", "unet_digits", "dcgan_digits",
             "siamese_digits", "seq2seq_dates", "vae_digits", "bert_text"]
)  # fmt: skip
def test_a_template_trains_an_epoch_on_the_gpu(name: str) -> None:
    graph = {} if name == "dcgan_digits" else GRAPH
    made = engine("cuda", template(name), epochs=1, **graph)
    trained(made)
    assert made.epoch == 1
    assert made.newest["train_loss"] > 0
    assert not made.uncaptured, made.uncaptured
