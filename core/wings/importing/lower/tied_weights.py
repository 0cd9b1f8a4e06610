"""Tied weights: a tensor shared by several layers becomes one parameter with a wire to each use.

A layer's block owns its weights. A layer that shares them is called as a function with the weight
wired in, so that training still updates a single tensor.
"""

from typing import Any

from torch import nn

from core.wings.importing.tracing.trace_ir import Ref, Step, Trace

CONVOLUTIONS = {nn.Conv1d: "conv1d", nn.Conv2d: "conv2d", nn.Conv3d: "conv3d"}


def untie(trace: Trace) -> None:
    """Replace layers that share weights by function calls, in place. Raises ImportRefused if it
    cannot."""
    if trace.root.module is None:
        return
    names = {id(p): name for name, p in trace.root.module.named_parameters()}
    tied = _tied(trace, names)
    for step in trace.root.steps():
        shared = [p for p in _weights(step.module) if id(p) in tied]
        if shared and type(step.module) in (nn.Linear, nn.Embedding, *CONVOLUTIONS):
            _as_function(step, trace, names)
        elif shared:
            shares = "it shares weights in the original, but not in the drawing"
            message = f"{step.path}: {shares}, {step.place}"
            trace.burned.append(message)


def _weights(module: nn.Module | None) -> list[nn.Parameter]:
    return list(module.parameters()) if module else []


def _tied(trace: Trace, names: dict[int, str]) -> set[int]:
    """Parameters of a layer that another layer, or a call without a layer, uses too."""
    numbers = {name: number for number, name in names.items()}
    users: dict[int, set[str]] = {}
    for step in trace.root.steps():
        for weight in _weights(step.module):
            users.setdefault(id(weight), set()).add(step.path)
        read = [trace.attributes[v] for v in step.reads if v in trace.attributes]
        for number in [numbers[path] for path in read if path in numbers]:
            users.setdefault(number, set()).add("")
    return {number for number, paths in users.items() if len(paths) > 1}


def _as_function(step: Step, trace: Trace, names: dict[int, str]) -> None:
    layer: Any = step.module
    weight, arguments = _value(layer.weight, trace, names), [*step.args, *step.kwargs.values()]
    bias = getattr(layer, "bias", None)
    more = () if bias is None else (_value(bias, trace, names),)
    kind = type(layer)
    step.path, step.module, step.kwargs = "", None, {}
    step.args = (arguments[0], weight, *more)
    if kind is nn.Embedding:
        step.name = "embedding"
        words = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
        step.kwargs = {word: getattr(layer, word) for word in words}
    elif kind is nn.Linear:
        step.name = "linear"
    else:
        step.name = CONVOLUTIONS[kind]
        words = ("stride", "padding", "dilation", "groups")
        step.kwargs = {word: getattr(layer, word) for word in words}


def _value(weight: nn.Parameter, trace: Trace, names: dict[int, str]) -> Ref:
    """The value number of a parameter; a new one if only layers used it."""
    path = names[id(weight)]
    number = next((value for value, name in trace.attributes.items() if name == path), None)
    if number is None:
        number = len(trace.shapes)
        trace.shapes[number] = tuple(weight.shape)
        trace.attributes = {**trace.attributes, number: path}
    return Ref(number)
