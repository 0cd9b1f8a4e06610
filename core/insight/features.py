"""Feature maps: the output of every node for a real sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from blocks import has
from core.analyse.activations import detached_copy, recording_activations
from core.analyse.module_hooks import ASKING
from core.analyse.report import Report
from core.common.json_types import is_array
from core.insight.eval_context import quiet
from core.insight.thumbnails import HookLines
from core.source.paths import node_paths


@dataclass(frozen=True)
class Capture:
    """Outputs of one pass by node path; tuples stay nested as torch returns them.

    output: what the whole network returned.
    """

    values: Mapping[str, Any]
    output: Any


def capture(
    module: nn.Module,
    report: Report,
    inputs: Sequence[Tensor],
    nodes: Sequence[str] | None = None,
) -> Capture:
    """Run a batch through the module in evaluation mode and keep the outputs of the nodes.

    The module has to be built from `report.source`. nodes: paths to keep, None for all. The
    results are those of a plain forward to the bit; flags, random state and hooks are restored.
    """
    paths = None if nodes is None else frozenset(nodes)
    ends = dict(
        zip((name for name, _ in report.inputs), (detached_copy(t) for t in inputs), strict=True)
    )
    with (
        quiet(module),
        recording_activations(module, report.source or "", report.lines, paths) as look,
    ):
        output = module(*inputs)
    ends |= own_tensors(module, report)
    results = output if len(report.outputs) > 1 else (output,)
    ends |= {name: detached_copy(r) for (name, _), r in zip(report.outputs, results, strict=True)}
    shown = {path: value for path, value in ends.items() if paths is None or path in paths}
    return Capture({**shown, **look.values}, output)


def own_tensors(module: nn.Module, report: Report) -> dict[str, Any]:
    """Parameters and buffers that are nodes of their own: they have no statement to watch."""
    modules = {node: own for own, node in node_paths(module, report.lines).items()} | {"": ""}
    tensors: dict[str, Any] = {}
    for path, node in report.nodes.items():
        outer, _, name = path.rpartition(".")
        if has(node.block, "stored") and outer in modules:
            owner = module.get_submodule(modules[outer])
            if hasattr(owner, name):
                tensors[path] = detached_copy(getattr(owner, name))
    return tensors


def feature_maps(module: nn.Module, report: Report, inputs: Sequence[Tensor], node: str) -> Tensor:
    """The first output of one node, batch included.

    Raises ValueError for a path that did not run or gives no tensor.
    """
    values = capture(module, report, inputs, [node]).values
    if node not in values:
        raise ValueError(f"{node} needs to be a node of the network but did not run")
    return first(values[node], node)


def first(value: Any, node: str) -> Tensor:
    """The first tensor of a nested value. Raises ValueError naming the node."""
    while is_array(value) and value:
        value = value[0]
    if not isinstance(value, Tensor):
        raise ValueError(f"{node} needs to give a tensor but gives {type(value).__name__}")
    return value


def hook_lines_of(module: nn.Module, report: Report, node: str) -> HookLines | None:
    """How a block's output is caught: the hook on its module, or its statement in forward.

    None for what has neither, such as an Input.
    """
    paths = node_paths(module, report.lines)
    own = next((name for name, path in paths.items() if path == node), "")
    part = module.get_submodule(own) if own else None
    if part is not None and not isinstance(part, ASKING):
        sentence = f"Captured by a forward hook on model.{own} ({type(part).__name__})."
        return HookLines(sentence, _hook(own))
    numbers, drawn = report.lines.get(node), report.nodes.get(node)
    ends = drawn is None or has(drawn.block, "end")
    if not numbers or ends or report.source is None:
        return None
    statement = report.source.splitlines()[numbers[-1] - 1].strip()
    if part is not None:
        kind = type(part).__name__
        why = f"A hook on model.{own} ({kind}) would change how it computes"
    else:
        why = f"{node} has no module of its own to hook"
    return HookLines(f"{why}; its value is read after its statement in forward:", statement)


def _hook(own: str) -> str:
    return f"""seen = {{}}
layer = model.get_submodule({own!r})
handle = layer.register_forward_hook(lambda layer, given, out: seen.update(out=out))
model(x)
handle.remove()  # seen["out"] is the output of the block
"""
