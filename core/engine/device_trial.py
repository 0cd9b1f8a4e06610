"""What torch can train on here, each tried with one real step.

As a program: prints the GPUs that made one, and takes what a driver holds with it as it ends.
"""

import json
from typing import Any

import torch
from torch import nn


def names() -> list[str]:
    """The devices that torch sees: cpu, cuda:0, ..., xpu:0, ..., mps."""
    found = ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
    found += [f"xpu:{index}" for index in range(torch.xpu.device_count())]
    return [*found, "mps"] if torch.backends.mps.is_available() else found


def fault(device: str) -> str:
    """Why one step of a small network fails on a device; "" where it works.

    A convolution, a matrix product, a loss, the gradients and AdamW: what nearly every run needs.
    """
    try:
        with torch.random.fork_rng(devices=[]):
            _step(device)
    except Exception as error:  # drivers raise whatever they like
        return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return ""


def called(device: torch.device | str) -> str:
    """What a GPU is called, such as NVIDIA H100."""
    kind = torch.device(device).type
    if kind == "mps":
        return "Apple GPU"
    return getattr(torch, kind).get_device_name(device)


def _step(device: str) -> None:
    net: Any = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    net = net.to(device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=0.01)
    x, y = torch.ones(2, 1, 4, 4, device=device), torch.tensor([0, 1], device=device)
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimiser.step()
    if not torch.isfinite(loss).item():
        raise RuntimeError("the loss of a first step is not finite")


if __name__ == "__main__":
    print(json.dumps([name for name in names()[1:] if not fault(name)]))  # noqa: T201
