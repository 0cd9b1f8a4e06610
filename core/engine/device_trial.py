"""What torch can train on here, each tried with one real step.

As a program it prints a line of JSON as it begins with a device and another when it is done, so
that whoever started it knows at which device a driver crashed or hung.
"""

import json
import platform
import sys
from collections.abc import Container
from typing import Any

import torch
from torch import nn

from core.common.device import CPU, KINDS, has, kind_of, seen

LOOKING = "gpu"
"""Stands for a device while GPUs are looked for, which a broken driver does not survive."""


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
    """What a device is called, such as NVIDIA H100."""
    kind = kind_of(device)
    if has(kind, "host"):
        return platform.processor() or "CPU"
    return KINDS[kind].called or getattr(torch, kind).get_device_name(device)


def entry(device: str) -> dict[str, Any]:
    """What a device is called, its memory in bytes, and why a step fails on it ("" for none)."""
    found: dict[str, Any] = {"device": device, "name": ""}
    try:
        found["name"] = called(device)
        if has(device, "sized"):
            found["memory_bytes"] = torch.cuda.get_device_properties(device).total_memory
    except Exception as error:  # a driver that fails here fails the step, too, with its reason
        return found | {"fault": fault(device) or str(error)[:200]}
    return found | {"fault": fault(device)}


def main(known: Container[str]) -> None:
    """Try each device that is not known yet. known: names, and LOOKING to look for no GPU."""
    _try(CPU, known)
    if LOOKING in known:
        return
    _print({"device": LOOKING})
    for name in seen()[1:]:
        _try(name, known)


def _try(name: str, known: Container[str]) -> None:
    if name not in known:
        _print({"device": name})
        _print(entry(name))


def _print(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)  # noqa: T201


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
    main(sys.argv[1:])
