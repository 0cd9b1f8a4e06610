"""Random states: kept in checkpoints, and fenced around everything that only looks."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from torch import nn


def seed_all(seed: int) -> None:
    """Start every generator from the seed."""
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)


def rng_state() -> dict[str, Any]:
    """All random states as tensors and plain values."""
    name, keys, position, has_gauss, cached = cast(
        tuple[str, np.ndarray, int, int, float], np.random.get_state(legacy=True)
    )
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
        **_others(),
        "numpy": [name, torch.from_numpy(keys.astype("int64")), position, has_gauss, cached],
        "python": random.getstate(),
    }


def _others() -> dict[str, Any]:
    """The random states of GPUs that are not NVIDIA's, where there are such."""
    found: dict[str, Any] = {}
    if torch.xpu.is_available() and torch.xpu.is_initialized():
        found["xpu"] = torch.xpu.get_rng_state_all()
    if torch.backends.mps.is_available():
        found["mps"] = torch.mps.get_rng_state()
    return found


def _set_others(saved: dict[str, Any]) -> None:
    there = torch.xpu.device_count() if saved.get("xpu") else 0
    for device, state in enumerate(saved.get("xpu", [])[:there]):
        torch.xpu.set_rng_state(state.cpu(), device)
    if "mps" in saved and torch.backends.mps.is_available():
        torch.mps.set_rng_state(saved["mps"].cpu())


def set_rng_state(saved: dict[str, Any]) -> None:
    """Put all random states back."""
    torch.set_rng_state(saved["torch"].cpu())
    there = torch.cuda.device_count() if saved["cuda"] else 0
    for device, state in enumerate(saved["cuda"][:there]):  # perhaps saved beside more GPUs
        torch.cuda.set_rng_state(state.cpu(), device)
    _set_others(saved)
    name, keys, position, has_gauss, cached = saved["numpy"]
    np.random.set_state((name, keys.cpu().numpy().astype("uint32"), position, has_gauss, cached))
    version, internal, gauss = saved["python"]
    random.setstate((version, tuple(internal), gauss))


@contextmanager
def fork_rng(module: nn.Module, parts: Sequence[nn.Module] = ()) -> Iterator[None]:
    """Evaluate without a trace: no gradients, and training flags and random states come back.

    parts: all modules in it, where somebody has them at hand.
    """
    flags = [(part, part.training) for part in parts or module.modules()]
    state = torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    others = _others()
    for part, _ in flags:
        part.training = False
    try:
        with torch.inference_mode():
            yield
    finally:
        for part, training in flags:
            part.training = training
        torch.set_rng_state(state)
        _set_others(others)
        for device, saved in enumerate(cuda):
            # Setting it makes cuDNN's recurrent layers draw the chance of their dropout anew.
            if not torch.equal(torch.cuda.get_rng_state(device), saved):
                torch.cuda.set_rng_state(saved, device)
