"""What leaves a node, by port: torch's nested results under the names that the drawing has."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from core.analyse.report import NodeReport


def parts(value: Any) -> Iterator[Any]:
    """All tensors and whole numbers of a nested value, in torch's order."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from parts(part)
    elif isinstance(value, torch.Tensor | int):
        yield value


def by_port(value: Any, node: NodeReport | None) -> Mapping[str, Any]:
    """A node's value by port; by number where the drawing names no or other ports."""
    found = list(parts(value))
    names = list(node.outputs) if node else []
    if len(names) != len(found):
        names = [str(number) for number in range(len(found))]
    return dict(zip(names, found, strict=True))
