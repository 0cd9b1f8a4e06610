"""What a run says in a roundabout way, said as the layer it is, bit for bit.

linear(x, fc.weight, fc.bias) is a call of the layer fc; a Dropout3d over samples laid out as
channels is a StochasticDepth.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from torch import nn

from core.importing.steps import Ref, Scope, Step, Trace


def say_plainly(trace: Trace) -> None:
    """Rewrite the steps of a run in place."""
    root = trace.root.module
    modules = dict(root.named_modules()) if root is not None else {}
    for scope in (trace.root, *trace.root.scopes()):
        for item in scope.items:
            if isinstance(item, Step) and item.name == "linear" and item.module is None:
                _as_layer(item, scope, trace.attributes, modules)
        for dropout in [i for i in scope.items if _is_dropout(i)]:
            _as_depth(scope, dropout)


def _as_layer(
    step: Step, scope: Scope, attributes: Mapping[int, str], modules: Mapping[str, nn.Module]
) -> None:
    """A linear function with the weights of a layer inside the scope."""
    given = {**dict(zip(("input", "weight", "bias"), step.args, strict=False)), **step.kwargs}
    weight, bias = given.get("weight"), given.get("bias")
    path = attributes.get(weight.value, "") if isinstance(weight, Ref) else ""
    layer = modules.get(path.removesuffix(".weight"))
    if type(layer) is not nn.Linear or not isinstance(given.get("input"), Ref):
        return
    path = path.removesuffix(".weight")
    theirs = attributes.get(bias.value, "") if isinstance(bias, Ref) else None
    own = f"{path}.bias" if layer.bias is not None else None
    if theirs == own and path.startswith(f"{scope.path}." if scope.path else ""):
        step.name, step.path, step.module = "Linear", path, layer
        step.args, step.kwargs = (given["input"],), {}


def _is_dropout(item: Any) -> bool:
    return isinstance(item, Step) and type(item.module) is nn.Dropout3d


def _as_depth(scope: Scope, dropout: Any) -> None:
    """unsqueeze, Dropout3d, squeeze: whole samples are dropped."""
    place = next(i for i, item in enumerate(scope.items) if item is dropout)
    before, after = scope.items[max(place - 2, 0) : place], scope.items[place + 1 : place + 2]
    near = [*before[-1:], *after]
    if len(near) < 2 or not all(isinstance(i, Step) for i in near):
        return
    steps = [i for i in (*before, *after) if isinstance(i, Step)]
    if not _on_first(steps[-2], "unsqueeze"):
        return
    if _on_first(steps[-1], "squeeze"):
        _replace(scope, [steps[-2], dropout, steps[-1]])
    elif steps[-1].name == "view_as" and len(steps) == 3 and _flattens(steps[0], steps[-1]):
        _replace(scope, [steps[0], steps[1], dropout, steps[-1]])


def _on_first(step: Step, name: str) -> bool:
    dims = [*step.args[1:], *step.kwargs.values()]
    return step.name == name and dims == [0]


def _flattens(step: Step, last: Step) -> bool:
    dims = [*step.args[1:], *step.kwargs.values()]
    return step.name == "flatten" and dims == [3] and last.args[1] == step.args[0]


def _replace(scope: Scope, steps: list[Any]) -> None:
    made = [v for step in steps[:-1] for v in step.makes]
    inside = {id(step) for step in steps}
    others = [i for i in scope.items if id(i) not in inside]
    read = {
        v for i in others for s in (i.steps() if isinstance(i, Scope) else [i]) for v in s.reads
    }
    dropout = next(step for step in steps if step.module is not None)
    linked = all(b.reads[0] == a.makes[0] for a, b in pairwise(steps))
    if not linked or read & set(made):
        return
    from torchvision.ops import StochasticDepth  # the layer that this is in torchvision

    step = Step(
        "StochasticDepth", dropout.path, StochasticDepth(dropout.module.p, "row"),
        (steps[0].args[0],), {}, dropout.place, steps[-1].outputs, steps[-1].result,
    )  # fmt: skip
    place = scope.items.index(steps[0])
    scope.items = [i for i in scope.items if id(i) not in inside]
    scope.items.insert(place, step)
