"""What torch itself says: signatures, and whether a statement really runs on the CPU."""

import inspect
import warnings
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

from blocks import Batch, Block, N, Signature
from blocks.checks import block_problems
from blocks.signature import size_of
from blocks.spec import REQUIRED
from blocks.validate import setting_problems
from core.source.statement import construct, express

N_SAMPLES = 11
DTYPES = {"float32": torch.float32, "int64": torch.int64, "bool": torch.bool}
SCOPE = {"torch": torch, "nn": nn, "F": F, "torchvision": torchvision}


def complete(block: Block, given: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in torch's defaults and what the wires decide, as the analysis does."""
    settings: dict[str, Any] = {}
    for setting in block.settings:
        if setting.name in given:
            settings[setting.name] = given[setting.name]
        elif setting.infer is not None:
            size = read(inputs.get(setting.infer.port), setting.infer.dim)
            if size is not None:
                settings[setting.name] = size
        elif setting.default is not REQUIRED:
            settings[setting.name] = setting.default
    return settings


def read(signature: Signature | None, dim: int | None) -> int | None:
    if signature is None or dim is None:
        return signature.rank if signature else None
    if not -signature.rank <= dim < signature.rank:
        return None
    size = signature.shape[dim]
    return size if isinstance(size, int) else None


def tensor(signature: Signature) -> torch.Tensor:
    """Make a small real tensor; integers are zeros, so that they are legal rows."""
    sizes = [d.times * N_SAMPLES + d.plus if isinstance(d, Batch) else d for d in signature.shape]
    if signature.dtype == "float32":
        return torch.rand(sizes) + 0.5  # type: ignore[arg-type]
    return torch.zeros(sizes, dtype=DTYPES[signature.dtype])  # type: ignore[arg-type]


def execute(
    block: Block,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
) -> Any:
    """Run a block's own statements on the CPU, in training mode. Raises what torch raises."""
    scope: dict[str, Any] = {**SCOPE, "self": SimpleNamespace(training=True)}
    wires: dict[str, Any] = {}
    for port, value in inputs.items():
        signatures = value if isinstance(value, tuple) else (value,)
        names = [f"{port}_{index}" for index in range(len(signatures))]
        given = (data or {}).get(port) or [tensor(s) for s in signatures] if isinstance(
            value, tuple
        ) else [data[port] if data else tensor(value)]  # fmt: skip
        scope.update(zip(names, given, strict=True))
        wires[port] = names if isinstance(value, tuple) else names[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if block.init:
            scope["module"] = eval(construct(block, settings), scope)
        return eval(express(block, settings, wires, module="module"), scope)


def constructor(name: str) -> dict[str, Any]:
    """Arguments of a torch class with their defaults; REQUIRED where there is none."""
    signature = inspect.signature(getattr(nn, name).__init__)
    skip = ("self", "device", "dtype", "args", "kwargs")
    return {
        p.name: REQUIRED if p.default is inspect.Parameter.empty else p.default
        for p in signature.parameters.values()
        if p.name not in skip
    }


def operator(name: str) -> dict[str, Any]:
    """Arguments of a torch function, from its schema, such as aten::flatten.using_ints."""
    base, _, overload = name.partition(".")
    schema = getattr(getattr(torch.ops.aten, base), overload or "default")._schema
    return {
        a.name: a.default_value if a.has_default_value() else REQUIRED for a in schema.arguments
    }


def run_shapes(block: Block, given: Mapping[str, Any], signature: Signature) -> Signature:
    """Run a block of one input on the CPU and give the signature of its first output.

    Raises what torch raises, and AssertionError if a check speaks: an inserted block must be right.
    """
    inputs = {block.inputs[0].name: signature}
    settings = complete(block, given, inputs)
    assert not setting_problems(block, given)
    problems = block_problems(block, settings, inputs)
    assert not problems, problems
    value = execute(block, settings, inputs)
    found = value[0] if isinstance(value, tuple) else value
    if isinstance(found, int):
        return size_of(found)
    sizes = tuple(
        N if size == N_SAMPLES and d == batch_dim(signature, found) else size
        for d, size in enumerate(found.shape)
    )
    return Signature(sizes, str(found.dtype).removeprefix("torch."))


def batch_dim(signature: Signature, found: torch.Tensor) -> int | None:
    """Where the batch went: no other size in these tests is N_SAMPLES."""
    return list(found.shape).index(N_SAMPLES) if N_SAMPLES in found.shape else None
