"""Layers whose weights have another floating dtype than their input.

torch raises for them on data, but not on the meta device.
"""

from collections.abc import Mapping
from typing import Any

from torch import nn

from blocks import Block, Problem
from blocks.checks.fixes import insert
from blocks.checks.ports import wires
from core.analyse.calls import constructed_on_meta


def dtype_mismatch(block: Block, settings: Mapping[str, Any], inputs: Mapping[str, Any]
                 ) -> list[Problem]:  # fmt: skip
    """Say which wires do not carry the floats that the weights are of."""
    given = [
        (name, signature)
        for port in block.inputs
        if block.init and port.dtype == "float"
        for name, signature in wires(port, inputs)
        if signature.floating
    ]
    if all(signature.dtype == "float32" for _, signature in given):
        return []  # what every block is made with
    module = constructed_on_meta(block, settings)
    kinds = [w.dtype for w in module.parameters()] if isinstance(module, nn.Module) else []
    kind = next((str(k).removeprefix("torch.") for k in kinds if k.is_floating_point), "")
    return [
        Problem(
            "other_floats",
            f"has weights of {kind} but receives {signature.dtype} in {signature} at {name}.",
            f"Turn the values into {kind} first.",
            (insert(name, "to", dtype=kind),),
        )
        for name, signature in given
        if kind and signature.dtype != kind
    ]
